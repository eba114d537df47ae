//! Tests of `rooted-fs` through its public interface.
