//! The watches of an index: which directory each belongs to, and how many there may be.

use std::collections::HashMap;
use std::ffi::OsStr;

use rooted_fs::{Seen, WatchId, Watcher};
use search_engine::{DirId, Watch};

use super::tree::is_watchable;
use crate::tree::TreeDir;

/// Watches at most, whatever the system would allow.
const MAX_WATCHES: usize = 32_768;
/// The part of the system's watches that one index may take.
const SHARE: usize = 4;

/// What was seen.
pub(super) enum Noted<'a> {
    /// The content or the attributes of an entry.
    Content(DirId, &'a OsStr),
    /// An entry is new, gone or another.
    Name(DirId, &'a OsStr),
    /// The directory itself.
    Dir(DirId),
}

/// The watches of an index; released when dropped.
pub(super) struct Watches {
    watcher: Watcher,
    by_watch: HashMap<WatchId, DirId>,
    by_dir: HashMap<DirId, WatchId>,
    most: usize,
    /// Something was lost since the last drain, so that everything has to be compared.
    lost: bool,
    sound: bool,
}

impl Watches {
    /// Makes a set without any watch; `None` when the system has none to give.
    pub(super) fn new() -> Option<Self> {
        let watcher = Watcher::new().ok()?;
        let share = Watcher::system_limit().map_or(MAX_WATCHES, |limit| limit / SHARE);
        let most = share.min(MAX_WATCHES);
        let (by_watch, by_dir) = (HashMap::new(), HashMap::new());
        Some(Self { watcher, by_watch, by_dir, most, lost: false, sound: true })
    }

    pub(super) fn len(&self) -> usize {
        self.by_dir.len()
    }

    /// Whether the workspace is still where it is watched.
    pub(super) fn is_sound(&self) -> bool {
        self.sound
    }

    /// Passes on what was seen; returns whether something was lost.
    pub(super) fn drain(&mut self, each: &mut dyn FnMut(Noted<'_>)) -> bool {
        let Self { watcher, by_watch, by_dir, sound, .. } = self;
        let mut lost = false;
        let drained = watcher.drain(|seen| match seen {
            Seen::Content { dir, name } => {
                if let Some(&dir) = by_watch.get(&dir) {
                    each(Noted::Content(dir, name));
                }
            }
            Seen::Name { dir, name } => {
                if let Some(&dir) = by_watch.get(&dir) {
                    each(Noted::Name(dir, name));
                }
            }
            Seen::Dir { dir } => {
                if let Some(&dir) = by_watch.get(&dir) {
                    each(Noted::Dir(dir));
                }
            }
            Seen::Moved { dir } => {
                if let Some(&dir) = by_watch.get(&dir) {
                    // Of any other directory its parent tells.
                    *sound &= dir != DirId::ROOT;
                    each(Noted::Dir(dir));
                }
            }
            Seen::Ended { dir: id } => {
                if let Some(dir) = by_watch.remove(&id) {
                    *sound &= dir != DirId::ROOT;
                    if by_dir.get(&dir) == Some(&id) {
                        by_dir.remove(&dir);
                        each(Noted::Dir(dir));
                        // Should it be in the tree all the same, nothing would tell of its changes.
                        lost = true;
                    }
                }
            }
            _ => lost = true,
        });
        *sound &= drained.is_ok();
        std::mem::take(&mut self.lost) | lost
    }
}

impl Watch<TreeDir<'_>> for Watches {
    fn watch(&mut self, dir: &TreeDir<'_>, id: DirId) -> bool {
        let Some(dir) = dir.dir().filter(|dir| is_watchable(dir.meta())) else { return false };
        if self.by_dir.len() >= self.most {
            return false;
        }
        let Ok(watch) = self.watcher.add(dir) else { return false };
        if let Some(before) = self.by_watch.insert(watch, id)
            && before != id
        {
            self.by_dir.remove(&before);
        }
        self.by_dir.insert(id, watch);
        true
    }

    fn forget(&mut self, id: DirId) {
        if let Some(watch) = self.by_dir.remove(&id)
            && self.by_watch.get(&watch) == Some(&id)
        {
            self.by_watch.remove(&watch);
            self.watcher.remove(watch);
        }
    }
}
