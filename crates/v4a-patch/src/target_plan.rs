//! Finds the places of a list of targets in the original text of a file.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::cell::OnceCell;
use core::ops::Range;

use memchr::memchr;
use memchr::memchr_iter;
use memchr::memmem;
use memchr::memrchr;

use crate::align::MAX_CELLS;
use crate::explain::{MAX_EXPLAINED_BYTES, without_bom};
use crate::fold::strip_line_number;
use crate::grammar::trim;
use crate::lines::{BOM, split_lines};
use crate::locate::MAX_CANDIDATES;
use crate::loose::{Loose, Pass, curly, folded};
use crate::reword::{Adapt, Rewording};
use crate::target::{Matched, Splice, Target, TargetPlan};
use crate::target_error::TargetError;
use crate::text::{TextCause, TextDiagnosis, explain_edit, occurrences, several};

/// Most targets in one list. Each costs a search of the whole file.
pub const MAX_TARGETS: usize = 1_000;
/// Most places where the targets of one list are found, all together; each costs some sixty bytes.
pub const MAX_PLACES: usize = 1 << 20;
/// Longest replacements of one plan, all together, in bytes: as long as the longest file that a patch may change.
pub const MAX_REPLACEMENT_BYTES: usize = 256 << 20;

/// Finds each target in `file` and returns what has to be replaced there.
///
/// Every text is searched in the original file, so the result of one target is never changed by another. A target
/// whose texts are the same is [skipped](TargetPlan::skipped). Without `replace_all` a text has to occur exactly once,
/// where occurrences may overlap (`aa` is twice in `aaa`); with it, all are replaced from left to right that do not
/// overlap.
///
/// A text is searched as it is; if it does not occur at all, with curly and straight quotes taken for equal; then with
/// CRLF in the file taken for a line feed; then with both. The first of these searches that finds something decides,
/// also about ambiguity. A target that changes the style of quotes and nothing else does not take them for equal.
///
/// A replacement is literal, but for two things. Where quotes were taken for equal, those that the new text shares with
/// the old one stay as the file has them, and others take the style of the replaced text: straight when it has only
/// straight ones, otherwise curly. And a line feed without CR becomes the line end that the old text has in its
/// stead, or that of the line where the replaced text begins, or of the one before it; a target that changes nothing
/// but line ends is taken literally.
///
/// An empty new text deletes the old one, and where that is one or several whole lines, the end of the last one.
///
/// # Errors
///
/// In this order: too many targets, an empty text, a text that occurs in the new text of an earlier target; then, for
/// the first target with a fault, a text that is not found or is ambiguous, or a bound; then two targets that change
/// the same bytes, and a result that is blank while the file is not.
///
/// # Cost
///
/// O((file + all new texts) × targets) time at the speed of a vectorised search. Taking quotes or line ends for equal
/// costs a copy of the file each, made at most once. Replacements in another style than their target cost one table
/// of at most four million cells, all together; texts that need more are compared at their ends only. The result is
/// bounded by [`MAX_PLACES`] and [`MAX_REPLACEMENT_BYTES`].
///
/// # Examples
///
/// ```
/// use v4a_patch::{Matched, Target, plan_targets};
///
/// let file = "say \u{201c}hi\u{201d}\r\nbye\r\n".as_bytes();
/// let targets = [
///     Target { old: b"say \"hi\"", new: b"say \"hello\"\nand wave", replace_all: false },
///     Target { old: b"bye", new: b"", replace_all: false },
/// ];
/// let plan = plan_targets(file, &targets)?;
/// assert_eq!(plan.render(file), "say \u{201c}hello\u{201d}\r\nand wave\r\n".as_bytes());
/// assert_eq!(plan.splices()[0].matched, Matched::Quotes);
///
/// // Nothing is guessed: the second text is in the result of the first target, not in the file.
/// let targets = [
///     Target { old: b"bye", new: b"good night", replace_all: false },
///     Target { old: b"night", new: b"morning", replace_all: false },
/// ];
/// assert_eq!(plan_targets(file, &targets).unwrap_err().code(), "shadowed");
/// # Ok::<(), v4a_patch::TargetError>(())
/// ```
pub fn plan_targets<'t>(file: &[u8], targets: &[Target<'t>]) -> Result<TargetPlan<'t>, TargetError> {
    if targets.len() > MAX_TARGETS {
        return Err(TargetError::TooManyTargets { count: targets.len(), max: MAX_TARGETS });
    }
    if let Some(target) = targets.iter().position(|target| target.old.is_empty()) {
        return Err(TargetError::EmptyAnchor { target });
    }
    if let Some((target, by)) = shadowed(targets) {
        return Err(TargetError::Shadowed { target, by });
    }
    let mut planner = Planner::new(file);
    let mut skipped = Vec::new();
    for (index, target) in targets.iter().enumerate() {
        if target.old == target.new {
            skipped.push(index);
        } else {
            planner.place(index, target)?;
        }
    }
    let splices = disjoint(file, planner.splices)?;
    let plan = TargetPlan::new(splices, skipped, file.len());
    if would_be_empty(file, &plan) { Err(TargetError::WouldBeEmpty) } else { Ok(plan) }
}

/// Finds the first target whose old text occurs in the new text of an earlier one. Targets that change nothing are
/// left out: what they would write is in the original.
fn shadowed(targets: &[Target<'_>]) -> Option<(usize, usize)> {
    let is_active = |target: &Target<'_>| target.old != target.new;
    targets.iter().enumerate().filter(|(_, target)| is_active(target)).find_map(|(index, target)| {
        let end = target.old.iter().rposition(|byte| !matches!(byte, b'\r' | b'\n'));
        let finder = memmem::Finder::new(end.map_or(target.old, |end| &target.old[..=end]));
        let by = targets[..index]
            .iter()
            .position(|earlier| is_active(earlier) && finder.find(earlier.new).is_some())?;
        Some((index, by))
    })
}

/// The file as the searches see it, each made when it is needed, and what was found so far.
struct Planner<'f, 't> {
    file: &'f [u8],
    views: [OnceCell<Loose>; 3],
    line_ends: OnceCell<LineEnds>,
    cells: usize,
    replaced: usize,
    splices: Vec<Splice<'t>>,
}

/// Which line ends a file has.
#[derive(Debug, Clone, Copy)]
struct LineEnds {
    lf: bool,
    crlf: bool,
}

impl LineEnds {
    fn of(file: &[u8]) -> Self {
        let mut out = Self { lf: false, crlf: false };
        for at in memchr_iter(b'\n', file) {
            let is_crlf = at > 0 && file[at - 1] == b'\r';
            out.crlf |= is_crlf;
            out.lf |= !is_crlf;
            if out.crlf && out.lf {
                break;
            }
        }
        out
    }
}

/// What a target changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Change {
    /// Text.
    Text,
    /// Only the style of quotes, so that these have to match.
    QuoteStyle,
    /// Only line ends, and possibly the style of quotes, so that both have to match.
    LineEnds,
}

impl Change {
    fn of(target: &Target<'_>) -> Self {
        let same = |pass| folded(target.old, pass).eq(folded(target.new, pass));
        if !same(Pass::Both) {
            Self::Text
        } else if same(Pass::Quotes) {
            Self::QuoteStyle
        } else {
            Self::LineEnds
        }
    }
}

impl<'f, 't> Planner<'f, 't> {
    fn new(file: &'f [u8]) -> Self {
        Self {
            file,
            views: [const { OnceCell::new() }; 3],
            line_ends: OnceCell::new(),
            cells: MAX_CELLS,
            replaced: 0,
            splices: Vec::new(),
        }
    }

    /// Finds the places of one target.
    fn place(&mut self, index: usize, target: &Target<'t>) -> Result<(), TargetError> {
        let change = Change::of(target);
        for pass in [Pass::Exact, Pass::Quotes, Pass::LineEnds, Pass::Both] {
            if !self.applies(pass, target.old, change) {
                continue;
            }
            let ranges = self.find(pass, index, target)?;
            if !ranges.is_empty() {
                return self.replace(pass, index, target, change, ranges);
            }
        }
        Err(not_found(self.file, index, target))
    }

    /// Returns whether a pass may find what the passes before it did not.
    fn applies(&self, pass: Pass, old: &[u8], change: Change) -> bool {
        if pass == Pass::Exact {
            return true;
        }
        if change == Change::LineEnds || pass.quotes() && change != Change::Text {
            return false;
        }
        // The CRs of an old text say that it has line ends as the file has them.
        if pass.line_ends()
            && !(self.line_ends().crlf
                && memchr(b'\n', old).is_some()
                && memmem::find(old, b"\r\n").is_none())
        {
            return false;
        }
        !pass.quotes()
            || (0..old.len()).any(|at| matches!(old[at], b'\'' | b'"') || curly(&old[at..]).is_some())
    }

    fn line_ends(&self) -> LineEnds {
        *self.line_ends.get_or_init(|| LineEnds::of(self.file))
    }

    /// The file as a pass sees it; `None` where that is the file as it is.
    fn view(&self, pass: Pass) -> Option<&Loose> {
        let cell = match pass {
            Pass::Exact => return None,
            Pass::Quotes => &self.views[0],
            Pass::LineEnds => &self.views[1],
            Pass::Both => &self.views[2],
        };
        Some(cell.get_or_init(|| Loose::new(self.file, pass))).filter(|view| !view.is_same())
    }

    /// Finds the ranges of the file that a target stands for, ascending; none when it does not occur.
    fn find(&self, pass: Pass, index: usize, target: &Target<'_>) -> Result<Vec<Range<usize>>, TargetError> {
        let view = self.view(pass);
        let text = view.map_or(self.file, |view| &view.text);
        let loose_old = (pass != Pass::Exact).then(|| Loose::new(target.old, pass));
        let old = loose_old.as_ref().map_or(target.old, |loose| &loose.text);
        let original = |at: usize| view.map_or(at, |view| view.original(at));
        let range = |at: usize| original(at)..original(at + old.len());
        let finder = memmem::Finder::new(old);
        if target.replace_all {
            let left = MAX_PLACES - self.splices.len().min(MAX_PLACES);
            let ranges: Vec<_> = finder.find_iter(text).take(left + 1).map(range).collect();
            return if ranges.len() > left {
                Err(TargetError::TooManyPlaces { max: MAX_PLACES })
            } else {
                Ok(ranges)
            };
        }
        let Some(at) = finder.find(text) else { return Ok(Vec::new()) };
        if finder.find(&text[at + 1..]).is_none() {
            return Ok(alloc::vec![range(at)]);
        }
        let (total, offsets) = occurrences(text, old);
        let offsets = offsets.into_iter().map(original).collect();
        let diagnosis = Box::new(several(self.file, target.old, total, offsets));
        Err(TargetError::Ambiguous { target: index, diagnosis, matched: matched(pass) })
    }

    /// Adds the replacements of one target at the ranges where it was found.
    fn replace(
        &mut self,
        pass: Pass,
        index: usize,
        target: &Target<'t>,
        change: Change,
        ranges: Vec<Range<usize>>,
    ) -> Result<(), TargetError> {
        let file = self.file;
        let is_literal = change == Change::LineEnds;
        // Places of such a text may begin where another ends, in the middle of a line end.
        let cuts_line_ends = target.old[0] == b'\n' && target.old.ends_with(b"\r");
        let rewording = if is_literal {
            Rewording::verbatim(target.new)
        } else {
            let has_line_feeds = |text: &[u8]| memchr(b'\n', text).is_some();
            // Only line ends that stay can be of another kind than that of the place.
            let mixed_line_ends = has_line_feeds(target.old) && has_line_feeds(target.new) && {
                let line_ends = self.line_ends();
                line_ends.lf && line_ends.crlf
            };
            let adapt = Adapt { quotes: pass.quotes(), line_feeds: !cuts_line_ends, mixed_line_ends };
            Rewording::new(target.old, target.new, adapt, &mut self.cells)
        };
        // A line feed that the text begins with stands for the whole line end.
        let begins_a_line_end =
            target.old[0] == b'\n' && !cuts_line_ends && (!is_literal || target.new.starts_with(b"\r\n"));
        let has_line_feeds = rewording.has_line_feeds();
        let mut lines = LineCursor::new(file);
        let mut ranges = ranges.into_iter().peekable();
        while let Some(mut range) = ranges.next() {
            let mut pass = pass;
            if begins_a_line_end
                && range.start > 0
                && file[range.start - 1] == b'\r'
                && file[range.start] == b'\n'
            {
                range.start -= 1;
                pass = if pass.quotes() { Pass::Both } else { Pass::LineEnds };
            }
            if target.new.is_empty() {
                let end = range.end + line_end_behind(file, &range);
                // The line end may be part of the next occurrence.
                if ranges.peek().is_none_or(|next| next.start >= end) {
                    range.end = end;
                }
            }
            let ending = if has_line_feeds { lines.ending(range.start) } else { b"\n" };
            let replacement = rewording.at(&file[range.clone()], ending);
            self.replaced = self.replaced.saturating_add(replacement.len());
            if self.replaced > MAX_REPLACEMENT_BYTES {
                return Err(TargetError::ResultTooLong { max: MAX_REPLACEMENT_BYTES });
            }
            self.splices.push(Splice { range, replacement, target: index, matched: matched(pass) });
        }
        Ok(())
    }
}

fn matched(pass: Pass) -> Matched {
    match pass {
        Pass::Exact => Matched::Exact,
        Pass::Quotes => Matched::Quotes,
        Pass::LineEnds => Matched::LineEnds,
        Pass::Both => Matched::QuotesAndLineEnds,
    }
}

/// The length of the line end that is deleted together with `range`: that behind it, when it covers whole lines.
fn line_end_behind(file: &[u8], range: &Range<usize>) -> usize {
    let starts_line = match file[..range.start].last() {
        None | Some(b'\n') => true,
        Some(_) => file[..range.start] == *BOM,
    };
    // A range that ends in a line end has it already.
    if !starts_line || file[range.clone()].ends_with(b"\n") {
        return 0;
    }
    match file[range.end..] {
        [b'\r', b'\n', ..] => 2,
        [b'\n', ..] => 1,
        _ => 0,
    }
}

/// Tells the line end for ascending places, looking at each line once.
struct LineCursor<'f> {
    file: &'f [u8],
    /// The line that was looked at last, with its end.
    line: Range<usize>,
    ending: &'static [u8],
}

impl<'f> LineCursor<'f> {
    fn new(file: &'f [u8]) -> Self {
        Self { file, line: 0..0, ending: b"\n" }
    }

    /// The line end of the line that holds byte `at`; if it has none, of the line before; if there is none, LF.
    fn ending(&mut self, at: usize) -> &'static [u8] {
        if self.line.contains(&at) {
            return self.ending;
        }
        let start = memrchr(b'\n', self.file.get(self.line.end..at).unwrap_or_default())
            .map_or(self.line.end, |found| self.line.end + found + 1);
        let end = memchr(b'\n', &self.file[at..]).map(|found| at + found);
        let line_feed = end.or_else(|| start.checked_sub(1));
        let is_crlf = line_feed.is_some_and(|at| self.file[..at].ends_with(b"\r"));
        self.ending = if is_crlf { b"\r\n" } else { b"\n" };
        self.line = start..end.map_or(self.file.len(), |end| end + 1);
        self.ending
    }
}

/// Sorts the splices and refuses those that share bytes.
fn disjoint<'t>(file: &[u8], mut splices: Vec<Splice<'t>>) -> Result<Vec<Splice<'t>>, TargetError> {
    splices.sort_by_key(|splice| (splice.range.start, splice.range.end, splice.target));
    for pair in splices.windows(2) {
        let [a, b] = pair else { continue };
        if a.range.end > b.range.start {
            return Err(TargetError::Overlap {
                first: a.target.min(b.target),
                second: a.target.max(b.target),
                line: line_of(file, b.range.start),
            });
        }
    }
    Ok(splices)
}

/// The line of byte `at`, counted from 1.
fn line_of(file: &[u8], at: usize) -> usize {
    memchr_iter(b'\n', &file[..at]).count() + 1
}

/// Returns whether the result holds nothing but blanks while the file does not.
fn would_be_empty(file: &[u8], plan: &TargetPlan<'_>) -> bool {
    let is_visible = |slice: &[u8]| slice.iter().any(u8::is_ascii_graphic);
    // The characters of other scripts are looked at only when there is nothing else.
    !plan.splices().is_empty()
        && !plan.slices(file).any(is_visible)
        && is_blank(&plan.render(file))
        && !is_blank(file)
}

fn is_blank(text: &[u8]) -> bool {
    without_bom(text)
        .utf8_chunks()
        .all(|chunk| chunk.invalid().is_empty() && chunk.valid().chars().all(char::is_whitespace))
}

/// Explains why a target is nowhere.
fn not_found(file: &[u8], index: usize, target: &Target<'_>) -> TargetError {
    let mut diagnosis = explain_edit(file, target.old, target.new);
    if let Some(line) = applied_loosely(file, target.new) {
        diagnosis = TextDiagnosis::NotFound(TextCause::AlreadyApplied { line });
    }
    let stripped = without_row_numbers(target.old);
    let known = |diagnosis: &TextDiagnosis| {
        matches!(
            diagnosis,
            TextDiagnosis::NotFound(TextCause::LineNumberPrefix { .. } | TextCause::AlreadyApplied { .. })
        )
    };
    if let Some(stripped) = stripped.as_deref().filter(|text| !text.is_empty() && !known(&diagnosis)) {
        // What is wrong beside the numbers.
        let at = |offset: usize| {
            TextDiagnosis::NotFound(TextCause::LineNumberPrefix { line: line_of(file, offset) })
        };
        diagnosis = match explain_edit(file, stripped, target.new) {
            TextDiagnosis::Unique { offset } => at(offset),
            TextDiagnosis::Ambiguous { offsets, .. } => at(offsets.first().copied().unwrap_or(0)),
            other => other,
        };
    }
    let candidates = candidates(file, stripped.as_deref().unwrap_or(target.old));
    TargetError::TextNotFound {
        target: index,
        diagnosis: Box::new(diagnosis),
        row_numbers: stripped.is_some(),
        candidates,
    }
}

/// The line where `new` is in the file, once, in other quotes or line ends.
fn applied_loosely(file: &[u8], new: &[u8]) -> Option<usize> {
    if new.is_empty() || file.len() > MAX_EXPLAINED_BYTES {
        return None;
    }
    let (view, new) = (Loose::new(file, Pass::Both), Loose::new(new, Pass::Both));
    let finder = memmem::Finder::new(&new.text);
    let at = finder.find(&view.text)?;
    finder.find(&view.text[at + 1..]).is_none().then(|| line_of(file, view.original(at)))
}

/// The text without the row numbers of a listing, when each of its lines has one: digits and a TAB.
fn without_row_numbers(text: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len());
    for line in split_lines(text) {
        let digits = line.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if line.get(digits) != Some(&b'\t') {
            return None;
        }
        out.extend_from_slice(strip_line_number(line)?);
    }
    Some(out)
}

/// The first lines of the file that hold the first line of `text` that is not blank.
fn candidates(file: &[u8], text: &[u8]) -> Vec<usize> {
    // A few characters are part of too many lines to say anything.
    let first = split_lines(text).map(trim_line).find(|line| !line.is_empty()).filter(|line| line.len() >= 3);
    let Some(first) = first else { return Vec::new() };
    let mut out: Vec<usize> = Vec::new();
    let (mut line, mut from) = (1, 0);
    for at in memmem::find_iter(file, first) {
        line += memchr_iter(b'\n', &file[from..at]).count();
        from = at;
        if out.last() != Some(&line) {
            out.push(line);
        }
        if out.len() == MAX_CANDIDATES {
            break;
        }
    }
    out
}

fn trim_line(line: &[u8]) -> &[u8] {
    trim(line.strip_suffix(b"\n").unwrap_or(line))
}
