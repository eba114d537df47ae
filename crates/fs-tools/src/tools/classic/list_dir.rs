//! `list_dir`: the entries of one directory, typed and sized, by page.

use std::ffi::OsString;
use std::path::Path;

use rooted_fs::Kind;
use sandbox_policy::Op;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::args;
use crate::error::ToolError;
use crate::gate::{disk_error, policy_kind};
use crate::limits;
use crate::render::{Guard, echo, show_name};
use crate::schema;
use crate::tool::{Annotations, Call, Reply, Tool, ToolSpec};
use crate::workspace::Workspace;

/// Arguments of `list_dir`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
pub struct ListDirArgs {
    /// Path of the directory; "." is the workspace
    pub path: String,
    /// Entries to skip, for a directory of several pages (default 0)
    #[schemars(range(min = 0))]
    pub offset: Option<u64>,
}

/// The tool.
pub(super) struct ListDir {
    spec: ToolSpec,
}

impl ListDir {
    pub(super) fn new() -> Self {
        let spec = ToolSpec {
            name: "list_dir",
            title: "List directory",
            description: format!(
                "List the entries of one directory, sorted by name, up to {} a call: DIR, FILE with its size in bytes, \
                 LINK. Credential files are not shown. To find files anywhere below, use search_files with target \
                 files. Example: {{\"path\": \"src\"}}",
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
                ("recursive", "list_dir shows one directory; use search_files with target \"files\""),
                ("limit", "pages have a fixed size; use `offset` to go on"),
            ],
        };
        Self { spec }
    }

    fn list(&self, workspace: &Workspace, args: &ListDirArgs, call: &Call<'_>) -> Result<String, ToolError> {
        let open = workspace.gate().open_dir(Op::List, &args.path, call)?;
        let rules = workspace.gate().rules().enter(&open.path);
        let mut entries: Vec<(OsString, Kind)> = Vec::new();
        let mut read = 0usize;
        open.dir
            .each_entry(|name, kind| {
                if !rooted_fs::is_temporary_name(name) && rules.shows(name, policy_kind(kind)) {
                    entries.push((name.to_owned(), kind));
                }
                read += 1;
                // Looking at the flag for each entry would cost more than reading it.
                !read.is_multiple_of(4096) || !call.is_cancelled()
            })
            .map_err(|error| disk_error(&error, &open.asked))?;
        call.check()?;
        entries.sort_unstable();
        let total = entries.len();
        let offset = usize::try_from(args.offset.unwrap_or(0)).unwrap_or(usize::MAX);
        if total == 0 {
            return Ok(format!("[directory {} is empty]", echo(&args.path)));
        }
        if offset >= total {
            return Ok(format!("[no entries at offset={offset}: the directory has {total}]"));
        }
        let page = &entries[offset..total.min(offset.saturating_add(limits::LIST_ENTRIES))];
        let end = offset + page.len();
        let mut text = String::new();
        if end < total || offset > 0 {
            text.push_str(&format!("[entries {}-{end} of {total}", offset + 1));
            text.push_str(&if end < total {
                format!("; next offset={end}]\n")
            } else {
                "; last page]\n".into()
            });
        }
        for (name, kind) in page {
            let shown = show_name(Path::new(name));
            match kind {
                Kind::Dir => text.push_str(&format!("DIR:  {shown}\n")),
                Kind::File => match open.dir.stat(name) {
                    Ok(meta) => text.push_str(&format!("FILE: {shown} ({} bytes)\n", meta.size)),
                    Err(_) => text.push_str(&format!("FILE: {shown}\n")),
                },
                Kind::Symlink => text.push_str(&format!("LINK: {shown}\n")),
                other => text.push_str(&format!("OTHER: {shown} ({other})\n")),
            }
        }
        if end < total {
            text.push_str(&format!("[{} more; call list_dir again with offset={end}]\n", total - end));
        }
        Ok(text)
    }
}

impl Tool for ListDir {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn call(&self, workspace: &Workspace, args: &Value, call: &Call<'_>) -> Reply {
        match args::typed(args).and_then(|args| self.list(workspace, &args, call)) {
            Ok(text) => workspace.finish(self.spec.name, text, Guard::Base64),
            Err(error) => error.into(),
        }
    }
}
