//! How content is coded: as it is, by zstd, or by zstd as a patch of another content.

use std::io::Read;

use zstd::zstd_safe::{CCtx, CParameter, compress_bound};

/// Data is the content itself.
pub const RAW: u8 = 0;
/// Data is a zstd frame.
pub const ZSTD: u8 = 1;
/// Data is a zstd frame that refers to the content of the base as a prefix.
pub const PATCH: u8 = 2;
/// Data is sealed content, which only a key opens: neither [`encode`] nor [`decode`] knows it.
pub const SEALED: u8 = 3;

/// Longest chain of patches above a key frame: decoding one content reads at most 16.
pub const MAX_DEPTH: u32 = 15;
/// Longest content in bytes that any version of this crate decodes, whatever a stored row claims.
pub const MAX_RAW_BYTES: u64 = 1 << 30;

/// A patch is kept if it is at most this fraction of the content; otherwise a key frame is, which decodes alone.
const PATCH_GAIN: usize = 8;
/// Patches need base and content within one window; 2^26 is within the default limit of every zstd decoder.
const MAX_PATCH_BYTES: usize = 1 << 25;
/// The usual trade of time for size; higher levels gain under 10 % on source text.
const LEVEL: i32 = 3;
/// Memory that a decoder takes on trust before data has proven its length.
const FIRST_RESERVE: u64 = 1 << 20;

/// Says that coded data is not what its description claims.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Malformed;

/// Codes `content`, as a patch of `base` if that gains much, else alone. Returns the codec and the data.
///
/// # Cost
///
/// One or two zstd passes at level 3 over the content.
///
/// # Examples
///
/// ```
/// use file_history::codec;
/// let (codec, data) = codec::encode(b"abcabcabcabcabcabcabcabcabcabcabcabc", None);
/// assert_eq!(codec::decode(codec, 36, &data, None), Ok(b"abcabcabcabcabcabcabcabcabcabcabcabc".to_vec()));
/// ```
pub fn encode(content: &[u8], base: Option<&[u8]>) -> (u8, Vec<u8>) {
    if let Some(base) = base
        && base.len().saturating_add(content.len()) <= MAX_PATCH_BYTES
        && let Some(patch) = compress(content, Some(base))
        && patch.len() <= content.len() / PATCH_GAIN
    {
        return (PATCH, patch);
    }
    match compress(content, None) {
        Some(data) if data.len() < content.len() => (ZSTD, data),
        _ => (RAW, content.to_vec()),
    }
}

/// Decodes `data` into exactly `raw_len` bytes; `base` is the content that a patch refers to.
///
/// # Errors
///
/// [`Malformed`] for an unknown codec, a missing base, a length that is over [`MAX_RAW_BYTES`] or not the true
/// one, and data that does not decode.
///
/// # Cost
///
/// O(`raw_len`); memory grows with what was decoded, never with what was claimed.
pub fn decode(codec: u8, raw_len: u64, data: &[u8], base: Option<&[u8]>) -> Result<Vec<u8>, Malformed> {
    if raw_len > MAX_RAW_BYTES {
        return Err(Malformed);
    }
    match (codec, base) {
        (RAW, _) if data.len() as u64 == raw_len => Ok(data.to_vec()),
        (ZSTD, _) => decompress(raw_len, data, &[]),
        (PATCH, Some(base)) => decompress(raw_len, data, base),
        _ => Err(Malformed),
    }
}

/// Compresses, with `prefix` as what came before. `None` if zstd fails, which costs size and nothing else.
fn compress(content: &[u8], prefix: Option<&[u8]>) -> Option<Vec<u8>> {
    let mut context = CCtx::try_create()?;
    context.set_parameter(CParameter::CompressionLevel(LEVEL)).ok()?;
    if let Some(prefix) = prefix {
        // The window must reach back over the whole prefix.
        let reach = (prefix.len() + content.len()).max(1 << 10).next_power_of_two();
        context.set_parameter(CParameter::WindowLog(reach.trailing_zeros())).ok()?;
        context.ref_prefix(prefix).ok()?;
    }
    let mut data: Vec<u8> = Vec::with_capacity(compress_bound(content.len()));
    context.compress2(&mut data, content).ok()?;
    data.shrink_to_fit();
    Some(data)
}

fn decompress(raw_len: u64, data: &[u8], prefix: &[u8]) -> Result<Vec<u8>, Malformed> {
    let decoder = zstd::stream::read::Decoder::with_ref_prefix(data, prefix).map_err(|_| Malformed)?;
    let mut content = Vec::new();
    content.reserve_exact(usize::try_from(raw_len.min(FIRST_RESERVE)).map_err(|_| Malformed)?);
    // One byte more than claimed is enough to see that the claim is false.
    decoder.take(raw_len + 1).read_to_end(&mut content).map_err(|_| Malformed)?;
    if content.len() as u64 == raw_len { Ok(content) } else { Err(Malformed) }
}
