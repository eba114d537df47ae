//! The decision: every rule says how strict it is, and the strictest one wins.

use std::{cmp::Reverse, path::Path, sync::Arc};

use crate::{
    facts::{Facts, FsMagic, Kind, Object},
    grant::{Grant, Pending, Target},
    op::Op,
    path,
    reason::{Cause, Reason},
    rules::{Class, Rule},
    ruleset::{HARD_LINK_ALIAS, KEY_CONTENT, Ruleset},
    settings::{Family, HardLinks, Level},
    sniff,
};

/// Holds the outcome of a decision, from lax to strict.
///
/// Outcomes of single rules are combined by their maximum, so the order of rules never matters.
#[derive(Debug, PartialEq, Eq)]
#[must_use = "a decision that is not looked at protects nothing"]
pub enum Decision {
    /// Goes ahead.
    Allow(Grant),
    /// Goes ahead when a person agrees; where nobody can be asked it is refused. A walk treats it as [`Decision::Hide`].
    Confirm(Pending),
    /// Is left out of listings, walks and counts; when it was asked for by name it is refused with the reason.
    Hide(Reason),
    /// Is refused.
    Deny(Reason),
}

impl Decision {
    /// Returns why it does not simply go ahead; `None` for [`Decision::Allow`].
    pub fn reason(&self) -> Option<&Reason> {
        match self {
            Decision::Allow(_) => None,
            Decision::Confirm(pending) => Some(pending.reason()),
            Decision::Hide(reason) | Decision::Deny(reason) => Some(reason),
        }
    }

    /// Tells whether the operation may go ahead without asking.
    pub fn is_allow(&self) -> bool {
        matches!(self, Decision::Allow(_))
    }

    /// Returns the grant where nobody can be asked.
    ///
    /// # Errors
    ///
    /// The reason of any other decision.
    pub fn grant(self) -> Result<Grant, Reason> {
        match self {
            Decision::Allow(grant) => Ok(grant),
            Decision::Confirm(pending) => Err(pending.refuse()),
            Decision::Hide(reason) | Decision::Deny(reason) => Err(reason),
        }
    }

    /// Returns the stable name of the outcome: `allow`, `confirm`, `hide` or `deny`.
    pub fn name(&self) -> &'static str {
        match self {
            Decision::Allow(_) => "allow",
            Decision::Confirm(_) => "confirm",
            Decision::Hide(_) => "hide",
            Decision::Deny(_) => "deny",
        }
    }
}

/// Decides whether an operation may touch a path.
///
/// Call it twice: with [`Facts::names`] before the object is touched, and with the facts of the open handle before it
/// is used. The name tables are consulted for the canonical name and for the name that was asked for.
///
/// # Cost
///
/// O(n) in the length of the two paths, and in the size of the allow list for a path outside.
///
/// # Examples
///
/// ```
/// use std::path::Path;
/// use sandbox_policy::{Facts, Op, Ruleset, Settings, decide};
///
/// let rules = Ruleset::new(&Settings::new("/w"))?;
/// let verdict = |op, path| decide(&rules, op, &Facts::names(Path::new(path))).name();
/// assert_eq!(verdict(Op::Read, "/w/src/main.rs"), "allow");
/// assert_eq!(verdict(Op::Edit, "/w/.git/hooks/pre-commit"), "confirm");
/// assert_eq!(verdict(Op::List, "/w/.ssh"), "hide");
/// assert_eq!(verdict(Op::Read, "/etc/passwd"), "deny");
/// # Ok::<(), sandbox_policy::Error>(())
/// ```
pub fn decide(rules: &Ruleset, op: Op, facts: &Facts<'_>) -> Decision {
    if !path::is_canonical(facts.path) {
        return Decision::Deny(rules.reason(op, Cause::NotCanonical, None, false));
    }
    let inside = rules.inside(facts.path);
    let mut verdict = Verdict::default();
    if inside.is_none() && !rules.grants_outside(op, facts.path) {
        verdict.add(Severity::Deny, Cause::OutsideWorkspace, None);
    }
    if op.is_write() && facts.path == rules.workspace() {
        verdict.add(Severity::Deny, Cause::WorkspaceRoot, None);
    }
    let kind = facts.object.map_or(Kind::Unknown, |object| object.kind);
    let opened = by_names(rules, op, facts.path, kind, &mut verdict);
    if let Some(asked) = other_name(rules, facts) {
        by_names(rules, op, &asked, kind, &mut verdict);
    }
    if let Some(object) = &facts.object {
        by_kind(op, object, &mut verdict);
        by_content(rules, op, object, opened, &mut verdict);
        by_links(rules, op, object, &mut verdict);
    }
    let object = facts.object.map(|object| (object.dev, object.ino));
    let target = Target { op, path: facts.path.to_owned(), inside, object, via_symlink: facts.via_symlink };
    verdict.decide(rules, target)
}

/// Returns the name that was asked for, absolute and without `..`, unless it is the canonical one.
fn other_name(rules: &Ruleset, facts: &Facts<'_>) -> Option<std::path::PathBuf> {
    let is_same = |asked: &Path| {
        asked.as_os_str() == facts.path.as_os_str()
            || path::below(facts.path, rules.workspace())
                .is_some_and(|below| below.as_os_str() == asked.as_os_str())
    };
    if is_same(facts.asked) {
        return None;
    }
    let asked = path::lexical(&rules.workspace().join(facts.asked));
    (asked.as_os_str() != facts.path.as_os_str()).then_some(asked)
}

/// Consults the name tables; tells whether the operator opened the name.
fn by_names<'r>(rules: &'r Ruleset, op: Op, path: &Path, kind: Kind, verdict: &mut Verdict<'r>) -> bool {
    let state = rules.read_names(path, kind);
    let hits = || state.hits().iter().map(|rule| rules.names.rule(*rule));
    let opened = hits().any(Rule::opens);
    for rule in hits() {
        if let Some((severity, cause)) = by_rule(rules.family, op, rule, opened) {
            verdict.add(severity, cause, Some(&rule.id));
        }
    }
    opened
}

fn by_rule(family: Family, op: Op, rule: &Rule, opened: bool) -> Option<(Severity, Cause)> {
    let refused = if op.is_look() { Severity::Hide } else { Severity::Deny };
    match rule.class {
        Class::Protected => Some((refused, Cause::Protected)),
        Class::OwnState => Some((refused, Cause::OwnState)),
        Class::Artifacts if op.is_write() => Some((Severity::Deny, Cause::OwnState)),
        Class::Artifacts if op == Op::Search => Some((Severity::Hide, Cause::Artifacts)),
        Class::Artifacts | Class::Opened => None,
        Class::Sensitive => sensitive(family, op, opened),
        Class::WriteDenied => op.is_write().then_some((Severity::Deny, Cause::WriteDenied)),
        Class::RunLater if !op.is_write() => None,
        Class::RunLater => match rule.level {
            Level::Allow => None,
            Level::Notice => Some((Severity::Notice, Cause::RunLater)),
            Level::Confirm => Some((Severity::Confirm, Cause::RunLater)),
            Level::Deny => Some((Severity::Deny, Cause::RunLater)),
        },
        Class::Program => (op == Op::Open).then_some((Severity::Confirm, Cause::WouldExecute)),
    }
}

fn sensitive(family: Family, op: Op, opened: bool) -> Option<(Severity, Cause)> {
    let severity = match family {
        Family::Batch => Severity::Confirm,
        Family::Classic if opened => return None,
        Family::Classic if op.is_look() => Severity::Hide,
        Family::Classic => Severity::Deny,
    };
    Some((severity, Cause::Sensitive))
}

fn by_kind(op: Op, object: &Object<'_>, verdict: &mut Verdict<'_>) {
    if matches!(object.fs, FsMagic::Proc | FsMagic::Sys | FsMagic::Debug) {
        verdict.add(Severity::Deny, Cause::PseudoFileSystem, None);
    }
    let cause = match (op, object.kind) {
        (Op::Stat, _) | (Op::List, Kind::Directory) => None,
        (Op::List, _) => Some(Cause::NotADirectory),
        (_, Kind::File) | (Op::Search | Op::Open, Kind::Directory) => None,
        (_, Kind::Directory) => Some(Cause::IsADirectory),
        _ => Some(Cause::NotARegularFile),
    };
    if let Some(cause) = cause {
        verdict.add(Severity::Deny, cause, None);
    }
    if op == Op::Open && object.kind == Kind::File && object.mode & 0o111 != 0 {
        verdict.add(Severity::Confirm, Cause::WouldExecute, None);
    }
}

/// A secret is one under any name.
fn by_content<'r>(rules: &'r Ruleset, op: Op, object: &Object<'_>, opened: bool, verdict: &mut Verdict<'r>) {
    let mut guard = |id| {
        let rule = rules.names.find(Class::Sensitive, id).first().map(|rule| rules.names.rule(*rule));
        let is_open = opened || rule.is_some_and(|rule| rule.opened);
        if let Some((severity, cause)) = sensitive(rules.family, op, is_open) {
            verdict.add(severity, cause, rule.map(|rule| &rule.id));
        }
    };
    if object.alias_of_sensitive {
        guard(HARD_LINK_ALIAS);
    }
    if object.head.is_some_and(sniff::is_private_key) {
        guard(KEY_CONTENT);
    }
}

fn by_links(rules: &Ruleset, op: Op, object: &Object<'_>, verdict: &mut Verdict<'_>) {
    let has_other_names = object.kind == Kind::File && object.nlink > 1;
    if op == Op::Append && has_other_names && rules.append_to_hard_links == HardLinks::Refuse {
        verdict.add(Severity::Deny, Cause::HardLink, None);
    }
}

/// How strict one rule is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Severity {
    #[default]
    Allow,
    Notice,
    Confirm,
    Hide,
    Deny,
}

/// The strictest thing said so far.
///
/// Of two causes that are equally strict, the one that is declared first is told, and of two rules the one whose id
/// sorts first: which one is met first makes no difference.
#[derive(Default)]
struct Verdict<'r> {
    severity: Severity,
    said: Option<(Cause, Option<&'r Arc<str>>)>,
}

impl<'r> Verdict<'r> {
    fn add(&mut self, severity: Severity, cause: Cause, rule: Option<&'r Arc<str>>) {
        let key = (severity, Reverse(Some((cause, rule))));
        if self.said.is_none() || key > (self.severity, Reverse(self.said)) {
            self.severity = severity;
            self.said = Some((cause, rule));
        }
    }

    fn decide(self, rules: &Ruleset, target: Target) -> Decision {
        let Some((cause, rule)) = self.said else { return Decision::Allow(Grant::new(target, None)) };
        let reason = rules.reason(target.op, cause, rule.cloned(), self.severity == Severity::Confirm);
        match self.severity {
            Severity::Allow => Decision::Allow(Grant::new(target, None)),
            Severity::Notice => Decision::Allow(Grant::new(target, Some(reason))),
            Severity::Confirm => Decision::Confirm(Pending::new(target, reason)),
            Severity::Hide => Decision::Hide(reason),
            Severity::Deny => Decision::Deny(reason),
        }
    }
}
