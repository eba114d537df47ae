//! Tests of `v4a-patch` through its public interface.
