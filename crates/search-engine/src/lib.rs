//! Content and name search over a tree: ordered, paged, bounded.
