//! Command line and MCP server of fs-tools.

fn main() {}
