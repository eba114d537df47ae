//! `fs-tools config init`: a configuration to start from, and what makes a client use the tools. It prints, and never
//! writes into a file of anybody else.

mod clients;
mod start;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;
use clap::{Args, builder::PossibleValuesParser};
use fs_tools::{Class, Config, ToolError};
use serde_json::json;

use crate::cli::{Cli, Family};
use crate::config_file;
use crate::output::{self, note};
use clients::{CLIENTS, Client, Launch};

/// Arguments of the command.
#[derive(Debug, Args)]
pub(crate) struct InitArgs {
    /// Client that is to start the server
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(CLIENTS.iter().map(|client| client.name)))]
    client: Option<String>,
    /// Print the snippets of all clients as Markdown
    #[arg(long, conflicts_with_all = ["client", "json", "workspace"], hide = true)]
    markdown: bool,
}

/// Runs the command.
pub(crate) fn run(cli: &Cli, args: &InitArgs) -> anyhow::Result<ExitCode> {
    if args.markdown {
        return output::print(&markdown());
    }
    let Some(client) = args.client.as_deref().and_then(Client::named) else {
        return start(cli);
    };
    let launch = match launch(cli, client)? {
        Ok(launch) => launch,
        Err(error) => return Ok(output::failure(&error, cli.json)),
    };
    let snippet = client.snippet(&launch);
    let add = client.add_command(&launch);
    if cli.json {
        let object = json!({
            "client": client.name, "place": client.place, "format": client.language(), "snippet": snippet,
            "add_command": add, "command": launch.program, "args": launch.args, "check": client.check,
        });
        return output::print(&format!("{object}\n"));
    }
    let status = output::print(&snippet)?;
    note(&format!("fs-tools: for {}: put this into {}", client.title, client.place.replace('`', "")));
    if let Some(add) = add {
        note(&format!("fs-tools: or run: {add}"));
    }
    note(&format!("fs-tools: then: {}", client.check.replace('`', "")));
    Ok(status)
}

/// The configuration of fs-tools itself.
fn start(cli: &Cli) -> anyhow::Result<ExitCode> {
    let workspace = cli.workspace.as_deref().map(std::path::absolute).transpose()?;
    if let Some(path) = workspace.as_deref().filter(|path| path.to_str().is_none()) {
        return Ok(output::failure(&no_text(path), cli.json));
    }
    let status = output::print(&format!("{:#}\n", start::document(workspace.as_deref())))?;
    if let (false, Some(place)) = (cli.json, config_file::default_place(config_file::home().as_deref())) {
        note(&format!("fs-tools: put this into {}, or name it with --config FILE", place.display()));
    }
    Ok(status)
}

/// The command line that a client is to run: this very program, so that it is found without a search path.
fn launch(cli: &Cli, client: &Client) -> anyhow::Result<Result<Launch, ToolError>> {
    let working_dir = std::env::current_dir().context("the working directory cannot be determined")?;
    let (workspace, _) = config_file::workspace(cli, &Config::default())?;
    let workspace = std::path::absolute(workspace)?;
    if !workspace.is_dir() {
        let error =
            ToolError::new(Class::NotFound, "not_found", "the workspace is not an existing directory");
        return Ok(Err(error
            .at(workspace.display().to_string())
            .hint("name the project's directory with --workspace DIR")));
    }
    let program = std::env::current_exe().ok().filter(|path| path.is_file());
    let program = program.unwrap_or_else(|| PathBuf::from("fs-tools"));
    let mut words = vec![PathBuf::from("--workspace"), workspace];
    if let Some(config) = &cli.config {
        words.extend(["--config".into(), working_dir.join(config)]);
    }
    words.extend(cli.toolset.map(Family::words).unwrap_or_default().into_iter().map(PathBuf::from));
    words.push("mcp".into());
    Ok(texts(program, words, client))
}

fn texts(program: PathBuf, words: Vec<PathBuf>, client: &Client) -> Result<Launch, ToolError> {
    let text = |path: PathBuf| match path.to_str() {
        None => Err(no_text(&path)),
        Some(word) if word.chars().any(char::is_control) => {
            Err(unusable(&path, "it has a control character in it"))
        }
        Some(word) => match client.expands.iter().find(|mark| word.contains(**mark)) {
            Some(mark) => {
                Err(unusable(&path, &format!("{} puts something else in the place of {mark}", client.title)))
            }
            None => Ok(word.to_owned()),
        },
    };
    Ok(Launch { program: text(program)?, args: words.into_iter().map(text).collect::<Result<_, _>>()? })
}

fn no_text(path: &Path) -> ToolError {
    unusable(path, "it is not UTF-8")
}

fn unusable(path: &Path, why: &str) -> ToolError {
    ToolError::new(
        Class::Usage,
        "unusable_path",
        format!("the path cannot be written into a configuration: {why}"),
    )
    .at(fs_tools::show_path(path))
    .hint("use a path without it, such as a symbolic link")
}

/// The part of docs/clients.md that comes from the table.
fn markdown() -> String {
    let launch = Launch {
        program: "fs-tools".into(),
        args: ["--workspace", "/path/to/project", "mcp"].map(str::to_owned).to_vec(),
    };
    let mut text = String::new();
    for client in &CLIENTS {
        text.push_str(&format!(
            "### {}\n\n`fs-tools config init --client {}` prints this for {}:\n\n```{}\n{}```\n\n",
            client.title,
            client.name,
            client.place,
            client.language(),
            client.snippet(&launch)
        ));
        if let Some(add) = client.add_command(&launch) {
            text.push_str(&format!("The client's own command for it:\n\n```sh\n{add}\n```\n\n"));
        }
        if let Some(folder) = client.folder {
            text.push_str(&format!(
                "`{folder}` in the place of the path stands for the folder that is open.\n\n"
            ));
        }
        text.push_str(&format!("To see that it works: {}.\n\n", client.check));
    }
    text
}
