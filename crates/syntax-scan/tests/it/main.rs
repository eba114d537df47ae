//! Tests of `syntax-scan` through its public interface.
