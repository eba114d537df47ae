//! The server over tools made for the purpose: what no real tool does on demand.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use fs_tools::{
    Annotations, Answer, Call, Config, Image, Options, Question, Reply, Tool, ToolSet, ToolSpec, Workspace,
};
use rmcp::ServiceExt as _;
use serde_json::{Value, json};
use tokio::io::{
    AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf,
};

use super::admission::RUNNING;
use super::roots::Workspaces;
use super::server::{Desk, Server};
use crate::cli::Whose;

/// A tool that does what a function says.
struct Does<F> {
    spec: ToolSpec,
    work: F,
}

impl<F: Fn(&Value, &Call<'_>) -> Reply + Send + Sync> Tool for Does<F> {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn call(&self, _workspace: &Workspace, args: &Value, call: &Call<'_>) -> Reply {
        (self.work)(args, call)
    }
}

fn does(
    name: &'static str,
    read_only: bool,
    work: impl Fn(&Value, &Call<'_>) -> Reply + Send + Sync + 'static,
) -> Box<dyn Tool> {
    let spec = ToolSpec {
        name,
        title: name,
        description: name.into(),
        input_schema: json!({"type": "object", "properties": {"n": {"type": "integer"}}}),
        output_schema: None,
        annotations: Annotations { read_only, destructive: !read_only, idempotent: false, open_world: false },
        mistaken: &[],
    };
    Box::new(Does { spec, work })
}

fn echo() -> Box<dyn Tool> {
    does("echo", true, |args, _| Reply::text(args.to_string()))
}

/// A tool whose calls end when they are told to; says when one has begun.
fn waits() -> (Box<dyn Tool>, Sender<()>, Receiver<()>) {
    let (release, released) = channel::<()>();
    let (begin, begun) = channel();
    let (released, begin) = (Mutex::new(released), Mutex::new(begin));
    let tool = does("waits", true, move |_, _| {
        let _ = begin.lock().unwrap_or_else(PoisonError::into_inner).send(());
        let _ = released.lock().unwrap_or_else(PoisonError::into_inner).recv();
        Reply::text("released")
    });
    (tool, release, begun)
}

fn question(n: &Value) -> Question {
    Question { path: format!("f{n}"), code: "test".into(), text: format!("Allow {n}?"), file: Some((1, 1)) }
}

/// A client that writes and reads lines.
struct Client {
    _dir: tempfile::TempDir,
    out: WriteHalf<DuplexStream>,
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
}

impl Client {
    async fn of(tools: Vec<Box<dyn Tool>>, capabilities: Value) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let workspace = Workspace::open(Options::new(dir.path(), Config::default())).unwrap();
        let own = Arc::new(ToolSet::of(workspace, tools));
        let whose = Whose { task: "t".into(), goal: String::new(), run: "r".into() };
        let desk = Desk::new(Workspaces { own, roots: None }, whose, Duration::from_secs(60));
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let (input, output) = tokio::io::split(theirs);
        tokio::spawn(async move {
            let running = Server::new(Arc::new(desk)).serve((input, output)).await.unwrap();
            let _ = running.waiting().await;
        });
        let (input, out) = tokio::io::split(ours);
        let mut client = Self { _dir: dir, out, lines: BufReader::new(input).lines() };
        let hello = json!({"protocolVersion": "2025-11-25", "capabilities": capabilities, "clientInfo": {"name": "t", "version": "1"}});
        client.send(json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello})).await;
        assert_eq!(client.next().await["id"], 0);
        client.send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
        client
    }

    async fn send(&mut self, message: Value) {
        self.out.write_all(format!("{message}\n").as_bytes()).await.unwrap();
    }

    async fn next(&mut self) -> Value {
        serde_json::from_str(&self.lines.next_line().await.unwrap().unwrap()).unwrap()
    }

    async fn post(&mut self, id: usize, tool: &str, n: usize) {
        let params = json!({"name": tool, "arguments": {"n": n}});
        self.send(json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})).await;
    }

    /// The answer to `id`; nothing else may come before it.
    async fn answer(&mut self, id: usize) -> Value {
        let message = self.next().await;
        assert_eq!(message["id"], id, "{message}");
        message["result"].clone()
    }
}

fn run(body: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(RUNNING + 2)
        .build()
        .unwrap();
    runtime.block_on(body);
    runtime.shutdown_background();
}

fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap()
}

#[test]
fn a_panic_is_the_error_of_its_call_and_the_client_is_told() {
    run(async {
        let panics = does("panics", true, |_, _| panic!("a defect"));
        let mut client = Client::of(vec![panics, echo()], json!({})).await;
        for id in 1..=3 {
            client.post(id, "panics", 0).await;
            let log = client.next().await;
            assert_eq!(
                (&log["method"], &log["params"]["level"]),
                (&json!("notifications/message"), &json!("error"))
            );
            assert_eq!(log["params"]["data"]["outcome"], "internal");
            let result = client.answer(id).await;
            assert!(result["isError"] == true && text(&result).starts_with("error (internal)"), "{result}");
        }
        client.post(4, "echo", 7).await;
        assert_eq!(text(&client.answer(4).await), "{\"n\":7}");
    });
}

#[test]
fn slow_calls_of_one_tool_leave_room_for_the_others() {
    run(async {
        let (waits, release, begun) = waits();
        let mut client = Client::of(vec![waits, echo()], json!({})).await;
        let slow = RUNNING * 3;
        for id in 1..=slow {
            client.post(id, "waits", 0).await;
        }
        client.post(900, "echo", 1).await;
        assert_eq!(text(&client.answer(900).await), "{\"n\":1}");
        assert!(begun.try_iter().count() < RUNNING);
        for _ in 0..slow {
            release.send(()).unwrap();
        }
        let mut answered = Vec::new();
        for _ in 0..slow {
            answered.push(client.next().await["id"].as_u64().unwrap());
        }
        answered.sort_unstable();
        assert_eq!(answered, (1..=slow as u64).collect::<Vec<_>>());
    });
}

#[test]
fn a_call_that_is_cancelled_while_it_waits_never_runs() {
    run(async {
        let (waits, release, _begun) = waits();
        let ran = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&ran);
        let counts = does("waits_too", true, move |_, _| {
            counter.fetch_add(1, Ordering::Relaxed);
            Reply::text("ran")
        });
        let mut client = Client::of(vec![waits, counts, echo()], json!({})).await;
        // The echo shows that everything before it has been taken in.
        for id in 1..=RUNNING {
            client.post(id, "waits", 0).await;
        }
        client.post(800, "echo", 0).await;
        client.answer(800).await;
        client.send(json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": RUNNING}})).await;
        client.post(801, "echo", 0).await;
        client.answer(801).await;
        for _ in 1..RUNNING {
            release.send(()).unwrap();
            assert_ne!(client.next().await["id"], RUNNING);
        }
        client.post(900, "waits_too", 0).await;
        assert_eq!(text(&client.answer(900).await), "ran");
        // Were the cancelled one still waiting, it would take this release and answer.
        drop(release);
        client.post(901, "echo", 1).await;
        client.answer(901).await;
        assert_eq!(ran.load(Ordering::Relaxed), 1);
    });
}

#[test]
fn open_questions_hold_no_thread_and_each_call_gets_its_own_answer() {
    run(async {
        let asks = does("asks", false, |args, call| match call.confirm.ask(&question(&args["n"])) {
            Answer::Yes => Reply::text(format!("did {}", args["n"])),
            Answer::No => Reply::text(format!("refused {}", args["n"])),
            _ => fs_tools::ToolError::new(fs_tools::Class::Confirmation, "confirmation_needed", "nobody")
                .into(),
        });
        let mut client = Client::of(vec![asks, echo()], json!({"elicitation": {}})).await;
        let calls = RUNNING * 3;
        let mut questions = Vec::new();
        for id in 1..=calls {
            client.post(id, "asks", id).await;
            let asked = client.next().await;
            assert_eq!(asked["method"], "elicitation/create", "{asked}");
            assert_eq!(asked["params"]["message"], format!("Allow {id}?"));
            assert_eq!(asked["params"]["requestedSchema"]["required"], json!(["confirm"]));
            questions.push(asked["id"].clone());
        }
        client.post(900, "echo", 1).await;
        assert_eq!(text(&client.answer(900).await), "{\"n\":1}");
        for (at, id) in questions.into_iter().enumerate() {
            let yes = at % 2 == 0;
            client.send(json!({"jsonrpc": "2.0", "id": id, "result": {"action": "accept", "content": {"confirm": yes}}})).await;
            let verb = if yes { "did" } else { "refused" };
            assert_eq!(text(&client.answer(at + 1).await), format!("{verb} {}", at + 1));
        }
    });
}

#[test]
fn a_change_that_happened_is_not_made_again_for_a_question() {
    run(async {
        let ran = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&ran);
        let changes = does("changes", false, move |args, call| {
            counter.fetch_add(1, Ordering::Relaxed);
            let _ = call.confirm.ask(&question(&args["n"]));
            Reply::text("changed one of two")
        });
        let mut client = Client::of(vec![changes], json!({"elicitation": {}})).await;
        client.post(1, "changes", 1).await;
        assert_eq!(text(&client.answer(1).await), "changed one of two");
        assert_eq!(ran.load(Ordering::Relaxed), 1);
    });
}

#[test]
fn pictures_and_spilled_results_follow_the_text() {
    run(async {
        let shows = does("shows", true, |_, _| Reply {
            images: vec![Image { mime: "image/png".into(), bytes: b"\x89PNG".to_vec() }],
            attachments: vec![".fs-tools/artifacts/a b.txt".into()],
            ..Reply::text("a picture and a link")
        });
        let mut client = Client::of(vec![shows], json!({})).await;
        client.post(1, "shows", 0).await;
        let result = client.answer(1).await;
        let blocks = result["content"].as_array().unwrap();
        assert_eq!(blocks.len(), 3, "{result}");
        assert_eq!(text(&result), "a picture and a link");
        assert_eq!(blocks[1], json!({"type": "image", "data": "iVBORw==", "mimeType": "image/png"}));
        assert_eq!(blocks[2]["type"], "resource_link");
        let uri = blocks[2]["uri"].as_str().unwrap();
        assert!(uri.starts_with("file:///") && uri.ends_with("/.fs-tools/artifacts/a%20b.txt"), "{uri}");
    });
}
