//! Parses, locates, applies and writes V4A patches.
