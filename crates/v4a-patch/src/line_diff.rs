//! Which lines changed between two texts, as numbers.

use alloc::vec::Vec;
use core::ops::Range;

/// Most edits that the search for a shortest script follows in one gap; beyond them the gap counts as replaced.
const MAX_EDITS: usize = 400;
/// How often a gap is split at lines that are unique in it.
const MAX_DEPTH: usize = 24;

/// A block of old lines that gives way to a block of new lines; at least one of them is not empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Change {
    pub(crate) old: Range<usize>,
    pub(crate) new: Range<usize>,
}

/// Compares two sequences and returns the changes in order; neighbours are separated by common lines.
///
/// Splits at lines that are unique on both sides (patience), then looks for a shortest script (Myers) within the
/// gaps. The result is always correct and not always the shortest.
pub(crate) fn changes(old: &[u32], new: &[u32], symbols: usize) -> Vec<Change> {
    let mut same: Vec<(usize, usize)> = Vec::new();
    let mut counts = Counts { table: alloc::vec![[0; 3]; symbols] };
    let mut work = alloc::vec![(0..old.len(), 0..new.len(), 0)];
    while let Some((a, b, depth)) = work.pop() {
        let (mut a, mut b) = (a, b);
        while !a.is_empty() && !b.is_empty() && old[a.start] == new[b.start] {
            same.push((a.start, b.start));
            a.start += 1;
            b.start += 1;
        }
        while !a.is_empty() && !b.is_empty() && old[a.end - 1] == new[b.end - 1] {
            a.end -= 1;
            b.end -= 1;
            same.push((a.end, b.end));
        }
        if a.is_empty() || b.is_empty() {
            continue;
        }
        let anchors = if depth < MAX_DEPTH { counts.anchors(old, new, &a, &b) } else { Vec::new() };
        if anchors.is_empty() {
            shortest(old, new, a, b, &mut same);
            continue;
        }
        let (mut from_a, mut from_b) = (a.start, b.start);
        for (at_a, at_b) in anchors {
            same.push((at_a, at_b));
            work.push((from_a..at_a, from_b..at_b, depth + 1));
            (from_a, from_b) = (at_a + 1, at_b + 1);
        }
        work.push((from_a..a.end, from_b..b.end, depth + 1));
    }
    same.sort_unstable();
    let mut out = Vec::new();
    let (mut at_a, mut at_b) = (0, 0);
    for (a, b) in same.into_iter().chain([(old.len(), new.len())]) {
        if at_a < a || at_b < b {
            out.push(Change { old: at_a..a, new: at_b..b });
        }
        (at_a, at_b) = (a + 1, b + 1);
    }
    out
}

/// Occurrences of each symbol within a gap: old, new, and the last old position.
struct Counts {
    table: Vec<[u32; 3]>,
}

impl Counts {
    /// The longest ascending chain of lines that occur once in either gap.
    fn anchors(
        &mut self,
        old: &[u32],
        new: &[u32],
        a: &Range<usize>,
        b: &Range<usize>,
    ) -> Vec<(usize, usize)> {
        for at in a.clone() {
            let entry = &mut self.table[old[at] as usize];
            entry[0] += 1;
            entry[2] = at as u32;
        }
        for at in b.clone() {
            self.table[new[at] as usize][1] += 1;
        }
        let pairs: Vec<(usize, usize)> = b
            .clone()
            .filter_map(|at| {
                let [ours, theirs, place] = self.table[new[at] as usize];
                (ours == 1 && theirs == 1).then_some((place as usize, at))
            })
            .collect();
        for at in a.clone() {
            self.table[old[at] as usize] = [0; 3];
        }
        for at in b.clone() {
            self.table[new[at] as usize] = [0; 3];
        }
        // Patience sorting: the pile tops, and for each pair the one before it in its chain.
        let mut tops: Vec<usize> = Vec::new();
        let mut before: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
        for (index, &(place, _)) in pairs.iter().enumerate() {
            let pile = tops.partition_point(|&top| pairs[top].0 < place);
            before.push(pile.checked_sub(1).map(|pile| tops[pile]));
            if pile == tops.len() {
                tops.push(index);
            } else {
                tops[pile] = index;
            }
        }
        let mut chain = Vec::with_capacity(tops.len());
        let mut next = tops.last().copied();
        while let Some(index) = next {
            chain.push(pairs[index]);
            next = before[index];
        }
        chain.reverse();
        chain
    }
}

/// Finds a shortest script by greedy furthest paths and adds its common lines to `same`.
fn shortest(old: &[u32], new: &[u32], a: Range<usize>, b: Range<usize>, same: &mut Vec<(usize, usize)>) {
    let (n, m) = (a.len() as isize, b.len() as isize);
    let max = (a.len() + b.len()).min(MAX_EDITS);
    // trace[d] holds the furthest x for each diagonal -d..=d.
    let mut trace: Vec<Vec<isize>> = Vec::new();
    let get = |row: &[isize], d: isize, k: isize| row.get((k + d) as usize).copied().unwrap_or(-1);
    'search: for d in 0..=max as isize {
        let mut row = alloc::vec![-1; 2 * d as usize + 1];
        for k in (-d..=d).step_by(2) {
            let mut x = match trace.last() {
                None => 0,
                Some(last) => {
                    let (left, right) = (
                        if k > -d { get(last, d - 1, k - 1) } else { -1 },
                        if k < d { get(last, d - 1, k + 1) } else { -1 },
                    );
                    // A step down keeps x, a step to the right adds one.
                    if k == -d || (k < d && left < right) { right } else { left + 1 }
                }
            };
            let mut y = x - k;
            if x < 0 || y < 0 || x > n || y > m {
                continue;
            }
            while x < n && y < m && old[a.start + x as usize] == new[b.start + y as usize] {
                x += 1;
                y += 1;
            }
            row[(k + d) as usize] = x;
            if x == n && y == m {
                trace.push(row);
                break 'search;
            }
        }
        trace.push(row);
    }
    let Some(last) = trace.last() else { return };
    let mut d = trace.len() as isize - 1;
    if get(last, d, n - m) != n || (n - m).abs() > d {
        return;
    }
    let (mut x, mut k) = (n, n - m);
    while d >= 0 {
        let (from_x, from_k) = if d == 0 {
            (0, 0)
        } else {
            let previous = &trace[d as usize - 1];
            let left = if k > -d { get(previous, d - 1, k - 1) } else { -1 };
            let right = if k < d { get(previous, d - 1, k + 1) } else { -1 };
            if k == -d || (k < d && left < right) { (right, k + 1) } else { (left, k - 1) }
        };
        let start = if d == 0 {
            0
        } else if from_k > k {
            from_x
        } else {
            from_x + 1
        };
        for step in start..x {
            same.push((a.start + step as usize, b.start + (step - k) as usize));
        }
        (x, k) = (from_x, from_k);
        d -= 1;
    }
}
