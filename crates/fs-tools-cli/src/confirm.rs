//! Questions on the command line: answered by `--confirm PATH`, or by the person at the terminal.

use std::io::{self, BufRead as _, IsTerminal as _, Write as _};

use fs_tools::{Answer, Confirm, Question};

use crate::progress::Line;

/// Asks on the terminal, when there is one and no agent is behind it.
pub(crate) struct Terminal<'a> {
    confirmed: &'a [String],
    line: Option<&'a Line>,
}

/// Variables that agents set for what they start: nobody watches such a terminal.
const AGENT_VARIABLES: [&str; 4] = ["AI_AGENT", "AGENT", "CLAUDECODE", "OPENCODE"];

impl<'a> Terminal<'a> {
    /// Takes the paths that were confirmed in advance, as they stand in the arguments of the call.
    pub(crate) fn new(confirmed: &'a [String]) -> Self {
        Self { confirmed, line: None }
    }

    /// Asks where no progress is shown meanwhile.
    pub(crate) fn beside(self, line: &'a Line) -> Self {
        Self { line: Some(line), ..self }
    }
}

/// Whether an agent started this process, and nobody watches its terminal.
pub(crate) fn is_agent_behind() -> bool {
    AGENT_VARIABLES.iter().any(|name| std::env::var_os(name).is_some())
}

/// Whether a person sits at the terminal, as far as can be told.
pub(crate) fn is_person_present() -> bool {
    !is_agent_behind() && io::stdin().is_terminal() && io::stderr().is_terminal()
}

impl Confirm for Terminal<'_> {
    fn ask(&self, question: &Question) -> Answer {
        if self.confirmed.contains(&question.path) {
            return Answer::Yes;
        }
        if !is_person_present() {
            return Answer::Nobody;
        }
        let _held = self.line.map(Line::hold);
        let mut err = io::stderr().lock();
        if write!(err, "{} [y/N] ", question.text).and_then(|()| err.flush()).is_err() {
            return Answer::Nobody;
        }
        let mut line = String::new();
        match io::stdin().lock().read_line(&mut line) {
            Ok(n) if n > 0 && matches!(line.trim().to_lowercase().as_str(), "y" | "yes") => Answer::Yes,
            _ => Answer::No,
        }
    }
}
