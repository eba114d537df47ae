//! The batch family.

mod edit;
mod find;
mod guard;
mod read;
mod reports;
mod versions;
