//! The batch family.

mod conformance;
mod documents;
mod edit;
mod find;
mod guard;
mod read;
mod reports;
mod versions;
