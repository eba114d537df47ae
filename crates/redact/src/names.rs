//! Which names say that their value is a secret, and which say that it is not.

use crate::alphabet::{DIGIT, LOWER, is};

/// No name is looked at further than this.
pub(crate) const MAX_NAME: usize = 64;

/// What a name says about its value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Name {
    /// A secret, even where it is hexadecimal.
    Strong,
    /// Probably a secret; hexadecimal is more likely a digest.
    Weak,
    /// A password: shorter values count too.
    Password,
    /// An identifier, a digest, a public key: never by statistics alone.
    Public,
    /// Nothing.
    Plain,
}

const PASSWORDS: [&[u8]; 6] = [b"password", b"passwd", b"passphrase", b"pwd", b"passwort", b"bindpw"];

/// Suffixes whose value is a secret in any alphabet.
const STRONG: [&[u8]; 15] = [
    b"token",
    b"secret",
    b"apikey",
    b"secretkey",
    b"accesskey",
    b"privatekey",
    b"encryptionkey",
    b"signingkey",
    b"masterkey",
    b"authkey",
    b"secretkeybase",
    b"authorization",
    b"sharedkey",
    b"accountkey",
    b"servicekey",
];

/// Suffixes whose value is a secret unless it is hexadecimal.
const WEAK: [&[u8]; 24] = [
    b"credential",
    b"credentials",
    b"storagekey",
    b"clientkey",
    b"licensekey",
    b"licencekey",
    b"appkey",
    b"applicationkey",
    b"consumerkey",
    b"sessionkey",
    b"jwtkey",
    b"hmackey",
    b"webhookkey",
    b"deploykey",
    b"adminkey",
    b"rootkey",
    b"subscriptionkey",
    b"securitykey",
    b"keydata",
    b"secrets",
    b"bearer",
    b"dockerconfigjson",
    b"writekey",
    b"cryptkey",
];

/// Tokens of other trades: pages, vocabularies, control flow.
const OTHER_TOKENS: [&[u8]; 18] = [
    b"nexttoken",
    b"pagetoken",
    b"continuationtoken",
    b"padtoken",
    b"eostoken",
    b"bostoken",
    b"septoken",
    b"clstoken",
    b"masktoken",
    b"unktoken",
    b"synctoken",
    b"cancellationtoken",
    b"canceltoken",
    b"starttoken",
    b"endtoken",
    b"speciallytoken",
    b"resumetoken",
    b"markertoken",
];

/// Names whose values are public by design.
const PUBLIC: [&[u8]; 24] = [
    b"id",
    b"hash",
    b"digest",
    b"checksum",
    b"integrity",
    b"fingerprint",
    b"etag",
    b"revision",
    b"commit",
    b"uuid",
    b"guid",
    b"sha",
    b"md",
    b"crc",
    b"publickey",
    b"pubkey",
    b"hashes",
    b"sum",
    b"ids",
    b"cert",
    b"certificate",
    b"version",
    b"nonce",
    b"certificatedata",
];

/// The name in lower case without its separators.
struct Folded {
    bytes: [u8; MAX_NAME],
    len: usize,
}

impl Folded {
    fn of(name: &[u8]) -> Self {
        let mut folded = Self { bytes: [0; MAX_NAME], len: 0 };
        let tail = &name[name.len().saturating_sub(MAX_NAME)..];
        for byte in tail.iter().filter(|byte| byte.is_ascii_alphanumeric()) {
            folded.bytes[folded.len] = byte.to_ascii_lowercase();
            folded.len += 1;
        }
        // `token2` and `API_KEY_1` are names of the same things.
        while folded.len > 1 && is(folded.bytes[folded.len - 1], DIGIT) {
            folded.len -= 1;
        }
        folded
    }

    fn get(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}

/// The lists of suffixes, as bits of [`TAILS`].
const LISTS: [&[&[u8]]; 6] = [&PASSWORDS, &STRONG, &WEAK, &PUBLIC, &OTHER_TOKENS, &[b"pass", b"pw", b"auth"]];
const IN_PASSWORDS: u8 = 1 << 0;
const IN_STRONG: u8 = 1 << 1;
const IN_WEAK: u8 = 1 << 2;
const IN_PUBLIC: u8 = 1 << 3;
const IN_OTHER_TOKENS: u8 = 1 << 4;

/// The lists with a suffix that ends in `ba`, at entry `a` of row `b`.
static TAILS: [[u8; 26]; 26] = tails();

const fn tails() -> [[u8; 26]; 26] {
    let mut tails = [[0; 26]; 26];
    let mut list = 0;
    while list < LISTS.len() {
        let mut at = 0;
        while at < LISTS[list].len() {
            let word = LISTS[list][at];
            let (last, before) = (word[word.len() - 1] - b'a', word[word.len() - 2] - b'a');
            tails[before as usize][last as usize] |= 1 << list;
            at += 1;
        }
        list += 1;
    }
    tails
}

/// The lists that may hold a suffix of the name: the cheap test.
fn may_end(folded: &[u8]) -> u8 {
    let [.., before, last] = folded else { return 0 };
    let letter = |byte: &u8| byte.checked_sub(b'a').filter(|&letter| letter < 26);
    match (letter(before), letter(last)) {
        (Some(before), Some(last)) => TAILS[usize::from(before)][usize::from(last)],
        _ => 0,
    }
}

/// `public` and `publishable`, anywhere.
fn is_public(folded: &[u8]) -> bool {
    folded.windows(6).any(|part| part[0] == b'p' && (part == b"public" || part == b"publis"))
}

/// Compares the last letter before the rest: most suffixes differ there.
fn ends_with_any(folded: &[u8], list: &[&[u8]]) -> bool {
    list.iter().any(|suffix| suffix.last() == folded.last() && folded.ends_with(suffix))
}

/// Judges a name by its last words.
pub(crate) fn judge(name: &[u8]) -> Name {
    let folded = Folded::of(name);
    let folded = folded.get();
    let lists = may_end(folded);
    let ends = |bit: u8, list: &[&[u8]]| lists & bit != 0 && ends_with_any(folded, list);
    if lists == 0 {
        return if is_public(folded) { Name::Public } else { Name::Plain };
    }
    if ends(IN_PASSWORDS, &PASSWORDS) || ends_in_word(name, b"pass") || ends_in_word(name, b"pw") {
        return Name::Password;
    }
    let public = ends_in_word(name, b"id") || ends(IN_PUBLIC, &PUBLIC[1..]) || is_public(folded);
    if public {
        return Name::Public;
    }
    if ends(IN_OTHER_TOKENS, &OTHER_TOKENS) {
        return Name::Plain;
    }
    let hash_like = || {
        (0..folded.len()).any(|at| {
            let rest = &folded[at..];
            match rest[0] {
                b's' => rest.starts_with(b"sha"),
                b'h' => rest.starts_with(b"hash"),
                b'd' => rest.starts_with(b"digest"),
                b'c' => rest.starts_with(b"checksum"),
                _ => false,
            }
        })
    };
    if ends(IN_STRONG, &STRONG) {
        // `shared` holds the letters of a digest name, but is none.
        return if hash_like() && memchr::memmem::find(folded, b"share").is_none() {
            Name::Weak
        } else {
            Name::Strong
        };
    }
    if ends(IN_WEAK, &WEAK) || ends_in_word(name, b"auth") {
        return Name::Weak;
    }
    Name::Plain
}

/// Says whether `name` ends in `word` as a word of its own: `DB_PASS`, `dbPass`, `pass`, but not `bypass`.
fn ends_in_word(name: &[u8], word: &[u8]) -> bool {
    let Some(at) = name.len().checked_sub(word.len()) else { return false };
    let (head, tail) = name.split_at(at);
    tail.eq_ignore_ascii_case(word)
        && match head.last() {
            None => true,
            Some(&byte) => !byte.is_ascii_alphabetic() || (is(byte, LOWER) && tail[0].is_ascii_uppercase()),
        }
}

/// Says whether a cookie of this name carries a session.
pub(crate) fn is_session(name: &[u8]) -> bool {
    // The last letters of the words below, and digits behind them.
    if !name.last().is_some_and(|last| b"ndhtrl0123456789".contains(&last.to_ascii_lowercase())) {
        return false;
    }
    let folded = Folded::of(name);
    let folded = folded.get();
    [
        b"session".as_slice(),
        b"sessionid",
        b"sessid",
        b"sid",
        b"auth",
        b"token",
        b"jwt",
        b"remember",
        b"credential",
        b"secret",
    ]
    .iter()
    .any(|suffix| folded.ends_with(suffix))
}
