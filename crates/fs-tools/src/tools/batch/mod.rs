//! The batch family: `find_files`, `read_files`, `edit_file`, `file_history`, `open_file`.

mod find_files;
mod read_files;

pub use find_files::{FindFilesArgs, FindMode, FindOutput, FindQuery};
pub use read_files::{ReadEntry, ReadFilesArgs};

use crate::config::Config;
use crate::tool::Tool;

/// Returns the tools that the configuration switches on, in the order in which they are listed.
pub(crate) fn tools(config: &Config) -> Vec<Box<dyn Tool>> {
    let _ = config;
    vec![Box::new(find_files::FindFiles::new()), Box::new(read_files::ReadFiles::new())]
}
