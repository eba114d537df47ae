//! Properties of lists of targets, against a slow search over characters.

use std::ops::Range;

use v4a_patch::{Matched, Target, TargetError, TargetPlan, TextDiagnosis, plan_targets};

/// The pieces that a byte stands for when the input is not literal: few, so that texts are often found.
const PIECES: [&[u8]; 32] = [
    b"a",
    b"b",
    b"a",
    b"\n",
    b"\n",
    b"\r\n",
    b"\r\n",
    b"\r",
    b"'",
    b"'",
    b"\"",
    b"\"",
    "\u{2018}".as_bytes(),
    "\u{2019}".as_bytes(),
    "\u{201b}".as_bytes(),
    "\u{201c}".as_bytes(),
    "\u{201c}".as_bytes(),
    "\u{201d}".as_bytes(),
    "\u{201f}".as_bytes(),
    b" ",
    b" ",
    b"-(",
    b"\xe2",
    b"\x80",
    b"\x98",
    b"\xff",
    "\u{e9}".as_bytes(),
    "\u{3000}".as_bytes(),
    "\u{feff}".as_bytes(),
    b"1\t",
    b"aa",
    b"ab",
];

/// The places and the result of a list of targets are those of a slow search, and a refusal has its reason.
///
/// The first byte says how the rest is read: literally, or each byte as one of a few pieces, and then whether an old
/// text is given by its place in the file. `\0` and `\x01` end a part; the parts are the file, and the old and the new
/// text of each target in turn. `\x01` behind an old text asks for all occurrences.
pub fn plan_like_naive(data: &[u8]) {
    let Some((&choice, rest)) = data.split_first() else { return };
    let rest = &rest[..rest.len().min(1 << 12)];
    let mut parts: Vec<(Vec<u8>, bool)> = rest
        .split_inclusive(|&byte| byte < 2)
        .map(|part| match part {
            [text @ .., end @ (0 | 1)] => (text.to_vec(), *end == 1),
            _ => (part.to_vec(), false),
        })
        .collect();
    // An empty part at the end is a part, too.
    if rest.last().is_none_or(|&byte| byte < 2) {
        parts.push((Vec::new(), false));
    }
    if choice & 3 == 3 {
        let file = parts[0].0.clone();
        parts[1..].iter_mut().step_by(2).for_each(|part| part.0 = picked(&file, &part.0));
    }
    if choice & 1 == 1 {
        let text = |part: &[u8]| part.iter().flat_map(|byte| piece(*byte)).copied().collect();
        parts.iter_mut().for_each(|part| part.0 = text(&part.0));
    }
    let (file, texts) = parts.split_first().unwrap();
    let targets: Vec<Target<'_>> = texts
        .chunks_exact(2)
        .take(8)
        .map(|pair| Target { old: &pair[0].0, new: &pair[1].0, replace_all: pair[0].1 })
        .collect();
    check(&file.0, &targets);
}

fn piece(byte: u8) -> &'static [u8] {
    PIECES[usize::from(byte) % PIECES.len()]
}

/// The pieces of the file from a place on, a few of them; with straight quotes and line feeds if there is a third byte.
fn picked(file: &[u8], place: &[u8]) -> Vec<u8> {
    let [start, length, rest @ ..] = place else { return place.to_vec() };
    let start = usize::from(*start) % file.len().max(1);
    let pieces = file[start..].iter().take(usize::from(*length) % 8);
    if rest.is_empty() { pieces.copied().collect() } else { pieces.map(|&byte| plain(byte)).collect() }
}

/// The byte for the piece with a straight quote, or a line feed alone.
fn plain(byte: u8) -> u8 {
    match usize::from(byte) % PIECES.len() {
        5 | 6 => 3,
        12..=14 => 8,
        15..=18 => 10,
        _ => byte,
    }
}

fn check(file: &[u8], targets: &[Target<'_>]) {
    let found = plan_targets(file, targets);
    match (naive(file, targets), &found) {
        (Ok((places, skipped)), Ok(plan)) => {
            assert_eq!(plan.skipped(), skipped);
            check_plan(file, targets, plan, &places);
        }
        (Err(expected), Err(error)) => {
            assert_eq!(error.code(), expected, "{error:?}");
            check_error(file, targets, error);
        }
        (expected, _) => panic!("expected {expected:?}, found {found:?}"),
    }
}

/// Bytes outside the splices stay, places are those of the slow search, and replacements are the new texts but for
/// quotes and line ends.
fn check_plan(file: &[u8], targets: &[Target<'_>], plan: &TargetPlan<'_>, places: &[Place]) {
    let result = plan.render(file);
    assert_eq!(plan.new_len(), result.len());
    assert_eq!(plan.changed(file), result != file);
    let splices = plan.splices();
    let found: Vec<Place> = splices.iter().map(|it| (it.range.clone(), it.target, it.matched)).collect();
    assert_eq!(found, places);
    let (mut old_at, mut rest) = (0, &result[..]);
    for splice in splices {
        assert!(old_at <= splice.range.start && !splice.range.is_empty());
        rest = rest.strip_prefix(&file[old_at..splice.range.start]).unwrap();
        rest = rest.strip_prefix(&*splice.replacement).unwrap();
        old_at = splice.range.end;
        let target = &targets[splice.target];
        let region = &file[splice.range.clone()];
        check_replacement(file, region, target, &splice.replacement, splice.matched);
    }
    assert_eq!(rest, &file[old_at..]);
    assert!(splices.is_empty() || !is_blank(&result) || is_blank(file));
    // Where there is one place, it is also the only one of all.
    let all: Vec<Target<'_>> = targets.iter().map(|target| Target { replace_all: true, ..*target }).collect();
    assert_eq!(plan_targets(file, &all).unwrap().render(file), result);
}

fn check_replacement(file: &[u8], region: &[u8], target: &Target<'_>, text: &[u8], matched: Matched) {
    let quotes = matches!(matched, Matched::Quotes | Matched::QuotesAndLineEnds);
    assert_eq!(bytes(&folded(text, quotes, true)), bytes(&folded(target.new, quotes, true)));
    let new_feeds = target.new.iter().filter(|&&byte| byte == b'\n').count();
    assert_eq!(text.iter().filter(|&&byte| byte == b'\n').count(), new_feeds);
    if !quotes && (new_feeds == 0 || !has(file, b"\r\n")) {
        assert_eq!(text, target.new);
    }
    if quotes {
        let curly = |text: &[u8]| folded(text, true, false).iter().filter(|unit| unit.1.len() == 3).count();
        if curly(region) == 0 {
            assert_eq!(curly(text), 0);
        } else if !has(region, b"'") && !has(region, b"\"") {
            assert!(!has(text, b"'") && !has(text, b"\""));
        }
    }
    if target.new.is_empty() || only_line_ends(target) {
        return;
    }
    // What old and new text share at both ends stays as it is in the file.
    let [old, new] = [target.old, target.new].map(|text| folded(text, true, true));
    let (place, found) = (folded(region, true, true), folded(text, true, true));
    assert_eq!(bytes(&place), bytes(&old));
    assert_eq!(bytes(&found), bytes(&new));
    let prefix = old.iter().zip(&new).take_while(|(a, b)| a.0 == b.0).count();
    let rest = old.len().min(new.len()) - prefix;
    let same = |pair: &(&Unit, &Unit)| pair.0.0 == pair.1.0;
    let suffix = old.iter().rev().zip(new.iter().rev()).take(rest).take_while(same).count();
    let cuts_line_ends = target.old[0] == b'\n' && target.old.ends_with(b"\r");
    for at in (0..prefix).chain(new.len() - suffix..new.len()) {
        let old_at = if at < prefix { at } else { at + old.len() - new.len() };
        let (kept, own) = (&text[found[at].1.clone()], &target.new[new[at].1.clone()]);
        if own == b"\r\n" || new[at].0 == b'\n' && cuts_line_ends || new[at].0 != b'\n' && !quotes {
            assert_eq!(kept, own);
        } else {
            assert_eq!(kept, &region[place[old_at].1.clone()]);
        }
    }
}

fn only_line_ends(target: &Target<'_>) -> bool {
    let same = |ends| bytes(&folded(target.old, true, ends)) == bytes(&folded(target.new, true, ends));
    same(true) && !same(false)
}

fn check_error(file: &[u8], targets: &[Target<'_>], error: &TargetError) {
    let lines = file.iter().filter(|&&byte| byte == b'\n').count() + 1;
    assert!(error.file_lines().iter().all(|line| (1..=lines).contains(line)), "{error:?}");
    assert!(error.file_lines().len() <= 15);
    assert!(error.targets().iter().all(|&target| target < targets.len()));
    let text = error.describe(file, |line| String::from_utf8_lossy(line).into_owned());
    assert!(text.len() <= v4a_patch::MAX_DESCRIPTION_BYTES);
    if let TargetError::Ambiguous { diagnosis, .. } = error {
        assert!(matches!(**diagnosis, TextDiagnosis::Ambiguous { total, .. } if total > 1));
    }
}

type Place = (Range<usize>, usize, Matched);

/// A byte of a folded text, and the bytes that it stands for.
type Unit = (u8, Range<usize>);

fn folded(text: &[u8], quotes: bool, line_ends: bool) -> Vec<Unit> {
    let mut out = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let (byte, length) = if line_ends && rest.starts_with(b"\r\n") {
            (b'\n', 2)
        } else if quotes
            && ["\u{2018}", "\u{2019}", "\u{201a}", "\u{201b}"].iter().any(|q| rest.starts_with(q.as_bytes()))
        {
            (b'\'', 3)
        } else if quotes
            && ["\u{201c}", "\u{201d}", "\u{201e}", "\u{201f}"].iter().any(|q| rest.starts_with(q.as_bytes()))
        {
            (b'"', 3)
        } else {
            (rest[0], 1)
        };
        out.push((byte, at..at + length));
        at += length;
    }
    out
}

fn bytes(units: &[Unit]) -> Vec<u8> {
    units.iter().map(|unit| unit.0).collect()
}

/// Where `old` is in a folded text, as ranges of the bytes it stands for.
fn occurrences(units: &[Unit], old: &[u8]) -> Vec<Range<usize>> {
    units
        .windows(old.len())
        .filter(|window| window.iter().map(|unit| &unit.0).eq(old))
        .map(|window| window[0].1.start..window[window.len() - 1].1.end)
        .collect()
}

fn has(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}

fn is_blank(text: &[u8]) -> bool {
    match std::str::from_utf8(text) {
        Ok(text) => text.strip_prefix('\u{feff}').unwrap_or(text).trim().is_empty(),
        Err(_) => false,
    }
}

/// The places of all targets in order and the skipped ones, or the code of the refusal.
fn naive(file: &[u8], targets: &[Target<'_>]) -> Result<(Vec<Place>, Vec<usize>), &'static str> {
    if targets.iter().any(|target| target.old.is_empty()) {
        return Err("empty_anchor");
    }
    let active: Vec<usize> = (0..targets.len()).filter(|&at| targets[at].old != targets[at].new).collect();
    for (nth, &at) in active.iter().enumerate() {
        let old = targets[at].old;
        let trimmed = old.len() - old.iter().rev().take_while(|byte| b"\r\n".contains(byte)).count();
        let part = if trimmed == 0 { old } else { &old[..trimmed] };
        if active[..nth].iter().any(|&earlier| has(targets[earlier].new, part)) {
            return Err("shadowed");
        }
    }
    let mut places: Vec<Place> = Vec::new();
    for &at in &active {
        places.extend(
            naive_places(file, &targets[at])?.into_iter().map(|(range, matched)| (range, at, matched)),
        );
    }
    places.sort_by_key(|place| (place.0.start, place.0.end, place.1));
    if places.windows(2).any(|pair| pair[0].0.end > pair[1].0.start) {
        return Err("overlap");
    }
    let mut result = file.to_vec();
    for (range, at, _) in places.iter().rev() {
        result.splice(range.clone(), targets[*at].new.iter().copied());
    }
    if !places.is_empty() && is_blank(&result) && !is_blank(file) {
        return Err("would_be_empty");
    }
    let skipped = (0..targets.len()).filter(|at| !active.contains(at)).collect();
    Ok((places, skipped))
}

fn naive_places(file: &[u8], target: &Target<'_>) -> Result<Vec<(Range<usize>, Matched)>, &'static str> {
    let (old, new) = (target.old, target.new);
    let same =
        |quotes, line_ends| bytes(&folded(old, quotes, line_ends)) == bytes(&folded(new, quotes, line_ends));
    let only_quotes = same(true, false);
    let only_both = same(true, true);
    let has_quotes = folded(old, true, false).iter().any(|unit| b"'\"".contains(&unit.0));
    let ends_differ = has(file, b"\r\n") && has(old, b"\n") && !has(old, b"\r\n");
    let passes = [(false, false), (true, false), (false, true), (true, true)];
    for (quotes, line_ends) in passes {
        let is_exact = !quotes && !line_ends;
        if !is_exact && only_both && !only_quotes
            || quotes && (only_quotes || !has_quotes)
            || line_ends && !ends_differ
        {
            continue;
        }
        let units = folded(file, quotes, line_ends);
        let mut found = occurrences(&units, &bytes(&folded(old, quotes, line_ends)));
        if found.is_empty() {
            continue;
        }
        if !target.replace_all && found.len() > 1 {
            return Err("ambiguous");
        }
        let mut end = 0;
        found.retain(|range| {
            let is_free = range.start >= end;
            end = if is_free { range.end } else { end };
            is_free
        });
        // A line feed at the start takes the CR before it along.
        let whole_end = old[0] == b'\n' && !old.ends_with(b"\r");
        let whole_end = whole_end && (!only_both || only_quotes || new.starts_with(b"\r\n"));
        let mut out: Vec<(Range<usize>, Matched)> = Vec::new();
        for mut range in found {
            let mut line_ends = line_ends;
            if whole_end && file[range.start] == b'\n' && file[..range.start].ends_with(b"\r") {
                range.start -= 1;
                line_ends = true;
            }
            let matched = match (quotes, line_ends) {
                (false, false) => Matched::Exact,
                (true, false) => Matched::Quotes,
                (false, true) => Matched::LineEnds,
                (true, true) => Matched::QuotesAndLineEnds,
            };
            out.push((range, matched));
        }
        if new.is_empty() {
            for at in 0..out.len() {
                let range = out[at].0.clone();
                let before = &file[..range.start];
                let is_start =
                    before.is_empty() || before.ends_with(b"\n") || before == "\u{feff}".as_bytes();
                let behind = &file[range.end..];
                let length =
                    if behind.starts_with(b"\r\n") { 2 } else { usize::from(behind.starts_with(b"\n")) };
                let end = range.end + length;
                let is_free = out.get(at + 1).is_none_or(|next| next.0.start >= end);
                if is_start && is_free && file[range.end - 1] != b'\n' {
                    out[at].0.end = end;
                }
            }
        }
        return Ok(out);
    }
    Err("text_not_found")
}
