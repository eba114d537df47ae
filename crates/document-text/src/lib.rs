//! Pages of text out of files: encodings, binary kinds, CSV rows.
