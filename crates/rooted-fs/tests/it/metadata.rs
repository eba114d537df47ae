//! What a replacement keeps, and what it must not keep.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::Path;

use rustix::fs::{XattrFlags, getxattr, setxattr};
use rustix::io::Errno;

use crate::support::{name, quick, with_scene, write};

const TREE: &str = "//- /file\nold\n";

fn attribute(path: &Path, attribute: &str) -> Option<Vec<u8>> {
    let mut value = vec![0; 4096];
    let len = getxattr(path, attribute, &mut value[..]).ok()?;
    value.truncate(len);
    Some(value)
}

/// Sets an attribute, or says loudly that the file system or the user cannot.
fn set(path: &Path, attribute: &str, value: &[u8]) -> bool {
    match setxattr(path, attribute, value, XattrFlags::empty()) {
        Ok(()) => true,
        Err(errno @ (Errno::OPNOTSUPP | Errno::PERM)) => {
            eprintln!("SKIPPED for {attribute}: {errno}");
            false
        }
        Err(errno) => panic!("{attribute}: {errno}"),
    }
}

/// Encodes a POSIX access list (version 2): tag, permissions, id of each entry.
fn access_list(entries: &[(u16, u16, u32)]) -> Vec<u8> {
    let mut bytes = 2_u32.to_le_bytes().to_vec();
    for (tag, permissions, id) in entries {
        bytes.extend_from_slice(&tag.to_le_bytes());
        bytes.extend_from_slice(&permissions.to_le_bytes());
        bytes.extend_from_slice(&id.to_le_bytes());
    }
    bytes
}

/// rw for the owner, rw for user 12345, r for the group, mask rw, nothing for others.
fn shared_list() -> Vec<u8> {
    let none = u32::MAX;
    access_list(&[(0x01, 6, none), (0x02, 6, 12345), (0x04, 4, none), (0x10, 6, none), (0x20, 0, none)])
}

#[test]
fn the_mode_is_kept_without_set_id() {
    with_scene(TREE, |scene| {
        let path = scene.work().join("file");
        for (mode, expected) in [
            (0o755, 0o755),
            (0o600, 0o600),
            (0o666, 0o666),
            (0o4755, 0o755),
            (0o2755, 0o755),
            (0o1644, 0o1644),
        ] {
            fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
            let written = write(&scene.root, "file", b"new", &quick()).unwrap();
            assert_eq!(fs::metadata(&path).unwrap().mode() & 0o7777, expected);
            assert_eq!(written.meta.mode, expected);
        }
    });
}

#[test]
fn attributes_and_the_access_list_are_kept() {
    with_scene(TREE, |scene| {
        let path = scene.work().join("file");
        let large = vec![b'v'; 2000];
        let user = set(&path, "user.note", b"a note") && set(&path, "user.large", &large);
        let list = set(&path, "system.posix_acl_access", &shared_list());
        let mode = fs::metadata(&path).unwrap().mode();
        let written = write(&scene.root, "file", b"new", &quick()).unwrap();
        assert!(written.kept.all());
        if user {
            assert_eq!(attribute(&path, "user.note").unwrap(), b"a note");
            assert_eq!(attribute(&path, "user.large").unwrap(), large);
        }
        if list {
            assert_eq!(attribute(&path, "system.posix_acl_access").unwrap(), shared_list());
            assert_eq!(fs::metadata(&path).unwrap().mode(), mode);
        }
    });
}

#[test]
fn the_default_list_of_the_directory_does_not_leak_into_an_old_file() {
    with_scene("//- /dir/file\nold\n", |scene| {
        let path = scene.work().join("dir/file");
        fs::set_permissions(&path, Permissions::from_mode(0o640)).unwrap();
        if !set(&scene.work().join("dir"), "system.posix_acl_default", &shared_list()) {
            return;
        }
        let _ = write(&scene.root, "dir/file", b"new", &quick()).unwrap();
        assert_eq!(attribute(&path, "system.posix_acl_access"), None);
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o7777, 0o640);
        // A file that is new takes it, as any program's would.
        let _ = write(&scene.root, "dir/new", b"new", &quick()).unwrap();
        assert!(attribute(&scene.work().join("dir/new"), "system.posix_acl_access").is_some());
    });
}

#[test]
fn the_owner_is_kept() {
    with_scene(TREE, |scene| {
        let path = scene.work().join("file");
        if let Err(error) = chown(&path, Some(12345), Some(54321)) {
            eprintln!("SKIPPED: only root may give a file away: {error}");
            return;
        }
        fs::set_permissions(&path, Permissions::from_mode(0o4664)).unwrap();
        let written = write(&scene.root, "file", b"new", &quick()).unwrap();
        assert!(written.kept.all());
        let after = fs::metadata(&path).unwrap();
        assert_eq!((after.uid(), after.gid(), after.mode() & 0o7777), (12345, 54321, 0o664));
    });
}

#[test]
fn capabilities_go_with_the_old_content() {
    with_scene(TREE, |scene| {
        let path = scene.work().join("file");
        // Version 2, effective, CAP_NET_RAW permitted: what a privileged `ping` has.
        let mut capability = vec![1, 0, 0, 2];
        capability.extend_from_slice(&(1_u32 << 13).to_le_bytes());
        capability.extend_from_slice(&[0; 12]);
        if !set(&path, "security.capability", &capability) {
            return;
        }
        let _ = write(&scene.root, "file", b"new", &quick()).unwrap();
        assert_eq!(attribute(&path, "security.capability"), None);
        assert_eq!(scene.root.stat(&name("file")).unwrap().size, 3);
    });
}
