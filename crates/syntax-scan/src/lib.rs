//! Quick delimiter, quote and comment check of a file, without an allocation.
