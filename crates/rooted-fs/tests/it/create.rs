//! Creating files and directories.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use rooted_fs::{Access, Durability, Parents, RelName, WriteOptions};

use crate::support::{name, quick, with_scene};

const TREE: &str = "//- /file\nold\n//- /dir/\n//- /dangling -> nothing\n//- /out -> OUTSIDE\n";

#[test]
fn a_new_file_is_complete_and_ordinary() {
    with_scene(TREE, |scene| {
        for durability in [Durability::Full, Durability::Data, Durability::None] {
            let path = format!("dir/{durability:?}");
            let options = WriteOptions { durability, ..WriteOptions::default() };
            let written = scene.root.create(&name(&path), b"new\n", &options).unwrap();
            assert!(written.created && !written.in_place && written.kept.all());
            assert_eq!((written.bytes, written.offset, written.made_dirs), (4, 0, 0));
            assert_eq!((written.meta.size, written.meta.nlink, written.unsynced), (4, 1, None));
            assert_eq!(scene.content(&path), b"new\n");
            // As an ordinary program makes it: 0666 less the umask, whatever that is here.
            fs::write(scene.work().join("reference"), b"").unwrap();
            let mode = |path: &str| fs::metadata(scene.work().join(path)).unwrap().permissions().mode();
            assert_eq!(mode(&path), mode("reference"));
        }
    });
}

#[test]
fn nothing_that_exists_is_touched() {
    with_scene(TREE, |scene| {
        for taken in ["file", "dir", "dangling", "out"] {
            let error = scene.root.create(&name(taken), b"new", &quick()).unwrap_err();
            assert_eq!(error.code(), "exists", "{taken}");
        }
        assert_eq!(scene.content("file"), b"old\n");
        assert!(!scene.work().join("nothing").exists());
        assert_eq!(scene.root.create(&RelName::root(), b"", &quick()).unwrap_err().code(), "is_a_directory");
    });
}

#[test]
fn parents_are_made_when_asked_for() {
    with_scene(TREE, |scene| {
        let deep = name("a/b/c/file");
        let strict = WriteOptions { parents: Parents::Require, ..quick() };
        assert_eq!(scene.root.create(&deep, b"x", &strict).unwrap_err().code(), "not_found");
        let written = scene.root.create(&deep, b"x", &quick()).unwrap();
        assert_eq!(written.made_dirs, 3);
        assert_eq!(scene.content("a/b/c/file"), b"x");
        let written = scene.root.create(&name("a/b/c/other"), b"x", &quick()).unwrap();
        assert_eq!(written.made_dirs, 0);
        for (path, code) in [
            ("file/x", "not_a_directory"),
            ("file/x/y", "not_a_directory"),
            ("out/x", "moved"),
            ("dangling/x", "moved"),
        ] {
            assert_eq!(scene.root.create(&name(path), b"x", &quick()).unwrap_err().code(), code, "{path}");
        }
    });
}

#[test]
fn directories_are_made_step_by_step() {
    with_scene(TREE, |scene| {
        let make = |path: &str| scene.root.make_dirs(&name(path), Durability::Full);
        assert_eq!(make("x/y/z").unwrap(), 3);
        assert_eq!(make("x/y/z").unwrap(), 0);
        assert_eq!(make("x/y/w").unwrap(), 1);
        assert_eq!(make("").unwrap(), 0);
        assert_eq!(make("file").unwrap_err().code(), "not_a_directory");
        for link in ["out", "out/x", "dangling", "dangling/x"] {
            assert_eq!(make(link).unwrap_err().code(), "moved", "{link}");
        }
    });
}

#[test]
fn what_a_crash_left_is_swept_and_nothing_else() {
    let temporary = ".rooted-fs-0123456789abcdef0123456789abcdef.tmp";
    let tree = format!(
        "//- /dir/{temporary}\nhalf\n//- /dir/.rooted-fs-user.tmp\nmine\n//- /dir/x.tmp\nmine\n//- /dir/file\nmine\n"
    );
    with_scene(&tree, |scene| {
        assert_eq!(scene.root.sweep(&RelName::root()).unwrap(), 0);
        // A writer that is alive holds its file.
        let held = fs::File::open(scene.work().join("dir").join(temporary)).unwrap();
        rustix::fs::flock(&held, rustix::fs::FlockOperation::LockExclusive).unwrap();
        assert_eq!(scene.root.sweep(&name("dir")).unwrap(), 0);
        drop(held);
        assert_eq!(scene.root.sweep(&name("dir")).unwrap(), 1);
        assert_eq!(crate::support::list(&scene.work().join("dir")), [".rooted-fs-user.tmp", "file", "x.tmp"]);
        assert_eq!(scene.root.sweep(&name("none")).unwrap_err().code(), "not_found");
    });
}

#[test]
fn what_is_private_is_for_the_owner_alone() {
    with_scene(TREE, |scene| {
        let options = WriteOptions { access: Access::Private, ..quick() };
        let _ = scene.root.create(&name("mine/deep/file"), b"x", &options).unwrap();
        let mode = |path: &str| fs::metadata(scene.work().join(path)).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode("mine"), mode("mine/deep"), mode("mine/deep/file")), (0o700, 0o700, 0o600));
        // A file that is replaced keeps the mode it has.
        fs::set_permissions(scene.work().join("file"), fs::Permissions::from_mode(0o640)).unwrap();
        let _ = crate::support::write(&scene.root, "file", b"x", &options).unwrap();
        assert_eq!(mode("file"), 0o640);
    });
}
