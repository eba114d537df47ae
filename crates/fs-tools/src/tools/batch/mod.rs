//! The batch family: `find_files`, `read_files`, `edit_file`, `file_history`, `open_file`.

mod edit_file;
mod find_files;
mod open_file;
mod read_files;

pub use edit_file::{BatchEditArgs, ConflictArg, EditMode, EditTarget};
pub use find_files::{FindFilesArgs, FindMode, FindOutput, FindQuery};
pub use open_file::OpenFileArgs;
pub use read_files::{ReadEntry, ReadFilesArgs};

use crate::config::Config;
use crate::tool::Tool;
use crate::tools::classic;

/// Returns the tools that the configuration switches on, in the order in which they are listed. `warning` is what a model
/// should know before it writes.
pub(crate) fn tools(config: &Config, warning: &str) -> Vec<Box<dyn Tool>> {
    let on = config.batch;
    let mut tools: Vec<Box<dyn Tool>> = Vec::new();
    if on.find_files {
        tools.push(Box::new(find_files::FindFiles::new()));
    }
    if on.read_files {
        tools.push(Box::new(read_files::ReadFiles::new()));
    }
    if config.enabled.edit_file {
        tools.push(Box::new(edit_file::EditFile::new(config, warning)));
    }
    if on.file_history {
        tools.push(Box::new(classic::FileHistory::new()));
    }
    if on.open_file {
        tools.push(Box::new(open_file::OpenFile::new()));
    }
    tools
}
