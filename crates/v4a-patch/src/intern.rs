//! Numbers for lines: the lines that a patch asks for get an id, and each file line is looked up once.

use alloc::vec::Vec;

/// Mixes the bytes of a line into 64 bits.
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    const K: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut state = (bytes.len() as u64).wrapping_mul(K);
    let mut chunks = bytes.chunks_exact(8);
    for chunk in &mut chunks {
        let word = u64::from_le_bytes([
            chunk[0], chunk[1], chunk[2], chunk[3], chunk[4], chunk[5], chunk[6], chunk[7],
        ]);
        state = (state ^ word).wrapping_mul(K).rotate_left(29);
    }
    let mut tail = 0;
    for &byte in chunks.remainder() {
        tail = tail << 8 | u64::from(byte);
    }
    state = (state ^ tail).wrapping_mul(K);
    state ^ state >> 32
}

/// A fixed set of byte strings, numbered from 0.
///
/// Entries are sorted by hash and then by content and found through an index of the upper hash bits, so that even
/// colliding hashes cost no more than a binary search.
#[derive(Debug)]
pub(crate) struct Interner<'a> {
    entries: Vec<(u64, &'a [u8])>,
    /// Where the entries of each value of the upper hash bits start.
    buckets: Vec<u32>,
    shift: u32,
    /// One bit for each (length, middle byte) that occurs, so that most file lines are never hashed.
    filter: Vec<u64>,
}

impl<'a> Interner<'a> {
    pub(crate) fn new(strings: impl Iterator<Item = &'a [u8]>) -> Self {
        let mut entries: Vec<(u64, &[u8])> = strings.map(|text| (hash(text), text)).collect();
        entries.sort_unstable();
        entries.dedup();
        let bits = (usize::BITS - entries.len().leading_zeros()).clamp(4, 24) + 1;
        let shift = 64 - bits;
        let mut buckets = alloc::vec![0u32; (1 << bits) + 1];
        let mut filter = alloc::vec![0u64; 1 << 10];
        for &(hash, text) in &entries {
            buckets[(hash >> shift) as usize + 1] += 1;
            let slot = slot(text);
            filter[slot >> 6] |= 1 << (slot & 63);
        }
        for at in 1..buckets.len() {
            buckets[at] += buckets[at - 1];
        }
        Self { entries, buckets, shift, filter }
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns the number of `text`.
    pub(crate) fn get(&self, text: &[u8]) -> Option<u32> {
        let slot = slot(text);
        if self.filter[slot >> 6] >> (slot & 63) & 1 == 0 {
            return None;
        }
        let hash = hash(text);
        let bucket = (hash >> self.shift) as usize;
        let (from, to) = (self.buckets[bucket] as usize, self.buckets[bucket + 1] as usize);
        let found = self.entries[from..to].binary_search(&(hash, text)).ok()?;
        Some((from + found) as u32)
    }
}

/// The filter bit of a string.
fn slot(text: &[u8]) -> usize {
    let middle = text.get(text.len() / 2).copied().unwrap_or(0);
    (text.len() & 0xff) << 8 | usize::from(middle)
}
