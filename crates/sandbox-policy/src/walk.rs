//! What a listing or a walk may show, decided name by name.

use std::{ffi::OsStr, path::Path};

use crate::{
    facts::Kind,
    fold,
    names::State,
    rules::{Class, Rule},
    ruleset::Ruleset,
    settings::Family,
};

impl Ruleset {
    /// Begins a listing or a walk in a directory, given by its canonical absolute path or relative to the workspace.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::path::Path;
    /// use sandbox_policy::{Kind, Ruleset, Settings};
    ///
    /// let rules = Ruleset::new(&Settings::new("/w"))?;
    /// let src = rules.enter(Path::new("src"));
    /// assert!(src.shows("main.rs".as_ref(), Kind::File));
    /// assert!(!src.shows(".env".as_ref(), Kind::File));
    /// # Ok::<(), sandbox_policy::Error>(())
    /// ```
    pub fn enter(&self, dir: &Path) -> DirRules<'_> {
        let state = if dir.is_absolute() {
            self.read_names(dir, Kind::Directory)
        } else {
            self.read_names(&self.workspace().join(dir), Kind::Directory)
        };
        DirRules::new(self, state)
    }
}

/// Holds what the rules say about the entries of one directory.
#[derive(Clone, Debug)]
pub struct DirRules<'r> {
    rules: &'r Ruleset,
    state: State,
    /// Whether the names so far need a closer look: something already matched.
    touched: bool,
    hidden: bool,
}

impl<'r> DirRules<'r> {
    fn new(rules: &'r Ruleset, state: State) -> DirRules<'r> {
        let touched = state.hits().iter().any(|rule| rules.names.rule(*rule).class.is_hidden());
        let hidden = touched && is_hidden(rules, &state);
        DirRules { rules, state, touched, hidden }
    }

    /// Tells whether an entry of the directory may be shown, counted and descended into.
    ///
    /// `kind` is the type of the entry itself; links are not followed. Entries that are protected, sensitive (unless
    /// the operator opened them) or ours are not shown.
    ///
    /// # Cost
    ///
    /// O(n) for a name of n bytes; no allocation for an ASCII name of up to 255 bytes that no rule matches.
    pub fn shows(&self, name: &OsStr, kind: Kind) -> bool {
        let raw = fold::trimmed(name.as_encoded_bytes());
        let names = &self.rules.names;
        if !self.touched && raw.is_ascii() && !names.may_hide(&self.state, raw) {
            return true;
        }
        let mut buffer = fold::Buffer::new();
        let folded = fold::fold(raw, &mut buffer);
        if !self.touched && !names.hides(&self.state, &folded) {
            return true;
        }
        // Something matches: now exceptions, what the operator opened and the kind count as well.
        !is_hidden(self.rules, &names.step(&self.state, &folded, kind))
    }

    /// Goes down into a directory.
    pub fn enter(&self, name: &OsStr) -> DirRules<'r> {
        let mut buffer = fold::Buffer::new();
        let folded = fold::fold(name.as_encoded_bytes(), &mut buffer);
        DirRules::new(self.rules, self.rules.names.step(&self.state, &folded, Kind::Directory))
    }

    /// Tells whether the directory itself is one that is not shown; a walk that was sent here is refused by
    /// [`crate::decide()`].
    pub fn is_hidden(&self) -> bool {
        self.hidden
    }
}

fn is_hidden(rules: &Ruleset, state: &State) -> bool {
    let hits = || state.hits().iter().map(|rule| rules.names.rule(*rule));
    let opened = rules.family == Family::Classic && hits().any(Rule::opens);
    hits().any(|rule| match rule.class {
        Class::Sensitive => !opened,
        class => class.is_hidden(),
    })
}
