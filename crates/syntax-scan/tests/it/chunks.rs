//! How a file is cut into pieces makes no difference.

use crate::mutation::SAMPLES;
use syntax_scan::{Language, Outcome, Scanner, scan};

fn in_chunks(language: Language, input: &[u8], size: usize) -> Outcome {
    let mut scanner = Scanner::new(language);
    for chunk in input.chunks(size) {
        scanner.push(chunk);
        scanner.push(b"");
    }
    scanner.finish()
}

#[test]
fn any_chunk_size_gives_the_same_outcome() {
    for (language, text) in SAMPLES {
        // A shift moves every token over the borders of the blocks.
        for shift in 0..66 {
            let text = format!("{}{text}", " ".repeat(shift));
            let whole = scan(language, text.as_bytes());
            assert_eq!(whole, Outcome::Ok, "{language:?} shifted by {shift}");
            for size in [1, 3, 63, 64, 65, 127] {
                assert_eq!(in_chunks(language, text.as_bytes(), size), whole, "{language:?} {shift} {size}");
            }
        }
    }
}

#[test]
fn every_prefix_gives_the_same_outcome_in_chunks() {
    for (language, text) in SAMPLES {
        for end in 0..text.len() {
            let Some(prefix) = text.as_bytes().get(..end) else { continue };
            let whole = scan(language, prefix);
            for size in [1, 7, 64] {
                assert_eq!(in_chunks(language, prefix, size), whole, "{language:?} {end} {size}");
            }
            if let Outcome::Problem(problem) = whole {
                assert!(problem.offset <= end as u64, "{problem}");
            }
        }
    }
}
