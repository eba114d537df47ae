//! Other names of sensitive files: a hard link shows the same secret under an innocent name.

use std::collections::HashSet;
use std::sync::PoisonError;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use rooted_fs::{Dir, Kind, Meta};
use sandbox_policy::DirRules;

use super::{Gate, policy_kind};

/// How long the index of hidden files is believed, for names that change without a trace on the file itself.
const MAX_AGE: Duration = Duration::from_secs(30);
/// Entries of the workspace that are looked at for the index.
const MAX_ENTRIES: usize = 500_000;
/// Directories below one another that are looked at.
const MAX_DEPTH: usize = 128;

/// Device and inode of every hidden file of the workspace that has more than one name.
#[derive(Default)]
pub(super) struct Aliases {
    files: HashSet<(u64, u64)>,
    made: Option<Made>,
}

/// When the index was begun, by both clocks.
#[derive(Clone, Copy)]
struct Made {
    at: Instant,
    wall_ns: i64,
}

impl Made {
    /// File systems stamp with a clock that lags behind by up to a tick.
    const TICK_NS: i64 = 10_000_000;

    fn now() -> Self {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self { at: Instant::now(), wall_ns: i64::try_from(since.as_nanos()).unwrap_or(i64::MAX) }
    }

    /// Whether a file may have got a name since: a new link and a rename change its status time.
    fn is_before(&self, meta: &Meta) -> bool {
        meta.ctime_ns >= self.wall_ns - Self::TICK_NS
    }
}

impl Gate {
    /// Tells whether an open file with several names is hidden by the policy under another name in the workspace.
    ///
    /// # Cost
    ///
    /// Nothing for a file with one name. Otherwise a look-up, and one walk of the workspace, bounded by
    /// [`MAX_ENTRIES`], twice a minute or when the file got a name since the last one.
    pub(crate) fn is_alias_of_hidden(&self, meta: &Meta) -> bool {
        if meta.nlink < 2 || meta.kind != Kind::File {
            return false;
        }
        let mut aliases = self.aliases.lock().unwrap_or_else(PoisonError::into_inner);
        if aliases.made.is_none_or(|made| made.at.elapsed() > MAX_AGE || made.is_before(meta)) {
            let made = Some(Made::now());
            *aliases = Aliases { files: self.hidden_files(), made };
        }
        aliases.files.contains(&(meta.dev, meta.ino))
    }

    fn hidden_files(&self) -> HashSet<(u64, u64)> {
        let mut files = HashSet::new();
        let Ok(root) = self.root.open_dir(&rooted_fs::RelName::root()) else { return files };
        let mut left = MAX_ENTRIES;
        let rules = self.rules.enter(self.root.path());
        visit(&root, &rules, Seen { hidden: false, depth: 0 }, &mut left, &mut files);
        files
    }
}

#[derive(Clone, Copy)]
struct Seen {
    hidden: bool,
    depth: usize,
}

fn visit(dir: &Dir, rules: &DirRules<'_>, seen: Seen, left: &mut usize, files: &mut HashSet<(u64, u64)>) {
    let mut entries = Vec::new();
    // A directory that cannot be read has nothing that a tool could read either.
    if seen.depth > MAX_DEPTH || dir.entries(&mut entries).is_err() {
        return;
    }
    for entry in entries {
        let Some(rest) = left.checked_sub(1) else { return };
        *left = rest;
        let hidden = seen.hidden || !rules.shows(&entry.name, policy_kind(entry.kind));
        match entry.kind {
            Kind::File if hidden => {
                if let Ok(meta) = dir.stat(&entry.name)
                    && meta.nlink > 1
                {
                    files.insert((meta.dev, meta.ino));
                }
            }
            Kind::Dir => {
                if let Ok(below) = dir.open_dir(&entry.name) {
                    let seen = Seen { hidden, depth: seen.depth + 1 };
                    visit(&below, &rules.enter(&entry.name), seen, left, files);
                }
            }
            _ => {}
        }
    }
}
