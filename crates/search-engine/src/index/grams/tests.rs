//! Bitmaps hold every n-gram of their text, at every size.

use super::{Bitmap, Grams, MAX_BITS, MIN_BITS, even_bits, row_of};

fn holds(bitmap: &Bitmap, hash: u32) -> bool {
    let row = row_of(hash, bitmap.bits);
    bitmap.words[row / 64] >> (row % 64) & 1 == 1
}

/// Bytes that look random, the same each time.
fn noise(len: usize) -> Vec<u8> {
    let mut state = 0x2545_F491_4F6C_DD1D_u64;
    (0..len)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state as u8
        })
        .collect()
}

#[test]
fn every_literal_of_the_text_is_found() {
    let mut scratch = Vec::new();
    for grams in [Grams::Four, Grams::ThreeAndFive] {
        for len in [0, 1, 3, 4, 5, 80, 2_000, 70_000, 600_000] {
            for text in [noise(len), b"int main(void) { Return 0; }\n".repeat(len / 29 + 1)] {
                let bitmap = Bitmap::of(&text, grams, &mut scratch);
                assert!((MIN_BITS..=MAX_BITS).contains(&bitmap.bits));
                assert_eq!(bitmap.words.len() * 64, 1 << bitmap.bits);
                let step = (text.len() / 50).max(1);
                for start in (0..text.len()).step_by(step) {
                    let literal = &text[start..(start + 12).min(text.len())].to_ascii_uppercase();
                    assert!(grams.of_literal(literal).iter().all(|&hash| holds(&bitmap, hash)));
                }
            }
        }
    }
}

#[test]
fn a_quarter_of_the_bits_at_most_is_set() {
    let bitmap = Bitmap::of(&noise(30_000), Grams::Four, &mut Vec::new());
    let set = bitmap.rows().count();
    assert!(set * 4 <= 1 << bitmap.bits && set * 9 >= 1 << bitmap.bits, "{set} of {} bits", 1 << bitmap.bits);
}

#[test]
fn short_literals_have_no_grams() {
    assert!(Grams::Four.of_literal(b"abc").is_empty());
    assert_eq!(Grams::ThreeAndFive.of_literal(b"abc").len(), 1);
    assert_eq!(Grams::ThreeAndFive.of_literal(b"abcde").len(), 4);
}

#[test]
fn even_bits_move_together() {
    assert_eq!(even_bits(0b0100_0101), 0b1011);
    assert_eq!(even_bits(1 << 62), 1 << 31);
    assert_eq!(even_bits(!0), 0xFFFF_FFFF);
}
