//! Tests of `fs-tools-cli` through its public interface.
