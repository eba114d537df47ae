//! The file tools of an AI agent, wired to the real disk.
