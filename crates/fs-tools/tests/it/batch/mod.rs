//! The batch family.

mod find;
mod read;
