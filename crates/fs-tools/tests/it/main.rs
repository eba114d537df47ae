//! Tests of `fs-tools` through its public interface.
