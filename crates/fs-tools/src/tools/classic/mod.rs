//! The classic family: `read_file`, `write_file`, `edit_file`, `append_file`, `list_dir`, `search_files`,
//! and `file_history` where it is switched on.

mod append_file;
mod edit_file;
mod file_history;
mod list_dir;
mod read_file;
mod search_files;
mod write_file;

pub use append_file::{AppendFileArgs, AppendFileReply};
pub use edit_file::{EditFileArgs, EditFileReply};
pub(crate) use file_history::{FileHistory, change, changes};
pub use file_history::{FileHistoryArgs, HistoryMode};
pub use list_dir::{EntryKind, ListDirArgs, ListDirReply, ListedEntry};
pub(crate) use read_file::LineSource;
pub use read_file::{ReadFileArgs, ReadFileReply, ReadRange};
pub use search_files::{Order, OutputMode, SearchFilesArgs, SearchFilesReply, Target};
pub use write_file::{WriteAction, WriteFileArgs, WriteFileReply};

use crate::config::Config;
use crate::tool::Tool;

/// Returns the tools that the configuration switches on, in the order in which they are listed.
/// The tools that are switched on; `warning` ends the description of each one that writes.
pub(crate) fn tools(config: &Config, warning: &str) -> Vec<Box<dyn Tool>> {
    let on = config.enabled;
    let mut tools: Vec<Box<dyn Tool>> = Vec::new();
    if on.read_file {
        tools.push(Box::new(read_file::ReadFile::new(config)));
    }
    if on.write_file {
        tools.push(Box::new(write_file::WriteFile::new(config, warning)));
    }
    if on.edit_file {
        tools.push(Box::new(edit_file::EditFile::new(warning)));
    }
    if on.append_file {
        tools.push(Box::new(append_file::AppendFile::new(warning)));
    }
    if on.list_dir {
        tools.push(Box::new(list_dir::ListDir::new(config)));
    }
    if on.search_files {
        tools.push(Box::new(search_files::SearchFiles::new()));
    }
    if on.file_history {
        tools.push(Box::new(FileHistory::new()));
    }
    tools
}
