//! Properties of `sandbox-policy`.

use std::path::{Path, PathBuf};

use sandbox_policy::{
    ARTIFACTS, AllowList, Decision, Facts, Family, Kind, Level, Object, Op, RequestPath, Ruleset, Settings,
    decide, escape, lexical, unescape, windows_issue,
};

/// The fuzz targets of this crate, by the name of their file.
pub const TARGETS: &[(&str, fn(&[u8]))] = &[
    ("sandbox_policy_decide", decisions_follow_the_laws),
    ("sandbox_policy_allow_list", allow_list_is_the_naive_loop),
    ("sandbox_policy_escape", escaped_names_come_back),
];

/// Takes small choices out of the bytes; when they run out, every choice is the first one.
struct Choices<'d>(&'d [u8]);

impl Choices<'_> {
    fn byte(&mut self) -> u8 {
        match self.0.split_first() {
            Some((first, rest)) => {
                self.0 = rest;
                *first
            }
            None => 0,
        }
    }

    fn flag(&mut self) -> bool {
        self.byte() & 1 == 1
    }

    fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[usize::from(self.byte()) % of.len()]
    }

    fn some<T: Copy>(&mut self, of: &[T], at_most: u8) -> Vec<T> {
        let count = self.byte() % (at_most + 1);
        (0..count).map(|_| self.one(of)).collect()
    }
}

/// Names that rules are about, names that look like them, and plain ones.
const NAMES: &[&str] = &[
    "a",
    "src",
    "main.rs",
    ".env",
    ".ENV",
    ".env.local",
    ".env.example",
    ".ssh",
    ".SSH",
    "id_rsa",
    "x.pem",
    "x.key",
    ".aws",
    "credentials",
    ".git",
    "hooks",
    "config",
    ".config",
    "gh",
    "hosts.yml",
    ".npmrc",
    "sessions",
    ".fs-tools",
    "artifacts",
    "etc",
    "shadow",
    "proc",
    "self",
    "dev",
    "shm",
    "home",
    "u",
    "w",
    "x",
    "Library",
    "Safari",
    ".local",
    "bin",
    ".vscode",
    "tasks.json",
    "AGENTS.md",
    "a b",
    "\u{e9}",
    "e\u{301}",
    ".\u{17f}sh",
    "environment.ts",
    "opt",
    "data",
    "data-evil",
    ".env ",
    "...",
    "~",
    "x.tfstate",
    "x.desktop",
    ".docker",
];

const PATTERNS: &[&str] = &[
    "^/opt/data",
    "/opt/data/.*",
    ".*",
    "^/home/u",
    "/opt/(a|x)",
    "/x",
    "(?i)/OPT",
    "^/a|/b$",
    "/etc/.*",
    "data",
];

const ENTRIES: &[&str] = &[
    ".env",
    "a",
    "./src",
    "~/x",
    "/opt/data",
    "*.rs",
    "src/main.rs",
    "{u,w}",
    "env_file",
    "pem",
    "x*",
    "hooks",
    ".git",
];

const WORKSPACES: &[&str] =
    &["/w", "/home/u", "/home/u/.config", "/", "/opt/data", "/w/.git/x", "/dev/shm/w"];

fn settings(choices: &mut Choices<'_>) -> Settings {
    let mut settings = Settings::new(choices.one(WORKSPACES));
    let owned = |some: Vec<&str>| some.into_iter().map(String::from).collect::<Vec<_>>();
    settings.restrict_to_workspace = !choices.flag();
    settings.allow_read_outside_workspace = choices.flag();
    settings.home = choices.flag().then(|| "/home/u".into());
    settings.family = choices.one(&[Family::Classic, Family::Batch]);
    settings.allow_read_paths = owned(choices.some(PATTERNS, 3));
    settings.allow_write_paths = owned(choices.some(PATTERNS, 3));
    settings.open_sensitive = owned(choices.some(ENTRIES, 3));
    settings.protect = owned(choices.some(ENTRIES, 2));
    settings.deny_write.extend(owned(choices.some(ENTRIES, 2)));
    let levels = [Level::Allow, Level::Notice, Level::Confirm, Level::Deny];
    settings.run_later =
        owned(choices.some(ENTRIES, 3)).into_iter().map(|e| (e, choices.one(&levels))).collect();
    settings.state_dirs =
        choices.some(&["/home/u/x", "/w/x", "/opt"], 2).into_iter().map(PathBuf::from).collect();
    settings
}

/// Makes a canonical absolute path, in the workspace more often than not.
fn path(choices: &mut Choices<'_>, workspace: &Path) -> PathBuf {
    let mut path = if choices.byte().is_multiple_of(3) { PathBuf::from("/") } else { workspace.to_owned() };
    path.extend(choices.some(NAMES, 5));
    path
}

fn object(choices: &mut Choices<'_>) -> Option<Object<'static>> {
    let kinds = [Kind::File, Kind::Directory, Kind::Fifo, Kind::CharDevice, Kind::Symlink, Kind::Unknown];
    choices.flag().then(|| Object {
        kind: choices.one(&kinds),
        nlink: u64::from(choices.byte() % 3),
        mode: choices.one(&[0o644, 0o755]),
        alias_of_sensitive: choices.byte() == 1,
        ..Object::file(1, 2)
    })
}

/// A case: some settings, and something that is asked for.
struct Case {
    settings: Settings,
    op: Op,
    path: PathBuf,
    asked: PathBuf,
    object: Option<Object<'static>>,
}

impl Case {
    fn of(data: &[u8]) -> Case {
        let mut choices = Choices(data);
        let settings = settings(&mut choices);
        let op = choices.one(&Op::ALL);
        let path_asked = path(&mut choices, &settings.workspace);
        let asked = if choices.byte().is_multiple_of(4) {
            path(&mut choices, &settings.workspace)
        } else {
            path_asked.clone()
        };
        let object = object(&mut choices);
        Case { settings, op, path: path_asked, asked, object }
    }

    fn facts(&self) -> Facts<'_> {
        Facts {
            asked: &self.asked,
            path: &self.path,
            via_symlink: self.asked != self.path,
            object: self.object,
        }
    }

    fn decide(&self, rules: &Ruleset) -> Decision {
        decide(rules, self.op, &self.facts())
    }
}

fn compile(settings: &Settings) -> Ruleset {
    Ruleset::new(settings).expect("every choice of settings is valid")
}

/// How strict a decision is.
fn severity(decision: &Decision) -> u8 {
    match decision {
        Decision::Allow(_) => 0,
        Decision::Confirm(_) => 1,
        Decision::Hide(_) => 2,
        Decision::Deny(_) => 3,
    }
}

/// The order in which an operator writes entries never changes a decision or its reason.
pub fn rule_order_never_matters(data: &[u8]) {
    let case = Case::of(data);
    let mut other = case.settings.clone();
    other.allow_read_paths.reverse();
    other.allow_write_paths.reverse();
    other.open_sensitive.reverse();
    other.protect.reverse();
    other.deny_write.reverse();
    other.run_later.reverse();
    other.state_dirs.reverse();
    let (one, two) = (compile(&case.settings), compile(&other));
    assert_eq!(case.decide(&one), case.decide(&two), "{:?}", case.settings);
    if let (Some(dir), Some(name)) = (case.path.parent(), case.path.file_name()) {
        assert_eq!(one.enter(dir).shows(name, Kind::File), two.enter(dir).shows(name, Kind::File));
    }
}

/// Adding a protected name never turns a decision into a laxer one and never shows anything.
pub fn protecting_never_widens(data: &[u8]) {
    let case = Case::of(data);
    let mut choices = Choices(data.get(data.len() / 2..).unwrap_or(&[]));
    let mut stricter = case.settings.clone();
    stricter.protect.push(choices.one(ENTRIES).to_owned());
    let (before, after) = (compile(&case.settings), compile(&stricter));
    let (was, is) = (case.decide(&before), case.decide(&after));
    assert!(
        severity(&is) >= severity(&was),
        "{was:?} became {is:?} by protecting {:?}",
        stricter.protect.last()
    );
    if let (Some(dir), Some(name)) = (case.path.parent(), case.path.file_name()) {
        let shows = |rules: &Ruleset| rules.enter(dir).shows(name, Kind::File);
        assert!(shows(&before) || !shows(&after));
    }
}

/// What is allowed lies inside or was granted, is not plainly protected, and could be looked up.
pub fn allow_implies_granted(data: &[u8]) {
    let case = Case::of(data);
    let rules = compile(&case.settings);
    let decision = case.decide(&rules);
    let grant = match decision {
        Decision::Allow(grant) => grant,
        Decision::Confirm(pending) => pending.answer(sandbox_policy::Answer::Yes).expect("yes is a grant"),
        Decision::Hide(_) | Decision::Deny(_) => return,
    };
    let s = &case.settings;
    assert_eq!((grant.op(), grant.path()), (case.op, case.path.as_path()));
    assert_eq!(grant.object(), case.object.map(|object| (object.dev, object.ino)));
    let inside = case.path.starts_with(&s.workspace);
    let reads_anywhere = s.allow_read_outside_workspace && !case.op.is_write() && case.op != Op::Open;
    let list = if case.op.is_write() { &s.allow_write_paths } else { &s.allow_read_paths };
    let listed = list.iter().any(|pattern| is_granted_naively(pattern, &case.path) == Some(true));
    assert!(inside || !s.restrict_to_workspace || reads_anywhere || listed, "{:?} {:?}", s, case.path);
    assert!(rules.may_leave(case.op, &case.path));
    let relative = case.path.strip_prefix(&s.workspace).unwrap_or(&case.path);
    let is_secret =
        |name: &std::ffi::OsStr| name.eq_ignore_ascii_case(".ssh") || name.eq_ignore_ascii_case(".aws");
    assert!(!relative.iter().any(is_secret), "{:?}", case.path);
    if case.op.is_write() {
        assert_ne!(case.path, s.workspace);
        assert!(!case.path.starts_with(s.workspace.join(".fs-tools")));
    }
}

/// A walk shows exactly what a look at the entry would be allowed, but for the artifacts, which are only readable.
pub fn walks_agree_with_decisions(data: &[u8]) {
    let case = Case::of(data);
    let rules = compile(&case.settings);
    let (Some(dir), Some(name)) = (case.path.parent(), case.path.file_name()) else { return };
    let shown = rules.enter(dir).shows(name, Kind::File);
    let stat = decide(&rules, Op::Stat, &Facts::names(&case.path));
    let is_artifact = case.path.starts_with(case.settings.workspace.join(ARTIFACTS));
    match &stat {
        Decision::Allow(_) => assert!(shown || is_artifact, "{:?} is not shown", case.path),
        Decision::Deny(reason) => assert_eq!(reason.code(), "outside_workspace"),
        Decision::Confirm(_) | Decision::Hide(_) => assert!(!shown, "{:?} is shown", case.path),
    }
    let Ok(relative) = dir.strip_prefix(&case.settings.workspace) else { return };
    let down = relative.iter().fold(rules.enter(&case.settings.workspace), |rules, name| rules.enter(name));
    assert_eq!(down.shows(name, Kind::File), shown);
}

/// `./`, `//` and a slash at the end never change what is decided.
pub fn spelling_never_matters(data: &[u8]) {
    let case = Case::of(data);
    let rules = compile(&case.settings);
    let mut choices = Choices(data.get(data.len() / 3..).unwrap_or(&[]));
    let plain = escape(&case.path).into_owned();
    let mut spelt = String::new();
    for c in plain.chars() {
        spelt.push(c);
        if c == '/' {
            spelt.push_str(choices.one(&["", "/", "./", ".//./", "././"]));
        }
    }
    if spelt != "/" {
        spelt.push_str(choices.one(&["", "/", "/.", "//"]));
    }
    let (one, two) = (RequestPath::parse(&plain), RequestPath::parse(&spelt));
    let (Ok(one), Ok(two)) = (one, two) else { return };
    assert_eq!(one.as_path().as_os_str(), two.as_path().as_os_str(), "{spelt}");
    let decided = |path: &RequestPath| {
        decide(
            &rules,
            case.op,
            &Facts { asked: path.as_path(), object: case.object, ..Facts::names(path.as_path()) },
        )
    };
    assert_eq!(decided(&one), decided(&two));
    assert_eq!(
        rules.may_leave(case.op, Path::new(&plain)),
        rules.may_leave(case.op, Path::new(&spelt)),
        "{spelt}"
    );
}

/// All laws about decisions, for the fuzzer.
pub fn decisions_follow_the_laws(data: &[u8]) {
    let Some((law, rest)) = data.split_first() else { return };
    match law % 5 {
        0 => rule_order_never_matters(rest),
        1 => protecting_never_widens(rest),
        2 => allow_implies_granted(rest),
        3 => walks_agree_with_decisions(rest),
        _ => spelling_never_matters(rest),
    }
}

/// Decides by trying every spelling of every ancestor with the plain regex engine; `None` if the engine refuses.
fn is_granted_naively(pattern: &str, path: &Path) -> Option<bool> {
    let regex =
        regex::bytes::RegexBuilder::new(&format!(r"\A(?:{pattern})\z")).nest_limit(110).build().ok()?;
    let mut granted = false;
    for ancestor in path.ancestors() {
        let mut text = ancestor.as_os_str().as_encoded_bytes().to_vec();
        granted |= regex.is_match(&text);
        if text != b"/" {
            text.push(b'/');
        }
        granted |= regex.is_match(&text);
    }
    Some(granted)
}

/// An allow list grants exactly what the slow loop over all ancestors grants. The input is a pattern, a line end, a path.
pub fn allow_list_is_the_naive_loop(data: &[u8]) {
    let at = data.iter().position(|byte| *byte == b'\n').unwrap_or(data.len());
    let (pattern, rest) = data.split_at(at);
    let Ok(pattern) = std::str::from_utf8(pattern) else { return };
    let Ok((list, _)) = AllowList::new(&[pattern], "allow_read_paths") else { return };
    let Ok(tail) = os_path(rest.get(1..).unwrap_or(&[])) else { return };
    let path = lexical(&Path::new("/").join(tail));
    let Some(expected) = is_granted_naively(pattern, &path) else { return };
    assert_eq!(list.grants(&path), expected, "{pattern:?} on {path:?}");
    if let Some(root) = sandbox_policy::literal_root(pattern) {
        assert!(root.is_absolute(), "{root:?}");
    }
}

/// A shown name is the name: it comes back, it hides nothing, and it is one line.
pub fn escaped_names_come_back(data: &[u8]) {
    if let Ok(path) = os_path(data) {
        let shown = escape(&path);
        assert_eq!(unescape(&shown), path, "{shown}");
        assert!(
            !shown
                .chars()
                .any(|c| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{202e}' | '\u{200b}'))
        );
        let parsed = |path: Result<RequestPath, _>| path.map(|path| path.as_path().to_owned());
        assert_eq!(parsed(RequestPath::parse(&shown)), parsed(RequestPath::from_os(path.as_os_str())));
    }
    if let Ok(text) = std::str::from_utf8(data) {
        let path = unescape(text);
        assert_eq!(unescape(&escape(&path)), path);
        let steps = |bytes: &[u8]| bytes.iter().filter(|byte| matches!(byte, b'/' | b'.')).count();
        assert_eq!(
            steps(path.as_os_str().as_encoded_bytes()),
            steps(text.as_bytes()),
            "{text:?} smuggles a step"
        );
        if let Ok(request) = RequestPath::parse(text) {
            let again = RequestPath::from_os(request.as_path().as_os_str()).unwrap();
            assert_eq!(again.as_path(), request.as_path());
        }
        if !text.is_empty() && !text.starts_with(['/', '\\']) && !text.contains(':') {
            assert_eq!(windows_issue(&format!("a/{text}")), windows_issue(text), "{text:?}");
        }
    }
}

#[cfg(unix)]
fn os_path(bytes: &[u8]) -> Result<PathBuf, ()> {
    use std::os::unix::ffi::OsStrExt;
    Ok(std::ffi::OsStr::from_bytes(bytes).into())
}

#[cfg(not(unix))]
fn os_path(bytes: &[u8]) -> Result<PathBuf, ()> {
    std::str::from_utf8(bytes).map(PathBuf::from).map_err(|_| ())
}
