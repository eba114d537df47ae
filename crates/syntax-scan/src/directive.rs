//! Conditional compilation: what is open must not depend on which branch is taken.

use crate::{
    blocks::Mark,
    stack::{MAX_DEPTH, Stack},
};

/// How many `#if` may be open at once and still be compared.
const MAX_CONDITIONS: usize = 32;

/// What an `#if` or `#elif` says.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Condition {
    /// It may hold or not.
    Open,
    /// It never holds, as in `#if 0`.
    Never,
    /// It always holds, as in `#if 1`.
    Always,
    /// It depends on the compiler or the operating system.
    Foreign,
    /// It holds in C++ and not in C; what is opened for C++ in one place is closed for C++ in another.
    Cpp,
    /// The include guard of the whole file.
    Guard,
}

impl Condition {
    /// Works out a condition from the letters of its directive and its text without blanks.
    ///
    /// `whole` tells whether `text` is all of the condition.
    pub(crate) fn of(directive: &[u8], text: &[u8], whole: bool) -> Self {
        match directive {
            b"ifdef" if text == b"__cplusplus" => Self::Cpp,
            b"if" | b"elif" => match text {
                b"0" | b"(0)" if whole => Self::Never,
                b"1" | b"(1)" if whole => Self::Always,
                b"__cplusplus" | b"defined__cplusplus" => Self::Cpp,
                _ if text.starts_with(b"0&&") => Self::Never,
                _ if text.starts_with(b"defined(__cplusplus)") => Self::Cpp,
                _ => Self::of_name(text),
            },
            _ => Self::of_name(text),
        }
    }

    fn of_name(text: &[u8]) -> Self {
        let contains = |part: &[u8]| text.windows(part.len()).any(|window| window == part);
        if FOREIGN.iter().any(|part| contains(part)) { Self::Foreign } else { Self::Open }
    }
}

/// What the names of macros contain that tell apart compilers and systems, some of which nobody uses any more.
const FOREIGN: [&[u8]; 10] = [
    b"WORKAROUND",
    b"MSC_",
    b"MSVC",
    b"BORLAND",
    b"MWERKS",
    b"SUNPRO",
    b"WATCOM",
    b"TURBOC",
    b"__DMC__",
    b"_WIN",
];

/// What was open at the end of a branch: how many delimiters, and a hash of which.
#[derive(Clone, Copy, PartialEq, Eq)]
struct State {
    depth: usize,
    hash: u64,
}

impl State {
    fn of(kinds: &[u8]) -> Self {
        // FNV-1a, 64 bits.
        let hash = kinds.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, kind| {
            (hash ^ u64::from(*kind)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        Self { depth: kinds.len(), hash }
    }
}

/// One `#if` that is open.
#[derive(Clone, Copy)]
struct Frame {
    mark: Mark,
    /// What was open at the `#if`.
    kinds: [u8; MAX_DEPTH],
    depth: usize,
    /// What was open at the end of the first branch that may be taken.
    end: Option<State>,
    condition: Condition,
    /// Some branch is certainly taken, or the missing `#else` does not matter.
    covered: bool,
    /// A branch closes what was open at the `#if`.
    touched: bool,
    /// Two branches disagree.
    disagrees: bool,
    /// Which branch is taken depends on the compiler or the system.
    is_foreign: bool,
    /// The current branch is not the first.
    is_later: bool,
    /// Some branch so far is always taken.
    taken: bool,
    /// The `#if` itself is in text that is never compiled.
    outer_dead: bool,
}

impl Frame {
    const EMPTY: Self = Self {
        mark: Mark::UNKNOWN,
        kinds: [0; MAX_DEPTH],
        depth: 0,
        end: None,
        condition: Condition::Open,
        covered: false,
        touched: false,
        disagrees: false,
        is_foreign: false,
        is_later: false,
        taken: false,
        outer_dead: false,
    };

    /// Whether the current branch may be left out.
    fn is_open_branch(&self) -> bool {
        self.is_later || matches!(self.condition, Condition::Open | Condition::Foreign)
    }
}

/// The open `#if`s of a file.
pub(crate) struct Conditions {
    frames: [Frame; MAX_CONDITIONS],
    depth: usize,
    /// Open `#if`s beyond those that are compared.
    beyond: u32,
    /// The current text is never compiled.
    pub(crate) dead: bool,
    /// How many `#if`s have branches that disagree about what is open, by weight.
    pub(crate) disagreements: u32,
    /// The directive that ended the first such branch, and its `#if`.
    pub(crate) disagreement: Option<(Mark, Mark)>,
    /// The same for branches that leave alone what was open before: one of them is wrong wherever it is compiled.
    pub(crate) broken: Option<(Mark, Mark)>,
    /// Where the text since the last conditional directive starts.
    pub(crate) segment: u64,
}

impl Conditions {
    pub(crate) const fn new() -> Self {
        Self {
            frames: [Frame::EMPTY; MAX_CONDITIONS],
            depth: 0,
            beyond: 0,
            dead: false,
            disagreements: 0,
            disagreement: None,
            broken: None,
            segment: 0,
        }
    }

    /// Where the innermost open `#if` stands.
    pub(crate) fn innermost(&self) -> Option<Mark> {
        Some(self.frames.get(self.depth.checked_sub(1)?)?.mark)
    }

    /// Whether the text is in a branch that may be left out.
    pub(crate) fn in_branch(&self) -> bool {
        self.open_frames().any(Frame::is_open_branch)
    }

    /// Whether the text is in a branch that may make up for an `#if` before it whose branches disagree.
    pub(crate) fn in_branch_behind_disagreement(&self) -> bool {
        let innermost = self.open_frames().filter(|frame| frame.is_open_branch()).last();
        let (Some(innermost), Some((_, disagreement))) = (innermost, self.disagreement) else {
            return false;
        };
        disagreement.offset() < innermost.mark.offset()
    }

    /// Whether the text is in a branch for some compiler or system, or for all but that.
    pub(crate) fn in_foreign_branch(&self) -> bool {
        self.open_frames().any(|frame| frame.is_foreign && frame.is_later)
    }

    fn open_frames(&self) -> impl Iterator<Item = &Frame> {
        self.frames.iter().take(self.depth)
    }

    /// Opens an `#if` at `mark`.
    pub(crate) fn begin(&mut self, condition: Condition, stack: &Stack, mark: Mark) {
        let Some(frame) = self.frames.get_mut(self.depth) else {
            self.beyond = self.beyond.saturating_add(1);
            // Too many to compare: as good as branches that disagree more than once.
            self.disagreements = self.disagreements.saturating_add(2);
            return;
        };
        let kinds = stack.kinds();
        if let Some(slots) = frame.kinds.get_mut(..kinds.len()) {
            slots.copy_from_slice(kinds);
        }
        frame.mark = mark;
        frame.depth = kinds.len();
        frame.end = None;
        frame.condition = condition;
        frame.is_foreign = condition == Condition::Foreign;
        frame.covered = matches!(condition, Condition::Always | Condition::Guard | Condition::Cpp);
        frame.taken = condition == Condition::Always;
        frame.is_later = false;
        frame.disagrees = false;
        frame.touched = false;
        frame.outer_dead = self.dead;
        self.depth += 1;
        self.dead |= condition == Condition::Never;
    }

    /// Starts the next branch of the innermost `#if`; `Err` if none is open.
    ///
    /// `condition` is `Always` for `#else`.
    pub(crate) fn next(&mut self, condition: Condition, stack: &mut Stack, at: Mark) -> Result<(), ()> {
        if self.beyond > 0 {
            return Ok(());
        }
        self.end_branch(stack, at)?;
        let frame = self.frames.get_mut(self.depth.wrapping_sub(1)).ok_or(())?;
        let start = State::of(frame.kinds.get(..frame.depth).unwrap_or_default());
        let first = stack.mark_at(frame.depth).offset();
        let has_code = first != u64::MAX && first > frame.mark.offset();
        // What C++ opens in one place it closes in another: then the branch for C does not count.
        frame.taken |= frame.condition == Condition::Cpp && frame.end.is_some_and(|end| end != start);
        self.dead = frame.outer_dead || frame.taken || condition == Condition::Never;
        if !self.dead {
            stack.restore(frame.kinds.get(..frame.depth).unwrap_or_default(), frame.mark.offset());
        }
        frame.condition = Condition::Open;
        frame.is_foreign |= condition == Condition::Foreign;
        // Only a branch that is an alternative to other code is in doubt.
        frame.is_later |= has_code;
        frame.taken |= condition == Condition::Always;
        frame.covered |= condition == Condition::Always;
        Ok(())
    }

    /// Closes the innermost `#if`; `Err` if none is open.
    pub(crate) fn end(&mut self, stack: &Stack, at: Mark) -> Result<(), ()> {
        if self.beyond > 0 {
            self.beyond -= 1;
            return Ok(());
        }
        self.end_branch(stack, at)?;
        let frame = self.frames.get_mut(self.depth.wrapping_sub(1)).ok_or(())?;
        let start = frame.kinds.get(..frame.depth).unwrap_or_default();
        let disagrees = !frame.covered && frame.end.is_some_and(|end| end != State::of(start));
        self.dead = frame.outer_dead;
        if disagrees {
            self.count_disagreement(at, 1);
        }
        self.depth -= 1;
        Ok(())
    }

    /// Counts that the innermost `#if` has branches that disagree.
    ///
    /// Those around it disagree for the same reason and are not counted again. `weight` is 2 if the `#if` alone is
    /// reason enough for doubt.
    fn count_disagreement(&mut self, at: Mark, weight: u32) {
        let mut open = self.frames.iter_mut().take(self.depth).rev();
        let Some(frame) = open.next().filter(|frame| !frame.disagrees) else {
            return;
        };
        frame.disagrees = true;
        self.disagreements = self.disagreements.saturating_add(weight);
        self.disagreement.get_or_insert((at, frame.mark));
        for outer in open {
            outer.disagrees = true;
        }
    }

    /// Compares what is open at the end of a branch with the branches before it.
    fn end_branch(&mut self, stack: &Stack, at: Mark) -> Result<(), ()> {
        let frame = self.frames.get_mut(self.depth.wrapping_sub(1)).ok_or(())?;
        if self.dead {
            return Ok(());
        }
        let touched = stack.depth() < frame.depth
            || frame.depth > 0 && stack.mark_at(frame.depth - 1).offset() >= frame.mark.offset();
        let state = State::of(stack.kinds());
        let end = *frame.end.get_or_insert(state);
        if end != state {
            let is_known = !frame.is_foreign && !touched && !frame.touched;
            if is_known {
                self.broken.get_or_insert((at, frame.mark));
            }
            // Otherwise either branch may be the one that is right.
            self.count_disagreement(at, if is_known { 1 } else { 2 });
        } else {
            frame.touched |= touched;
        }
        Ok(())
    }
}
