//! Patches of several sections: net changes, order, and failures of more than one file.

use std::borrow::Cow;

use v4a_patch::{Existing, FileMap, MemFiles, Options, apply_multi};

fn files(list: &[(&str, &str)]) -> MemFiles {
    list.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec())).collect()
}

/// Checks the changes as `path=content` (or `path gone`), with `<from` behind a moved one.
#[track_caller]
fn check(list: &[(&str, &str)], body: &str, options: &Options<'_>, expected: &[&str]) {
    let patch = format!("*** Begin Patch\n{body}*** End Patch\n");
    let done = apply_multi(&files(list), patch.as_bytes(), options).unwrap();
    let found: Vec<String> = done
        .changes
        .iter()
        .map(|change| {
            let from = change.moved_from.as_ref().map_or(String::new(), |from| format!("<{from}"));
            match &change.content {
                Some(content) => {
                    format!("{}={}{from}", change.path, String::from_utf8_lossy(content).replace('\n', "|"))
                }
                None => format!("{} gone", change.path),
            }
        })
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn net_changes() {
    let default = Options::default();
    check(&[], "*** Add File: a\n+x\n*** Delete File: a\n", &default, &[]);
    check(&[("a", "1\n")], "*** Update File: a\n@@\n-1\n+2\n*** Update File: a\n@@\n-2\n+1\n", &default, &[]);
    check(
        &[("a", "1\n")],
        "*** Update File: a\n*** Move to: b\n*** Update File: b\n*** Move to: c\n",
        &default,
        &["a gone", "c=1|<a"],
    );
    check(&[("a", "1\n")], "*** Delete File: ./a\n*** Add File: a\n+2\n", &default, &["a=2|"]);
}

#[test]
fn overwriting_has_to_be_allowed() {
    let options = Options { existing: Existing::Overwrite, ..Options::default() };
    check(&[("a", "1\n")], "*** Add File: a\n+2\n", &options, &["a=2|"]);
    check(
        &[("a", "1\n"), ("b", "2\n")],
        "*** Update File: a\n*** Move to: b\n",
        &options,
        &["a gone", "b=1|<a"],
    );
}

#[test]
fn failures_of_several_files_come_together() {
    let list = files(&[("a", "1\n"), ("b", "2\n")]);
    let patch = "*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\n*** Update File: a\n@@\n-q\n+r\n*** Update File: b\n@@\n-z\n+w\n*** End Patch\n";
    let error = apply_multi(&list, patch.as_bytes(), &Options::default()).unwrap_err();
    let found: Vec<_> =
        error.failures().iter().map(|one| (one.path.as_str(), one.hunk, one.patch_line)).collect();
    // The second section for `a` would work on a text that does not exist, so it is not judged.
    assert_eq!(found, [("a", 1, 3), ("b", 1, 11)]);
}

struct Locked;

impl FileMap for Locked {
    fn read(&self, _path: &str) -> Result<Option<Cow<'_, [u8]>>, String> {
        Err("locked".to_owned())
    }
}

#[test]
fn a_file_that_cannot_be_read() {
    let error =
        apply_multi(&Locked, b"*** Begin Patch\n*** Delete File: a\n*** End Patch\n", &Options::default());
    let error = error.unwrap_err();
    assert_eq!((error.code(), error.patch_line()), ("file_unreadable", Some(2)));
    let patch = b"*** Begin Patch\n*** Add File: a\n+x\n*** End Patch\n";
    for existing in [Existing::Refuse, Existing::Overwrite] {
        let error = apply_multi(&Locked, patch, &Options { existing, ..Options::default() }).unwrap_err();
        assert_eq!((error.code(), error.patch_line()), ("file_unreadable", Some(2)));
    }
}
