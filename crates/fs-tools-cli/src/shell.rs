//! What a shell and `man` want to know about the commands, written from the grammar itself.

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context as _;
use clap::ValueEnum;
use clap_complete::Shell as Complete;

use crate::{output, parse};

/// The shells that have a completion script.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Shell {
    /// bash, with bash-completion
    Bash,
    /// zsh; put the script into a directory of $fpath under the name _fs-tools
    Zsh,
    /// fish; put the script into ~/.config/fish/completions
    Fish,
}

/// Prints the completion script.
pub(crate) fn completions(shell: Shell) -> anyhow::Result<ExitCode> {
    let shell = match shell {
        Shell::Bash => Complete::Bash,
        Shell::Zsh => Complete::Zsh,
        Shell::Fish => Complete::Fish,
    };
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut parse::grammar(), "fs-tools", &mut script);
    let mut script = String::from_utf8(script).context("the script is no text")?;
    if shell == Complete::Bash {
        // clap_complete 4.6.12 takes the dash in our name for the start of a command in one half of its names, and not
        // in the other half, so that no command would complete its own arguments.
        script = script.replace("fs__subcmd__tools", "fs__tools");
    }
    output::print(&script)
}

/// Prints the page of the whole program, or writes the pages of all commands into `dir`.
pub(crate) fn man(dir: Option<&Path>) -> anyhow::Result<ExitCode> {
    let page = whole_page()?;
    let Some(dir) = dir else {
        return output::print(&String::from_utf8(page).context("the page is no text")?);
    };
    fs::create_dir_all(dir)
        .and_then(|()| clap_mangen::generate_to(parse::grammar(), dir))
        .and_then(|()| fs::write(dir.join("fs-tools.1"), &page))
        .with_context(|| format!("the pages cannot be written into {}", dir.display()))?;
    Ok(ExitCode::SUCCESS)
}

/// The page of the program itself: its grammar, then what holds for all commands.
fn whole_page() -> std::io::Result<Vec<u8>> {
    let man = clap_mangen::Man::new(parse::grammar());
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    man.render_subcommands_section(&mut page)?;
    section(&mut page, "EXIT STATUS", &EXIT_STATUS);
    section(&mut page, "ENVIRONMENT", &ENVIRONMENT);
    section(&mut page, "FILES", &FILES);
    man.render_version_section(&mut page)?;
    Ok(page)
}

/// `search` and `files` know 0, 1 and 2 alone, as grep does.
const EXIT_STATUS: [(&str, &str); 11] = [
    ("0", "Success."),
    ("1", "A negative answer: no match, differences, a failed check."),
    ("2", "Wrong usage or arguments; any error of search and files."),
    ("3", "Denied by the policy."),
    ("4", "Not found."),
    ("5", "Another failure."),
    ("6", "A conflict: the file exists, has changed, or the place of an edit is ambiguous."),
    ("7", "A confirmation is needed and nobody is there to ask."),
    ("8", "A limit or a time-out."),
    ("70", "A defect of the program."),
    ("130", "Interrupted."),
];

const ENVIRONMENT: [(&str, &str); 6] = [
    ("FS_TOOLS_CONFIG", "The configuration document, where --config does not name one."),
    (
        "XDG_CONFIG_HOME, XDG_STATE_HOME",
        "Where the configuration and the history are, instead of below HOME.",
    ),
    ("FS_TOOLS_TOOL_ENABLED", "Switches the tool TOOL on or off, such as FS_TOOLS_LIST_DIR_ENABLED=false."),
    ("NO_COLOR", "When not empty, no colour unless --color always asks for it."),
    ("TERM", "With the value dumb: no colour, and no line of progress."),
    (
        "AI_AGENT, AGENT, CLAUDECODE, OPENCODE",
        "When set, nobody watches: no colour, no questions, no line of progress.",
    ),
];

const FILES: [(&str, &str); 2] = [
    ("~/.config/fs-tools/config.json", "The configuration. fs-tools config init prints one to start from."),
    ("~/.local/state/fs-tools/", "The recorded versions of changed files."),
];

fn section(page: &mut Vec<u8>, title: &str, rows: &[(&str, &str)]) {
    page.extend(format!(".SH \"{title}\"\n").bytes());
    for (term, text) in rows {
        page.extend(format!(".TP\n\\fB{}\\fR\n{}\n", escaped(term), escaped(text)).bytes());
    }
}

/// Text as roff takes it literally.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\e").replace('-', "\\-")
}
