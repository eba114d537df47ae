//! Tests of `sandbox-policy` through its public interface.
