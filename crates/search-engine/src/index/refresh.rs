//! Looks again at what may have changed: lists directories, compares stamps, gives new files a number.

use std::{io, sync::Arc};

use super::{
    Check, DirId, Index, MAX_DEPTH, StampedTree, Watch,
    names::{Dir, Node, What, plain_kind},
};
use crate::{
    IgnoreFile, Kind, Listing, cursor::Hash, ignore_rules::RuleStack, tree::name_of, walk::read_start,
};

/// The names of ignore files.
const RULES: [&[u8]; 2] = [b".gitignore", b".ignore"];

/// One refresh.
struct Pass<'a, T: StampedTree> {
    tree: &'a T,
    watch: &'a mut dyn Watch<T::Dir>,
    check: Check,
    now_ns: i64,
    rules: RuleStack,
    /// Path of the current directory with a slash at the end, then of an entry.
    path: Vec<u8>,
    /// Directories whose listing has to be tried again next time.
    again: Vec<u32>,
}

impl Index {
    /// Brings the index up to date with the tree, whose root must be the same each time. `now_ns` is the time in nanoseconds since 1970.
    ///
    /// The first time all directories are listed.
    ///
    /// # Errors
    /// When the root cannot be listed. The index then has to be thrown away.
    ///
    /// # Cost
    /// Nothing when nothing was noted and everything is watched. Otherwise one listing for each changed directory, all directories below
    /// it when an ignore file changed, and one look at each directory and file whose stamp has to be compared.
    pub fn refresh<T: StampedTree>(
        &mut self,
        tree: &T,
        watch: &mut dyn Watch<T::Dir>,
        check: Check,
        now_ns: i64,
    ) -> io::Result<()> {
        let root = &self.dirs[0];
        let is_quiet = !root.is_stale() && !root.below_stale;
        if is_quiet && self.unwatched == 0 && check != Check::All {
            return Ok(());
        }
        let rules = RuleStack::new(&[]);
        let (path, again) = (Vec::new(), Vec::new());
        let mut pass = Pass { tree, watch, check, now_ns, rules, path, again };
        let root = tree.root()?;
        self.visit(&mut pass, 0, &root, Force::No)?;
        for dir in pass.again {
            self.dirs[dir as usize].names_stale = true;
            self.mark_above(dir);
        }
        self.is_new = false;
        Ok(())
    }

    fn visit<T: StampedTree>(
        &mut self,
        pass: &mut Pass<'_, T>,
        id: u32,
        dir: &T::Dir,
        force: Force,
    ) -> io::Result<()> {
        let known = &self.dirs[id as usize];
        let compare = pass.check == Check::All || known.unwatched;
        let mut stale = force == Force::Yes || known.names_stale || known.rules_stale;
        if !stale && compare {
            let now = pass.tree.dir_stamp(dir).unwrap_or_default();
            stale = known.racy || now != known.stamp || now == super::Stamp::default();
            // An ignore file that is written anew leaves its directory alone.
            stale |= RULES.iter().zip(known.rules).any(|(name, stamp)| {
                stamp.is_some() && pass.tree.file_stamp(dir, name_of(name)).ok() != stamp
            });
        }
        // Another name of a known file: what is written through it is not noticed there.
        for name in std::mem::take(&mut self.dirs[id as usize].touched) {
            if let Ok(stamp) = pass.tree.file_stamp(dir, name_of(&name))
                && stamp.links != 1
            {
                self.store.linked(&stamp);
            }
        }
        let base = pass.path.len();
        let depth = self.dirs[id as usize].depth;
        let mut below = force;
        if stale {
            if self.relist(pass, id, dir)? {
                below = Force::Yes;
            }
        } else {
            let rules = Arc::clone(&self.names[id as usize].rules);
            pass.push_rules(depth, base, &rules);
        }
        self.dirs[id as usize].below_stale = false;
        let compare_files =
            pass.check == Check::All || (pass.check == Check::Contents && self.dirs[id as usize].unwatched);
        let node = Arc::clone(&self.names[id as usize]);
        for (name, what) in node.iter() {
            match what {
                What::File(file) if compare_files => {
                    if let Some(stamp) = self.store.stamp(file)
                        && (stamp.is_none() || pass.tree.file_stamp(dir, name_of(name)).ok() != stamp)
                    {
                        self.store.forget(file);
                        self.generation += 1;
                    }
                }
                What::Dir(child) => {
                    let next = &self.dirs[child as usize];
                    let is_quiet = !next.is_stale() && !next.below_stale;
                    if is_quiet && below == Force::No && self.unwatched == 0 && pass.check != Check::All {
                        continue;
                    }
                    pass.path.truncate(base);
                    pass.path.extend_from_slice(name);
                    pass.path.push(b'/');
                    let entered = pass.tree.enter(dir, name_of(name));
                    if entered.and_then(|entered| self.visit(pass, child, &entered, below)).is_err() {
                        pass.rules.pop_to(depth as usize + 1);
                        self.drop_dir(pass, child);
                        let node = self.names[id as usize].with(name, What::Unreadable);
                        Arc::make_mut(&mut self.names)[id as usize] = Arc::new(node);
                        pass.again.push(id);
                        self.generation += 1;
                    }
                }
                _ => {}
            }
        }
        pass.path.truncate(base);
        pass.rules.pop_to(depth as usize);
        Ok(())
    }

    /// Lists a directory again; returns whether its ignore rules are others now.
    fn relist<T: StampedTree>(&mut self, pass: &mut Pass<'_, T>, id: u32, dir: &T::Dir) -> io::Result<bool> {
        let base = pass.path.len();
        let old = Arc::clone(&self.names[id as usize]);
        let known = &mut self.dirs[id as usize];
        if !std::mem::replace(&mut known.watch_tried, true) {
            known.unwatched = !pass.watch.watch(dir, DirId(id));
            self.unwatched += usize::from(known.unwatched);
        }
        let replaced = std::mem::take(&mut known.replaced);
        (known.names_stale, known.rules_stale) = (false, false);
        let depth = known.depth;
        // The stamp from before the listing: what changes meanwhile shows in the next one.
        known.stamp = pass.tree.dir_stamp(dir).unwrap_or_default();
        known.racy = known.stamp.is_racy(pass.now_ns);
        let mut listing = Listing::new();
        pass.tree.entries(dir, &mut listing)?;
        listing.sort();
        let mut node = Node::default();
        node.hidden = listing.hidden();
        let mut hash = Hash::new();
        let mut stamps = [None; 2];
        let rules = [0, 1].map(|at| {
            let name = RULES[at];
            let mut content = Vec::new();
            if listing.kind_of(name) == Some(Kind::File) {
                stamps[at] = Some(pass.tree.file_stamp(dir, name_of(name)).unwrap_or_default());
                match read_start(pass.tree, dir, name) {
                    Ok((read, whole)) => {
                        node.incomplete += u64::from(!whole);
                        content = read;
                    }
                    Err(_) => node.incomplete += 1,
                }
            }
            hash = hash.add(&content);
            IgnoreFile::parse(&content)
        });
        known.racy |= stamps.iter().flatten().any(|stamp| stamp.is_racy(pass.now_ns));
        known.rules = stamps;
        node.rules_hash = hash.value();
        let rules_changed = node.rules_hash != old.rules_hash && old.rules_hash != 0;
        node.rules = Arc::new(rules);
        pass.push_rules(depth, base, &node.rules);
        for entry in listing.iter() {
            let name = entry.name.as_encoded_bytes();
            pass.path.truncate(base);
            pass.path.extend_from_slice(name);
            let ignored = |is_dir| pass.rules.ignores(&pass.path, base, is_dir);
            let what = match plain_kind(name, entry.kind) {
                Some(what) => what,
                None if entry.kind == Kind::File && ignored(false) => What::IgnoredFile,
                None if entry.kind == Kind::File => match old.find(name) {
                    Some(What::File(file)) => What::File(file),
                    _ => What::File(self.new_file(pass, dir, name)),
                },
                None if ignored(true) => What::IgnoredDir,
                None => match old.find(name) {
                    Some(What::Dir(child)) if !replaced.iter().any(|it| **it == *name) => What::Dir(child),
                    _ if depth >= MAX_DEPTH => {
                        self.too_deep = true;
                        What::Unreadable
                    }
                    _ => What::Dir(self.new_dir(id, name, depth + 1)),
                },
            };
            node.push(name, what);
        }
        pass.path.truncate(base);
        node.shrink();
        for (name, what) in old.iter() {
            if node.find(name) == Some(what) {
                continue;
            }
            match what {
                What::File(file) => self.store.drop_file(file),
                What::Dir(child) => self.drop_dir(pass, child),
                _ => {}
            }
        }
        if old.len() != node.len() || !old.iter().eq(node.iter()) || rules_changed {
            self.generation += 1;
        }
        self.entries = self.entries - old.len() as u64 + node.len() as u64;
        Arc::make_mut(&mut self.names)[id as usize] = Arc::new(node);
        Ok(rules_changed)
    }

    fn new_file<T: StampedTree>(&mut self, pass: &Pass<'_, T>, dir: &T::Dir, name: &[u8]) -> u32 {
        // It may be another name of a file that is known: what is written through it is not noticed there.
        if !self.is_new
            && let Ok(stamp) = pass.tree.file_stamp(dir, name_of(name))
            && stamp.links != 1
        {
            self.store.linked(&stamp);
        }
        self.store.add()
    }

    fn new_dir(&mut self, parent: u32, name: &[u8], depth: u32) -> u32 {
        let dir = Dir { parent, name: name.into(), depth, names_stale: true, ..Dir::default() };
        let names = Arc::make_mut(&mut self.names);
        match self.free_dirs.pop() {
            Some(id) => {
                self.dirs[id as usize] = dir;
                id
            }
            None => {
                self.dirs.push(dir);
                names.push(Arc::default());
                (self.dirs.len() - 1) as u32
            }
        }
    }

    /// Forgets a directory and everything below it.
    fn drop_dir<T: StampedTree>(&mut self, pass: &mut Pass<'_, T>, id: u32) {
        let mut left = vec![id];
        while let Some(id) = left.pop() {
            let node = std::mem::take(&mut Arc::make_mut(&mut self.names)[id as usize]);
            self.entries -= node.len() as u64;
            for (_, what) in node.iter() {
                match what {
                    What::File(file) => self.store.drop_file(file),
                    What::Dir(child) => left.push(child),
                    _ => {}
                }
            }
            let dir = &mut self.dirs[id as usize];
            self.unwatched -= usize::from(dir.unwatched);
            *dir = Dir { gone: true, ..Dir::default() };
            pass.watch.forget(DirId(id));
            self.free_dirs.push(id);
        }
    }
}

/// Whether a directory is listed in any case, since rules above it changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Force {
    Yes,
    No,
}

impl<T: StampedTree> Pass<'_, T> {
    fn push_rules(&mut self, depth: u32, base: usize, rules: &[IgnoreFile; 2]) {
        let [gitignore, ignore] = rules;
        if !gitignore.is_empty() || !ignore.is_empty() {
            self.rules.push(depth as usize, base, gitignore.clone(), ignore.clone());
        }
    }
}
