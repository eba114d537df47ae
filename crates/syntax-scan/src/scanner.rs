//! The scanner that a caller feeds.

use crate::{
    blocks::{Blocks, Machine},
    c_family::CFamily,
    go::Go,
    json::Json,
    language::Language,
    outcome::Outcome,
    python::Python,
    toml::Toml,
};

/// Checks one file that arrives in pieces.
///
/// How the file is cut into pieces does not change the outcome. A scanner is a plain value of fixed size, about
/// 24 KiB, and never allocates.
///
/// # Examples
///
/// ```
/// use syntax_scan::{Language, Outcome, Scanner};
///
/// let mut scanner = Scanner::new(Language::Go);
/// scanner.push(b"func main() {\n\tprintln(`a");
/// scanner.push(b" {`)\n}\n");
/// assert_eq!(scanner.finish(), Outcome::Ok);
/// ```
pub struct Scanner {
    inner: Inner,
}

/// The state of each language.
#[expect(clippy::large_enum_variant, reason = "there is no allocator to put the large ones into")]
enum Inner {
    Json(Json),
    CFamily(Blocks<CFamily>),
    Go(Blocks<Go>),
    Python(Blocks<Python>),
    Toml(Blocks<Toml>),
}

impl Scanner {
    /// Creates a scanner at the start of a file.
    #[must_use]
    pub const fn new(language: Language) -> Self {
        let inner = match language {
            Language::Json => Inner::Json(Json::new()),
            Language::CFamily => Inner::CFamily(Blocks::new(CFamily::new())),
            Language::Go => Inner::Go(Blocks::new(Go::new())),
            Language::Python => Inner::Python(Blocks::new(Python::new())),
            Language::Toml => Inner::Toml(Blocks::new(Toml::new())),
        };
        Self { inner }
    }

    /// Reads the next bytes of the file.
    ///
    /// Once the outcome is certain, further bytes are ignored.
    ///
    /// # Cost
    ///
    /// O(n) time; no allocation.
    pub fn push(&mut self, bytes: &[u8]) {
        match &mut self.inner {
            Inner::Json(json) => json.push(bytes),
            Inner::CFamily(blocks) => blocks.push(bytes),
            Inner::Go(blocks) => blocks.push(bytes),
            Inner::Python(blocks) => blocks.push(bytes),
            Inner::Toml(blocks) => blocks.push(bytes),
        }
    }

    /// Ends the file and tells the outcome.
    pub fn finish(mut self) -> Outcome {
        match &mut self.inner {
            Inner::Json(json) => json.finish(),
            Inner::CFamily(blocks) => blocks.finish(),
            Inner::Go(blocks) => blocks.finish(),
            Inner::Python(blocks) => blocks.finish(),
            Inner::Toml(blocks) => blocks.finish(),
        }
    }
}

/// Checks a whole file at once.
///
/// # Cost
///
/// O(n) time; no allocation, about 24 KiB of stack.
///
/// # Examples
///
/// ```
/// use syntax_scan::{Language, Outcome, scan};
///
/// let Outcome::Problem(problem) = scan(Language::Json, b"{\"a\": [1, 2}") else { panic!() };
/// assert_eq!((problem.line, problem.column), (1, 12));
/// assert_eq!(problem.to_string(), "unexpected `}` at 1:12; `[` from 1:7 is still open");
/// ```
pub fn scan(language: Language, bytes: &[u8]) -> Outcome {
    // Each language alone takes less stack than a `Scanner`, which has room for any.
    match language {
        Language::Json => {
            let mut json = Json::new();
            json.push(bytes);
            json.finish()
        }
        Language::CFamily => scan_blocks(CFamily::new(), bytes),
        Language::Go => scan_blocks(Go::new(), bytes),
        Language::Python => scan_blocks(Python::new(), bytes),
        Language::Toml => scan_blocks(Toml::new(), bytes),
    }
}

fn scan_blocks(machine: impl Machine, bytes: &[u8]) -> Outcome {
    let mut blocks = Blocks::new(machine);
    blocks.push(bytes);
    blocks.finish()
}
