//! The signatures of many pieces of text, bit by bit: one row for each bit, one column for each piece.

use super::{
    grams::{Bitmap, Grams, SIZES, row_of},
    plan::Need,
};

/// Columns of a block.
pub(crate) const COLUMNS: usize = 512;
const MOST_WORDS: usize = COLUMNS / 64;

/// One bit for each column of a block.
pub(crate) type Mask = [u64; MOST_WORDS];

/// Where the signature of a piece is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Column {
    block: u32,
    column: u16,
}

/// To whom a column belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Owner {
    pub(crate) file: u32,
    pub(crate) piece: u32,
}

const NOBODY: Owner = Owner { file: u32::MAX, piece: 0 };

/// Pieces whose bitmaps have one size.
#[derive(Debug)]
struct Block {
    bits: u32,
    /// Words of a row; they double as the block fills.
    width: usize,
    /// Row after row.
    rows: Vec<u64>,
    live: Mask,
    owners: Vec<Owner>,
    /// Columns that were used and are not any more.
    free: Vec<u16>,
}

/// All blocks.
#[derive(Debug, Default)]
pub(crate) struct Blocks {
    blocks: Vec<Block>,
    /// Places in `blocks` without a block.
    holes: Vec<u32>,
    /// For each size of bitmaps, the blocks with room.
    open: [Vec<u32>; SIZES],
    bytes: usize,
}

/// A need with the hashes of its literals.
#[derive(Debug)]
pub(crate) enum Probe {
    Anything,
    Grams(Vec<u32>),
    All(Vec<Self>),
    OneOf(Vec<Self>),
}

impl Probe {
    pub(crate) fn new(need: &Need, grams: Grams) -> Self {
        match need {
            Need::Nothing => Self::Anything,
            Need::Text(literal) => {
                let hashes = grams.of_literal(literal);
                if hashes.is_empty() { Self::Anything } else { Self::Grams(hashes) }
            }
            Need::All(needs) => {
                let all = needs.iter().map(|need| Self::new(need, grams));
                let mut all: Vec<_> = all.filter(|probe| !matches!(probe, Self::Anything)).collect();
                match all.len() {
                    0 => Self::Anything,
                    1 => all.swap_remove(0),
                    _ => Self::All(all),
                }
            }
            Need::OneOf(needs) => {
                let all: Vec<_> = needs.iter().map(|need| Self::new(need, grams)).collect();
                if all.iter().any(|probe| matches!(probe, Self::Anything)) {
                    return Self::Anything;
                }
                Self::OneOf(all)
            }
        }
    }

    /// Decides by a function that tells whether a hash is there.
    pub(crate) fn holds(&self, has: &mut impl FnMut(u32) -> bool) -> bool {
        match self {
            Self::Anything => true,
            Self::Grams(hashes) => hashes.iter().all(|&hash| has(hash)),
            Self::All(all) => all.iter().all(|probe| probe.holds(has)),
            Self::OneOf(all) => all.iter().any(|probe| probe.holds(has)),
        }
    }
}

impl Blocks {
    /// Memory of the rows.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(crate) fn insert(&mut self, bitmap: &Bitmap, owner: Owner) -> Column {
        let size = (bitmap.bits as usize).saturating_sub(9).min(SIZES - 1);
        let at = match self.open[size].last() {
            Some(&at) => at,
            None => self.new_block(bitmap.bits, size),
        };
        let block = &mut self.blocks[at as usize];
        let before = block.rows.len();
        let column = block.insert(bitmap, owner);
        let grown = (block.rows.len() - before) * 8;
        if block.free.is_empty() && block.owners.len() == COLUMNS {
            self.open[size].retain(|&open| open != at);
        }
        self.bytes += grown;
        Column { block: at, column }
    }

    pub(crate) fn remove(&mut self, column: Column) {
        let at = column.block;
        let block = &mut self.blocks[at as usize];
        block.remove(column.column);
        let size = (block.bits as usize).saturating_sub(9).min(SIZES - 1);
        if block.live == [0; MOST_WORDS] {
            self.bytes -= block.rows.len() * 8;
            *block = Block::new(block.bits);
            self.open[size].retain(|&open| open != at);
            self.holes.push(at);
        } else if !self.open[size].contains(&at) {
            self.open[size].push(at);
        }
    }

    /// Tells whether the piece in `column` may hold the n-gram.
    pub(crate) fn has(&self, column: Column, hash: u32) -> bool {
        let block = &self.blocks[column.block as usize];
        let word = block.rows[row_of(hash, block.bits) * block.width + usize::from(column.column) / 64];
        word >> (column.column % 64) & 1 == 1
    }

    /// Calls `each` with the owner of every piece that may hold what is asked for.
    pub(crate) fn candidates(&self, probe: &Probe, mut each: impl FnMut(Owner)) {
        for block in &self.blocks {
            let found = block.select(probe, &block.live);
            for (at, &word) in found.iter().enumerate() {
                let mut left = word;
                while left != 0 {
                    each(block.owners[at * 64 + left.trailing_zeros() as usize]);
                    left &= left - 1;
                }
            }
        }
    }

    fn new_block(&mut self, bits: u32, size: usize) -> u32 {
        let at = match self.holes.pop() {
            Some(at) => {
                self.blocks[at as usize] = Block::new(bits);
                at
            }
            None => {
                self.blocks.push(Block::new(bits));
                (self.blocks.len() - 1) as u32
            }
        };
        self.open[size].push(at);
        at
    }
}

impl Block {
    fn new(bits: u32) -> Self {
        let (rows, owners, free) = (Vec::new(), Vec::new(), Vec::new());
        Self { bits, width: 0, rows, live: [0; MOST_WORDS], owners, free }
    }

    fn insert(&mut self, bitmap: &Bitmap, owner: Owner) -> u16 {
        let column = match self.free.pop() {
            Some(column) => {
                // The bits of the last owner are still there.
                let (word, bit) = (usize::from(column) / 64, 1 << (column % 64));
                self.rows.iter_mut().skip(word).step_by(self.width).for_each(|row| *row &= !bit);
                self.owners[usize::from(column)] = owner;
                column
            }
            None => {
                if self.owners.len() == self.width * 64 {
                    self.widen();
                }
                self.owners.push(owner);
                (self.owners.len() - 1) as u16
            }
        };
        let (word, bit) = (usize::from(column) / 64, 1 << (column % 64));
        for row in bitmap.rows() {
            self.rows[row * self.width + word] |= bit;
        }
        self.live[word] |= bit;
        column
    }

    fn remove(&mut self, column: u16) {
        self.live[usize::from(column) / 64] &= !(1 << (column % 64));
        self.owners[usize::from(column)] = NOBODY;
        self.free.push(column);
    }

    fn widen(&mut self) {
        let width = (self.width * 2).max(1);
        let mut rows = vec![0; (1 << self.bits) * width];
        if self.width > 0 {
            for (new, old) in rows.chunks_exact_mut(width).zip(self.rows.chunks_exact(self.width)) {
                new[..self.width].copy_from_slice(old);
            }
        }
        (self.rows, self.width) = (rows, width);
    }

    /// The columns of `among` that may hold what is asked for.
    fn select(&self, probe: &Probe, among: &Mask) -> Mask {
        match probe {
            Probe::Anything => *among,
            Probe::Grams(hashes) => {
                let mut mask = *among;
                for &hash in hashes {
                    if mask == [0; MOST_WORDS] {
                        break;
                    }
                    let start = row_of(hash, self.bits) * self.width;
                    let row = &self.rows[start..start + self.width];
                    for (mask, row) in mask.iter_mut().zip(row) {
                        *mask &= row;
                    }
                }
                mask
            }
            Probe::All(all) => all.iter().fold(*among, |mask, probe| {
                if mask == [0; MOST_WORDS] { mask } else { self.select(probe, &mask) }
            }),
            Probe::OneOf(all) => all.iter().fold([0; MOST_WORDS], |mut mask, probe| {
                let found = self.select(probe, among);
                mask.iter_mut().zip(found).for_each(|(mask, found)| *mask |= found);
                mask
            }),
        }
    }
}
