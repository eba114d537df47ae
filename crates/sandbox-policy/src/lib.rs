//! Decides who may touch which path, and why: pure rules over names and facts.
