//! The document of conformance names tests that exist, and every vector.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// How many vectors there are.
const VECTORS: u32 = 180;

#[test]
fn the_document_names_tests_that_exist_and_every_vector() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let document = fs::read_to_string(root.join("docs/conformance-batch.md")).unwrap();
    let tests = root.join("crates/fs-tools/tests/it/batch");
    let mut named = 0;
    for name in document.split('`').skip(1).step_by(2) {
        if let Some((module, test)) = name.split_once("::") {
            let source = fs::read_to_string(tests.join(format!("{module}.rs"))).unwrap_or_default();
            assert!(source.contains(&format!("fn {test}()")), "{name} does not exist");
            named += 1;
        } else if name.starts_with("crates/") {
            assert!(root.join(name).exists(), "{name} does not exist");
        }
    }
    assert!(named > 60, "{named}");
    let (_, vectors) = document.split_once("## Vectors").unwrap();
    let (vectors, _) = vectors.split_once("\n## ").unwrap();
    let mut seen = BTreeSet::new();
    for row in vectors.lines().filter_map(|line| line.strip_prefix("| ")) {
        let range = row.split(" |").next().unwrap();
        let (from, to) = range.split_once('-').unwrap_or((range, range));
        let (Ok(from), Ok(to)) = (from.parse::<u32>(), to.parse::<u32>()) else { continue };
        for vector in from..=to {
            assert!(seen.insert(vector), "vector {vector} comes twice");
        }
    }
    assert_eq!(seen, (1..=VECTORS).collect::<BTreeSet<u32>>());
    assert!(!document.contains("| open:"), "a row is open");
}
