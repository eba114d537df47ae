//! The list of what is recognised, row by row: a row that goes missing fails here.

use redact::{Class, recognised};
use std::{collections::BTreeSet, fs, path::Path};

fn lines() -> String {
    recognised()
        .map(|row| {
            format!("{} {} {} {}..{}\n", row.class, row.kind, row.prefix, row.lengths.0, row.lengths.1)
        })
        .collect()
}

#[test]
fn the_list_is_the_one_on_file() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/recognised.txt");
    let lines = lines();
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(&path, &lines).unwrap();
    }
    assert_eq!(
        fs::read_to_string(&path).unwrap(),
        lines,
        "set UPDATE_EXPECT=1 to rewrite {}",
        path.display()
    );
}

#[test]
fn every_class_is_listed_and_has_a_source() {
    let classes: BTreeSet<&str> = recognised().map(|row| row.class.name()).collect();
    assert_eq!(classes, BTreeSet::from(["entropy", "format", "keyed", "known", "structural"]));
    assert!(recognised().all(|row| !row.source.is_empty() && row.lengths.0 <= row.lengths.1));
    assert!(recognised().filter(|row| row.class == Class::Format).count() >= 240);
}
