//! Which n-grams are hashed, and the small bitmap that holds those of one piece of text.

/// Bits of the hash of an n-gram.
const HASH_BITS: u32 = 24;
/// The smallest bitmap, as a power of two of bits: one cache line.
const MIN_BITS: u32 = 9;
/// The largest bitmap.
pub(crate) const MAX_BITS: u32 = 19;
/// How many bitmaps there are from the smallest to the largest.
pub(crate) const SIZES: usize = (MAX_BITS - MIN_BITS + 1) as usize;

/// Which n-grams an index holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Grams {
    /// Four bytes in a row: about 11 % of the text.
    Four,
    /// Three and five bytes in a row: about 22 % of the text, and fewer files read in vain.
    ThreeAndFive,
}

impl Grams {
    /// Calls `each` with the hash of every n-gram of `text`, folded.
    #[inline]
    fn visit(self, text: &[u8], mut each: impl FnMut(u32)) {
        match self {
            Self::Four => {
                let mut window = 0u32;
                let (first, rest) = text.split_at(text.len().min(3));
                for &byte in first {
                    window = window << 8 | u32::from(FOLD[usize::from(byte)]);
                }
                for &byte in rest {
                    window = window << 8 | u32::from(FOLD[usize::from(byte)]);
                    each(window.wrapping_mul(0x9E37_79B1) >> (32 - HASH_BITS));
                }
            }
            Self::ThreeAndFive => {
                let mut window = 0u64;
                for (at, &byte) in text.iter().enumerate() {
                    window = window << 8 | u64::from(FOLD[usize::from(byte)]);
                    if at >= 2 {
                        each(((window as u32) << 8).wrapping_mul(0x85EB_CA6B) >> (32 - HASH_BITS));
                    }
                    if at >= 4 {
                        each(((window << 24).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - HASH_BITS)) as u32);
                    }
                }
            }
        }
    }

    /// The hashes of the n-grams of a literal, none twice; none at all when it is too short.
    pub(crate) fn of_literal(self, literal: &[u8]) -> Vec<u32> {
        let mut hashes = Vec::new();
        self.visit(literal, |hash| {
            if !hashes.contains(&hash) && hashes.len() < MOST_OF_LITERAL {
                hashes.push(hash);
            }
        });
        hashes
    }
}

/// N-grams of one literal that are asked for: with so many, nothing passes by accident.
const MOST_OF_LITERAL: usize = 64;

/// ASCII upper case to lower case.
static FOLD: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = (byte as u8).to_ascii_lowercase();
        byte += 1;
    }
    table
};

/// The row of a hash in a bitmap of `1 << bits` bits: a smaller bitmap is a larger one with neighbours put together.
#[inline]
pub(crate) fn row_of(hash: u32, bits: u32) -> usize {
    (hash >> (HASH_BITS - bits)) as usize
}

/// The n-grams of one piece of text, at most a quarter of the bits set unless the text is too varied for that.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Bitmap {
    pub(crate) bits: u32,
    pub(crate) words: Vec<u64>,
}

impl Bitmap {
    /// Makes the bitmap of a text. `scratch` is for the bitmap before it is folded.
    pub(crate) fn of(text: &[u8], grams: Grams, scratch: &mut Vec<u64>) -> Self {
        let most = match grams {
            Grams::Four => text.len() * 4,
            Grams::ThreeAndFive => text.len() * 8,
        };
        let mut bits = most.next_power_of_two().trailing_zeros().clamp(MIN_BITS, MAX_BITS);
        scratch.clear();
        scratch.resize(1 << (bits - 6), 0);
        {
            let words = &mut scratch[..];
            let shift = HASH_BITS - bits;
            let mask = words.len() - 1;
            grams.visit(text, |hash| {
                let row = hash >> shift;
                words[(row >> 6) as usize & mask] |= 1 << (row & 63);
            });
        }
        let mut folded = Vec::new();
        while bits > MIN_BITS {
            fold(scratch, &mut folded);
            let set: u32 = folded.iter().map(|word| word.count_ones()).sum();
            if set as usize > folded.len() * 64 / 4 {
                break;
            }
            std::mem::swap(scratch, &mut folded);
            bits -= 1;
        }
        Self { bits, words: scratch.clone() }
    }

    /// The rows that are set.
    pub(crate) fn rows(&self) -> impl Iterator<Item = usize> + '_ {
        self.words.iter().enumerate().flat_map(|(at, &word)| {
            let mut left = word;
            std::iter::from_fn(move || {
                let bit = left.trailing_zeros();
                (left != 0).then(|| {
                    left &= left - 1;
                    at * 64 + bit as usize
                })
            })
        })
    }
}

/// Puts neighbouring bits together.
fn fold(words: &[u64], out: &mut Vec<u64>) {
    out.clear();
    out.extend(
        words
            .chunks_exact(2)
            .map(|pair| even_bits(pair[0] | pair[0] >> 1) | even_bits(pair[1] | pair[1] >> 1) << 32),
    );
}

/// Moves the bits at even places together, into the lower half.
fn even_bits(word: u64) -> u64 {
    let mut x = word & 0x5555_5555_5555_5555;
    for (shift, mask) in [
        (1, 0x3333_3333_3333_3333),
        (2, 0x0F0F_0F0F_0F0F_0F0F),
        (4, 0x00FF_00FF_00FF_00FF),
        (8, 0x0000_FFFF_0000_FFFF),
        (16, 0x0000_0000_FFFF_FFFF),
    ] {
        x = (x | x >> shift) & mask;
    }
    x
}

#[cfg(test)]
mod tests;
