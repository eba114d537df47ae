//! Files below a directory handle: nailed opening, walking, atomic replace, append, verify.
