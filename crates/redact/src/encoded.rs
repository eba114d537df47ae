//! One level of base64, decoded into a fixed buffer.

/// Decodes either base64 alphabet up to the first other byte, and returns the number of bytes written.
///
/// Stops early with 0 when one of the first `probe` bytes is not printable ASCII.
pub(crate) fn decode(text: &[u8], probe: usize, out: &mut [u8]) -> usize {
    let mut bits = 0u32;
    let mut have = 0;
    let mut len = 0;
    for &byte in text {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => break,
        };
        bits = bits << 6 | u32::from(value);
        have += 6;
        if have >= 8 {
            have -= 8;
            if len == out.len() {
                break;
            }
            out[len] = (bits >> have) as u8;
            if len < probe && !matches!(out[len], b' '..=b'~' | b'\n' | b'\r' | b'\t') {
                return 0;
            }
            len += 1;
        }
    }
    len
}

/// Says whether nearly all of `bytes` is printable ASCII.
pub(crate) fn is_text(bytes: &[u8]) -> bool {
    let odd = bytes.iter().filter(|&&byte| !matches!(byte, b' '..=b'~' | b'\n' | b'\r' | b'\t')).count();
    odd * 50 <= bytes.len()
}
