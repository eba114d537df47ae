//! Searches for almost matching places, each bounded by one pass over the file.

use alloc::vec::Vec;
use core::cell::OnceCell;

use memchr::memmem;

use crate::explain::Candidate;
use crate::fold::{self, View};
use crate::grammar::{trim, trim_end};
use crate::intern::Interner;
use crate::lines::Lines;
use crate::patch::{Hunk, LineKind};

/// How far above and below a place a distinguishing line is looked for.
const MAX_CONTEXT: usize = 64;
/// Most positions of one line that vote for a place.
const MAX_POSITIONS: usize = 64;
/// Most votes in all.
const MAX_VOTES: usize = 1 << 18;
/// Most words that are searched for one block.
const MAX_WORDS: usize = 4;
/// Most places that are looked at for one word.
const MAX_HITS: usize = 4096;
/// Most pairs of lines that are compared there, beside eight for each line of the block.
const MAX_COMPARISONS: usize = 1 << 15;
/// Most similar lines that are reported.
const MAX_NEAREST: usize = 3;
/// How much of a line is compared for similarity, in bytes.
const MAX_COMPARED: usize = 200;

/// Whether the first and the last line of a block may be parts of lines.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Parts {
    pub(crate) first: bool,
    pub(crate) last: bool,
}

impl Parts {
    /// All lines are whole.
    pub(crate) const NONE: Self = Self { first: false, last: false };
}

/// A place where a block stands when a view is taken.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Found {
    /// The first line, from 0.
    pub(crate) line: usize,
    /// Whether no other place was seen that fits as well.
    pub(crate) unique: bool,
    /// The strictest view in which the block fits.
    pub(crate) view: View,
}

/// Looks for almost matching places: a vectorised search for the longest word of the block, then a comparison of the
/// lines around each hit.
#[derive(Debug)]
pub(crate) struct Scan<'f, 'l> {
    lines: &'l Lines<'f>,
    /// The file in lower case.
    lowered: OnceCell<Vec<u8>>,
}

impl<'f, 'l> Scan<'f, 'l> {
    pub(crate) fn new(lines: &'l Lines<'f>) -> Self {
        Self { lines, lowered: OnceCell::new() }
    }

    /// Finds the place where `block` fits in the strictest view up to `loosest`.
    pub(crate) fn find(&self, block: &[&[u8]], parts: Parts, loosest: View) -> Option<Found> {
        let lowered = self.lowered.get_or_init(|| self.lines.file().to_ascii_lowercase());
        // A word has to be in the file as it is, unless a character without width or a look-alike divides it.
        let exact = loosest <= View::Trimmed || lowered.is_ascii();
        let words = words(block, if exact { 1 } else { MAX_WORDS });
        let comparisons = MAX_COMPARISONS + 8 * block.len();
        let mut search = Search { scan: self, block, parts, loosest, comparisons };
        for (anchor, word) in &words {
            let mut previous = usize::MAX;
            let lines = memmem::find_iter(lowered, word).map(|at| self.lines.line_at(at)).filter(|&line| {
                let new = line != previous;
                previous = line;
                new
            });
            let found = search.best(*anchor, lines);
            if found.is_some() {
                return found;
            }
        }
        if exact {
            return None;
        }
        let special = (0..self.lines.len()).filter(|&line| !self.lines.content(line).is_ascii());
        search.best(words.first()?.0, special)
    }

    /// Finds a line that holds `text` as a part.
    pub(crate) fn part_of_line(&self, text: &[u8]) -> Option<usize> {
        let text = trim(text);
        // A few characters are part of too many lines to say anything.
        if text.len() < 3 {
            return None;
        }
        memmem::find(self.lines.file(), text).map(|at| self.lines.line_at(at))
    }
}

/// A search for one block.
struct Search<'a, 'f, 'l> {
    scan: &'a Scan<'f, 'l>,
    block: &'a [&'a [u8]],
    parts: Parts,
    loosest: View,
    /// How many pairs of lines may still be compared.
    comparisons: usize,
}

impl Search<'_, '_, '_> {
    /// Returns the best place among those where line `anchor` of the block is one of `lines`.
    fn best(&mut self, anchor: usize, lines: impl Iterator<Item = usize>) -> Option<Found> {
        let mut best: Option<Found> = None;
        for line in lines.take(MAX_HITS) {
            let Some(start) = line.checked_sub(anchor) else { continue };
            let Some(view) = self.view(start, anchor) else { continue };
            match &mut best {
                Some(best) if best.view < view => {}
                Some(best) if best.view == view => best.unique = false,
                _ => best = Some(Found { line: start, unique: true, view }),
            }
        }
        best
    }

    /// Returns the strictest view in which the block fits at line `start`; `anchor` is the line to look at first.
    fn view(&mut self, start: usize, anchor: usize) -> Option<View> {
        let lines = self.scan.lines;
        if start + self.block.len() > lines.len() || !self.fits(self.loosest, start, anchor) {
            return None;
        }
        let (loosest, length) = (self.loosest, self.block.len());
        [View::Trailing, View::Trimmed, View::Folded, View::Caseless]
            .into_iter()
            .take_while(|&view| view <= loosest)
            .find(|&view| (0..length).all(|index| self.fits(view, start, index)))
    }

    fn fits(&mut self, view: View, start: usize, index: usize) -> bool {
        if self.comparisons == 0 {
            return false;
        }
        self.comparisons -= 1;
        let part = (self.parts.first && index == 0, self.parts.last && index + 1 == self.block.len());
        fits(view, self.block[index], self.scan.lines.content(start + index), part)
    }
}

/// Returns whether an expected line, or a part of one, fits a line of the file. `part` says whether the line of the
/// file may hold more before it, and behind it.
fn fits(view: View, expected: &[u8], found: &[u8], part: (bool, bool)) -> bool {
    if view <= View::Trimmed {
        let cut = if view == View::Trailing { trim_end } else { trim };
        return fits_part(cut(expected), cut(found), part);
    }
    let (mut a, mut b) = (Vec::new(), Vec::new());
    fold::push_line(view, expected, &mut a);
    fold::push_line(view, found, &mut b);
    fits_part(&a, &b, part)
}

fn fits_part(expected: &[u8], found: &[u8], part: (bool, bool)) -> bool {
    match part {
        (false, false) => expected == found,
        (true, false) => found.ends_with(expected),
        (false, true) => found.starts_with(expected),
        (true, true) => memmem::find(found, expected).is_some(),
    }
}

/// The longest words of a block in lower case, each with the line it is on; at most `most` of different lines.
///
/// Letters and digits come first; where there are none, other visible characters; where there are none either, the
/// longest line. A letter before a character that is not ASCII may be part of a composed one, so it is left out.
fn words(block: &[&[u8]], most: usize) -> Vec<(usize, Vec<u8>)> {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let longest = |keep: &dyn Fn(u8) -> bool| -> Vec<(usize, Vec<u8>)> {
        let mut out: Vec<(usize, Vec<u8>)> = Vec::new();
        for (index, line) in block.iter().enumerate() {
            let mut best: &[u8] = b"";
            let mut rest = *line;
            while !rest.is_empty() {
                let length = rest.iter().take_while(|&&byte| keep(byte)).count();
                let composed = rest.get(length).is_some_and(|byte| !byte.is_ascii());
                let word = &rest[..length - usize::from(composed && length > 0)];
                if word.len() > best.len() {
                    best = word;
                }
                rest = &rest[(length + 1).min(rest.len())..];
            }
            if !best.is_empty() {
                out.push((index, best.to_ascii_lowercase()));
            }
        }
        out.sort_by_key(|(_, word)| core::cmp::Reverse(word.len()));
        out.truncate(most);
        out
    };
    let mut out = longest(&is_word);
    if out.is_empty() {
        out = longest(&|byte| byte.is_ascii_graphic());
    }
    if out.is_empty() {
        let line = block.iter().map(|line| trim(line)).enumerate().max_by_key(|(_, line)| line.len());
        out.extend(
            line.filter(|(_, line)| !line.is_empty()).map(|(index, line)| (index, line.to_ascii_lowercase())),
        );
    }
    out
}

/// Returns the first line of `block` that does not match for the search at `start`.
pub(crate) fn first_mismatch(lines: &Lines<'_>, block: &[&[u8]], start: usize) -> Option<usize> {
    (0..block.len())
        .find(|&index| start + index >= lines.len() || lines.trimmed(start + index) != trim_end(block[index]))
}

/// Finds an earlier hunk that adds a line which hunk `at` expects and the file does not have.
pub(crate) fn uses_added(lines: &Lines<'_>, hunks: &[Hunk<'_>], at: usize) -> Option<(usize, usize)> {
    let block = Interner::new(hunks[at].old_lines().map(|line| trim_end(line.text.as_bytes())));
    let mut added = alloc::vec![None; block.len()];
    let mut any = false;
    for (earlier, hunk) in hunks[..at].iter().enumerate() {
        for line in hunk.lines.iter().filter(|line| line.kind == LineKind::Added) {
            let text = trim_end(line.text.as_bytes());
            if text.len() >= 2
                && let Some(id) = block.get(text)
            {
                added[id as usize] = Some(earlier);
                any = true;
            }
        }
    }
    if !any {
        return None;
    }
    for line in 0..lines.len() {
        if let Some(id) = block.get(lines.trimmed(line)) {
            added[id as usize] = None;
        }
    }
    hunks[at].old_lines().find_map(|line| {
        let id = block.get(trim_end(line.text.as_bytes()))?;
        Some((added[id as usize]?, line.patch_line))
    })
}

/// Lets the lines of the block vote for the place where most of them are: start, matching lines, and whether no other
/// place has as many.
pub(crate) fn vote(lines: &Lines<'_>, block: &[&[u8]]) -> Option<(usize, usize, bool)> {
    let ids = Interner::new(block.iter().map(|line| trim(line)).filter(|line| !line.is_empty()));
    let mut own: Vec<Vec<u32>> = alloc::vec![Vec::new(); ids.len()];
    for (index, line) in block.iter().enumerate() {
        if let Some(id) = ids.get(trim(line))
            && own[id as usize].len() < MAX_POSITIONS
        {
            own[id as usize].push(index as u32);
        }
    }
    let mut places: Vec<Vec<u32>> = alloc::vec![Vec::new(); ids.len()];
    for line in 0..lines.len() {
        if let Some(id) = ids.get(trim(lines.content(line)))
            && places[id as usize].len() <= MAX_POSITIONS
        {
            places[id as usize].push(line as u32);
        }
    }
    let mut order: Vec<usize> = (0..ids.len()).filter(|&id| !places[id].is_empty()).collect();
    order.sort_by_key(|&id| (places[id].len(), own[id].first().copied()));
    let rare = order.first().map_or(0, |&id| places[id].len());
    let mut votes: Vec<i64> = Vec::new();
    for id in order {
        // Lines that are everywhere vote only when there are no better ones.
        if places[id].len() > MAX_POSITIONS && rare <= MAX_POSITIONS || votes.len() > MAX_VOTES {
            break;
        }
        for &place in &places[id] {
            votes.extend(own[id].iter().map(|&index| i64::from(place) - i64::from(index)));
        }
    }
    votes.retain(|&start| start >= 0 && (start as usize) < lines.len());
    votes.sort_unstable();
    let mut best: Option<(i64, usize, bool)> = None;
    for group in votes.chunk_by(|a, b| a == b) {
        let (start, count) = (group[0], group.len());
        match best {
            Some((_, most, _)) if count < most => {}
            Some((first, most, _)) if count == most => best = Some((first, most, false)),
            _ => best = Some((start, count, true)),
        }
    }
    let (start, _, unique) = best?;
    let start = start as usize;
    let matching = block
        .iter()
        .enumerate()
        .filter(|(index, line)| start + index < lines.len() && trim_end(line) == lines.trimmed(start + index))
        .count();
    Some((start, matching, unique))
}

/// Finds the lines of the file that are most similar to the longest line of the block: pairs of block line and file
/// line, from 0.
pub(crate) fn nearest(lines: &Lines<'_>, block: &[&[u8]]) -> Vec<(usize, usize)> {
    let Some((index, wanted)) =
        block.iter().map(|line| trim(line)).enumerate().rev().max_by_key(|(_, line)| line.len())
    else {
        return Vec::new();
    };
    if wanted.len() < 3 {
        return Vec::new();
    }
    let wanted = &wanted[..wanted.len().min(MAX_COMPARED)];
    let mut best: Vec<(usize, usize)> = Vec::new();
    for line in 0..lines.len() {
        let text = trim(lines.content(line));
        let text = &text[..text.len().min(MAX_COMPARED)];
        let longer = wanted.len().max(text.len());
        // At least half of the longer line has to be the same.
        if 2 * wanted.len().min(text.len()) < longer {
            continue;
        }
        let prefix = wanted.iter().zip(text).take_while(|(a, b)| a == b).count();
        let rest = wanted.len().min(text.len()) - prefix;
        let suffix =
            wanted.iter().rev().zip(text.iter().rev()).take(rest).take_while(|(a, b)| a == b).count();
        if 2 * (prefix + suffix) < longer {
            continue;
        }
        let score = 1000 * (prefix + suffix) / longer;
        best.push((score, line));
        if best.len() > 4 * MAX_NEAREST {
            best.sort_by_key(|&(score, line)| (core::cmp::Reverse(score), line));
            best.truncate(MAX_NEAREST);
        }
    }
    best.sort_by_key(|&(score, line)| (core::cmp::Reverse(score), line));
    best.truncate(MAX_NEAREST);
    best.into_iter().map(|(_, line)| (index, line)).collect()
}

/// Finds for each place (first lines, from 1) the nearest line that the others do not have, and how much context tells
/// all of them apart.
pub(crate) fn tell_apart(
    lines: &Lines<'_>,
    places: &[usize],
    length: usize,
) -> (Vec<Candidate>, Option<usize>) {
    let mut context = Some(0);
    let line_at = |place: usize, distance: isize| -> Option<&[u8]> {
        let base = if distance < 0 { place - 1 } else { place + length.max(1) - 2 };
        let at = base.checked_add_signed(distance)?;
        (at < lines.len()).then(|| lines.trimmed(at))
    };
    let candidates = places
        .iter()
        .map(|&place| {
            let found = (1..=MAX_CONTEXT as isize).flat_map(|far| [-far, far]).find(|&distance| {
                let own = line_at(place, distance);
                own.is_some() && places.iter().all(|&other| other == place || line_at(other, distance) != own)
            });
            context = match (context, found) {
                (Some(context), Some(distance)) => Some(context.max(distance.unsigned_abs())),
                _ => None,
            };
            let distinct_line = found.map(|distance| {
                let base = if distance < 0 { place } else { place + length.max(1) - 1 };
                base.saturating_add_signed(distance)
            });
            Candidate { line: place, distinct_line }
        })
        .collect();
    (candidates, context)
}
