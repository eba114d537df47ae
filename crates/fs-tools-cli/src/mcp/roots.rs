//! Which workspace a client works in: the server's, or the client's own roots as far as the operator allows.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use fs_tools::{Class, ToolError, ToolSet};
use rmcp::model::{ClientResult, ListRootsRequest, ServerRequest};
use rmcp::service::{PeerRequestOptions, RequestContext, RoleServer};
use tokio::sync::Mutex;

use super::question::is_stateless;
use super::uri;

/// How long a client has to say its roots.
const PATIENCE: Duration = Duration::from_secs(10);
/// Roots of one client that are looked at.
const MOST: usize = 32;

/// Opens tools over a first directory, with access to the others.
pub(super) type OpenAt = Box<dyn Fn(PathBuf, &[PathBuf]) -> anyhow::Result<ToolSet> + Send + Sync>;

/// The workspaces that a server can give.
pub(super) struct Workspaces {
    /// The one of a client that names no roots.
    pub(super) own: Arc<ToolSet>,
    /// Whether roots are taken, and how.
    pub(super) roots: Option<Roots>,
}

/// What the operator allows to clients that name roots.
pub(super) struct Roots {
    /// Canonical directories in which a root may lie.
    pub(super) within: Vec<PathBuf>,
    pub(super) open: OpenAt,
}

/// The workspace of one session.
#[derive(Default)]
pub(super) struct Chosen(Mutex<Option<Result<Arc<ToolSet>, ToolError>>>);

impl Chosen {
    /// Forgets the choice: the client says that its roots changed.
    pub(super) async fn forget(&self) {
        *self.0.lock().await = None;
    }

    /// The tools of this session; the client is asked once for its roots.
    ///
    /// # Errors
    ///
    /// `root_refused` when the client has roots and none of them is allowed, `roots_unavailable` when it does not say
    /// them.
    pub(super) async fn tools(
        &self,
        workspaces: &Arc<Workspaces>,
        cx: &RequestContext<RoleServer>,
    ) -> Result<Arc<ToolSet>, ToolError> {
        let has_roots = cx.client_capabilities().is_some_and(|declared| declared.roots.is_some());
        if workspaces.roots.is_none() || !has_roots || is_stateless(cx) {
            return Ok(Arc::clone(&workspaces.own));
        }
        let mut chosen = self.0.lock().await;
        if let Some(chosen) = &*chosen {
            return chosen.clone();
        }
        let request = ServerRequest::ListRootsRequest(ListRootsRequest::default());
        let sent =
            cx.peer.send_request_with_option(request, PeerRequestOptions::with_timeout(PATIENCE)).await;
        let answer = match sent {
            Ok(handle) => handle.await_response().await,
            Err(error) => Err(error),
        };
        let Ok(ClientResult::ListRootsResult(list)) = answer else {
            return Err(ToolError::new(
                Class::Failure,
                "roots_unavailable",
                "the client declares roots and did not say which",
            )
            .hint("make the call again; if it stays so, start the server without --roots-within"));
        };
        let uris: Vec<String> = list.roots.into_iter().take(MOST).map(|root| root.uri).collect();
        let workspaces = Arc::clone(workspaces);
        let opened = tokio::task::spawn_blocking(move || workspaces.choose(&uris)).await;
        let opened = opened.unwrap_or_else(|_| Err(refused("the workspace could not be opened")));
        *chosen = Some(opened.clone());
        opened
    }
}

impl Workspaces {
    /// Opens the workspace for what a client calls its roots.
    fn choose(&self, uris: &[String]) -> Result<Arc<ToolSet>, ToolError> {
        let Some(roots) = &self.roots else { return Ok(Arc::clone(&self.own)) };
        if uris.is_empty() {
            return Ok(Arc::clone(&self.own));
        }
        let allowed: Vec<PathBuf> = uris.iter().filter_map(|uri| roots.allowed(uri)).collect();
        let Some((first, others)) = allowed.split_first() else {
            return Err(refused("none of the client's roots lies where this server may work"));
        };
        if first == self.own.workspace().directory() && others.is_empty() {
            return Ok(Arc::clone(&self.own));
        }
        match (roots.open)(first.clone(), others) {
            Ok(tools) => Ok(Arc::new(tools)),
            Err(error) => Err(refused(&format!("the client's root cannot be opened: {error:#}"))),
        }
    }
}

impl Roots {
    /// The directory that a root names, if it is one and lies where roots may lie.
    fn allowed(&self, uri: &str) -> Option<PathBuf> {
        let path: PathBuf = uri::to_path(uri)?.canonicalize().ok()?;
        let is_inside = self.within.iter().any(|dir: &PathBuf| path.starts_with(dir as &Path));
        (is_inside && path.is_dir()).then_some(path)
    }
}

fn refused(what: &str) -> ToolError {
    ToolError::new(Class::Denied, "root_refused", what)
        .hint("the operator names the directories for roots with --roots-within; work in one of them")
}
