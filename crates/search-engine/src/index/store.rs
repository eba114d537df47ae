//! Which files an index knows the content of, and which of them a search may leave out.

use std::{collections::HashMap, sync::Arc};

use super::{
    blocks::{Blocks, Column, Owner, Probe},
    grams::Grams,
    plan::Plan,
    signature::{Content, PieceAt, Signature},
};
use crate::{
    Span,
    spared::{Run, Runs, Verdict},
};

/// What tells one state of a file or directory from another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Stamp {
    /// The device that holds it.
    pub dev: u64,
    /// Its number on that device.
    pub ino: u64,
    /// Number of names.
    pub links: u64,
    /// Size in bytes.
    pub size: u64,
    /// Last change of the content, in nanoseconds since 1970.
    pub modified_ns: i64,
    /// Last change of content or attributes, in nanoseconds since 1970.
    pub changed_ns: i64,
}

/// Memory of one file and one piece besides its bits.
const FILE_BYTES: usize = size_of::<Known>() + size_of::<Verdict>();
const PIECE_BYTES: usize = size_of::<(Column, PieceAt)>();

/// What is known of a file.
#[derive(Debug, Clone, Default)]
struct Known {
    pieces: Pieces,
    stamp: Option<Stamp>,
    /// Counts the changes that were noticed, so that a signature made before one is not taken after it.
    version: u32,
    size: u64,
    plain: bool,
    /// There can be no signature until the file changes.
    refused: bool,
    /// It was changed so shortly before it was read that a later change may have the same stamp.
    racy: bool,
}

#[derive(Debug, Clone, Default)]
enum Pieces {
    #[default]
    None,
    One(Column),
    Many(Box<[(Column, PieceAt)]>),
}

/// The files, by number.
#[derive(Debug)]
pub(crate) struct Store {
    pub(crate) grams: Grams,
    blocks: Blocks,
    known: Vec<Known>,
    /// What a search may do with each file when its signature says nothing more.
    verdicts: Vec<Verdict>,
    free: Vec<u32>,
    by_inode: HashMap<(u64, u64), u32>,
    /// Files with a signature.
    pub(crate) indexed: u64,
    /// Bytes of their content.
    pub(crate) text_bytes: u64,
    refused: u64,
    pieces_bytes: usize,
    /// No more is taken when that much memory is used.
    pub(crate) max_bytes: usize,
}

impl Store {
    pub(crate) fn new(grams: Grams, max_bytes: usize) -> Self {
        Self {
            grams,
            blocks: Blocks::default(),
            known: Vec::new(),
            verdicts: Vec::new(),
            free: Vec::new(),
            by_inode: HashMap::new(),
            indexed: 0,
            text_bytes: 0,
            refused: 0,
            pieces_bytes: 0,
            max_bytes,
        }
    }

    /// Memory in use.
    pub(crate) fn bytes(&self) -> usize {
        let maps = self.by_inode.capacity() * (size_of::<((u64, u64), u32)>() + 1);
        self.blocks.bytes() + self.pieces_bytes + self.known.capacity() * FILE_BYTES + maps
    }

    /// Gives a new file a number. Nothing is known of its content.
    pub(crate) fn add(&mut self) -> u32 {
        if let Some(file) = self.free.pop() {
            return file;
        }
        self.known.push(Known::default());
        self.verdicts.push(Verdict::Read);
        (self.known.len() - 1) as u32
    }

    /// The file is gone.
    pub(crate) fn drop_file(&mut self, file: u32) {
        self.forget(file);
        self.free.push(file);
    }

    /// Nothing is known of the content of the file any more.
    pub(crate) fn forget(&mut self, file: u32) {
        let known = &mut self.known[file as usize];
        known.version = known.version.wrapping_add(1);
        self.refused -= u64::from(std::mem::take(&mut known.refused));
        if let Some(stamp) = known.stamp.take()
            && self.by_inode.get(&(stamp.dev, stamp.ino)) == Some(&file)
        {
            self.by_inode.remove(&(stamp.dev, stamp.ino));
        }
        if std::mem::replace(&mut self.verdicts[file as usize], Verdict::Read) != Verdict::Read {
            self.indexed -= 1;
            self.text_bytes -= known.size;
        }
        match std::mem::take(&mut known.pieces) {
            Pieces::None => {}
            Pieces::One(column) => self.blocks.remove(column),
            Pieces::Many(pieces) => {
                self.pieces_bytes -= pieces.len() * PIECE_BYTES;
                pieces.iter().for_each(|&(column, _)| self.blocks.remove(column));
            }
        }
    }

    /// Notes that there can be no signature until the file changes.
    pub(crate) fn refuse(&mut self, file: u32) {
        let version = self.version(file);
        self.forget(file);
        let known = &mut self.known[file as usize];
        (known.refused, known.version) = (true, version);
        self.refused += 1;
    }

    pub(crate) fn is_refused(&self, file: u32) -> bool {
        self.known[file as usize].refused
    }

    /// How many files there are.
    pub(crate) fn files(&self) -> u64 {
        (self.known.len() - self.free.len()) as u64
    }

    /// How many files could have a signature and have none.
    pub(crate) fn pending(&self) -> u64 {
        self.files() - self.indexed - self.refused
    }

    pub(crate) fn version_of(&self, file: u32) -> Option<u32> {
        self.known.get(file as usize).map(|known| known.version)
    }

    pub(crate) fn version(&self, file: u32) -> u32 {
        self.known[file as usize].version
    }

    /// The stamp that a file with a signature must still have; that of a file that was changed just before is worth nothing.
    pub(crate) fn stamp(&self, file: u32) -> Option<Option<Stamp>> {
        let known = &self.known[file as usize];
        known.stamp.map(|stamp| (!known.racy).then_some(stamp))
    }

    pub(crate) fn is_indexed(&self, file: u32) -> bool {
        self.verdicts[file as usize] != Verdict::Read
    }

    pub(crate) fn is_full(&self) -> bool {
        self.bytes() >= self.max_bytes
    }

    /// Another name of the same file has been met: what is written through one of them is not seen at the other.
    pub(crate) fn linked(&mut self, stamp: &Stamp) {
        if let Some(&file) = self.by_inode.get(&(stamp.dev, stamp.ino)) {
            self.forget(file);
        }
    }

    /// Takes the signature of a file.
    pub(crate) fn insert(&mut self, file: u32, stamp: Stamp, racy: bool, signature: &Signature) {
        let version = self.version(file);
        self.forget(file);
        let verdict = match &signature.0 {
            Content::Binary => Verdict::Binary,
            Content::Text { pieces, plain } => {
                let owner = |piece: usize| Owner { file, piece: piece as u32 };
                let known = &mut self.known[file as usize];
                known.plain = *plain;
                known.pieces = match &pieces[..] {
                    [piece] => Pieces::One(self.blocks.insert(&piece.bitmap, owner(0))),
                    pieces => {
                        self.pieces_bytes += pieces.len() * PIECE_BYTES;
                        let columns = pieces.iter().enumerate();
                        let insert = |(at, piece): (usize, &super::signature::Piece)| {
                            (self.blocks.insert(&piece.bitmap, owner(at)), piece.at)
                        };
                        Pieces::Many(columns.map(insert).collect())
                    }
                };
                Verdict::Text
            }
        };
        let known = &mut self.known[file as usize];
        (known.stamp, known.size, known.version) = (Some(stamp), stamp.size, version);
        known.racy = racy;
        self.verdicts[file as usize] = verdict;
        self.by_inode.insert((stamp.dev, stamp.ino), file);
        self.indexed += 1;
        self.text_bytes += stamp.size;
    }

    /// What a search for `plan` may do with each file, and which parts of the larger ones it has to read.
    pub(crate) fn verdicts(&self, plan: &Plan, span: Span) -> (Vec<Verdict>, HashMap<u32, Arc<Runs>>) {
        let mut verdicts = self.verdicts.clone();
        let mut runs: HashMap<u32, Arc<Runs>> = HashMap::new();
        let probe = Probe::new(&plan.0, self.grams);
        if matches!(probe, Probe::Anything) {
            verdicts.iter_mut().filter(|it| **it == Verdict::Text).for_each(|it| *it = Verdict::Read);
            return (verdicts, runs);
        }
        let mut found: HashMap<u32, Vec<u32>> = HashMap::new();
        self.blocks.candidates(&probe, |owner| {
            verdicts[owner.file as usize] = Verdict::Read;
            if let Pieces::Many(_) = self.known[owner.file as usize].pieces {
                found.entry(owner.file).or_default().push(owner.piece);
            }
        });
        match span {
            Span::Line => {
                for (file, mut pieces) in found {
                    pieces.sort_unstable();
                    if let Some(parts) = self.runs(file, &pieces) {
                        runs.insert(file, Arc::new(parts));
                    }
                }
            }
            Span::File => {
                // What is asked for may lie in several pieces of one file.
                for (file, known) in self.known.iter().enumerate() {
                    let Pieces::Many(pieces) = &known.pieces else { continue };
                    let mut has = |hash| pieces.iter().any(|&(column, _)| self.blocks.has(column, hash));
                    if probe.holds(&mut has) {
                        verdicts[file] = Verdict::Read;
                    }
                }
            }
        }
        (verdicts, runs)
    }

    fn runs(&self, file: u32, found: &[u32]) -> Option<Runs> {
        let known = &self.known[file as usize];
        let (Pieces::Many(pieces), Some(stamp), true) = (&known.pieces, known.stamp, known.plain) else {
            return None;
        };
        let end_of = |piece: usize| pieces.get(piece + 1).map(|&(_, at)| at);
        let mut parts: Vec<Run> = Vec::new();
        for &piece in found {
            let piece = piece as usize;
            let at = pieces[piece].1;
            let next = end_of(piece);
            let end = next.map_or(stamp.size, |next| next.offset);
            match parts.last_mut() {
                Some(last) if last.end == at.offset => last.end = end,
                _ => parts.push(Run { start: at.offset, end, line: at.lines + 1 }),
            }
        }
        let marks = pieces.iter().map(|&(_, at)| (at.offset, at.lines)).collect();
        Some(Runs { parts, marks, size: stamp.size, modified_ns: stamp.modified_ns })
    }

    /// Forgets files until at most `max_bytes` are used: those whose signatures are largest first.
    pub(crate) fn shrink(&mut self, max_bytes: usize) {
        let weight = |known: &Known| match &known.pieces {
            Pieces::None => 0,
            Pieces::One(_) => known.size,
            Pieces::Many(_) => known.size.saturating_mul(2),
        };
        let mut files: Vec<u32> = (0..self.known.len() as u32).collect();
        files.sort_by_key(|&file| std::cmp::Reverse(weight(&self.known[file as usize])));
        for file in files {
            if self.bytes() <= max_bytes || weight(&self.known[file as usize]) == 0 {
                break;
            }
            self.forget(file);
        }
    }

    /// For each file, the time of its last modification, where it is known.
    pub(crate) fn modified(&self) -> Vec<Option<i64>> {
        self.known.iter().map(|known| known.stamp.map(|stamp| stamp.modified_ns)).collect()
    }
}
