//! All name patterns in one automaton that reads a path component by component.

use std::sync::Arc;

use crate::{
    error::Error,
    facts::Kind,
    index::{Index, Probe},
    pattern::{Anchor, Part, Pattern},
    rules::{Class, Rule},
    settings::Level,
};

/// Rules and patterns are numbered with 16 bits.
pub(crate) const MAX_PATTERNS: usize = 60_000;

/// Names what happens when the last component of a pattern was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// The rule holds from here on down.
    Hit(u16),
    /// The rule does not hold here and below after all.
    Cancel(u16),
    /// What follows is relative to a home directory.
    EnterHome,
}

#[derive(Debug)]
struct Entry {
    parts: Box<[Part]>,
    action: Action,
}

/// The rules and the patterns that lead to them.
#[derive(Debug, Default)]
pub(crate) struct Names {
    rules: Vec<Rule>,
    entries: Vec<Entry>,
    /// Which patterns can begin with a given name, by their anchor.
    first: [Index; ANCHORS],
    /// The same, of the patterns that hide an entry by its name alone.
    hiding: [Index; ANCHORS],
}

/// The anchors in the order of their indexes; the first one always applies, the others in some directories.
const ANCHORS: usize = 4;

const fn slot(anchor: Anchor) -> usize {
    match anchor {
        Anchor::Anywhere => 0,
        Anchor::Root => 1,
        Anchor::Home => 2,
        Anchor::Workspace => 3,
    }
}

/// What is known after some components.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct State {
    /// Patterns that have begun, with the position of the component they want next.
    active: Vec<(u16, u16)>,
    /// Rules that hold, each once.
    hits: Vec<u16>,
    /// Which anchored patterns begin here, one bit per anchor.
    begins: u8,
}

impl State {
    pub(crate) fn hits(&self) -> &[u16] {
        &self.hits
    }

    /// Forgets the hits for which `keep` answers false.
    pub(crate) fn retain_hits(&mut self, keep: impl FnMut(&u16) -> bool) {
        self.hits.retain(keep);
    }

    /// Lets what follows be relative to an anchor.
    pub(crate) fn begin(&mut self, anchor: Anchor) {
        self.begins |= 1 << slot(anchor);
    }

    fn indexes<'i>(&self, indexes: &'i [Index; ANCHORS]) -> impl Iterator<Item = &'i Index> + use<'i> {
        let begins = self.begins | 1 << slot(Anchor::Anywhere);
        indexes.iter().enumerate().filter(move |(slot, _)| begins >> slot & 1 == 1).map(|(_, index)| index)
    }
}

impl Names {
    /// Adds a rule without patterns.
    pub(crate) fn add_rule(&mut self, rule: Rule) -> Result<u16, Error> {
        if self.rules.len() >= MAX_PATTERNS {
            return Err(Error::TooManyRules { max: MAX_PATTERNS });
        }
        self.rules.push(rule);
        Ok((self.rules.len() - 1) as u16)
    }

    pub(crate) fn add_pattern(&mut self, pattern: Pattern, action: Action) -> Result<(), Error> {
        let Some(first) = pattern.parts.first().filter(|_| self.entries.len() < MAX_PATTERNS) else {
            return Err(Error::TooManyRules { max: MAX_PATTERNS });
        };
        let id = self.entries.len() as u16;
        let slot = slot(pattern.anchor);
        self.first[slot].insert(first, id);
        if pattern.parts.len() == 1
            && matches!(action, Action::Hit(rule) if self.rule(rule).class.is_hidden())
        {
            self.hiding[slot].insert(first, id);
        }
        self.entries.push(Entry { parts: pattern.parts.into(), action });
        Ok(())
    }

    pub(crate) fn rules(&self) -> &[Rule] {
        &self.rules
    }

    pub(crate) fn rule(&self, id: u16) -> &Rule {
        &self.rules[usize::from(id)]
    }

    /// Finds the rules of a class by their id or by the pattern they were written with.
    pub(crate) fn find(&self, class: Class, entry: &str) -> Vec<u16> {
        let matches = |rule: &Rule| rule.class == class && (*rule.id == *entry || *rule.pattern == *entry);
        (0..self.rules.len()).filter(|id| matches(&self.rules[*id])).map(|id| id as u16).collect()
    }

    pub(crate) fn set_level(&mut self, id: u16, level: Level) {
        self.rules[usize::from(id)].level = level;
    }

    pub(crate) fn set_opened(&mut self, id: u16) {
        self.rules[usize::from(id)].opened = true;
    }

    /// Reads one folded component.
    ///
    /// # Cost
    ///
    /// O(n) for a name of n bytes; allocates only when a pattern begins, goes on or holds.
    pub(crate) fn step(&self, state: &State, name: &[u8], kind: Kind) -> State {
        let mut next = State { hits: state.hits.clone(), ..State::default() };
        let mut cancelled = Vec::new();
        let mut consider = |id: u16, at: u16| {
            let entry = &self.entries[usize::from(id)];
            if !entry.parts[usize::from(at)].matches(name) {
                return;
            }
            if usize::from(at) + 1 < entry.parts.len() {
                next.active.push((id, at + 1));
                return;
            }
            match entry.action {
                Action::Hit(rule) if self.rule(rule).files_only && kind == Kind::Directory => {}
                Action::Hit(rule) if next.hits.contains(&rule) => {}
                Action::Hit(rule) => next.hits.push(rule),
                Action::Cancel(rule) => cancelled.push(rule),
                Action::EnterHome => next.begin(Anchor::Home),
            }
        };
        for (id, at) in &state.active {
            consider(*id, *at);
        }
        let probe = Probe::of(name);
        for index in state.indexes(&self.first) {
            index.candidates(probe, |id| consider(id, 0));
        }
        if !cancelled.is_empty() {
            next.hits.retain(|rule| !cancelled.contains(rule));
        }
        next
    }

    /// Tells whether an entry may be hidden by its name; `name` is ASCII and trimmed, but need not be folded.
    ///
    /// This is the quick look of a walk: now and then yes for nothing, never no for something.
    pub(crate) fn may_hide(&self, state: &State, name: &[u8]) -> bool {
        let probe = Probe::of(name);
        !state.active.is_empty() || state.indexes(&self.hiding).any(|index| index.may_match(probe))
    }

    /// Tells whether a rule that hides begins to hold with this folded name, not counting exceptions.
    pub(crate) fn hides(&self, state: &State, name: &[u8]) -> bool {
        let goes_on = |(id, at): &(u16, u16)| {
            let entry = &self.entries[usize::from(*id)];
            let is_last = usize::from(*at) + 1 == entry.parts.len();
            let hides = matches!(entry.action, Action::Hit(rule) if self.rule(rule).class.is_hidden());
            is_last && hides && entry.parts[usize::from(*at)].matches(name)
        };
        if state.active.iter().any(goes_on) {
            return true;
        }
        let probe = Probe::of(name);
        let mut found = false;
        for index in state.indexes(&self.hiding) {
            index.candidates(probe, |id| found |= self.entries[usize::from(id)].parts[0].matches(name));
        }
        found
    }
}

/// Makes the id of a rule that an operator added.
pub(crate) fn entry_id(entry: &str) -> Arc<str> {
    entry.chars().take(200).collect::<String>().into()
}
