//! Tests of the look-up: case, lengths, and that no candidate is missed.

use super::*;

#[test]
fn case_of_ascii_makes_no_difference() {
    for length in 0..40 {
        for byte in 0..=255_u8 {
            let name = vec![byte; length];
            assert_eq!(hash(&name), hash(&name.to_ascii_lowercase()), "{byte} x {length}");
        }
    }
    assert_ne!(hash(b"a"), hash(b"\xc1"));
    assert_ne!(hash(b"@"), hash(b"`"));
    assert_ne!(hash(b"["), hash(b"{"));
    assert_ne!(hash(b""), hash(b"\0"));
}

#[test]
fn no_matching_pattern_is_missed() {
    let glob = |text: &str| Part::Glob(text.split('*').map(|piece| piece.as_bytes().into()).collect());
    let exact = |text: &str| Part::Exact(text.as_bytes().into());
    let parts = [
        exact(".env"),
        exact("a"),
        exact("a-rather-long-name-without-any-dot"),
        glob("*.pem"),
        glob(".env.*"),
        glob("ab*"),
        glob("*secret*"),
        glob("*.an-extension-that-is-too-long"),
        glob("*-key.json"),
        glob("*"),
        glob("*."),
    ];
    let mut index = Index::default();
    for (id, part) in parts.iter().enumerate() {
        index.insert(part, id as u16);
    }
    for name in [
        "",
        "a",
        ".",
        ".env",
        ".env.",
        ".env.x",
        "x.pem",
        ".pem",
        "pem",
        "abc",
        "ab",
        "my-secret.txt",
        "x-key.json",
        "x.an-extension-that-is-too-long",
        "a-rather-long-name-without-any-dot",
        "x.",
        "\u{e9}.pem",
    ] {
        let mut found = Vec::new();
        let probe = Probe::of(name.as_bytes());
        index.candidates(probe, |id| found.push(usize::from(id)));
        let wanted = (0..parts.len()).filter(|id| parts[*id].matches(name.as_bytes()));
        for id in wanted {
            assert!(found.contains(&id), "{name} misses {:?}", parts[id]);
            assert!(index.may_match(probe));
        }
    }
}

#[test]
fn a_table_holds_many() {
    let mut table = Table::default();
    for id in 0..5000_u16 {
        table.insert(hash(&id.to_le_bytes()), id);
    }
    for id in 0..5000_u16 {
        let mut found = Vec::new();
        table.get(hash(&id.to_le_bytes()), &mut |id| found.push(id));
        assert!(found.contains(&id));
    }
}
