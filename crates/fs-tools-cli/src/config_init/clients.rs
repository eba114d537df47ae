//! The clients that start the server, and what each wants to read in its configuration: one table for the command,
//! the document and the tests.

use serde_json::{Value, json};

/// Name under which a client knows the server.
const SERVER: &str = "fs";
/// Seconds that Goose waits for a call; its default is as long.
const GOOSE_SECONDS: u32 = 300;

/// One client.
#[derive(Debug)]
pub(super) struct Client {
    /// Word on the command line.
    pub(super) name: &'static str,
    /// Name for people.
    pub(super) title: &'static str,
    /// Where the snippet belongs.
    pub(super) place: &'static str,
    /// What the snippet looks like.
    shape: Shape,
    /// Words in front of the server's command line that do the same, where the client has such a command.
    add: Option<&'static [&'static str]>,
    /// Texts that the client replaces by something else, so that no path may contain them.
    pub(super) expands: &'static [&'static str],
    /// What stands for the folder that is open.
    pub(super) folder: Option<&'static str>,
    /// How to see that it works.
    pub(super) check: &'static str,
}

#[derive(Debug, Clone, Copy)]
enum Shape {
    /// `{"mcpServers": {NAME: {"command", "args"}}}`
    McpServers,
    /// The same with `"type": "stdio"`.
    McpServersTyped,
    /// `{"servers": …}` with a type.
    Servers,
    /// `{"context_servers": …}`
    ContextServers,
    /// `{"mcp": {NAME: {"type": "local", "command": [ALL WORDS]}}}`
    OpenCode,
    /// `[mcp_servers.NAME]`
    Codex,
    /// `extensions:`
    Goose,
}

/// The table.
pub(super) const CLIENTS: [Client; 9] = [
    Client {
        name: "claude-code",
        title: "Claude Code",
        place: "`.mcp.json` in the project",
        shape: Shape::McpServersTyped,
        add: Some(&["claude", "mcp", "add", SERVER, "--"]),
        expands: &["${"],
        folder: None,
        check: "start `claude` in the project and approve the server; then `claude mcp list` shows `fs` as connected, and `/mcp` its tools",
    },
    Client {
        name: "claude-desktop",
        title: "Claude Desktop",
        place: "`claude_desktop_config.json`, which Settings > Developer > Edit Config opens",
        shape: Shape::McpServers,
        add: None,
        expands: &[],
        folder: None,
        check: "restart the application; Settings > Developer shows `fs` as running",
    },
    Client {
        name: "codex",
        title: "Codex",
        place: "`~/.codex/config.toml`",
        shape: Shape::Codex,
        add: Some(&["codex", "mcp", "add", SERVER, "--"]),
        expands: &[],
        folder: None,
        check: "`codex mcp list` shows `fs` as enabled; inside, `/mcp` lists its tools",
    },
    Client {
        name: "cursor",
        title: "Cursor",
        place: "`.cursor/mcp.json` in the project, or `~/.cursor/mcp.json`",
        shape: Shape::McpServers,
        add: None,
        expands: &["${"],
        folder: Some("${workspaceFolder}"),
        check: "the settings of MCP show `fs` with its tools",
    },
    Client {
        name: "vscode",
        title: "VS Code",
        place: "`.vscode/mcp.json` in the project",
        shape: Shape::Servers,
        add: None,
        expands: &["${"],
        folder: Some("${workspaceFolder}"),
        check: "the command `MCP: List Servers` shows `fs` as running",
    },
    Client {
        name: "gemini-cli",
        title: "Gemini CLI",
        place: "`.gemini/settings.json` in the project, or `~/.gemini/settings.json`",
        shape: Shape::McpServers,
        add: None,
        expands: &["$"],
        folder: None,
        check: "in a folder that you trust, `gemini mcp list` shows `fs` as connected, and `/mcp` its tools",
    },
    Client {
        name: "goose",
        title: "Goose",
        place: "`~/.config/goose/config.yaml`",
        shape: Shape::Goose,
        add: None,
        expands: &[],
        folder: None,
        check: "`goose info -v` shows the extension `fs`",
    },
    Client {
        name: "zed",
        title: "Zed",
        place: "`~/.config/zed/settings.json`, or `.zed/settings.json` in the project",
        shape: Shape::ContextServers,
        add: None,
        expands: &[],
        folder: None,
        check: "the settings of the agent panel show `fs` with a green dot",
    },
    Client {
        name: "opencode",
        title: "OpenCode",
        place: "`opencode.json` in the project, or `~/.config/opencode/opencode.json`",
        shape: Shape::OpenCode,
        add: None,
        expands: &["{env:", "{file:"],
        folder: None,
        check: "`opencode mcp list` shows `fs` as connected",
    },
];

/// The command line of the server.
#[derive(Debug, Clone)]
pub(super) struct Launch {
    pub(super) program: String,
    pub(super) args: Vec<String>,
}

impl Client {
    pub(super) fn named(name: &str) -> Option<&'static Self> {
        CLIENTS.iter().find(|client| client.name == name)
    }

    /// The language of the snippet, as a code fence names it.
    pub(super) fn language(&self) -> &'static str {
        match self.shape {
            Shape::Codex => "toml",
            Shape::Goose => "yaml",
            _ => "json",
        }
    }

    /// What the client reads in its configuration.
    pub(super) fn snippet(&self, launch: &Launch) -> String {
        let Launch { program, args } = launch;
        let plain = json!({ "command": program, "args": args });
        let typed = json!({ "type": "stdio", "command": program, "args": args });
        let document = match self.shape {
            Shape::McpServers => json!({ "mcpServers": { SERVER: plain } }),
            Shape::McpServersTyped => json!({ "mcpServers": { SERVER: typed } }),
            Shape::Servers => json!({ "servers": { SERVER: typed } }),
            Shape::ContextServers => json!({ "context_servers": { SERVER: plain } }),
            Shape::OpenCode => {
                let words: Vec<&String> = [program].into_iter().chain(args).collect();
                json!({ "mcp": { SERVER: { "type": "local", "command": words, "enabled": true } } })
            }
            Shape::Codex => return codex(launch),
            Shape::Goose => return goose(launch),
        };
        format!("{document:#}\n")
    }

    /// The command that does the same, where the client has one.
    pub(super) fn add_command(&self, launch: &Launch) -> Option<String> {
        let words = self.add?.iter().copied().chain([launch.program.as_str()]);
        let words = words.chain(launch.args.iter().map(String::as_str));
        Some(words.map(shell_word).collect::<Vec<_>>().join(" "))
    }
}

/// A string as JSON writes it, which TOML and YAML read alike: the words have no control characters.
fn quoted(word: &str) -> String {
    Value::from(word).to_string()
}

fn codex(launch: &Launch) -> String {
    let args: Vec<String> = launch.args.iter().map(|word| quoted(word)).collect();
    format!("[mcp_servers.{SERVER}]\ncommand = {}\nargs = [{}]\n", quoted(&launch.program), args.join(", "))
}

fn goose(launch: &Launch) -> String {
    let mut text = format!(
        "extensions:\n  {SERVER}:\n    enabled: true\n    type: stdio\n    name: {SERVER}\n    description: File tools\n    \
         cmd: {}\n    args:\n",
        quoted(&launch.program)
    );
    for word in &launch.args {
        text.push_str(&format!("      - {}\n", quoted(word)));
    }
    text.push_str(&format!("    timeout: {GOOSE_SECONDS}\n"));
    text
}

/// A word as a POSIX shell reads it.
fn shell_word(word: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_=./+:,@%".contains(&byte);
    if !word.is_empty() && word.bytes().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}
