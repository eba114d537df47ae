//! Finds and masks credentials in text, in one linear pass.
