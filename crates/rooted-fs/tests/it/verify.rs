//! Reading back.

use std::fs;

use rooted_fs::{HardLinks, VerifyError};

use crate::support::{name, open, quick, with_scene, write};

#[test]
fn what_was_written_is_confirmed() {
    with_scene("", |scene| {
        for len in [0, 1, 32 * 1024 - 1, 32 * 1024, 32 * 1024 + 1, 200_000] {
            let bytes: Vec<u8> = (0..len).map(|n| (n % 253) as u8).collect();
            let written = write(&scene.root, "f", &bytes, &quick()).unwrap();
            scene.root.verify(&name("f"), &written, &bytes, 0).unwrap();
            // A write that only added to the end is checked from there.
            let old = len / 3;
            scene.root.verify(&name("f"), &written, &bytes[old..], old as u64).unwrap();
        }
    });
}

#[test]
fn the_first_difference_is_named() {
    with_scene("", |scene| {
        let bytes = vec![b'a'; 100_000];
        let written = write(&scene.root, "f", &bytes, &quick()).unwrap();
        let at = |expected: &[u8], from| match scene.root.verify(&name("f"), &written, expected, from) {
            Err(VerifyError::Mismatch { at }) => Some(at),
            _ => None,
        };
        let mut other = bytes.clone();
        other[70_000] = b'b';
        assert_eq!(at(&other, 0), Some(70_000));
        assert_eq!(at(&other[1000..], 1000), Some(70_000));
        assert_eq!(at(&bytes[..99_999], 0), Some(99_999));
        assert_eq!(at(&[&bytes[..], b"a"].concat(), 0), Some(100_000));
        assert_eq!(at(b"", 0), Some(0));
        assert_eq!(at(&bytes, 1), Some(100_000));
        // Somebody writes into the new file.
        fs::write(scene.work().join("f"), vec![b'c'; 100_000]).unwrap();
        assert_eq!(at(&bytes, 0), Some(0));
    });
}

#[test]
fn a_name_that_leads_elsewhere_is_told() {
    with_scene("", |scene| {
        let written = write(&scene.root, "f", b"one", &quick()).unwrap();
        let _ = write(&scene.root, "f", b"one", &quick()).unwrap();
        let error = scene.root.verify(&name("f"), &written, b"one", 0).unwrap_err();
        assert_eq!((&error, error.code()), (&VerifyError::Displaced, "displaced"));
        fs::remove_file(scene.work().join("f")).unwrap();
        assert_eq!(scene.root.verify(&name("f"), &written, b"one", 0), Err(VerifyError::Displaced));
    });
}

#[test]
fn others_may_append_behind_an_append() {
    with_scene("//- /f\nold\n", |scene| {
        let handle = open(&scene.root, "f").unwrap();
        let append =
            |bytes| scene.root.append(&name("f"), Some(&handle), bytes, &quick(), HardLinks::Refuse).unwrap();
        let (first, second) = (append(b"one"), append(b"two"));
        scene.root.verify(&name("f"), &first, b"one", first.offset).unwrap();
        scene.root.verify(&name("f"), &second, b"two", second.offset).unwrap();
        let error = scene.root.verify(&name("f"), &first, b"two", first.offset).unwrap_err();
        assert_eq!(error, VerifyError::Mismatch { at: 4 });
    });
}
