//! A scene on the disk: a root, something outside that must not leak or change, and short-hands.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use rooted_fs::{
    Durability, Error, Follow, Handle, Hint, Parents, Place, RelName, Root, Tier, TierChoice, WriteOptions,
    Written, is_temporary_name,
};
use tempfile::TempDir;

/// What no test may ever read through the root.
pub(crate) const CANARY: &[u8] = b"canary of the outside\n";

/// A temporary folder with `work` (the root), `outside` and look-alike siblings of the root.
pub(crate) struct Scene {
    dir: TempDir,
    pub(crate) root: Root,
}

impl Scene {
    /// Makes the scene; `tree` is what is in the root.
    ///
    /// `//- /path` starts a file with the lines that follow, `//- /path/` makes a directory and
    /// `//- /path -> target` a link; `OUTSIDE` and `WORK` in a target are the absolute paths.
    pub(crate) fn new(choice: TierChoice, tree: &str) -> Self {
        let dir = TempDir::new().unwrap();
        let base = fs::canonicalize(dir.path()).unwrap();
        for sibling in ["outside", "outside/sub", "work", "work-evil", "work "] {
            fs::create_dir(base.join(sibling)).unwrap();
        }
        for canary in ["outside/secret", "outside/sub/secret", "work-evil/secret", "work /secret", "work\""] {
            fs::write(base.join(canary), CANARY).unwrap();
        }
        plant(&base, tree);
        let root = Root::open(&base.join("work"), choice).unwrap();
        Self { dir, root }
    }

    pub(crate) fn base(&self) -> PathBuf {
        fs::canonicalize(self.dir.path()).unwrap()
    }

    pub(crate) fn work(&self) -> PathBuf {
        self.base().join("work")
    }

    pub(crate) fn outside(&self) -> PathBuf {
        self.base().join("outside")
    }

    /// Reads a file below the root by the ambient rules.
    #[track_caller]
    pub(crate) fn content(&self, path: &str) -> Vec<u8> {
        fs::read(self.work().join(path)).unwrap()
    }

    /// Fails if anything outside of the root is not as it was made, or a temporary file is left inside.
    #[track_caller]
    pub(crate) fn check_outside(&self) {
        let base = self.base();
        for (dir, expected) in [
            ("outside", &["secret", "sub"][..]),
            ("outside/sub", &["secret"]),
            ("work-evil", &["secret"]),
            ("work ", &["secret"]),
            ("", &["outside", "work", "work ", "work\"", "work-evil"]),
        ] {
            assert_eq!(list(&base.join(dir)), expected, "entries of `{dir}`");
        }
        for canary in ["outside/secret", "outside/sub/secret", "work-evil/secret", "work /secret", "work\""] {
            assert_eq!(fs::read(base.join(canary)).unwrap(), CANARY, "content of `{canary}`");
        }
        check_no_litter(&self.work());
    }
}

fn plant(base: &Path, tree: &str) {
    let work = base.join("work");
    let mut file: Option<(PathBuf, String)> = None;
    let finish = |file: &mut Option<(PathBuf, String)>| {
        if let Some((path, content)) = file.take() {
            fs::write(path, content).unwrap();
        }
    };
    for line in tree.split_inclusive('\n') {
        let Some(head) = line.strip_prefix("//- /") else {
            if let Some((_, content)) = &mut file {
                content.push_str(line);
            }
            continue;
        };
        finish(&mut file);
        let head = head.trim_end_matches('\n');
        let (path, target) =
            head.split_once(" -> ").map_or((head, None), |(path, target)| (path, Some(target)));
        let full = work.join(path);
        fs::create_dir_all(full.parent().unwrap()).unwrap();
        if let Some(target) = target {
            let absolute = |name: &str| base.join(name).to_str().unwrap().to_owned();
            let target = target.replace("OUTSIDE", &absolute("outside")).replace("WORK", &absolute("work"));
            symlink(target, full).unwrap();
        } else if path.ends_with('/') {
            fs::create_dir_all(full).unwrap();
        } else {
            file = Some((full, String::new()));
        }
    }
    finish(&mut file);
}

pub(crate) fn list(dir: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        fs::read_dir(dir).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Fails if a temporary file is anywhere below `dir`.
#[track_caller]
pub(crate) fn check_no_litter(dir: &Path) {
    for entry in fs::read_dir(dir).unwrap() {
        let entry = entry.unwrap();
        assert!(!is_temporary_name(&entry.file_name()), "litter: {:?}", entry.path());
        if entry.file_type().unwrap().is_dir() {
            check_no_litter(&entry.path());
        }
    }
}

/// Runs a test on both tiers; says so loudly when the kernel has only one.
pub(crate) fn on_both_tiers(test: impl Fn(TierChoice)) {
    let here = Root::open(Path::new("/"), TierChoice::Auto).unwrap();
    if here.tier() == Tier::Openat2 {
        test(TierChoice::Kernel);
    } else {
        eprintln!("SKIPPED on the kernel tier: openat2 is not available here");
    }
    test(TierChoice::Nofollow);
}

/// Runs a test on both tiers over the same tree.
pub(crate) fn with_scene(tree: &str, test: impl Fn(&Scene)) {
    on_both_tiers(|choice| {
        let scene = Scene::new(choice, tree);
        test(&scene);
        scene.check_outside();
    });
}

#[track_caller]
pub(crate) fn name(path: &str) -> RelName {
    RelName::parse(Path::new(path)).unwrap()
}

/// Options for tests that are not about syncing.
pub(crate) fn quick() -> WriteOptions {
    WriteOptions { durability: Durability::None, parents: Parents::Create, ..WriteOptions::default() }
}

/// What a caller does: hint, judge, open what was judged, and again when a race was lost.
pub(crate) fn nailed<T>(
    root: &Root,
    asked: &str,
    mut open: impl FnMut(&RelName, &Hint) -> Result<T, Error>,
) -> Result<T, Error> {
    for _ in 0..8 {
        let hint = root.hint(Path::new(asked), Follow::Leaf)?;
        let Place::Inside(name) = &hint.place else {
            return Err(Error::PermissionDenied);
        };
        match open(name, &hint) {
            Err(error) if error.is_race() && (hint.exists || error == Error::Moved) => {}
            result => return result,
        }
    }
    Err(Error::Busy)
}

pub(crate) fn open(root: &Root, asked: &str) -> Result<Handle, Error> {
    nailed(root, asked, |name, _| root.open_file(name))
}

pub(crate) fn read(root: &Root, asked: &str) -> Result<Vec<u8>, Error> {
    open(root, asked)?.read_to_limit(1 << 20)
}

/// Writes as a tool does: replaces what is there, creates what is not.
pub(crate) fn write(
    root: &Root,
    asked: &str,
    bytes: &[u8],
    options: &WriteOptions,
) -> Result<Written, Error> {
    nailed(root, asked, |name, hint| {
        if hint.exists {
            let old = root.open_file(name)?;
            root.replace(name, &old, bytes, options)
        } else if hint.wants_dir {
            Err(Error::IsADirectory)
        } else {
            root.create(name, bytes, options)
        }
    })
}
