//! `list_dir`: the entries of one directory, typed and sized, by page.

use std::ffi::OsString;
use std::path::Path;

use rooted_fs::Kind;
use sandbox_policy::Op;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::args;
use crate::config::Config;
use crate::error::ToolError;
use crate::limits;
use crate::render::{Guard, echo, show_name};
use crate::schema;
use crate::tool::{Annotations, Call, Reply, Tool, ToolSpec};
use crate::tools::entries::entries;
use crate::workspace::Workspace;

const NAME: &str = "list_dir";

/// Arguments of [`Workspace::list_dir`] and of the tool.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
pub struct ListDirArgs {
    /// Path of the directory; "." is the workspace
    pub path: String,
    /// Entries to skip, for a directory of several pages (default 0)
    #[schemars(range(min = 0))]
    pub offset: Option<u64>,
}

impl ListDirArgs {
    /// The first page of a directory.
    pub fn new(path: impl Into<String>) -> Self {
        Self { path: path.into(), offset: None }
    }
}

/// Answer of [`Workspace::list_dir`]: one page of the entries that the policy shows, sorted by name.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
#[must_use]
pub struct ListDirReply {
    /// What a model reads: a line for each entry, and how to go on; bounded.
    pub text: String,
    /// The entries of this page.
    pub entries: Vec<ListedEntry>,
    /// Number of entries of the whole directory.
    pub total: u64,
    /// The offset of the next page, when there is one.
    pub next_offset: Option<u64>,
    /// Artifacts that hold the whole of a `text` that was too long, relative to the workspace.
    pub attachments: Vec<String>,
}

/// An entry of a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ListedEntry {
    /// Its name.
    pub name: OsString,
    /// What it is itself; links are not followed.
    pub kind: EntryKind,
    /// Size of a file, as far as it can be told.
    pub bytes: Option<u64>,
}

/// What an entry of a directory is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum EntryKind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link.
    Link,
    /// A FIFO, a socket, a device: what no tool opens.
    Other,
}

impl From<ListDirReply> for Reply {
    fn from(reply: ListDirReply) -> Self {
        Self { attachments: reply.attachments, ..Self::text(reply.text) }
    }
}

impl Workspace {
    /// Lists one page of a directory: what the tool `list_dir` does.
    ///
    /// # Errors
    ///
    /// [`ToolError`] with its stable code: the path leads nowhere or outside, is protected, or no directory.
    ///
    /// # Examples
    ///
    /// ```
    /// use fs_tools::classic::{EntryKind, ListDirArgs};
    /// use fs_tools::{Call, Config, Options, Workspace};
    ///
    /// let dir = tempfile::tempdir()?;
    /// std::fs::write(dir.path().join("f"), "12345")?;
    /// let workspace = Workspace::open(Options::new(dir.path(), Config::default()))?;
    /// let page = workspace.list_dir(&ListDirArgs::new("."), &Call::plain())?;
    /// assert_eq!((page.entries[0].kind, page.entries[0].bytes), (EntryKind::File, Some(5)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn list_dir(&self, args: &ListDirArgs, call: &Call<'_>) -> Result<ListDirReply, ToolError> {
        self.typed(NAME, || {
            let page = list(self, args, call)?;
            let reply = self.finish(NAME, page.text, Guard::Base64);
            Ok(ListDirReply { text: reply.for_model, attachments: reply.attachments, ..page })
        })
    }
}

/// The tool.
pub(super) struct ListDir {
    spec: ToolSpec,
}

impl ListDir {
    pub(super) fn new(config: &Config) -> Self {
        let below = if config.enabled.search_files {
            " To find files anywhere below, use search_files with target files."
        } else {
            ""
        };
        let spec = ToolSpec {
            name: NAME,
            title: "List directory",
            description: format!(
                "List the entries of one directory, sorted by name, up to {} a call: DIR, FILE with its size in bytes, \
                 LINK. Credential files are not shown.{below} Example: {{\"path\": \"src\"}}",
                limits::LIST_ENTRIES
            ),
            input_schema: schema::portable::<ListDirArgs>(),
            output_schema: None,
            annotations: Annotations {
                read_only: true,
                destructive: false,
                idempotent: true,
                open_world: false,
            },
            mistaken: &[
                (
                    "recursive",
                    "one directory is shown; search_files with target \"files\" shows what is below",
                ),
                ("limit", "pages have a fixed size; use `offset` to go on"),
            ],
        };
        Self { spec }
    }
}

fn list(workspace: &Workspace, args: &ListDirArgs, call: &Call<'_>) -> Result<ListDirReply, ToolError> {
    let open = workspace.gate().open_dir(Op::List, &args.path, call)?;
    let mut names = entries(workspace, &open, call)?;
    let total = names.len();
    let offset = usize::try_from(args.offset.unwrap_or(0)).unwrap_or(usize::MAX);
    let end = total.min(offset.saturating_add(limits::LIST_ENTRIES));
    let more = end < total;
    let mut page = ListDirReply {
        text: String::new(),
        entries: Vec::new(),
        total: total as u64,
        next_offset: more.then_some(end as u64),
        attachments: Vec::new(),
    };
    if total == 0 {
        page.text = format!("[directory {} is empty]", echo(&args.path));
        return Ok(page);
    }
    if offset >= total {
        page.text = format!("[no entries at offset={offset}: the directory has {total}]");
        return Ok(page);
    }
    let mut text = String::new();
    if more || offset > 0 {
        text.push_str(&format!("[entries {}-{end} of {total}", offset + 1));
        text.push_str(&if more { format!("; next offset={end}]\n") } else { "; last page]\n".into() });
    }
    for (name, kind) in names.drain(offset..end) {
        let shown = show_name(Path::new(&name));
        let (listed, bytes) = match kind {
            Kind::Dir => (EntryKind::Directory, None),
            Kind::File => (EntryKind::File, open.dir.stat(&name).ok().map(|meta| meta.size)),
            Kind::Symlink => (EntryKind::Link, None),
            _ => (EntryKind::Other, None),
        };
        text.push_str(&match (listed, bytes) {
            (EntryKind::Directory, _) => format!("DIR:  {shown}\n"),
            (EntryKind::File, Some(bytes)) => format!("FILE: {shown} ({bytes} bytes)\n"),
            (EntryKind::File, None) => format!("FILE: {shown}\n"),
            (EntryKind::Link, _) => format!("LINK: {shown}\n"),
            (EntryKind::Other, _) => format!("OTHER: {shown} ({kind})\n"),
        });
        page.entries.push(ListedEntry { name, kind: listed, bytes });
    }
    if more {
        text.push_str(&format!("[{} more; call list_dir again with offset={end}]\n", total - end));
    }
    page.text = text;
    Ok(page)
}

impl Tool for ListDir {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn call(&self, workspace: &Workspace, args: &Value, call: &Call<'_>) -> Reply {
        args::typed(args)
            .and_then(|args| workspace.list_dir(&args, call))
            .map_or_else(Reply::failure, Reply::from)
    }
}
