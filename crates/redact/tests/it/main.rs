//! Tests of `redact` through its public interface.
