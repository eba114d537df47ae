//! The stack of open delimiters, of fixed size.

use crate::blocks::Mark;

/// The number of delimiters that may be open at once: 256 are checked, 257 are skipped.
pub const MAX_DEPTH: usize = 256;

/// Open delimiters with the place of each.
pub(crate) struct Stack {
    /// How many entries are in use; at most `MAX_DEPTH`.
    depth: usize,
    /// What is open: the opening byte, or a language's own code.
    kinds: [u8; MAX_DEPTH],
    marks: [Mark; MAX_DEPTH],
}

/// The stack is full.
pub(crate) struct Full;

impl Stack {
    pub(crate) const fn new() -> Self {
        Self { depth: 0, kinds: [0; MAX_DEPTH], marks: [Mark::UNKNOWN; MAX_DEPTH] }
    }

    #[inline]
    pub(crate) const fn depth(&self) -> usize {
        self.depth
    }

    /// What is open, from the outermost to the innermost.
    pub(crate) fn kinds(&self) -> &[u8] {
        self.kinds.get(..self.depth).unwrap_or_default()
    }

    /// The innermost open delimiter.
    #[inline]
    pub(crate) fn top(&self) -> Option<(u8, &Mark)> {
        let at = self.depth.wrapping_sub(1);
        Some((*self.kinds.get(at)?, self.marks.get(at)?))
    }

    #[inline]
    pub(crate) fn top_kind(&self) -> Option<u8> {
        self.kinds.get(self.depth.wrapping_sub(1)).copied()
    }

    /// Where the entry `index` was opened.
    pub(crate) fn mark_at(&self, index: usize) -> Mark {
        self.marks.get(index).copied().unwrap_or(Mark::UNKNOWN)
    }

    #[inline]
    pub(crate) fn push(&mut self, kind: u8, mark: Mark) -> Result<(), Full> {
        let (Some(kind_slot), Some(mark_slot)) =
            (self.kinds.get_mut(self.depth), self.marks.get_mut(self.depth))
        else {
            return Err(Full);
        };
        *kind_slot = kind;
        *mark_slot = mark;
        self.depth += 1;
        Ok(())
    }

    #[inline]
    pub(crate) fn pop(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    /// Replaces the kind of the innermost entry.
    pub(crate) fn retag(&mut self, kind: u8) {
        if let Some(slot) = self.kinds.get_mut(self.depth.wrapping_sub(1)) {
            *slot = kind;
        }
    }

    /// Drops every entry above `depth`.
    pub(crate) fn truncate(&mut self, depth: usize) {
        self.depth = self.depth.min(depth);
    }

    /// Puts back the entries that were open when `kinds` was taken, at the byte `since`.
    ///
    /// The place of an entry that was replaced in the meantime is forgotten.
    pub(crate) fn restore(&mut self, kinds: &[u8], since: u64) {
        for ((slot, mark), kind) in self.kinds.iter_mut().zip(&mut self.marks).zip(kinds) {
            *slot = *kind;
            if mark.offset() >= since {
                *mark = Mark::UNKNOWN;
            }
        }
        self.depth = kinds.len().min(MAX_DEPTH);
    }
}

/// The opening byte of a closing one.
#[inline]
pub(crate) const fn opening(close: u8) -> u8 {
    match close {
        b')' => b'(',
        b']' => b'[',
        _ => b'{',
    }
}

/// A delimiter as text.
pub(crate) const fn text(delimiter: u8) -> &'static str {
    match delimiter {
        b'(' => "(",
        b')' => ")",
        b'[' => "[",
        b']' => "]",
        b'}' => "}",
        _ => "{",
    }
}
