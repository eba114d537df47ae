//! The known word that an unknown one was probably meant to be.

/// Returns the candidate at the smallest edit distance from `word`, if it is close enough to be a likely misspelling.
///
/// Distance counts insertions, deletions and replacements of bytes, and swaps of two neighbours, without regard to ASCII case; at most a third of the longer word may differ,
/// unless one word contains the other or both begin alike.
/// Words over 64 bytes are not compared. Ties go to the candidate that comes first.
pub(crate) fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    const MAX_BYTES: usize = 64;
    if word.len() > MAX_BYTES {
        return None;
    }
    let word = word.to_ascii_lowercase();
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        if candidate.len() > MAX_BYTES {
            continue;
        }
        let limit = word.len().max(candidate.len()).div_ceil(3);
        let folded = candidate.to_ascii_lowercase();
        let contained = word.len() >= 3 && (folded.contains(&word) || word.contains(&folded));
        let shared = word.bytes().zip(folded.bytes()).take_while(|(a, b)| a == b).count();
        let begins_alike = shared >= 3 && shared * 2 >= word.len().min(candidate.len());
        let distance = match (contained, begins_alike) {
            _ if word == folded => 0,
            (true, _) => 1,
            (false, true) => distance(word.as_bytes(), folded.as_bytes()).min(limit),
            (false, false) => distance(word.as_bytes(), folded.as_bytes()),
        };
        if distance <= limit && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// Returns the candidate that differs from `word` by one byte, two in a long word, or only in `-` for `_`: a slip,
/// hardly another word. Short words have too many neighbours.
pub(super) fn misspelled<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    const MIN_BYTES: usize = 6;
    let word = word.to_ascii_lowercase().replace('-', "_");
    candidates.into_iter().find(|candidate| {
        let slips = if candidate.len() < 2 * MIN_BYTES { 1 } else { 2 };
        let comparable =
            candidate.len().min(word.len()) >= MIN_BYTES && word.len() <= candidate.len() + slips;
        comparable && distance(word.as_bytes(), candidate.as_bytes()) <= slips
    })
}

fn distance(a: &[u8], b: &[u8]) -> usize {
    let mut above: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, &x) in a.iter().enumerate() {
        let mut next = vec![i + 1];
        for (j, &y) in b.iter().enumerate() {
            let mut least = (row[j] + usize::from(x != y)).min(next[j] + 1).min(row[j + 1] + 1);
            let is_swap = i > 0 && j > 0 && x == b[j - 1] && y == a[i - 1];
            if is_swap {
                least = least.min(above[j - 1] + 1);
            }
            next.push(least);
        }
        above = std::mem::replace(&mut row, next);
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::{misspelled, nearest};

    #[test]
    fn likely_misspellings_are_found() {
        assert_eq!(nearest("file_path", ["path", "content"]), Some("path"));
        assert_eq!(nearest("contnet", ["path", "content"]), Some("content"));
        assert_eq!(nearest("old_str", ["old_text", "new_text", "path"]), Some("old_text"));
        assert_eq!(nearest("readme.md", ["read.me", "README.md"]), Some("README.md"));
        assert_eq!(nearest("scr", ["doc", "src"]), Some("src"));
        assert_eq!(nearest("xyz", ["path", "content"]), None);
        assert_eq!(nearest(&"a".repeat(100), ["path"]), None);
    }

    #[test]
    fn slips_are_told_from_other_words() {
        assert_eq!(misspelled("fs-tools", ["fs_tools"]), Some("fs_tools"));
        assert_eq!(
            misspelled("allow_read_path", ["allow_read_paths", "allow_write_paths"]),
            Some("allow_read_paths")
        );
        for other in ["web", "exec", "list", "read", "write", "send_file", "load_image", "media_cleanup"] {
            assert_eq!(
                misspelled(other, ["read_file", "list_dir", "edit_file", "write_file"]),
                None,
                "{other}"
            );
        }
    }
}
