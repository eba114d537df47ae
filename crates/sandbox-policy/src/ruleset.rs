//! The settings and the tables, compiled into rules that can be consulted.

use std::{
    borrow::Cow,
    fmt,
    path::{Component, Path, PathBuf},
    sync::Arc,
};

use crate::{
    allow_list::AllowList,
    error::{Error, Lint},
    facts::Kind,
    fold,
    names::{Action, Names, State},
    op::Op,
    path::{self, below},
    pattern::{self, Anchor, Part, Pattern},
    privacy::walk_skips_privacy_folder,
    reason::{Cause, Reason},
    rules::{Class, Rule, RuleInfo},
    settings::{Family, HardLinks, Level, PrivacyFolders, Settings},
    tables::{Row, programs::PROGRAMS, protected::PROTECTED, run_later::RUN_LATER, sensitive::SENSITIVE},
};

/// Where spilled results live, relative to the workspace: readable, never walked or searched, not writable.
pub const ARTIFACTS: &str = ".fs-tools/artifacts";

/// The directory of ours in the workspace.
const OWN_DIR: &str = "./.fs-tools";

/// The rule of a file whose first bytes are a private key.
pub(crate) const KEY_CONTENT: &str = "private_key_content";

/// The rule of a file that is also known under a sensitive name.
pub(crate) const HARD_LINK_ALIAS: &str = "hard_link_alias";

/// Where home directories usually are, besides the configured one.
const HOMES: &[&str] = &["/home/*", "/Users/*", "/root", "/var/root"];

/// Holds the compiled rules; made once, consulted for every access.
///
/// # Examples
///
/// ```
/// use std::path::Path;
/// use sandbox_policy::{Decision, Facts, Op, Ruleset, Settings, decide};
///
/// let rules = Ruleset::new(&Settings::new("/w"))?;
/// let grant = match decide(&rules, Op::Read, &Facts::names(Path::new("/w/src/main.rs"))) {
///     Decision::Allow(grant) => grant,
///     other => panic!("{other:?}"),
/// };
/// assert_eq!(grant.path(), Path::new("/w/src/main.rs"));
/// # Ok::<(), sandbox_policy::Error>(())
/// ```
pub struct Ruleset {
    workspace: Arc<Path>,
    /// How many components the workspace has.
    depth: usize,
    restrict: bool,
    read_outside: bool,
    read: AllowList,
    write: AllowList,
    aliases: Vec<(PathBuf, PathBuf)>,
    pub(crate) family: Family,
    pub(crate) append_to_hard_links: HardLinks,
    pub(crate) names: Names,
    /// What holds for everything in the workspace, because of where it lies.
    at_workspace: State,
    at_root: State,
    lints: Vec<Lint>,
    /// The home directory whose privacy folders walks leave out.
    privacy_home: Option<PathBuf>,
}

impl Ruleset {
    /// Compiles the settings.
    ///
    /// # Errors
    ///
    /// Any [`Error`]: settings that are only partly understood are refused as a whole.
    ///
    /// # Cost
    ///
    /// About a millisecond: meant for start-up and for a change of the configuration.
    pub fn new(settings: &Settings) -> Result<Ruleset, Error> {
        if settings.workspace.as_os_str().is_empty() {
            return Err(Error::NoWorkspace);
        }
        canonical("workspace", &settings.workspace)?;
        settings.home.iter().try_for_each(|home| canonical("home", home))?;
        settings.state_dirs.iter().try_for_each(|dir| canonical("state_dirs", dir))?;
        settings.aliases.iter().try_for_each(|(_, to)| canonical("aliases", to))?;
        let (read, mut lints) = AllowList::new(&settings.allow_read_paths, "allow_read_paths")?;
        let (write, more) = AllowList::new(&settings.allow_write_paths, "allow_write_paths")?;
        lints.extend(more);

        let mut builder = Builder { names: Names::default(), lints };
        builder.tables()?;
        builder.own(settings)?;
        builder.entries(settings)?;
        let Builder { names, mut lints } = builder;

        let at_root = start(settings);
        let mut at_workspace = walk_into(&names, &at_root, &settings.workspace, Kind::Directory);
        lint_workspace(settings, &names, &at_workspace, &mut lints);
        at_workspace.retain_hits(|rule| names.rule(*rule).reaches_into_workspace);
        at_workspace.begin(Anchor::Workspace);
        lints.sort();
        lints.dedup();
        Ok(Ruleset {
            workspace: settings.workspace.as_path().into(),
            depth: settings.workspace.components().count(),
            restrict: settings.restrict_to_workspace,
            read_outside: settings.allow_read_outside_workspace,
            read,
            write,
            aliases: settings.aliases.clone(),
            family: settings.family,
            append_to_hard_links: settings.append_to_hard_links,
            names,
            at_workspace,
            at_root,
            lints,
            privacy_home: settings.home.clone().filter(|_| settings.privacy_folders == PrivacyFolders::Skip),
        })
    }

    /// Tells whether walks leave out privacy folders at all, so that a walk which must not be slow can do without the
    /// paths of its directories.
    pub fn has_privacy_folders(&self) -> bool {
        self.privacy_home.is_some()
    }

    /// Tells whether a walk that began at `start` leaves `dir` out because the system would ask the user first.
    ///
    /// Both are canonical absolute paths. A walk that was sent into such a folder enters it.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::path::Path;
    /// use sandbox_policy::{PrivacyFolders, Ruleset, Settings};
    ///
    /// let mut settings = Settings::new("/Users/u");
    /// settings.home = Some("/Users/u".into());
    /// settings.privacy_folders = PrivacyFolders::Skip;
    /// let rules = Ruleset::new(&settings)?;
    /// assert!(rules.walk_passes_by(Path::new("/Users/u"), Path::new("/Users/u/Desktop")));
    /// assert!(!rules.walk_passes_by(Path::new("/Users/u/Desktop"), Path::new("/Users/u/Desktop")));
    /// # Ok::<(), sandbox_policy::Error>(())
    /// ```
    pub fn walk_passes_by(&self, start: &Path, dir: &Path) -> bool {
        self.privacy_home.as_deref().is_some_and(|home| walk_skips_privacy_folder(home, start, dir))
    }

    /// Returns what in the settings works but is probably not meant, in a fixed order.
    pub fn lints(&self) -> &[Lint] {
        &self.lints
    }

    /// Returns the workspace.
    pub fn workspace(&self) -> &Path {
        &self.workspace
    }

    /// Lists the rules in force, for a display of the effective configuration.
    pub fn rules(&self) -> impl Iterator<Item = RuleInfo<'_>> {
        self.names.rules().iter().map(|rule| RuleInfo {
            class: rule.class,
            id: &rule.id,
            pattern: &rule.pattern,
            level: (rule.class == Class::RunLater).then_some(rule.level),
            opened: rule.opened && self.family == Family::Classic,
        })
    }

    /// Tells, before anything on the disk is touched, whether a path may be looked up at all.
    ///
    /// `path` is absolute and may have `..` in it. The answer is yes for a path that looks as if it stayed in the
    /// workspace, and for one that leaves it where the settings could grant that. Where it is no, answer with
    /// [`Ruleset::outside`] without any input or output, so that nothing outside can be probed.
    pub fn may_leave(&self, op: Op, path: &Path) -> bool {
        if !path.is_absolute() {
            return false;
        }
        if self.leaves_freely(op) {
            return true;
        }
        // Every directory that a `..` steps out of has to exist, so it has to be one that may be probed.
        let mut at = PathBuf::new();
        for component in path.components() {
            match component {
                Component::CurDir => {}
                Component::ParentDir => {
                    if !self.may_probe(op, &at) && !self.workspace.starts_with(&at) {
                        return false;
                    }
                    at.pop();
                }
                other => at.push(other),
            }
        }
        self.may_probe(op, &at)
    }

    /// Returns the reason to refuse a path that [`Ruleset::may_leave`] answered no for; also the reason for one that
    /// turned out to leave the workspace, or to lead nowhere outside. It is always the same.
    pub fn outside(&self, op: Op) -> Reason {
        self.reason(op, Cause::OutsideWorkspace, None, false)
    }

    /// Returns the rule that makes a name secret: protected or sensitive, whether the operator opened it or not.
    ///
    /// Meant for callers that keep or show content: what is secret by its name should not be stored as plain text. `path`
    /// is a canonical absolute path of a file.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::path::Path;
    /// use sandbox_policy::{Ruleset, Settings};
    ///
    /// let rules = Ruleset::new(&Settings::new("/w"))?;
    /// assert_eq!(rules.secret(Path::new("/w/config/.env")), Some("env_file"));
    /// assert_eq!(rules.secret(Path::new("/w/src/main.rs")), None);
    /// # Ok::<(), sandbox_policy::Error>(())
    /// ```
    pub fn secret(&self, path: &Path) -> Option<&str> {
        let state = self.read_names(path, Kind::File);
        let rules = state.hits().iter().map(|rule| self.names.rule(*rule));
        rules
            .filter(|rule| matches!(rule.class, Class::Protected | Class::Sensitive))
            .map(|rule| &*rule.id)
            .min()
    }

    pub(crate) fn reason(&self, op: Op, cause: Cause, rule: Option<Arc<str>>, askable: bool) -> Reason {
        Reason { cause, op, rule, askable, workspace: self.workspace.clone() }
    }

    /// Returns how many components of the path are the workspace, or `None` outside.
    pub(crate) fn inside(&self, path: &Path) -> Option<usize> {
        below(path, &self.workspace).map(|_| self.depth)
    }

    /// Tells whether a canonical path outside the workspace is granted to the operation.
    pub(crate) fn grants_outside(&self, op: Op, path: &Path) -> bool {
        self.leaves_freely(op) || self.is_listed(op, path)
    }

    /// Reads the names of an absolute path; `..` is taken by the text.
    pub(crate) fn read_names(&self, path: &Path, kind: Kind) -> State {
        match below(path, &self.workspace) {
            Some(rest) => walk_into(&self.names, &self.at_workspace, rest, kind),
            None => walk_into(&self.names, &self.at_root, path, kind),
        }
    }

    fn leaves_freely(&self, op: Op) -> bool {
        !self.restrict || (self.read_outside && !op.is_write() && op != Op::Open)
    }

    fn may_probe(&self, op: Op, path: &Path) -> bool {
        path.starts_with(&self.workspace) || self.is_listed(op, path)
    }

    fn is_listed(&self, op: Op, path: &Path) -> bool {
        let list = if op.is_write() { &self.write } else { &self.read };
        if list.is_empty() {
            return false;
        }
        let moved = |from: &Path, to: &Path| path.strip_prefix(from).ok().map(|rest| joined(to, rest));
        list.grants(path)
            || self.aliases.iter().any(|(spelt, canonical)| {
                let other = moved(canonical, spelt).or_else(|| moved(spelt, canonical));
                other.is_some_and(|other| list.grants(&other))
            })
    }
}

/// Shows what the rules are about; the tables are hundreds of rows.
impl fmt::Debug for Ruleset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ruleset")
            .field("workspace", &self.workspace)
            .field("restrict", &self.restrict)
            .field("read_outside", &self.read_outside)
            .field("family", &self.family)
            .field("rules", &self.names.rules().len())
            .finish_non_exhaustive()
    }
}

fn joined(to: &Path, rest: &Path) -> PathBuf {
    if rest.as_os_str().is_empty() { to.to_owned() } else { to.join(rest) }
}

fn canonical(field: &'static str, value: &Path) -> Result<(), Error> {
    if path::is_canonical(value) {
        Ok(())
    } else {
        Err(Error::NotCanonical { field, path: value.to_owned() })
    }
}

fn start(settings: &Settings) -> State {
    let mut state = State::default();
    state.begin(Anchor::Root);
    if settings.home.as_deref().is_some_and(|home| pattern::literal(home).is_none()) {
        state.begin(Anchor::Home);
    }
    state
}

/// Reads the names of a path; the last one is of the given kind, the others are directories.
fn walk_into(names: &Names, from: &State, path: &Path, kind: Kind) -> State {
    let mut buffer = fold::Buffer::new();
    let mut parts = path::names(path);
    let mut state = Cow::Borrowed(from);
    let mut next = parts.next();
    while let Some(name) = next {
        next = parts.next();
        let kind = if next.is_some() { Kind::Directory } else { kind };
        let folded = fold::fold(name, &mut buffer);
        state = Cow::Owned(names.step(&state, &folded, kind));
    }
    state.into_owned()
}

fn lint_workspace(settings: &Settings, names: &Names, state: &State, lints: &mut Vec<Lint>) {
    let workspace = settings.workspace.display();
    if pattern::literal(&settings.workspace).is_none() {
        lints.push(Lint::new("workspace_is_root", "the workspace is the root of the file system".to_owned()));
    }
    if settings.home.as_ref() == Some(&settings.workspace) {
        lints.push(Lint::new(
            "workspace_is_home",
            format!("the workspace {workspace} is the whole home directory"),
        ));
    }
    for rule in state.hits().iter().map(|rule| names.rule(*rule)) {
        if matches!(rule.class, Class::Protected | Class::OwnState) {
            let text =
                format!("everything in the workspace {workspace} is refused by the rule `{}`", rule.id);
            lints.push(Lint::new("workspace_is_protected", text));
        }
    }
}

/// Collects rules.
struct Builder {
    names: Names,
    lints: Vec<Lint>,
}

impl Builder {
    fn tables(&mut self) -> Result<(), Error> {
        let tables: [(Class, &[Row]); 4] = [
            (Class::Protected, PROTECTED),
            (Class::Sensitive, SENSITIVE),
            (Class::RunLater, RUN_LATER),
            (Class::Program, PROGRAMS),
        ];
        for (class, rows) in tables {
            for row in rows {
                let rule = self.rule(Rule::of_row(class, row), pattern::parse(row.pattern)?)?;
                for except in row.except {
                    self.except(rule, pattern::parse(except)?)?;
                }
            }
        }
        // Two sensitive rules are about facts, not names.
        for id in [KEY_CONTENT, HARD_LINK_ALIAS] {
            self.rule(Rule::of_entry(Class::Sensitive, id, Level::Confirm), Vec::new())?;
        }
        Ok(())
    }

    /// Adds our own directories, and the way to homes.
    fn own(&mut self, settings: &Settings) -> Result<(), Error> {
        let artifacts = pattern::parse(&format!("./{ARTIFACTS}"))?;
        let own =
            self.rule(Rule::of_entry(Class::OwnState, "own_dir", Level::Deny), pattern::parse(OWN_DIR)?)?;
        self.except(own, artifacts.clone())?;
        self.rule(Rule::of_entry(Class::Artifacts, "artifacts", Level::Deny), artifacts.clone())?;
        for dir in &settings.state_dirs {
            let rule = Rule::of_entry(Class::OwnState, "state_dir", Level::Deny);
            let rule = self.rule(rule, pattern::literal(dir).into_iter().collect())?;
            self.except(rule, artifacts.clone())?;
        }
        for home in HOMES {
            for pattern in pattern::parse(home)? {
                self.names.add_pattern(pattern, Action::EnterHome)?;
            }
        }
        if let Some(pattern) = settings.home.as_deref().and_then(pattern::literal) {
            self.names.add_pattern(pattern, Action::EnterHome)?;
        }
        Ok(())
    }

    /// Adds what the operator wrote.
    fn entries(&mut self, settings: &Settings) -> Result<(), Error> {
        for entry in &settings.protect {
            self.rule(Rule::of_entry(Class::Protected, entry, Level::Deny), pattern::parse(entry)?)?;
        }
        for entry in &settings.deny_write {
            self.rule(Rule::of_entry(Class::WriteDenied, entry, Level::Deny), pattern::parse(entry)?)?;
        }
        self.run_later(settings)?;
        for entry in &settings.open_sensitive {
            self.open(entry, settings.family)?;
        }
        Ok(())
    }

    fn run_later(&mut self, settings: &Settings) -> Result<(), Error> {
        let mut levels = settings.run_later.clone();
        levels.sort();
        // Sorted by entry and then by level: of two levels for one entry the later one is the stricter one.
        for (entry, level) in &levels {
            let mut rules = self.names.find(Class::RunLater, entry);
            if rules.is_empty() {
                let rule = Rule::of_entry(Class::RunLater, entry, *level);
                rules.push(self.rule(rule, pattern::parse(entry)?)?);
            }
            rules.into_iter().for_each(|rule| self.names.set_level(rule, *level));
        }
        for two in levels.windows(2).filter(|two| two[0].0 == two[1].0 && two[0].1 != two[1].1) {
            let text = format!("run_later entry `{}` has two levels; the stricter one holds", two[0].0);
            self.lints.push(Lint::new("run_later_twice", text));
        }
        Ok(())
    }

    fn open(&mut self, entry: &str, family: Family) -> Result<(), Error> {
        let rules = self.names.find(Class::Sensitive, entry);
        if family == Family::Batch {
            let text = format!(
                "open_sensitive entry `{entry}` has no effect: in the batch family a person is always asked"
            );
            self.lints.push(Lint::new("open_without_effect", text));
        }
        if !self.names.find(Class::Protected, entry).is_empty() {
            let text = format!("open_sensitive entry `{entry}` names a protected rule, which nothing opens");
            self.lints.push(Lint::new("open_names_protected", text));
        }
        if rules.is_empty() {
            let patterns = pattern::parse(entry)?;
            if patterns.iter().any(is_broad) {
                let text =
                    format!("open_sensitive entry `{entry}` opens every sensitive file below a whole tree");
                self.lints.push(Lint::new("opens_everything", text));
            }
            self.rule(Rule::of_entry(Class::Opened, entry, Level::Allow), patterns)?;
        }
        rules.into_iter().for_each(|rule| self.names.set_opened(rule));
        Ok(())
    }

    fn rule(&mut self, rule: Rule, patterns: Vec<Pattern>) -> Result<u16, Error> {
        let rule = self.names.add_rule(rule)?;
        for pattern in patterns {
            self.names.add_pattern(pattern, Action::Hit(rule))?;
        }
        Ok(rule)
    }

    fn except(&mut self, rule: u16, patterns: Vec<Pattern>) -> Result<(), Error> {
        patterns.into_iter().try_for_each(|pattern| self.names.add_pattern(pattern, Action::Cancel(rule)))
    }
}

/// Tells whether a pattern matches whole trees by a bare star.
fn is_broad(pattern: &Pattern) -> bool {
    let is_star =
        |part: &Part| matches!(part, Part::Glob(pieces) if pieces.iter().all(|piece| piece.is_empty()));
    match pattern.anchor {
        Anchor::Anywhere | Anchor::Workspace | Anchor::Home => pattern.parts.iter().all(is_star),
        Anchor::Root => pattern.parts.len() == 1,
    }
}
