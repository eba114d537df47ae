//! Versions of changed files: record, restore one, undo a task.
