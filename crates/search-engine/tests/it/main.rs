//! Tests of `search-engine` through its public interface.
