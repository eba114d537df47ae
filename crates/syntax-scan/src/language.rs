//! The languages that are checked, and how a file name selects one.

/// A language whose files are checked.
///
/// Every other language is left alone: its syntax needs a real parser, and a wrong alarm is worse than none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Language {
    /// Strict JSON as of RFC 8259.
    Json,
    /// C and C++, with their preprocessor.
    CFamily,
    /// Go.
    Go,
    /// Python, with the f-strings of 3.12.
    Python,
    /// TOML.
    Toml,
}

/// File name extensions, one row per extension; they are compared without regard to ASCII case.
const EXTENSIONS: [(&[u8], Language); 12] = [
    (b"json", Language::Json),
    (b"go", Language::Go),
    (b"c", Language::CFamily),
    (b"h", Language::CFamily),
    (b"cc", Language::CFamily),
    (b"cpp", Language::CFamily),
    (b"cxx", Language::CFamily),
    (b"hpp", Language::CFamily),
    (b"hh", Language::CFamily),
    (b"py", Language::Python),
    (b"pyi", Language::Python),
    (b"toml", Language::Toml),
];

impl Language {
    /// Tells which language the file at `path` is checked as, or `None` if such files are not checked.
    ///
    /// `path` is a name or a path with `/` or `\` between its components, in any encoding. Only the name's extension
    /// counts, and for JSON also the names of files that are known to hold comments and trailing commas:
    /// `tsconfig*.json`, `jsconfig.json`, `devcontainer.json` and `.vscode/*.json` are not checked.
    ///
    /// # Examples
    ///
    /// ```
    /// use syntax_scan::Language;
    ///
    /// assert_eq!(Language::from_file_name("src/main.CPP"), Some(Language::CFamily));
    /// assert_eq!(Language::from_file_name("project/.vscode/settings.json"), None);
    /// assert_eq!(Language::from_file_name("src/main.rs"), None);
    /// ```
    #[must_use]
    pub fn from_file_name(path: impl AsRef<[u8]>) -> Option<Self> {
        let path = path.as_ref();
        let mut parts = path.rsplit(|byte| matches!(byte, b'/' | b'\\'));
        let name = parts.next().unwrap_or_default();
        let folder = parts.next().unwrap_or_default();
        let dot = name.iter().rposition(|&byte| byte == b'.')?;
        let (stem, extension) = (&name[..dot], &name[dot + 1..]);
        // A name such as `.json` has no stem and thus no extension.
        if stem.is_empty() {
            return None;
        }
        let (_, language) = EXTENSIONS.iter().find(|(known, _)| known.eq_ignore_ascii_case(extension))?;
        if *language == Self::Json && holds_comments(stem, folder) {
            return None;
        }
        Some(*language)
    }

    /// Returns the stable lower-case name of the language, such as `c_family`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::CFamily => "c_family",
            Self::Go => "go",
            Self::Python => "python",
            Self::Toml => "toml",
        }
    }
}

/// Whether a `.json` file with this stem in this folder is known to be JSON with comments.
fn holds_comments(stem: &[u8], folder: &[u8]) -> bool {
    let starts_with_tsconfig = stem.get(..8).is_some_and(|start| start.eq_ignore_ascii_case(b"tsconfig"));
    starts_with_tsconfig
        || stem.eq_ignore_ascii_case(b"jsconfig")
        || stem.eq_ignore_ascii_case(b"devcontainer")
        || stem.eq_ignore_ascii_case(b".devcontainer")
        || folder.eq_ignore_ascii_case(b".vscode")
}
