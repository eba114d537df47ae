//! A labelled corpus, generated: every value is drawn from a seeded generator and assembled at run time.

pub(crate) mod contexts;
pub(crate) mod kinds;
pub(crate) mod negatives;
pub(crate) mod structural;

use self::{
    contexts::{Context, contexts, noise},
    kinds::{Kind, kinds},
};

pub(crate) const LOW: &str = "abcdefghijklmnopqrstuvwxyz";
pub(crate) const UP: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
pub(crate) const DIG: &str = "0123456789";
pub(crate) const A62: &str = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
pub(crate) const A52: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
pub(crate) const HEX: &str = "0123456789abcdef";
pub(crate) const B64: &str = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz+/";
pub(crate) const B64U: &str = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_";
pub(crate) const B32: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
pub(crate) const UP36: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
pub(crate) const LOW36: &str = "abcdefghijklmnopqrstuvwxyz0123456789";
pub(crate) const BECH32: &str = "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L";
pub(crate) const WORDS: [&str; 17] = [
    "deploy", "cache", "worker", "queue", "retry", "region", "bucket", "service", "handler", "metrics",
    "window", "policy", "schema", "router", "buffer", "cursor", "index",
];

/// A seeded generator (splitmix64).
pub(crate) struct Gen(u64);

impl Gen {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number from `low` to `high`.
    pub(crate) fn n(&mut self, low: usize, high: usize) -> usize {
        low + (self.next() % (high - low + 1) as u64) as usize
    }

    pub(crate) fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.n(0, items.len() - 1)]
    }

    /// `len` characters; from 14 on redrawn until every class of the alphabet occurs, as in nearly all real tokens.
    pub(crate) fn s(&mut self, alphabet: &str, len: usize) -> String {
        let letters: Vec<char> = alphabet.chars().collect();
        let mut value = String::new();
        for _ in 0..50 {
            value = (0..len).map(|_| self.pick(&letters)).collect();
            let wanted = [LOW, UP, DIG]
                .into_iter()
                .filter(|class| letters.iter().filter(|&&c| class.contains(c)).count() > 3);
            let signs = ['-', '_', '+', '/', '=', '.'];
            let whole = wanted.into_iter().all(|class| value.contains(|c| class.contains(c)))
                && !value.starts_with(signs)
                && !value.ends_with(signs);
            if len < 14 || whole {
                break;
            }
        }
        value
    }

    pub(crate) fn hex(&mut self, len: usize) -> String {
        self.s(HEX, len)
    }

    pub(crate) fn digits(&mut self, len: usize) -> String {
        let first = self.n(1, 9).to_string();
        (1..len).fold(first, |text, _| text + &self.n(0, 9).to_string())
    }

    pub(crate) fn bytes(&mut self, len: usize) -> Vec<u8> {
        (0..len).map(|_| self.next() as u8).collect()
    }

    /// Base64 of `len` random bytes.
    pub(crate) fn b64(&mut self, len: usize) -> String {
        base64(&self.bytes(len))
    }

    /// Base64url of `len` random bytes, without padding.
    pub(crate) fn b64u(&mut self, len: usize) -> String {
        base64url(&self.bytes(len))
    }

    pub(crate) fn uuid(&mut self) -> String {
        format!("{}-{}-4{}-a{}-{}", self.hex(8), self.hex(4), self.hex(3), self.hex(3), self.hex(12))
    }

    pub(crate) fn word(&mut self) -> &'static str {
        self.pick(&WORDS)
    }

    /// Words glued as `wordWordWord`.
    pub(crate) fn camel(&mut self, more: usize) -> String {
        (0..more).fold(self.word().to_owned(), |text, _| text + &title(self.word()))
    }
}

pub(crate) fn title(word: &str) -> String {
    let (head, tail) = word.split_at(1);
    head.to_uppercase() + &tail.to_lowercase()
}

pub(crate) fn base64(bytes: &[u8]) -> String {
    let letters: Vec<char> = (UP.to_owned() + LOW + DIG + "+/").chars().collect();
    let mut out = String::new();
    for chunk in bytes.chunks(3) {
        let bits =
            chunk.iter().fold(0u32, |bits, &byte| bits << 8 | u32::from(byte)) << (8 * (3 - chunk.len()));
        for at in 0..4 {
            out.push(if at <= chunk.len() { letters[(bits >> (18 - 6 * at) & 63) as usize] } else { '=' });
        }
    }
    out
}

pub(crate) fn base64url(bytes: &[u8]) -> String {
    base64(bytes).trim_end_matches('=').replace('+', "-").replace('/', "_")
}

pub(crate) fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |crc: u32, &byte| {
        (0..8).fold(
            crc ^ u32::from(byte),
            |crc, _| if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 },
        )
    })
}

pub(crate) fn percent(text: &str) -> String {
    text.bytes()
        .map(|byte| {
            if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
                char::from(byte).to_string()
            } else {
                format!("%{byte:02X}")
            }
        })
        .collect()
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord)]
pub(crate) enum Label {
    Format,
    Structural,
    Keyed,
    Entropy,
    Ambiguous,
    Adversarial,
}

/// A piece of a text: what may be seen, and what may not.
pub(crate) enum Part {
    Plain(String),
    Secret(String),
}

pub(crate) fn p(text: impl Into<String>) -> Part {
    Part::Plain(text.into())
}

pub(crate) fn s(text: impl Into<String>) -> Part {
    Part::Secret(text.into())
}

#[derive(Debug)]
pub(crate) struct Positive {
    pub(crate) kind: String,
    pub(crate) label: Label,
    pub(crate) text: String,
    pub(crate) secrets: Vec<(usize, usize)>,
    pub(crate) keep: Vec<String>,
}

#[derive(Debug)]
pub(crate) struct Negative {
    pub(crate) kind: &'static str,
    pub(crate) text: String,
    /// Public data that is told from a secret by its marker only.
    pub(crate) soft: bool,
}

#[derive(Default)]
pub(crate) struct Corpus {
    pub(crate) positives: Vec<Positive>,
    pub(crate) negatives: Vec<Negative>,
}

impl Corpus {
    pub(crate) fn add(&mut self, kind: impl Into<String>, label: Label, parts: Vec<Part>, keep: &[&str]) {
        let mut text = String::new();
        let mut secrets = Vec::new();
        for part in parts {
            match part {
                Part::Plain(part) => text += &part,
                Part::Secret(part) => {
                    secrets.push((text.len(), text.len() + part.len()));
                    text += &part;
                }
            }
        }
        self.positives.push(Positive {
            kind: kind.into(),
            label,
            text,
            secrets,
            keep: keep.iter().map(|keep| (*keep).to_owned()).collect(),
        });
    }

    pub(crate) fn no(&mut self, kind: &'static str, text: impl Into<String>) {
        self.negatives.push(Negative { kind, text: text.into(), soft: false });
    }

    pub(crate) fn soft(&mut self, kind: &'static str, text: impl Into<String>) {
        self.negatives.push(Negative { kind, text: text.into(), soft: true });
    }

    /// Builds the corpus: `per_kind` contexts for every token kind, the other groups in proportion.
    pub(crate) fn build(seed: u64, per_kind: usize) -> Self {
        let mut g = Gen::new(seed);
        let mut corpus = Self::default();
        let contexts = contexts();
        for (name, make) in kinds() {
            let first = g.n(0, contexts.len() - 1);
            for turn in 0..per_kind {
                // Steps of 11 through 31 contexts never meet twice.
                let context = contexts[(first + turn * 11) % contexts.len()];
                let (public, value) = make(&mut g);
                corpus.wrap(&mut g, name, Label::Format, context, &public, value);
            }
        }
        for _ in 0..(per_kind / 3).max(1) {
            structural::add(&mut g, &mut corpus);
        }
        for _ in 0..per_kind {
            corpus.keyed(&mut g);
            corpus.entropy(&mut g);
        }
        for _ in 0..(per_kind / 4).max(1) {
            corpus.adversarial(&mut g);
        }
        for _ in 0..(per_kind / 2).max(1) {
            negatives::add(&mut g, &mut corpus);
        }
        corpus
    }

    fn wrap(&mut self, g: &mut Gen, kind: &str, label: Label, context: Context, public: &str, value: String) {
        let (before, after, keep) = context.fill(g);
        let pre: String = (0..g.n(0, 3)).map(|_| noise(g, context.noise) + "\n").collect();
        let post: String = (0..g.n(0, 3)).map(|_| "\n".to_owned() + &noise(g, context.noise)).collect();
        let mut keep: Vec<&str> = keep.iter().map(String::as_str).collect();
        if !public.is_empty() {
            keep.push(public);
        }
        let name = format!("{kind} in {}", context.name);
        self.add(name, label, vec![p(pre + &before + public), s(value), p(after + &post + "\n")], &keep);
    }

    fn keyed(&mut self, g: &mut Gen) {
        let all = contexts();
        let named: Vec<Context> =
            all.into_iter().filter(|context| context.is_named() && context.name != "json_escaped").collect();
        let shapes: [(&str, Label, Kind); 12] = [
            ("b62_32", Label::Keyed, |g| (String::new(), g.s(A62, 32))),
            ("b62_40", Label::Keyed, |g| (String::new(), g.s(A62, 40))),
            ("b64_44", Label::Keyed, |g| (String::new(), g.b64(32))),
            ("b64url_43", Label::Keyed, |g| (String::new(), g.b64u(32))),
            ("low36_32", Label::Keyed, |g| (String::new(), g.s(LOW36, 32))),
            ("b62_20", Label::Keyed, |g| (String::new(), g.s(A62, 20))),
            ("b64_88", Label::Keyed, |g| (String::new(), g.b64(64))),
            ("up36_24", Label::Keyed, |g| (String::new(), g.s(UP36, 24))),
            ("aws_secret", Label::Keyed, |g| (String::new(), g.b64(30))),
            ("hex_32", Label::Ambiguous, |g| (String::new(), g.hex(32))),
            ("hex_64", Label::Ambiguous, |g| (String::new(), g.hex(64))),
            ("uuid", Label::Ambiguous, |g| (String::new(), g.uuid())),
        ];
        for (shape, label, make) in shapes {
            let context = g.pick(&named);
            let value = make(g).1;
            self.wrap(g, &format!("keyed_{shape}"), label, context, "", value);
        }
        for symbols in [true, false] {
            let name = g.pick(&["password", "DB_PASSWORD", "passwd", "admin_password"]);
            let value = if symbols {
                g.s(A62, 7) + g.pick(&["!", "^", "*", "%"]) + &g.s(A62, 7)
            } else {
                g.s(A62, 10)
            };
            let (before, after) = g.pick(&[("=", ""), ("\": \"", "\","), (": '", "'"), (" = \"", "\"")]);
            self.add(
                "keyed_password",
                Label::Keyed,
                vec![p(format!("{name}{before}")), s(value), p(format!("{after}\n"))],
                &[name],
            );
        }
        let phrase =
            g.pick(&["correct-horse-battery-staple", "hunter2hunter2", "Summer2026!", "letmein-please"]);
        self.add(
            "keyed_passphrase",
            Label::Ambiguous,
            vec![p("DB_PASSWORD="), s(phrase), p("\n")],
            &["DB_PASSWORD"],
        );
    }

    fn entropy(&mut self, g: &mut Gen) {
        let plain = [
            "python_plain",
            "shell_arg",
            "log",
            "markdown",
            "csv",
            "bare_line",
            "html_attr",
            "js_template",
            "xml",
        ];
        let all: Vec<Context> =
            contexts().into_iter().filter(|context| plain.contains(&context.name)).collect();
        let values = [
            ("b62_40", g.s(A62, 40)),
            ("b62_64", g.s(A62, 64)),
            ("b64_44", g.b64(32)),
            ("b64_88", g.b64(64)),
            ("b64url_86", g.b64u(64)),
            ("b62_32", g.s(A62, 32)),
            ("b62_24", g.s(A62, 24)),
        ];
        for (shape, value) in values {
            let label = if shape == "b62_24" { Label::Ambiguous } else { Label::Entropy };
            let context = g.pick(&all);
            self.wrap(g, &format!("bare_{shape}"), label, context, "", value);
        }
    }

    fn adversarial(&mut self, g: &mut Gen) {
        let kinds = kinds();
        for name in ["github_pat", "openai_legacy", "slack_bot", "stripe_secret"] {
            let make = kinds.iter().find(|(kind, _)| *kind == name).expect("the kind is in the list").1;
            let v = make(g).1;
            let (a, b) = v.split_at(v.len() / 2);
            let mut add =
                |kind: &str, parts: Vec<Part>, keep: &[&str]| self.add(kind, Label::Adversarial, parts, keep);
            add("adv_backslash_newline", vec![p("TOKEN="), s(a), p("\\\n"), s(b), p("\n")], &[]);
            add("adv_concat", vec![p("tok = \""), s(a), p("\" + \""), s(b), p("\"\n")], &["\" + \""]);
            add("adv_zero_width", vec![p("use "), s(format!("{a}\u{200b}{b}")), p(" now\n")], &[]);
            add("adv_soft_hyphen", vec![p("use "), s(format!("{a}\u{ad}{b}")), p(" now\n")], &[]);
            add(
                "adv_url_encoded",
                vec![
                    p("https://a.example/?q="),
                    s(percent(&v).replace('-', "%2D").replace('_', "%5F")),
                    p("&z=1\n"),
                ],
                &["&z=1"],
            );
            add(
                "adv_base64",
                vec![p("data:\n  conf: "), s(base64(format!("token={v}\n").as_bytes())), p("\n")],
                &["conf: "],
            );
            add(
                "adv_homoglyph",
                vec![
                    p("key "),
                    s(format!("{}{}", &v[..1], v[1..].replace('o', "\u{43e}").replace('a', "\u{430}"))),
                    p(" end\n"),
                ],
                &[],
            );
            add(
                "adv_unicode_escape",
                vec![p("{\"t\":\""), s(v.replace('_', "\\u005f").replace('-', "\\u002d")), p("\"}\n")],
                &["\"}"],
            );
            add("adv_ansi", vec![p("\u{1b}[32m"), s(&v[..6]), p("\u{1b}[0m"), s(&v[6..]), p("\n")], &[]);
            add("adv_diff", vec![p("-old\n+"), s(&v), p("\n context\n")], &["-old", " context"]);
            let (second, third) = (make(g).1, make(g).1);
            add("adv_adjacent", vec![s(&v), p(","), s(second), p(";"), s(third), p("\n")], &[",", ";"]);
            add(
                "adv_long_line",
                vec![
                    p(format!("var a=1;{}k=\"", "f(x,y);".repeat(9000))),
                    s(&v),
                    p(format!("\";{}\n", "g(z);".repeat(3000))),
                ],
                &["g(z);"],
            );
            add("adv_low_entropy_pad", vec![p("aaaa-".repeat(12)), s(&v), p("\n")], &[]);
            add("adv_crlf", vec![p("A=1\r\nTOKEN="), s(&v), p("\r\nB=2\r\n")], &["B=2"]);
            add("adv_no_eol", vec![p("TOKEN="), s(&v)], &["TOKEN="]);
            add(
                "adv_multibyte",
                vec![p("caf\u{e9} \u{4f60}\u{597d} "), s(&v), p(" \u{fc}ber\n")],
                &["\u{4f60}\u{597d}", "\u{fc}ber"],
            );
        }
    }
}
