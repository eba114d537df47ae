//! Every task of this repository.

fn main() {}
