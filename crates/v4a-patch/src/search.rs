//! Finds the blocks of a patch among the lines of a file, in time linear in both.

use alloc::vec::Vec;
use core::ops::ControlFlow;

use crate::grammar::trim_end;
use crate::intern::Interner;
use crate::lines::Lines;
use crate::patch::Hunk;

/// How alike lines have to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Tier {
    /// Byte for byte, but for the line ending.
    Exact,
    /// But for trailing whitespace.
    TrailingWhitespace,
}

/// A file line that no hunk asks for.
const NONE: u32 = u32::MAX;

/// Counts compared lines and stops the search when there are too many.
#[derive(Debug)]
pub(crate) struct Steps {
    pub(crate) used: u64,
    pub(crate) max: u64,
}

/// The search went over its bound.
#[derive(Debug)]
pub(crate) struct TooManySteps;

impl Steps {
    pub(crate) fn add(&mut self, count: usize) -> Result<(), TooManySteps> {
        self.used += count as u64;
        if self.used > self.max { Err(TooManySteps) } else { Ok(()) }
    }
}

/// Lines as numbers ("symbols"): equal symbols are equal lines, equal classes are lines equal but for trailing
/// whitespace.
#[derive(Debug)]
pub(crate) struct Symbols {
    /// The number of classes. Symbol `c < classes` is the line of class `c` without trailing whitespace,
    /// `classes + c` any other file line of that class, `2 * classes + v` the variant `v` that the patch has.
    classes: u32,
    variant_class: Vec<u32>,
    /// One symbol per file line.
    file: Vec<u32>,
    /// File lines by class: the lines of class `c` are `lines[first[c]..first[c + 1]]`, ascending.
    first: Vec<u32>,
    lines: Vec<u32>,
    /// The old lines of all hunks, one after the other, and where each hunk starts.
    blocks: Vec<u32>,
    block_start: Vec<u32>,
    /// Whether any matching line has trailing whitespace, in the file or in the patch.
    tolerant: bool,
}

impl Symbols {
    /// Numbers the old lines of `hunks` and looks up every file line.
    ///
    /// Costs O(file + patch) time, and four bytes per file line plus four per matching line.
    pub(crate) fn new(lines: &Lines<'_>, hunks: &[Hunk<'_>]) -> Self {
        let old = || hunks.iter().flat_map(Hunk::old_lines).map(|line| line.text.as_bytes());
        let trimmed = Interner::new(old().map(trim_end));
        let variants = Interner::new(old().filter(|text| trim_end(text).len() < text.len()));
        let classes = trimmed.len() as u32;
        let mut variant_class = alloc::vec![0; variants.len()];
        let mut blocks = Vec::new();
        let mut block_start = Vec::with_capacity(hunks.len() + 1);
        for hunk in hunks {
            block_start.push(blocks.len() as u32);
            for line in hunk.old_lines() {
                let text = line.text.as_bytes();
                let class = trimmed.get(trim_end(text)).unwrap_or(NONE);
                blocks.push(match variants.get(text) {
                    Some(variant) if trim_end(text).len() < text.len() => {
                        variant_class[variant as usize] = class;
                        2 * classes + variant
                    }
                    _ => class,
                });
            }
        }
        block_start.push(blocks.len() as u32);
        let mut tolerant = variants.len() > 0;
        let mut file = alloc::vec![NONE; lines.len()];
        let mut first = alloc::vec![0u32; classes as usize + 1];
        for (at, symbol) in file.iter_mut().enumerate() {
            let content = lines.content(at);
            let bare = trim_end(content);
            let Some(class) = trimmed.get(bare) else { continue };
            first[class as usize + 1] += 1;
            *symbol = if bare.len() == content.len() {
                class
            } else {
                tolerant = true;
                variants.get(content).map_or(classes + class, |variant| 2 * classes + variant)
            };
        }
        Self { classes, variant_class, file, first, lines: Vec::new(), blocks, block_start, tolerant }
            .indexed()
    }

    /// Numbers all lines of a file, each distinct content a class of its own.
    pub(crate) fn of_file(lines: &Lines<'_>) -> Self {
        let ids = Interner::new((0..lines.len()).map(|at| lines.content(at)));
        let classes = ids.len() as u32;
        let mut first = alloc::vec![0u32; ids.len() + 1];
        let file: Vec<u32> = (0..lines.len()).map(|at| ids.get(lines.content(at)).unwrap_or(NONE)).collect();
        for &class in &file {
            first[class as usize + 1] += 1;
        }
        let (variant_class, blocks, block_start) = (Vec::new(), Vec::new(), Vec::new());
        Self { classes, variant_class, file, first, lines: Vec::new(), blocks, block_start, tolerant: false }
            .indexed()
    }

    /// Turns the counts in `first` into starts, and lists the file lines of each class.
    fn indexed(mut self) -> Self {
        for class in 0..self.classes as usize {
            self.first[class + 1] += self.first[class];
        }
        self.lines = alloc::vec![0; self.first[self.classes as usize] as usize];
        let mut next = self.first.clone();
        for at in 0..self.file.len() {
            if self.file[at] != NONE {
                let class = self.class(self.file[at]) as usize;
                self.lines[next[class] as usize] = at as u32;
                next[class] += 1;
            }
        }
        self
    }

    /// The symbols of some file lines.
    pub(crate) fn file_block(&self, lines: &core::ops::Range<usize>) -> &[u32] {
        &self.file[lines.clone()]
    }

    fn class(&self, symbol: u32) -> u32 {
        if symbol < self.classes {
            symbol
        } else if symbol < 2 * self.classes {
            symbol - self.classes
        } else if symbol == NONE {
            NONE
        } else {
            self.variant_class[(symbol - 2 * self.classes) as usize]
        }
    }

    fn same(&self, tier: Tier, a: u32, b: u32) -> bool {
        a == b || (tier == Tier::TrailingWhitespace && self.class(a) == self.class(b))
    }

    /// Returns whether the tiers can give different answers.
    pub(crate) fn tolerant(&self) -> bool {
        self.tolerant
    }

    /// The old lines of hunk `at`.
    fn block(&self, at: usize) -> &[u32] {
        &self.blocks[self.block_start[at] as usize..self.block_start[at + 1] as usize]
    }

    /// Returns whether the block of hunk `hunk` stands at file line `at`.
    pub(crate) fn matches(&self, hunk: usize, at: usize, tier: Tier) -> bool {
        let block = self.block(hunk);
        self.file
            .get(at..at + block.len())
            .is_some_and(|lines| lines.iter().zip(block).all(|(&a, &b)| self.same(tier, a, b)))
    }

    /// Calls `hit` for each place of the block of hunk `hunk` that starts in `from..=to`, ascending.
    pub(crate) fn each(
        &self,
        hunk: usize,
        tier: Tier,
        from: usize,
        to: usize,
        steps: &mut Steps,
        hit: impl FnMut(usize) -> ControlFlow<()>,
    ) -> Result<(), TooManySteps> {
        self.each_block(self.block(hunk), tier, from, to, steps, hit)
    }

    /// Calls `hit` for each place of `block` that starts in `from..=to`, ascending.
    ///
    /// Looks around the rarest line of the block. When that compares more lines than there are, the rest is done by
    /// a matcher that looks at each line once (Knuth, Morris and Pratt).
    pub(crate) fn each_block(
        &self,
        block: &[u32],
        tier: Tier,
        from: usize,
        to: usize,
        steps: &mut Steps,
        mut hit: impl FnMut(usize) -> ControlFlow<()>,
    ) -> Result<(), TooManySteps> {
        let Some(last) = self.file.len().checked_sub(block.len()) else { return Ok(()) };
        let to = to.min(last);
        if from > to {
            return Ok(());
        }
        let count = |&symbol: &u32| {
            let class = self.class(symbol) as usize;
            self.first[class + 1] - self.first[class]
        };
        let mut rarest = (0, u32::MAX);
        for (at, symbol) in block.iter().enumerate() {
            let count = count(symbol);
            if count < rarest.1 {
                rarest = (at, count);
            }
            if count == 0 {
                return Ok(());
            }
        }
        steps.add(block.len())?;
        let (offset, _) = rarest;
        let class = self.class(block[offset]) as usize;
        let places = &self.lines[self.first[class] as usize..self.first[class + 1] as usize];
        let begin = places.partition_point(|&line| (line as usize) < from + offset);
        let budget = to - from + block.len() + 64;
        let mut used = 0;
        for &place in &places[begin..] {
            let start = place as usize - offset;
            if start > to {
                break;
            }
            if used > budget {
                steps.add(used)?;
                return self.each_linear(block, tier, start, to, steps, hit);
            }
            let lines = &self.file[start..start + block.len()];
            let equal = lines.iter().zip(block).take_while(|&(&a, &b)| self.same(tier, a, b)).count();
            used += equal + 1;
            if equal == block.len() && hit(start).is_break() {
                break;
            }
        }
        steps.add(used)
    }

    fn each_linear(
        &self,
        block: &[u32],
        tier: Tier,
        from: usize,
        to: usize,
        steps: &mut Steps,
        mut hit: impl FnMut(usize) -> ControlFlow<()>,
    ) -> Result<(), TooManySteps> {
        let borders = borders(block, |a, b| self.same(tier, a, b));
        let lines = &self.file[from..to + block.len()];
        steps.add(2 * (block.len() + lines.len()))?;
        let mut matched = 0;
        for (at, &symbol) in lines.iter().enumerate() {
            while matched > 0 && (matched == block.len() || !self.same(tier, symbol, block[matched])) {
                matched = borders[matched - 1] as usize;
            }
            if self.same(tier, symbol, block[matched]) {
                matched += 1;
            }
            if matched == block.len() && hit(from + at + 1 - matched).is_break() {
                break;
            }
        }
        Ok(())
    }
}

/// For each prefix of `block`, the length of its longest proper prefix that is also a suffix.
pub(crate) fn borders<T: Copy>(block: &[T], same: impl Fn(T, T) -> bool) -> Vec<u32> {
    let mut out = alloc::vec![0u32; block.len()];
    let mut matched = 0usize;
    for at in 1..block.len() {
        while matched > 0 && !same(block[at], block[matched]) {
            matched = out[matched - 1] as usize;
        }
        if same(block[at], block[matched]) {
            matched += 1;
        }
        out[at] = matched as u32;
    }
    out
}
