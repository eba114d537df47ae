//! Requests of the protocol, answered by the tools; blocking work runs on its own threads.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use fs_tools::{Call, Progress, Reply, ToolSet, ToolSpec};
use rmcp::ErrorData;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CustomRequest,
    CustomResult, Implementation, ListToolsResult, PaginatedRequestParams, ProgressNotificationParam,
    ServerCapabilities, ServerConfig, Tool, ToolAnnotations,
};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::Value;
use tokio::sync::mpsc;

use crate::cli::Whose;

/// How long a client may keep the tool list: the configuration does not change while the server runs.
const TOOL_LIST_TTL_MS: u64 = 3_600_000;
/// Key of a request's `_meta` that names the task, the unit of undo.
const META_TASK: &str = "fs-tools/task";
/// Key of a request's `_meta` that says what the task is after.
const META_GOAL: &str = "fs-tools/goal";
/// Shortest time between two progress notifications.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(100);

/// What every client puts into the prompt of its model.
const INSTRUCTIONS: &str = "File tools of one workspace. Relative paths start at the workspace. Prefer search_files to \
find code, read_file to page through it, edit_file for a change in place and write_file for a new file. Text shown as \
[FILTERED] is a masked credential: it is not in the file, so never write it back. An answer that is not complete says \
how to go on. A refusal names its code and the next step.";

/// The server of one workspace.
pub(super) struct Server {
    tools: Arc<ToolSet>,
    whose: Whose,
}

impl Server {
    pub(super) fn new(tools: Arc<ToolSet>, whose: Whose) -> Self {
        Self { tools, whose }
    }

    /// On whose behalf a request is made: what it says in its `_meta`, else what the server was started with. A request
    /// that names a task has its own goal, or none.
    fn whose(&self, cx: &RequestContext<RoleServer>) -> Whose {
        let text = |key| cx.meta.get(key).and_then(Value::as_str).map(str::to_owned);
        let (task, goal) = (text(META_TASK), text(META_GOAL));
        let goal =
            goal.unwrap_or_else(|| if task.is_some() { String::new() } else { self.whose.goal.clone() });
        Whose { task: task.unwrap_or_else(|| self.whose.task.clone()), goal, run: self.whose.run.clone() }
    }

    /// Runs one call on a blocking thread; sets its flag when the client cancels.
    async fn run(&self, name: String, arguments: Value, cx: &RequestContext<RoleServer>) -> CallToolResult {
        let tools = Arc::clone(&self.tools);
        let whose = self.whose(cx);
        let flag = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&flag);
        let (sender, mut updates) = mpsc::channel::<Update>(1);
        let wanted = cx.meta.get_progress_token();
        let reports = wanted.is_some();
        let mut job = tokio::task::spawn_blocking(move || {
            let progress = Channel { sender, started: Instant::now() };
            let progress: Option<&dyn Progress> = if reports { Some(&progress) } else { None };
            tools.call(
                &name,
                &arguments,
                &Call { cancel: Some(&seen), progress, origin: whose.origin(), ..Call::plain() },
            )
        });
        let mut last: Option<(Instant, f64)> = None;
        loop {
            tokio::select! {
                done = &mut job => {
                    return match done {
                        Ok(reply) => result(reply),
                        Err(_) => CallToolResult::error(vec![ContentBlock::text("error (internal): the call ended without an answer")]),
                    };
                }
                () = cx.ct.cancelled(), if !flag.load(Ordering::Relaxed) => flag.store(true, Ordering::Relaxed),
                Some(update) = updates.recv() => {
                    let due = last.is_none_or(|(at, done)| at.elapsed() >= PROGRESS_INTERVAL && update.done > done);
                    if let (true, Some(token)) = (due, &wanted) {
                        last = Some((Instant::now(), update.done));
                        let mut note = ProgressNotificationParam::new(token.clone(), update.done).with_message(update.label);
                        if let Some(total) = update.total {
                            note = note.with_total(total);
                        }
                        // A client that hung up gets no progress; the call goes on or is cancelled by the flag.
                        let _ = cx.peer.notify_progress(note).await;
                    }
                }
            }
        }
    }
}

struct Update {
    done: f64,
    total: Option<f64>,
    label: String,
}

/// Hands progress from the thread of the call to the runtime; what comes too fast is dropped.
struct Channel {
    sender: mpsc::Sender<Update>,
    started: Instant,
}

impl Progress for Channel {
    fn report(&self, done: u64, total: Option<u64>, label: &str) {
        if self.started.elapsed() >= PROGRESS_INTERVAL {
            let update =
                Update { done: done as f64, total: total.map(|total| total as f64), label: label.into() };
            let _ = self.sender.try_send(update);
        }
    }
}

/// A reply as the protocol carries it: one complete text block, and the same small object for status answers.
fn result(reply: Reply) -> CallToolResult {
    let mut content = vec![ContentBlock::text(reply.for_model)];
    content
        .extend(reply.images.iter().map(|image| ContentBlock::image(image.to_base64(), image.mime.clone())));
    let mut result =
        if reply.is_error { CallToolResult::error(content) } else { CallToolResult::success(content) };
    result.structured_content = reply.structured;
    result
}

fn tool(spec: &ToolSpec) -> Tool {
    let object = |schema: &Value| Arc::new(schema.as_object().cloned().unwrap_or_default());
    let mut tool = Tool::new(spec.name, spec.description.clone(), object(&spec.input_schema));
    tool.title = Some(spec.title.to_owned());
    tool.output_schema = spec.output_schema.as_ref().map(object);
    let hints = spec.annotations;
    tool.annotations = Some(ToolAnnotations::from_raw(
        None,
        Some(hints.read_only),
        Some(hints.destructive),
        Some(hints.idempotent),
        Some(hints.open_world),
    ));
    tool
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(
                Implementation::new("fs-tools", env!("CARGO_PKG_VERSION")).with_title("File tools"),
            )
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _cx: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.tools.specs().map(tool).collect())
            .with_ttl_ms(TOOL_LIST_TTL_MS)
            .with_cache_scope(CacheScope::Public))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.map_or(Value::Null, Value::Object);
        Ok(self.run(request.name.into_owned(), arguments, &cx).await.into())
    }

    /// A call whose arguments are no object is no `tools/call` for the SDK; it still gets the answer that tells what
    /// to send.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        cx: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let name = request.params.as_ref().and_then(|params| params.get("name")).and_then(Value::as_str);
        let (true, Some(name)) = (request.method == "tools/call", name) else {
            return Err(ErrorData::new(rmcp::model::ErrorCode::METHOD_NOT_FOUND, request.method, None));
        };
        let arguments = request
            .params
            .as_ref()
            .and_then(|params| params.get("arguments"))
            .cloned()
            .unwrap_or(Value::Null);
        let result = self.run(name.to_owned(), arguments, &cx).await;
        serde_json::to_value(result)
            .map(CustomResult::new)
            .map_err(|error| ErrorData::internal_error(error.to_string(), None))
    }
}
