//! Properties of `rooted-fs`.
//!
//! The resolver is compared with an oracle that shares nothing with it: inodes in memory, walked by recursion.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::{Path, PathBuf};

use rooted_fs::{Error, Follow, Hint, Kind, Place, RelName, Root, TierChoice};

/// The fuzz targets and their laws.
pub const TARGETS: &[(&str, fn(&[u8]))] = &[("rooted_fs_rel_name", rel_name), ("rooted_fs_resolve", resolve)];

/// A name is taken exactly when it is canonical, is kept as it is, and comes apart and together again.
pub fn rel_name(bytes: &[u8]) {
    let path = Path::new(OsStr::from_bytes(bytes));
    let canonical = bytes.is_empty()
        || bytes
            .split(|&b| b == b'/')
            .all(|part| !part.is_empty() && part != b"." && part != b".." && part.len() <= 255);
    let expected = canonical && !bytes.contains(&0) && bytes.len() < 4096;
    let name = match RelName::parse(path) {
        Ok(name) => name,
        Err(error) => {
            assert!(!expected, "refused {path:?}: {error}");
            assert!(matches!(error, Error::InvalidName { .. } | Error::NameTooLong { .. }));
            return;
        }
    };
    assert!(expected, "took {path:?}");
    assert_eq!(name.as_bytes(), bytes);
    assert_eq!(name.as_path().as_os_str().as_bytes(), bytes);
    let joined = name.components().try_fold(RelName::root(), |name, part| name.join(part)).unwrap();
    assert_eq!(joined, name);
    match (name.parent(), name.file_name()) {
        (Some(parent), Some(leaf)) => assert_eq!(parent.join(leaf).unwrap(), name),
        (None, None) => assert!(name.is_root()),
        halves => panic!("one without the other: {halves:?}"),
    }
    let absolute = [b"/", bytes].concat();
    assert_eq!(RelName::from_absolute(Path::new(OsStr::from_bytes(&absolute))).unwrap(), name);
}

/// A path leads where the oracle says, on both tiers, in any spelling; what opens is what the oracle found,
/// and nothing outside is ever called inside.
pub fn resolve(data: &[u8]) {
    let mut input = Input(data);
    let tree = Tree::grow(&mut input);
    let dir = tempfile::tempdir().unwrap();
    let base = fs::canonicalize(dir.path()).unwrap();
    tree.plant(&base);
    let roots = [TierChoice::Auto, TierChoice::Nofollow]
        .map(|choice| Root::open(&base.join("work"), choice).unwrap());
    for _ in 0..4 {
        let follow = if input.byte().is_multiple_of(4) { Follow::NoLeaf } else { Follow::Leaf };
        let (absolute, text) = input.path();
        let slash = if input.byte().is_multiple_of(4) { "/" } else { "" };
        let asked = if absolute { base.join(&text) } else { PathBuf::from(&text) };
        let asked = PathBuf::from(format!("{}{slash}", asked.display()));
        let expected = tree.expect(absolute, &format!("{text}{slash}"), follow);
        for root in &roots {
            let hint = root.hint(&asked, follow);
            tree.compare(&base, &asked, &hint, &expected);
            check_object(&tree, root, &base, &hint, &expected);
            for spelling in spellings(&asked) {
                assert_eq!(root.hint(&spelling, follow), hint, "{asked:?} and {spelling:?} differ");
            }
        }
    }
}

/// Spells a path in other ways that mean the same.
fn spellings(asked: &Path) -> [PathBuf; 2] {
    let text = asked.display().to_string();
    let dotted = if asked.is_absolute() { format!("/.{text}") } else { format!("./{text}") };
    [PathBuf::from(dotted), PathBuf::from(text.replace('/', "//"))]
}

/// Opens what the hint says and makes sure that it is the inode of the oracle.
fn check_object(tree: &Tree, root: &Root, base: &Path, hint: &Result<Hint, Error>, expected: &Found) {
    let (Ok(Hint { place: Place::Inside(name), exists: true, .. }), Found::Node(node)) = (hint, expected)
    else {
        return;
    };
    let meta = root.stat(name).unwrap();
    let truth = fs::symlink_metadata(base.join(tree.path_of(*node))).unwrap();
    assert_eq!((meta.dev, meta.ino), (truth.dev(), truth.ino()));
    match meta.kind {
        Kind::File => {
            let handle = root.open_file(name).unwrap();
            assert_eq!(handle.read_to_limit(100).unwrap(), node.to_string().as_bytes());
        }
        Kind::Dir => {
            let mut entries = Vec::new();
            root.open_dir(name).unwrap().entries(&mut entries).unwrap();
            assert_eq!(entries.len(), tree.children(*node).len());
        }
        _ => assert!(root.open_file(name).is_err()),
    }
}

/// Choices taken from the bytes of the fuzzer; when they end, everything is zero.
struct Input<'a>(&'a [u8]);

impl Input<'_> {
    fn byte(&mut self) -> u8 {
        let (first, rest) = self.0.split_first().map_or((0, self.0), |(first, rest)| (*first, rest));
        self.0 = rest;
        first
    }

    fn below(&mut self, n: usize) -> usize {
        usize::from(self.byte()) % n
    }

    fn name(&mut self) -> &'static str {
        ["a", "b", "l", "m"][self.below(4)]
    }

    /// Returns a path, and whether it counts from the folder that holds the root.
    fn path(&mut self) -> (bool, String) {
        let absolute = self.below(5) == 0;
        let mut parts = Vec::new();
        if absolute {
            parts.push(["work", "work", "outside"][self.below(3)]);
        }
        for _ in 0..=self.below(5) {
            parts.push(
                ["a", "b", "l", "m", "..", "..", ".", "work", "outside", "a", "l", "m"][self.below(12)],
            );
        }
        (absolute, parts.join("/"))
    }
}

enum Node {
    Dir(BTreeMap<&'static str, usize>),
    File,
    Link(bool, String),
}

/// A folder with `work` (the root, node 1) and `outside` (node 2) as inodes that know their parents.
struct Tree {
    nodes: Vec<(Node, usize, &'static str)>,
}

/// Where a path leads, by the oracle.
enum Found {
    Node(usize),
    /// Nothing is there: the directory and the names below it.
    Missing(usize, Vec<String>),
    /// The code of the error and where it came up: the directory and the name in it.
    Failed(&'static str, usize, String),
    /// Above the folder, where the oracle does not know its way.
    Above,
}

const WORK: usize = 1;
const MAX_LINKS: usize = 40;

impl Tree {
    fn grow(input: &mut Input<'_>) -> Self {
        let top = BTreeMap::from([("work", WORK), ("outside", 2)]);
        let mut tree = Self {
            nodes: vec![
                (Node::Dir(top), 0, ""),
                (Node::Dir(BTreeMap::new()), 0, "work"),
                (Node::Dir(BTreeMap::new()), 0, "outside"),
            ],
        };
        for _ in 0..input.below(20) {
            let dirs: Vec<_> =
                (1..tree.nodes.len()).filter(|n| matches!(tree.nodes[*n].0, Node::Dir(_))).collect();
            let dir = dirs[input.below(dirs.len())];
            let name = input.name();
            let node = match input.below(4) {
                0 => Node::Dir(BTreeMap::new()),
                1 => Node::File,
                _ => {
                    let (absolute, target) = input.path();
                    Node::Link(absolute, target)
                }
            };
            let new = tree.nodes.len();
            let Node::Dir(children) = &mut tree.nodes[dir].0 else {
                unreachable!("only directories are picked")
            };
            if let std::collections::btree_map::Entry::Vacant(slot) = children.entry(name) {
                slot.insert(new);
                tree.nodes.push((node, dir, name));
            }
        }
        tree
    }

    fn plant(&self, base: &Path) {
        for (number, (node, _, _)) in self.nodes.iter().enumerate().skip(1) {
            let path = base.join(self.path_of(number));
            match node {
                Node::Dir(_) => fs::create_dir(path).unwrap(),
                Node::File => fs::write(path, number.to_string()).unwrap(),
                Node::Link(true, target) => symlink(base.join(target), path).unwrap(),
                Node::Link(false, target) => symlink(target, path).unwrap(),
            }
        }
    }

    fn path_of(&self, mut node: usize) -> PathBuf {
        let mut names = Vec::new();
        while node != 0 {
            names.push(self.nodes[node].2);
            node = self.nodes[node].1;
        }
        names.iter().rev().collect()
    }

    fn children(&self, node: usize) -> &BTreeMap<&'static str, usize> {
        match &self.nodes[node].0 {
            Node::Dir(children) => children,
            _ => panic!("node {node} is no directory"),
        }
    }

    fn expect(&self, absolute: bool, text: &str, follow: Follow) -> Found {
        let follow_last = follow == Follow::Leaf || matches!(text.rsplit('/').next(), Some("" | "." | ".."));
        let start = if absolute { 0 } else { WORK };
        self.walk(start, text, follow_last, false, &mut 0).unwrap_or_else(|stopped| stopped)
    }

    /// Walks `text` from the directory `here`; a link on the way is walked by recursion.
    fn walk(
        &self,
        mut here: usize,
        text: &str,
        follow_last: bool,
        in_link: bool,
        links: &mut usize,
    ) -> Result<Found, Found> {
        let parts: Vec<_> = text.split('/').collect();
        for (at, part) in parts.iter().enumerate() {
            let Node::Dir(children) = &self.nodes[here].0 else {
                let (_, parent, name) = &self.nodes[here];
                return Err(Found::Failed("not_a_directory", *parent, (*name).to_owned()));
            };
            match *part {
                "" | "." => continue,
                ".." if here == 0 => return Err(Found::Above),
                ".." => {
                    here = self.nodes[here].1;
                    continue;
                }
                _ => {}
            }
            let rest = &parts[at + 1..];
            let Some(next) = children.get(part) else {
                return Err(match (in_link, rest.contains(&"..")) {
                    (true, _) => Found::Failed("dangling_symlink", here, (*part).to_owned()),
                    (_, true) => Found::Failed("parent_of_missing", here, (*part).to_owned()),
                    _ => {
                        let names = parts[at..].iter().filter(|part| !matches!(**part, "" | "."));
                        Found::Missing(here, names.map(|name| (*name).to_owned()).collect())
                    }
                });
            };
            match &self.nodes[*next].0 {
                Node::Link(absolute, target) if !rest.is_empty() || follow_last => {
                    *links += 1;
                    if *links > MAX_LINKS {
                        return Err(Found::Failed("symlink_loop", here, (*part).to_owned()));
                    }
                    let start = if *absolute { 0 } else { here };
                    match self.walk(start, target, true, true, links)? {
                        Found::Node(node) => here = node,
                        other => return Err(other),
                    }
                }
                _ => here = *next,
            }
        }
        Ok(Found::Node(here))
    }

    /// Tells whether the entry `name` of `dir` is the root or below it.
    fn is_inside(&self, mut dir: usize, name: &str) -> bool {
        if dir == 0 {
            return name == "work";
        }
        while dir != 0 {
            if dir == WORK {
                return true;
            }
            dir = self.nodes[dir].1;
        }
        false
    }

    fn compare(&self, base: &Path, asked: &Path, hint: &Result<Hint, Error>, expected: &Found) {
        let (path, inside, exists, problem) = match expected {
            Found::Above => {
                assert!(matches!(hint, Ok(Hint { place: Place::Outside(_), .. })), "{asked:?}: {hint:?}");
                return;
            }
            Found::Node(node) => {
                let (_, parent, name) = &self.nodes[*node];
                (self.path_of(*node), *node != 0 && self.is_inside(*parent, name), true, None)
            }
            Found::Missing(dir, names) => {
                let path = names.iter().fold(self.path_of(*dir), |path, name| path.join(name));
                (path, self.is_inside(*dir, &names[0]), false, None)
            }
            Found::Failed(code, dir, name) => {
                (self.path_of(*dir).join(name), self.is_inside(*dir, name), false, Some(*code))
            }
        };
        let hint = match hint {
            Ok(hint) => hint,
            Err(error) => {
                assert!(inside, "{asked:?} is outside, and yet {error}");
                assert_eq!(Some(error.code()), problem, "{asked:?}");
                return;
            }
        };
        match &hint.place {
            Place::Inside(name) => {
                assert!(inside && problem.is_none(), "{asked:?} is not inside: {hint:?}");
                assert_eq!(Path::new("work").join(name.as_path()), path.join(""), "{asked:?}");
            }
            Place::Outside(place) => {
                assert!(!inside, "{asked:?} is not outside: {hint:?}");
                assert_eq!(place.join(""), base.join(&path).join(""), "{asked:?}");
                assert_eq!(hint.problem.as_ref().map(Error::code), problem, "{asked:?}");
            }
        }
        assert_eq!(hint.exists, exists, "{asked:?}");
    }
}
