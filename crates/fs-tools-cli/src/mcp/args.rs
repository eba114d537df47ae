//! The arguments of `fs-tools mcp`.

use std::net::SocketAddr;
use std::path::PathBuf;

use crate::lock;

/// Where the server listens when `--http` names no address.
const DEFAULT_ADDRESS: &str = "127.0.0.1:8808";

/// How the tools are served.
#[derive(Debug, clap::Args)]
pub(crate) struct McpArgs {
    /// Let the kernel (Landlock) deny this process everything that the configuration does not grant; `require`
    /// refuses to start where that is not fully possible
    #[arg(long, value_name = "MODE", num_args = 0..=1, default_missing_value = "best-effort", require_equals = true)]
    pub(super) lock: Option<lock::Mode>,
    /// Seconds that a person has to answer a confirmation
    #[arg(long, value_name = "SECONDS", default_value_t = 300, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub(super) confirm_timeout: u64,
    /// Work in the directories that the client names as its roots, as far as they lie in DIR; may be repeated. Without
    /// it, roots of clients are not asked for
    #[arg(long, value_name = "DIR")]
    pub(super) roots_within: Vec<PathBuf>,
    /// Serve over HTTP at ADDR [default: 127.0.0.1:8808] instead of standard input and output; port 0 takes a free one
    #[arg(long, value_name = "ADDR", num_args = 0..=1, default_missing_value = DEFAULT_ADDRESS)]
    pub(super) http: Option<SocketAddr>,
    /// File that holds the bearer token which HTTP clients must send [default: $FS_TOOLS_HTTP_TOKEN, else a new one,
    /// printed at the start]
    #[arg(long, value_name = "FILE", requires = "http")]
    pub(super) http_token_file: Option<PathBuf>,
    /// Accept this name in the Host header as well; may be repeated
    #[arg(long, value_name = "NAME", requires = "http")]
    pub(super) http_host: Vec<String>,
    /// Accept requests of web pages from this origin, such as http://localhost:3000; may be repeated
    #[arg(long, value_name = "ORIGIN", requires = "http")]
    pub(super) http_origin: Vec<String>,
    /// Allow an address that other machines can reach: the connection is not encrypted
    #[arg(long, requires = "http")]
    pub(super) http_allow_remote: bool,
}
