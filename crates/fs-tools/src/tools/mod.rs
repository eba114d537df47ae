//! The tools, by family.

pub mod batch;
pub(crate) mod change;
pub mod classic;
pub(crate) mod coverage;
pub(crate) mod entries;
pub(crate) mod syntax;

use crate::error::{Class, ToolError};

/// The refusal to write the mask of a value over the value.
pub(crate) fn masked_value(path: &str, argument: &str) -> ToolError {
    ToolError::new(
        Class::Usage,
        "masked_value",
        format!(
            "`{argument}` contains {}, which stands for a masked value and is not in the file; nothing was written",
            redact::MARKER
        ),
    )
    .at(path)
    .hint("leave the lines with masked values as they are; edit_file changes the lines around them")
}
