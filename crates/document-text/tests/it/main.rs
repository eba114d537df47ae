//! Tests of `document-text` through its public interface.
