//! Secrets under innocent names: private keys by their first bytes, aliases by their inode.

use std::path::Path;

use sandbox_policy::{Facts, Family, Kind, Object, Op, Ruleset, SNIFF_BYTES, decide, is_private_key};

use crate::support::{rules, spelt};

#[track_caller]
fn check(rules: &Ruleset, op: Op, object: Object<'_>, expected: &str) {
    let facts = Facts::names(Path::new("/w/notes.txt")).with(object);
    assert_eq!(spelt(&decide(rules, op, &facts)), expected, "{op}");
}

/// Assembles a header, so that no scanner takes this file for a key.
fn pem(label: &str) -> String {
    format!("-----BEGIN {label}-----\nMIIEow\n")
}

fn key() -> String {
    pem(&["RSA", "PRIVATE", "KEY"].join(" "))
}

#[test]
fn a_renamed_key_is_a_key() {
    let key = key();
    let object = Object { head: Some(key.as_bytes()), ..Object::file(1, 2) };
    let classic = rules(|_| {});
    check(&classic, Op::Read, object, "deny sensitive private_key_content");
    check(&classic, Op::Search, object, "hide sensitive private_key_content");
    check(&classic, Op::Edit, object, "deny sensitive private_key_content");
    let batch = rules(|s| s.family = Family::Batch);
    check(&batch, Op::Read, object, "confirm sensitive private_key_content");
    let opened = rules(|s| s.open_sensitive = vec!["private_key_content".into()]);
    check(&opened, Op::Read, object, "allow");
    let opened = rules(|s| s.open_sensitive = vec!["./notes.txt".into()]);
    check(&opened, Op::Read, object, "allow");
}

#[test]
fn an_alias_of_a_sensitive_file_is_sensitive() {
    let object = Object { nlink: 2, alias_of_sensitive: true, ..Object::file(1, 2) };
    check(&rules(|_| {}), Op::Read, object, "deny sensitive hard_link_alias");
    check(&rules(|s| s.family = Family::Batch), Op::Read, object, "confirm sensitive hard_link_alias");
    check(&rules(|s| s.open_sensitive = vec!["hard_link_alias".into()]), Op::Read, object, "allow");
}

#[test]
fn private_keys_are_recognised() {
    for label in ["RSA", "EC", "DSA", "OPENSSH", "ENCRYPTED"] {
        assert!(is_private_key(pem(&[label, "PRIVATE", "KEY"].join(" ")).as_bytes()), "{label}");
    }
    assert!(is_private_key(pem(&["PRIVATE", "KEY"].join(" ")).as_bytes()));
    assert!(is_private_key(pem(&["PGP", "PRIVATE", "KEY", "BLOCK"].join(" ")).as_bytes()));
    let key = key();
    for before in [
        "\n\n",
        "\u{feff}",
        "# my key\r\n\r\n",
        "Bag Attributes\n    localKeyID: 01 \nKey Attributes: <No Attributes>\n",
        "# created: 2024-01-01\n# public key: age1x\n",
    ] {
        assert!(is_private_key(format!("{before}{key}").as_bytes()), "{before:?}");
    }
    assert!(is_private_key([b"openssh-key-v1".as_slice(), b"\0"].concat().as_slice()));
    assert!(is_private_key(["PuTTY-User", "-Key-File-3: ssh-ed25519"].concat().as_bytes()));
    assert!(is_private_key(["# created\nAGE-SECRET", "-KEY-1X"].concat().as_bytes()));
    assert!(is_private_key(b"\xfe\xed\xfe\xed\0\0\0\x02"));
    assert!(is_private_key(b"\x03\xd9\xa2\x9a\x67\xfb\x4b\xb5\0"));
}

#[test]
fn other_files_are_not() {
    let key = key();
    for text in [
        String::new(),
        "fn main() {}".to_owned(),
        pem("CERTIFICATE"),
        pem("PUBLIC KEY"),
        format!("const KEY: &str = \"{key}\";"),
        format!("How to make a key:\n{key}"),
        format!("    let x = 1;\n{key}"),
        "-----BEGIN ".to_owned(),
        "\n".repeat(10_000) + &key,
    ] {
        assert!(!is_private_key(text.as_bytes()), "{text:?}");
    }
    assert!(!is_private_key(b"\xfe\xed\xfa\xce"));
}

#[test]
fn only_the_first_bytes_are_looked_at() {
    let key = key();
    assert!(is_private_key(("\n".repeat(SNIFF_BYTES - 64) + &key).as_bytes()));
    assert!(!is_private_key(("\n".repeat(SNIFF_BYTES) + &key).as_bytes()));
}

#[test]
fn a_directory_has_no_content() {
    let object = Object { kind: Kind::Directory, head: None, ..Object::file(1, 2) };
    check(&rules(|_| {}), Op::List, object, "allow");
}
