//! Recognises a private key by its first bytes, whatever the file is called.

/// How many bytes of a file are looked at; reading more is of no use.
pub const SNIFF_BYTES: usize = 512;

/// Tells whether a file with these first bytes is a private key or a key store.
///
/// A key counts only at the beginning of a file, after blank lines, comments and the attribute lines that `openssl
/// pkcs12` writes; source code and documents that quote one further down are ordinary.
///
/// # Cost
///
/// O(n) for at most [`SNIFF_BYTES`] bytes.
///
/// # Source
///
/// RFC 7468 (labels that end in `PRIVATE KEY`), RFC 9580 section 6.2 (`PGP PRIVATE KEY BLOCK`), OpenSSH's `PROTOCOL.key`
/// (`openssh-key-v1`), PuTTY's appendix C, the age specification, and the magic numbers of JKS, JCEKS, BKS and KDBX files.
///
/// # Examples
///
/// ```
/// use sandbox_policy::is_private_key;
///
/// let pem = format!("-----BEGIN {} KEY-----\nMIIE", "PRIVATE");
/// assert!(is_private_key(pem.as_bytes()));
/// assert!(!is_private_key(b"-----BEGIN CERTIFICATE-----\nMIIE"));
/// ```
pub fn is_private_key(head: &[u8]) -> bool {
    let head = &head[..head.len().min(SNIFF_BYTES)];
    if MAGICS.iter().any(|magic| head.starts_with(magic)) {
        return true;
    }
    let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    for line in text.split(|b| matches!(b, b'\n' | b'\r')) {
        if is_key_line(line) {
            return true;
        }
        if !is_preamble(line) {
            return false;
        }
    }
    false
}

/// Binary beginnings: OpenSSH, JKS, JCEKS, KDB and KDBX.
const MAGICS: &[&[u8]] = &[
    b"openssh-key-v1\0",
    b"\xfe\xed\xfe\xed\0\0\0",
    b"\xce\xce\xce\xce\0\0\0",
    b"\x03\xd9\xa2\x9a\x65\xfb\x4b\xb5",
    b"\x03\xd9\xa2\x9a\x67\xfb\x4b\xb5",
];

fn is_key_line(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    if let Some(label) = line.strip_prefix(b"-----BEGIN ") {
        let label = label.trim_ascii_end();
        return label.ends_with(b"PRIVATE KEY-----") || label.ends_with(b"PRIVATE KEY BLOCK-----");
    }
    line.starts_with(b"PuTTY-User-Key-File-") || line.starts_with(b"AGE-SECRET-KEY-")
}

fn is_preamble(line: &[u8]) -> bool {
    let text = line.trim_ascii();
    text.is_empty()
        || text.starts_with(b"#")
        || text.starts_with(b"Bag Attributes")
        || text.starts_with(b"Key Attributes")
        || (line.starts_with(b"    ") && text.contains(&b':'))
}
