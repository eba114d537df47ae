//! UTF-16 with a byte order mark, read as UTF-8.

use std::io::{self, Read};

/// Byte order of a UTF-16 file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    Little,
    Big,
}

/// Tells whether `start`, the start of a file, has a byte order mark of UTF-16.
pub(crate) fn sniff(start: &[u8]) -> Option<Order> {
    match start {
        // This one is UTF-32, which is left to be binary.
        [0xFF, 0xFE, 0, 0, ..] => None,
        [0xFF, 0xFE, ..] => Some(Order::Little),
        [0xFE, 0xFF, ..] => Some(Order::Big),
        _ => None,
    }
}

/// Turns bytes of UTF-16 into UTF-8, piece by piece; what is not UTF-16 becomes U+FFFD.
#[derive(Debug)]
pub(crate) struct Decoder {
    order: Order,
    half: Option<u8>,
    high: Option<u16>,
}

impl Decoder {
    pub(crate) fn new(order: Order) -> Self {
        Self { order, half: None, high: None }
    }

    /// Decodes `raw` onto the end of `out`: at most 3 bytes for 2, and 6 for what was left over.
    pub(crate) fn push(&mut self, raw: &[u8], out: &mut Vec<u8>) {
        for &byte in raw {
            let Some(first) = self.half.take() else {
                self.half = Some(byte);
                continue;
            };
            let unit = match self.order {
                Order::Little => u16::from_le_bytes([first, byte]),
                Order::Big => u16::from_be_bytes([first, byte]),
            };
            self.unit(unit, out);
        }
    }

    /// Writes what is left at the end of the file.
    pub(crate) fn finish(&mut self, out: &mut Vec<u8>) {
        for _ in 0..usize::from(self.high.take().is_some()) + usize::from(self.half.take().is_some()) {
            push_char('\u{FFFD}', out);
        }
    }

    fn unit(&mut self, unit: u16, out: &mut Vec<u8>) {
        if let Some(high) = self.high.take() {
            if let Some(Ok(c)) = char::decode_utf16([high, unit]).next() {
                return push_char(c, out);
            }
            push_char('\u{FFFD}', out);
        }
        match unit {
            0xD800..0xDC00 => self.high = Some(unit),
            _ => push_char(char::from_u32(u32::from(unit)).unwrap_or('\u{FFFD}'), out),
        }
    }
}

fn push_char(c: char, out: &mut Vec<u8>) {
    out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
}

/// A file as the matcher sees it: bytes as they are, or UTF-16 turned into UTF-8.
pub(crate) struct Source<R> {
    file: R,
    /// Length told when the file was opened; 0 when unknown, as for generated files.
    size: u64,
    /// How much is read of a file that has no length: it may have no end either.
    max_unsized: u64,
    pub(crate) bytes_read: u64,
    at_end: bool,
    decoder: Option<Decoder>,
    raw: Vec<u8>,
    ready: Vec<u8>,
    taken: usize,
}

impl<R: Read> Source<R> {
    /// Raw bytes decoded at once.
    const RAW_BYTES: usize = 32 << 10;

    pub(crate) fn new(file: R, size: u64, max_unsized: u64) -> Self {
        let (raw, ready) = (Vec::new(), Vec::new());
        Self { file, size, max_unsized, bytes_read: 0, at_end: false, decoder: None, raw, ready, taken: 0 }
    }

    /// Goes on as UTF-16: `start` is what was read so far, without its mark.
    pub(crate) fn decode(&mut self, order: Order, start: &[u8]) {
        let mut decoder = Decoder::new(order);
        decoder.push(start, &mut self.ready);
        if self.at_end {
            decoder.finish(&mut self.ready);
        }
        self.raw.resize(Self::RAW_BYTES, 0);
        self.decoder = Some(decoder);
    }

    /// Reads into `buf`; 0 at the end of the file, or when `buf` is empty.
    pub(crate) fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let Some(mut decoder) = self.decoder.take() else { return self.read_raw(buf) };
        while self.taken == self.ready.len() && !self.at_end {
            self.ready.clear();
            self.taken = 0;
            let mut raw = std::mem::take(&mut self.raw);
            let got = self.read_raw(&mut raw);
            if let Ok(n) = got {
                decoder.push(&raw[..n], &mut self.ready);
            }
            self.raw = raw;
            got?;
            if self.at_end {
                decoder.finish(&mut self.ready);
            }
        }
        self.decoder = Some(decoder);
        let n = buf.len().min(self.ready.len() - self.taken);
        buf[..n].copy_from_slice(&self.ready[self.taken..self.taken + n]);
        self.taken += n;
        Ok(n)
    }

    fn read_raw(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if self.at_end || buf.is_empty() {
            return Ok(0);
        }
        if self.size == 0 && self.bytes_read > self.max_unsized {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        loop {
            match self.file.read(buf) {
                Ok(n) => {
                    self.bytes_read += n as u64;
                    // A file that was read to its length needs no further call to learn that it ends; one that
                    // grows meanwhile is searched as it was.
                    self.at_end = n == 0 || (self.size > 0 && self.bytes_read >= self.size);
                    return Ok(n);
                }
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
    }

    /// Tells whether what is read are not the bytes of the file.
    #[cfg(feature = "index")]
    pub(crate) fn is_decoded(&self) -> bool {
        self.decoder.is_some()
    }

    pub(crate) fn is_at_end(&self) -> bool {
        self.at_end && self.taken == self.ready.len()
    }
}
