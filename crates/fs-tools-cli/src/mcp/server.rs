//! Requests of the protocol, answered by the tools; blocking work runs on its own threads.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use fs_tools::{Class, Content, Reply, Resource, ToolError, ToolSet, ToolSpec};
use rmcp::ErrorData;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CustomRequest,
    CustomResult, Implementation, InputRequiredResult, InputResponses, ListResourceTemplatesResult,
    ListToolsResult, LoggingLevel, PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse,
    ReadResourceResult, Resource as Link, ResourceContents, ResourceTemplate, ServerCapabilities,
    ServerConfig, SetLevelRequestParams, Tool, ToolAnnotations,
};
use rmcp::service::{NotificationContext, RequestContext, RoleServer};
use serde_json::{Value, json};

use super::admission::{Admission, weight};
use super::call::{self, Start, Work};
use super::question::{self, Channel, Open};
use super::roots::{Chosen, Workspaces};
use super::{log, uri};
use crate::cli::Whose;

/// How long a client may keep the tool list: the configuration does not change while the server runs.
const TOOL_LIST_TTL_MS: u64 = 3_600_000;
/// Key of a request's `_meta` that names the task, the unit of undo.
const META_TASK: &str = "fs-tools/task";
/// Key of a request's `_meta` that says what the task is after.
const META_GOAL: &str = "fs-tools/goal";
/// Name under which reading of resources is bounded and logged.
const RESOURCES: &str = "resources/read";

/// What all clients of one server share.
pub(super) struct Desk {
    workspaces: Arc<Workspaces>,
    whose: Whose,
    patience: Duration,
    admission: Admission,
    questions: Open,
}

impl Desk {
    /// `patience` is how long a person has to answer a question.
    pub(super) fn new(workspaces: Workspaces, whose: Whose, patience: Duration) -> Self {
        let names = workspaces.own.specs().map(|spec| spec.name).chain([RESOURCES]);
        let admission = Admission::new(names);
        Self { workspaces: Arc::new(workspaces), whose, patience, admission, questions: Open::default() }
    }
}

/// The server as one client has it.
pub(super) struct Server {
    desk: Arc<Desk>,
    level: log::Level,
    chosen: Chosen,
}

/// What the client says when it makes a call again after a question.
struct Again {
    state: Option<String>,
    answers: Option<InputResponses>,
}

/// Where a call has got to.
enum Turn<T> {
    Done(T),
    Ask(InputRequiredResult),
}

impl Server {
    pub(super) fn new(desk: Arc<Desk>) -> Self {
        Self { desk, level: log::Level::default(), chosen: Chosen::default() }
    }

    /// On whose behalf a request is made: what it says in its `_meta`, else what the server was started with. A request
    /// that names a task has its own goal, or none.
    fn whose(&self, cx: &RequestContext<RoleServer>) -> Whose {
        let own = &self.desk.whose;
        let text = |key| cx.meta.get(key).and_then(Value::as_str).map(str::to_owned);
        let (task, goal) = (text(META_TASK), text(META_GOAL));
        let goal = goal.unwrap_or_else(|| if task.is_some() { String::new() } else { own.goal.clone() });
        Whose { task: task.unwrap_or_else(|| own.task.clone()), goal, run: own.run.clone() }
    }

    /// Makes a call, as often as there are questions to it. `is_settled` tells that a result stands, whatever was asked.
    async fn converse<T: Send + 'static>(
        &self,
        (name, arguments): (&str, &Value),
        again: Again,
        work: Work<T>,
        is_settled: impl Fn(&T) -> bool + Send,
        cx: &RequestContext<RoleServer>,
    ) -> Result<Turn<T>, ToolError> {
        let desk = &self.desk;
        let _place = desk.admission.place(weight(arguments))?;
        let tools = self.chosen.tools(&desk.workspaces, cx).await?;
        let channel = Channel::of(cx);
        let fingerprint = || desk.questions.fingerprint(name, arguments);
        let mut known = match &again.state {
            Some(state) => desk.questions.take(state, fingerprint(), again.answers.as_ref())?,
            None => Vec::new(),
        };
        loop {
            let ticket = tokio::select! {
                ticket = desk.admission.enter(name) => ticket,
                () = cx.ct.cancelled() => return Err(question::cancelled()),
            };
            let start = Start {
                tools: Arc::clone(&tools),
                whose: self.whose(cx),
                ticket,
                known: known.clone(),
                can_ask: channel != Channel::Nobody && known.len() < question::PER_CALL,
                work: Arc::clone(&work),
            };
            let Some(attempt) = call::attempt(start, cx).await else {
                return Err(ToolError::new(Class::Internal, "internal", "the call ended without an answer"));
            };
            let Some(asked) = attempt.question.filter(|_| !is_settled(&attempt.result)) else {
                return Ok(Turn::Done(attempt.result));
            };
            if cx.ct.is_cancelled() {
                return Err(question::cancelled());
            }
            match channel {
                Channel::Rounds => {
                    return desk.questions.put(fingerprint(), known, asked, desk.patience).map(Turn::Ask);
                }
                Channel::Session => {
                    let answer = question::ask(&asked, desk.patience, cx).await?;
                    known.push((asked, answer));
                }
                Channel::Nobody => return Ok(Turn::Done(attempt.result)),
            }
        }
    }

    /// Calls a tool. Whatever goes wrong is a result.
    async fn run(
        &self,
        name: String,
        arguments: Value,
        again: Again,
        cx: &RequestContext<RoleServer>,
    ) -> CallToolResponse {
        let started = Instant::now();
        let arguments = Arc::new(arguments);
        let (tool, args) = (name.clone(), Arc::clone(&arguments));
        let work: Work<(Reply, PathBuf)> = Arc::new(move |tools: &ToolSet, call| {
            (tools.call(&tool, &args, call), tools.workspace().directory().to_owned())
        });
        let own = &self.desk.workspaces.own;
        let read_only = own.specs().any(|spec| spec.name == name && spec.annotations.read_only);
        // A change that happened is not made a second time, even if something about it was asked.
        let is_settled = move |(reply, _): &(Reply, PathBuf)| !reply.is_error && !read_only;
        let turn = self.converse((&name, &arguments), again, work, is_settled, cx).await;
        let (reply, directory) = match turn {
            Ok(Turn::Ask(ask)) => return ask.into(),
            Ok(Turn::Done(done)) => done,
            Err(error) => (error.into(), PathBuf::new()),
        };
        let known = if own.specs().any(|spec| spec.name == name) { name.as_str() } else { "unknown tool" };
        self.log_end(known, reply.error.as_ref().map(ToolError::code), started, cx).await;
        result(reply, &directory).into()
    }

    /// Reads a resource: a file, through the gate, under the rules of every read.
    async fn resource(
        &self,
        request: ReadResourceRequestParams,
        cx: &RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let started = Instant::now();
        let uri = request.uri;
        let not_found = |what: &str| ErrorData::resource_not_found(what.to_owned(), None);
        let path = uri::to_path(&uri).ok_or_else(|| not_found("the URI is no file: URI of this machine"))?;
        let path = path.into_os_string().into_string();
        let path = path.map_err(|_| not_found("a name that is not UTF-8 cannot be a resource"))?;
        let again = Again { state: request.request_state, answers: request.input_responses };
        let key = json!(path);
        let work: Work<Result<Resource, ToolError>> =
            Arc::new(move |tools: &ToolSet, call| tools.workspace().resource(&path, call));
        let turn = self.converse((RESOURCES, &key), again, work, |_| false, cx).await;
        let read = match turn {
            Ok(Turn::Ask(ask)) => return Ok(ask.into()),
            Ok(Turn::Done(read)) => read,
            Err(error) => Err(error),
        };
        self.log_end(RESOURCES, read.as_ref().err().map(ToolError::code), started, cx).await;
        let resource = read.map_err(|error| {
            let data = Some(error.to_json());
            match error.class() {
                Class::NotFound => ErrorData::resource_not_found(error.to_string(), data),
                Class::Internal => ErrorData::internal_error(error.to_string(), data),
                _ => ErrorData::invalid_params(error.to_string(), data),
            }
        })?;
        let contents = match resource.content {
            Content::Text(text) => ResourceContents::text(text, uri),
            Content::Picture(picture) => ResourceContents::blob(picture.to_base64(), uri),
            _ => return Err(ErrorData::internal_error("the resource is of an unknown kind", None)),
        };
        let contents = vec![contents.with_mime_type(resource.mime)];
        Ok(ReadResourceResult::new(contents).with_ttl_ms(0).with_cache_scope(CacheScope::Private).into())
    }

    async fn log_end(
        &self,
        name: &str,
        code: Option<&str>,
        started: Instant,
        cx: &RequestContext<RoleServer>,
    ) {
        let level = log::level_of(code);
        if self.level.wants(cx, level) {
            log::send(&cx.peer, level, log::end_of_call(name, code, started.elapsed())).await;
        }
    }
}

/// A reply as the protocol carries it: one complete text block, pictures, links to spilled results, and the same small
/// object for status answers.
fn result(reply: Reply, workspace: &Path) -> CallToolResult {
    let mut content = vec![ContentBlock::text(reply.for_model)];
    content
        .extend(reply.images.iter().map(|image| ContentBlock::image(image.to_base64(), image.mime.clone())));
    content.extend(reply.attachments.iter().map(|name| {
        let link = Link::new(uri::of_path(&workspace.join(name)), name.as_str());
        ContentBlock::resource_link(link.with_mime_type("text/plain").with_description("The whole result."))
    }));
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

/// What every client puts into the prompt of its model; it speaks of the tools that are there.
fn instructions(tools: &ToolSet) -> String {
    let has = |name: &str| tools.specs().any(|spec| spec.name == name);
    let mut text = String::from("File tools of one workspace. Relative paths start at the workspace.");
    for (name, use_it) in [
        ("search_files", "search_files finds code and files."),
        ("find_files", "find_files finds code and files."),
        ("read_file", "read_file pages through a file."),
        ("read_files", "read_files reads several files at once."),
        ("edit_file", "edit_file changes files in place."),
        ("write_file", "write_file makes a new file."),
        ("file_history", "file_history shows earlier versions."),
    ] {
        if has(name) {
            text.push(' ');
            text.push_str(use_it);
        }
    }
    text.push_str(
        " Text shown as [FILTERED] is a masked credential: it is not in the file, so never write it back. An answer that \
         is not complete says how to go on. A refusal names its code and the next step.",
    );
    text
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities =
            ServerCapabilities::builder().enable_tools().enable_resources().enable_logging().build();
        ServerConfig::new(capabilities)
            .with_server_info(
                Implementation::new("fs-tools", env!("CARGO_PKG_VERSION")).with_title("File tools"),
            )
            .with_instructions(instructions(&self.desk.workspaces.own))
    }

    async fn on_initialized(&self, cx: NotificationContext<RoleServer>) {
        if self.level.wants_in_session(LoggingLevel::Warning) {
            for warning in self.desk.workspaces.own.workspace().warnings() {
                log::send(&cx.peer, LoggingLevel::Warning, json!({"configuration": warning})).await;
            }
        }
    }

    async fn set_level(
        &self,
        request: SetLevelRequestParams,
        _cx: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.level.set(request.level);
        Ok(())
    }

    async fn on_roots_list_changed(&self, _cx: NotificationContext<RoleServer>) {
        self.chosen.forget().await;
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _cx: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = self.desk.workspaces.own.specs().map(tool).collect();
        Ok(ListToolsResult::with_all_items(tools)
            .with_ttl_ms(TOOL_LIST_TTL_MS)
            .with_cache_scope(CacheScope::Public))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.desk.workspaces.own.specs().find(|spec| spec.name == name).map(tool)
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        _cx: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let files = ResourceTemplate::new("file:///{+path}", "file")
            .with_title("File")
            .with_description("A text or a picture, by its absolute path. Credentials are masked.");
        Ok(ListResourceTemplatesResult::with_all_items(vec![files])
            .with_ttl_ms(TOOL_LIST_TTL_MS)
            .with_cache_scope(CacheScope::Public))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        self.resource(request, &cx).await
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.map_or(Value::Null, Value::Object);
        let again = Again { state: request.request_state, answers: request.input_responses };
        Ok(self.run(request.name.into_owned(), arguments, again, &cx).await)
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
        let again = Again { state: None, answers: None };
        let json = match self.run(name.to_owned(), arguments, again, &cx).await {
            CallToolResponse::Complete(result) => serde_json::to_value(result),
            CallToolResponse::InputRequired(result) => serde_json::to_value(result),
            _ => return Err(ErrorData::internal_error("an answer of an unknown kind", None)),
        };
        json.map(CustomResult::new).map_err(|error| ErrorData::internal_error(error.to_string(), None))
    }
}
