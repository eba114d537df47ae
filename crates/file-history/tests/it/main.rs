//! Tests of `file-history` through its public interface.
