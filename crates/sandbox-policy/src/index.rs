//! Finds the patterns that a name can match, without trying all of them.

use crate::pattern::Part;

/// Extensions of patterns up to this length are looked up; a longer one is tried for every name.
const MAX_EXTENSION: usize = 15;

/// How many bytes at the beginning of a name are looked up.
const HEAD: usize = 4;

/// What is looked up of a name: hashes of the whole, of what follows the last dot, and of the beginning.
///
/// ASCII case makes no difference, so a name need not be folded to be looked up, only trimmed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Probe {
    name: u64,
    extension: u64,
    head: u64,
}

impl Probe {
    pub(crate) fn of(name: &[u8]) -> Probe {
        let tail = &name[name.len().saturating_sub(MAX_EXTENSION + 1)..];
        let extension = tail.iter().rposition(|byte| *byte == b'.').map_or(0, |dot| hash(&tail[dot + 1..]));
        Probe { name: hash(name), extension, head: name.first_chunk().map_or(0, |head| hash_head(*head)) }
    }
}

/// Buckets of pattern numbers by the parts of a name that are cheap to look up.
///
/// Every pattern is in exactly one bucket: exact names by their hash, `*.ext` by the hash of the extension, `head*` by
/// the hash of the first bytes, anything else in a list that is tried for every name.
#[derive(Debug, Default)]
pub(crate) struct Index {
    names: Table,
    extensions: Table,
    heads: Table,
    always: Vec<u16>,
}

impl Index {
    pub(crate) fn insert(&mut self, first: &Part, id: u16) {
        let pieces = match first {
            Part::Exact(name) => return self.names.insert(hash(name), id),
            Part::Glob(pieces) => pieces,
        };
        let head = pieces.first().and_then(|piece| piece.first_chunk());
        let extension =
            pieces.last().and_then(|piece| extension(piece)).filter(|text| text.len() <= MAX_EXTENSION);
        match (head, extension) {
            (Some(head), _) => self.heads.insert(hash_head(*head), id),
            (None, Some(extension)) => self.extensions.insert(hash(extension), id),
            (None, None) => self.always.push(id),
        }
    }

    /// Calls `tell` with each pattern whose first component may match the name.
    pub(crate) fn candidates(&self, probe: Probe, mut tell: impl FnMut(u16)) {
        self.names.get(probe.name, &mut tell);
        self.extensions.get(probe.extension, &mut tell);
        self.heads.get(probe.head, &mut tell);
        self.always.iter().for_each(|id| tell(*id));
    }

    /// Tells whether there may be a candidate: a few tests of bits, now and then yes for nothing.
    pub(crate) fn may_match(&self, probe: Probe) -> bool {
        self.names.may_have(probe.name)
            || self.extensions.may_have(probe.extension)
            || self.heads.may_have(probe.head)
            || !self.always.is_empty()
    }
}

/// Returns what follows the last dot.
fn extension(name: &[u8]) -> Option<&[u8]> {
    name.iter().rposition(|byte| *byte == b'.').map(|dot| &name[dot + 1..])
}

/// An open-addressed table from hashes to pattern numbers, with a filter in front that fits into the nearest cache.
///
/// Two names with one hash only cost a comparison, since every candidate is compared in full.
#[derive(Debug)]
struct Table {
    filter: Box<[u64; FILTER_WORDS]>,
    slots: Vec<Option<(u64, u16)>>,
    used: usize,
}

const FILTER_WORDS: usize = 64;

impl Default for Table {
    fn default() -> Table {
        Table { filter: Box::new([0; FILTER_WORDS]), slots: vec![None; 16], used: 0 }
    }
}

impl Table {
    fn insert(&mut self, hash: u64, id: u16) {
        if (self.used + 1) * 4 > self.slots.len() {
            let old = std::mem::take(&mut self.slots);
            self.slots = vec![None; old.len() * 2];
            for (hash, id) in old.into_iter().flatten() {
                self.place(hash, id);
            }
        }
        self.place(hash, id);
        self.used += 1;
        let (word, bit) = filter_bit(hash);
        self.filter[word] |= bit;
    }

    fn place(&mut self, hash: u64, id: u16) {
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        while self.slots[at].is_some() {
            at = (at + 1) & mask;
        }
        self.slots[at] = Some((hash, id));
    }

    fn may_have(&self, hash: u64) -> bool {
        let (word, bit) = filter_bit(hash);
        self.filter[word] & bit != 0
    }

    fn get(&self, hash: u64, tell: &mut impl FnMut(u16)) {
        if !self.may_have(hash) {
            return;
        }
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        while let Some((found, id)) = self.slots[at] {
            if found == hash {
                tell(id);
            }
            at = (at + 1) & mask;
        }
    }
}

/// Takes the bits of the filter from the other end than those of the slot.
fn filter_bit(hash: u64) -> (usize, u64) {
    let at = (hash >> 52) as usize;
    (at / 64 % FILTER_WORDS, 1 << (at % 64))
}

/// Hashes eight bytes at a time without regard to ASCII case; the last eight may overlap those before.
///
/// The tables are fixed when they are built, so nobody can aim at them with crafted names.
fn hash(bytes: &[u8]) -> u64 {
    let mut state = (bytes.len() as u64 + 1).wrapping_mul(SPREAD);
    match bytes.last_chunk() {
        Some(last) => {
            for word in bytes.as_chunks().0 {
                state = mix(state, u64::from_le_bytes(*word));
            }
            state = mix(state, u64::from_le_bytes(*last));
        }
        None => state = mix(state, short(bytes)),
    }
    (state ^ (state >> 31)).wrapping_mul(SPREAD)
}

/// Packs less than eight bytes into a word.
fn short(bytes: &[u8]) -> u64 {
    if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        let low = u64::from(u32::from_le_bytes(*first));
        return low | u64::from(u32::from_le_bytes(*last)) << 32;
    }
    bytes.iter().fold(0, |word, byte| word << 8 | u64::from(*byte))
}

fn hash_head(head: [u8; HEAD]) -> u64 {
    mix(SPREAD, u64::from(u32::from_le_bytes(head))).wrapping_mul(SPREAD)
}

/// The golden ratio in 64 bits, as in Fibonacci hashing.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

fn mix(state: u64, word: u64) -> u64 {
    (state ^ lowercase(word)).wrapping_mul(SPREAD).rotate_left(29)
}

/// Turns the ASCII capitals among eight bytes into small letters.
fn lowercase(word: u64) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const TOPS: u64 = 0x80 * ONES;
    let low = word & !TOPS;
    let from_a = low + (0x80 - b'A' as u64) * ONES;
    let beyond_z = low + (0x7f - b'Z' as u64) * ONES;
    let capitals = !word & (from_a ^ beyond_z) & TOPS;
    word | (capitals >> 2)
}

#[cfg(test)]
mod tests;
