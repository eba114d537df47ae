//! Opening: types are checked, nothing blocks, limits hold.

use std::io::{Read, Seek, SeekFrom};
use std::os::unix::net::UnixListener;

use rooted_fs::{Error, Kind, RelName};
use rustix::fs::{CWD, FileType, Mode, makedev, mkfifoat, mknodat};

use crate::support::{Scene, name, with_scene};

const TREE: &str = "//- /file\nsome text\n//- /dir/inner\nx\n//- /link -> file\n";

/// Makes a FIFO, a socket and, where that is permitted, a device that never ends.
fn plant_odd(scene: &Scene) -> Vec<(&'static str, Kind)> {
    let work = scene.work();
    mkfifoat(CWD, work.join("fifo"), Mode::from_raw_mode(0o644)).unwrap();
    drop(UnixListener::bind(work.join("socket")).unwrap());
    let mut odd = vec![("fifo", Kind::Fifo), ("socket", Kind::Socket)];
    let device =
        mknodat(CWD, work.join("zero"), FileType::CharacterDevice, Mode::from_raw_mode(0o666), makedev(1, 5));
    match device {
        Ok(()) => odd.push(("zero", Kind::CharDevice)),
        Err(errno) => eprintln!("SKIPPED for a device node: {errno}"),
    }
    odd
}

#[test]
fn a_file_is_read_whole_and_in_parts() {
    with_scene(TREE, |scene| {
        let mut handle = scene.root.open_file(&name("file")).unwrap();
        assert_eq!((handle.meta().kind, handle.meta().size, handle.meta().nlink), (Kind::File, 10, 1));
        assert_eq!(handle.read_to_limit(10).unwrap(), b"some text\n");
        let mut part = [0; 4];
        assert_eq!(handle.read_at(&mut part, 5).unwrap(), 4);
        assert_eq!(&part, b"text");
        assert_eq!(handle.read_at(&mut part, 10).unwrap(), 0);
        // The position is its own.
        let mut text = String::new();
        handle.read_to_string(&mut text).unwrap();
        assert_eq!(text, "some text\n");
        handle.seek(SeekFrom::Start(8)).unwrap();
        let mut rest = Vec::new();
        (&handle).read_to_end(&mut rest).unwrap();
        assert_eq!(rest, b"t\n");
        assert_eq!(handle.identity(), handle.identity_now().unwrap());
        assert_eq!(handle.identity(), scene.root.stat(&name("file")).unwrap().identity());
    });
}

#[test]
fn a_limit_is_named_before_anything_is_read() {
    with_scene(TREE, |scene| {
        let handle = scene.root.open_file(&name("file")).unwrap();
        assert_eq!(handle.read_to_limit(9).unwrap_err(), Error::TooLarge { bytes: 10, limit: 9 });
        // A sparse file of 1 TiB costs nothing to refuse.
        std::fs::File::create(scene.work().join("sparse")).unwrap().set_len(1 << 40).unwrap();
        let sparse = scene.root.open_file(&name("sparse")).unwrap();
        assert_eq!(sparse.read_to_limit(1 << 20).unwrap_err().code(), "too_large");
        // A file that has grown since it was opened is read as it is now, up to the limit.
        std::fs::write(scene.work().join("file"), vec![b'x'; 100_000]).unwrap();
        assert_eq!(handle.read_to_limit(100_000).unwrap().len(), 100_000);
        assert_eq!(handle.read_to_limit(99_999).unwrap_err().code(), "too_large");
        assert_ne!(handle.identity(), handle.identity_now().unwrap());
    });
}

#[test]
fn what_is_not_a_file_is_refused_at_once() {
    with_scene(TREE, |scene| {
        for (path, kind) in plant_odd(scene) {
            let refused = Error::NotARegularFile { kind };
            assert_eq!(scene.root.open_file(&name(path)).unwrap_err(), refused);
            let code = scene.root.open_listed(&name(path)).unwrap_err().code();
            assert_eq!(code, "not_a_regular_file", "{path}");
            let dir = scene.root.open_dir(&RelName::root()).unwrap();
            assert_eq!(dir.open_file(path.as_ref()).unwrap_err().code(), "not_a_regular_file", "{path}");
            assert_eq!(scene.root.open_dir(&name(path)).unwrap_err().code(), "not_a_directory", "{path}");
            assert_eq!(scene.root.stat(&name(path)).unwrap().kind, kind);
            assert_eq!(dir.stat(path.as_ref()).unwrap().kind, kind);
        }
        assert_eq!(scene.root.open_file(&name("dir")).unwrap_err(), Error::IsADirectory);
        assert_eq!(scene.root.open_listed(&name("dir")).unwrap_err(), Error::IsADirectory);
        assert_eq!(scene.root.open_file(&RelName::root()).unwrap_err(), Error::IsADirectory);
        assert_eq!(scene.root.open_dir(&name("file")).unwrap_err(), Error::NotADirectory);
    });
}

#[test]
fn nothing_odd_is_written_to() {
    with_scene(TREE, |scene| {
        let odd = plant_odd(scene);
        let file = scene.root.open_file(&name("file")).unwrap();
        for (path, kind) in odd {
            let quick = crate::support::quick();
            assert_eq!(scene.root.create(&name(path), b"x", &quick).unwrap_err(), Error::Exists, "{path}");
            assert_eq!(scene.root.replace(&name(path), &file, b"x", &quick).unwrap_err(), Error::Changed);
            let append = scene.root.append(&name(path), Some(&file), b"x", &quick, Default::default());
            assert_eq!(append.unwrap_err(), Error::NotARegularFile { kind });
            assert_eq!(scene.root.stat(&name(path)).unwrap().kind, kind, "{path} was replaced");
        }
    });
}

#[test]
fn a_link_is_never_followed_by_a_name() {
    with_scene("//- /dir/file\nx\n//- /link -> dir/file\n//- /way -> dir\n//- /out -> OUTSIDE\n", |scene| {
        // The name of a link itself is not canonical: the tree moved since the hint.
        assert_eq!(scene.root.open_file(&name("link")).unwrap_err().code(), "not_a_regular_file");
        assert_eq!(scene.root.open_listed(&name("link")).unwrap_err(), Error::Moved);
        for path in ["way/file", "out/secret"] {
            assert_eq!(scene.root.open_file(&name(path)).unwrap_err(), Error::Moved, "{path}");
            assert_eq!(scene.root.open_listed(&name(path)).unwrap_err(), Error::Moved, "{path}");
            assert_eq!(scene.root.stat(&name(path)).unwrap_err(), Error::Moved, "{path}");
        }
        assert_eq!(scene.root.open_dir(&name("out/sub")).unwrap_err(), Error::Moved);
        assert_eq!(scene.root.open_dir(&name("way")).unwrap_err().code(), "moved");
        assert_eq!(scene.root.stat(&name("link")).unwrap().kind, Kind::Symlink);
        assert_eq!(scene.root.open_file(&name("dir/no")).unwrap_err(), Error::NotFound);
        assert_eq!(scene.root.open_file(&name("no/file")).unwrap_err(), Error::NotFound);
        assert_eq!(scene.root.open_file(&name("dir/file/x")).unwrap_err(), Error::NotADirectory);
    });
}

#[test]
fn facts_name_the_file_system() {
    with_scene(TREE, |scene| {
        let magic = scene.root.stat(&name("file")).unwrap().fs_magic;
        assert_eq!(scene.root.open_file(&name("file")).unwrap().meta().fs_magic, magic);
        let slash = rooted_fs::Root::open("/".as_ref(), Default::default()).unwrap();
        // Every Linux system that runs tests has /proc, another file system than the root's.
        let proc = slash.open_file(&name("proc/version")).unwrap();
        assert_eq!((proc.meta().fs_magic, proc.meta().size), (0x9fa0, 0));
        assert!(proc.read_to_limit(4096).unwrap().starts_with(b"Linux"));
    });
}

#[test]
fn a_handle_of_proc_that_never_ends_is_bounded() {
    let slash = rooted_fs::Root::open("/".as_ref(), Default::default()).unwrap();
    let endless = slash.open_file(&name("proc/kallsyms"));
    match endless.and_then(|handle| handle.read_to_limit(1000)) {
        Err(error) => assert!(matches!(error.code(), "too_large" | "not_found" | "permission_denied")),
        Ok(bytes) => assert!(bytes.len() <= 1000),
    }
}
