//! What an operator can configure.

use std::path::PathBuf;

/// Holds everything an operator can configure about access.
///
/// [`Settings::new`] gives the defaults of the product; change fields afterwards.
///
/// Entries of [`open_sensitive`](Settings::open_sensitive), [`run_later`](Settings::run_later),
/// [`protect`](Settings::protect) and [`deny_write`](Settings::deny_write) are *name patterns*:
///
/// | written | means |
/// |---|---|
/// | `name`, `a/b` | at any depth |
/// | `./a` | from the workspace |
/// | `~/a` | from a home directory |
/// | `/a` | from the root of the file system |
///
/// `*` stands for any run of characters inside one component, `{a,b}` for either; everything below a match matches
/// too. Names are compared without regard to case, Unicode composition and trailing dots or blanks, on every platform.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The canonical absolute workspace.
    pub workspace: PathBuf,
    /// The canonical absolute home directory of the user, if there is one. The usual places of home directories
    /// (`/home/*`, `/Users/*`, `/root`) count as homes whether this is set or not.
    pub home: Option<PathBuf>,
    /// Keeps reads and writes inside the workspace. Default: true.
    pub restrict_to_workspace: bool,
    /// Lets reading operations leave the workspace although it is restricted; writing and opening stay. Default: false.
    pub allow_read_outside_workspace: bool,
    /// Regular expressions over absolute paths that reading operations may go to; see [`crate::AllowList`].
    pub allow_read_paths: Vec<String>,
    /// Regular expressions over absolute paths that writing operations may go to; reading is not implied.
    pub allow_write_paths: Vec<String>,
    /// Directories that are spelt one way in an allow list and are another way on the disk, as `(spelt, canonical)`.
    /// A caller that can look at the disk resolves [`crate::literal_root`] of each pattern at start-up and adds a pair
    /// where the two differ. Default: none.
    pub aliases: Vec<(PathBuf, PathBuf)>,
    /// How sensitive names are treated. Default: [`Family::Classic`].
    pub family: Family,
    /// Sensitive entries that the operator opens, by the id of a rule or by a name pattern. Has no effect in
    /// [`Family::Batch`], where a sensitive file always needs a confirmation.
    pub open_sensitive: Vec<String>,
    /// Levels of run-later entries, by the id or the pattern of a rule; a pattern that is not in the table is a new
    /// entry. Where an entry is given twice, the stricter level holds.
    pub run_later: Vec<(String, Level)>,
    /// Further protected names.
    pub protect: Vec<String>,
    /// Names that may be read but not written. Default: `./sessions`.
    pub deny_write: Vec<String>,
    /// Whether a file with several names may be appended to. Default: [`HardLinks::Refuse`].
    pub append_to_hard_links: HardLinks,
    /// Directories that hold our own configuration, history and logs: nothing in them can be read, listed or written
    /// through the tools. The artifacts in the workspace ([`crate::ARTIFACTS`]) stay readable.
    pub state_dirs: Vec<PathBuf>,
    /// Whether walks leave out the folders of the home directory whose first access makes the system ask the user.
    /// Default: [`PrivacyFolders::Enter`].
    pub privacy_folders: PrivacyFolders,
}

impl Settings {
    /// Returns the defaults of the product for a canonical absolute `workspace`.
    ///
    /// Restricted to the workspace, no outside reads, empty allow lists, classic family, nothing opened, all rows of
    /// the tables at their own level, `./sessions` not writable, appends to hard-linked files refused.
    pub fn new(workspace: impl Into<PathBuf>) -> Settings {
        Settings {
            workspace: workspace.into(),
            home: None,
            restrict_to_workspace: true,
            allow_read_outside_workspace: false,
            allow_read_paths: Vec::new(),
            allow_write_paths: Vec::new(),
            aliases: Vec::new(),
            family: Family::Classic,
            open_sensitive: Vec::new(),
            run_later: Vec::new(),
            protect: Vec::new(),
            deny_write: vec!["./sessions".to_owned()],
            append_to_hard_links: HardLinks::Refuse,
            state_dirs: Vec::new(),
            privacy_folders: PrivacyFolders::Enter,
        }
    }
}

/// Names what a walk does with the privacy folders of macOS; a walk that is sent into one enters it either way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PrivacyFolders {
    /// Enters them like any other folder: the system is another one and knows no such folders.
    Enter,
    /// Passes them by, as on macOS.
    Skip,
}

/// Names the tool family, which fixes how sensitive names are treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Family {
    /// Sensitive names are hidden and refused, unless the operator opened them.
    Classic,
    /// Sensitive names need a person's confirmation, whatever else is configured.
    Batch,
}

/// Names how strictly writing to a run-later entry is treated, from lax to strict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Like any other file.
    Allow,
    /// Allowed, and the grant says what is special about the file.
    Notice,
    /// A person has to agree.
    Confirm,
    /// Refused.
    Deny,
}

/// Names what happens when a file that has several names is to be appended to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HardLinks {
    /// Refuses, since the other names would change too.
    Refuse,
    /// Appends; all names of the file see the new content.
    Allow,
}
