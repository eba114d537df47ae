//! The batch family.

mod find;
