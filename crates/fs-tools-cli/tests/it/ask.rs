//! Confirmations over MCP: who can be asked, what an answer is good for, and what happens without one.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::client::{Session, text};

const HOOK: &str = ".git/hooks/pre-commit";

fn workspace() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap().join("ws");
    fs::create_dir_all(root.join(".git/hooks")).unwrap();
    fs::write(root.join(".git/config"), "[core]\n").unwrap();
    (dir, root)
}

fn write(path: &str, content: &str) -> Value {
    json!({"name": "write_file", "arguments": {"path": path, "content": content, "overwrite": true}})
}

fn accept(yes: bool) -> Value {
    json!({"action": "accept", "content": {"confirm": yes}})
}

fn asking(root: &Path) -> Session {
    Session::start(root, &[]).shake_hands_with(json!({"elicitation": {}}))
}

/// Receives the server's question.
#[track_caller]
fn question(session: &mut Session) -> Value {
    let message = session.receive();
    assert_eq!(message["method"], "elicitation/create", "{message}");
    message
}

/// Receives the answer to a call, passing over messages.
#[track_caller]
fn result(session: &mut Session, id: u64) -> Value {
    loop {
        let message = session.receive();
        if message["id"] == id && message["method"].is_null() {
            assert!(message["result"].is_object(), "{message}");
            return message["result"].clone();
        }
        assert_ne!(message["method"], "elicitation/create", "{message}");
    }
}

#[test]
fn a_client_that_cannot_ask_gets_a_refusal_that_says_how_to_grant() {
    let (_dir, root) = workspace();
    for capabilities in [json!({}), json!({"elicitation": {"url": {}}})] {
        let mut session = Session::start(&root, &[]).shake_hands_with(capabilities);
        let refused = session.call("write_file", json!({"path": HOOK, "content": "x"}));
        assert!(text(&refused).starts_with("error (confirmation_needed)"), "{refused}");
        assert!(text(&refused).contains("next step: "), "{refused}");
    }
    assert!(!root.join(HOOK).exists());
}

#[test]
fn a_person_answers_while_other_calls_go_on() {
    let (_dir, root) = workspace();
    let mut session = asking(&root);
    let id = session.post("tools/call", write(HOOK, "#!/bin/sh\n"));
    let asked = question(&mut session);
    let message = asked["params"]["message"].as_str().unwrap();
    assert!(message.contains(HOOK) && !message.contains("#!/bin/sh"), "{message}");
    // Nothing is held up by the open question.
    session.call("list_dir", json!({"path": ".git/hooks"}));
    assert!(!root.join(HOOK).exists());
    assert!(!root.join(HOOK).exists());
    session.reply(&asked["id"], accept(true));
    let done = result(&mut session, id);
    assert_eq!(done["structuredContent"]["action"], "created", "{done}");
    assert_eq!(fs::read_to_string(root.join(HOOK)).unwrap(), "#!/bin/sh\n");
}

#[test]
fn no_is_no_in_every_form() {
    let (_dir, root) = workspace();
    let mut session = asking(&root);
    for answer in [
        accept(false),
        json!({"action": "accept"}),
        json!({"action": "accept", "content": {"confirm": "true"}}),
        json!({"action": "decline"}),
        json!({"action": "cancel"}),
    ] {
        let id = session.post("tools/call", write(HOOK, "x"));
        let asked = question(&mut session);
        session.reply(&asked["id"], answer.clone());
        let refused = result(&mut session, id);
        assert!(text(&refused).starts_with("error (declined)"), "{answer}: {refused}");
    }
    let id = session.post("tools/call", write(HOOK, "x"));
    let asked = question(&mut session);
    let error = json!({"jsonrpc": "2.0", "id": asked["id"], "error": {"code": -32601, "message": "cannot"}});
    session.send(&error.to_string());
    assert!(text(&result(&mut session, id)).starts_with("error (confirmation_failed)"));
    assert!(!root.join(HOOK).exists());
}

#[test]
fn a_yes_holds_for_one_file_in_one_run() {
    let (_dir, root) = workspace();
    let mut session = asking(&root);
    let id = session.post("tools/call", write(".git/config", "[core]\n\tbare = true\n"));
    let asked = question(&mut session);
    session.reply(&asked["id"], accept(true));
    assert!(result(&mut session, id)["isError"] != true);
    // The same file again: no question, also after it was replaced by the write.
    let again = session.post("tools/call", write(".git/config", "[core]\n"));
    let again = session_result_without_question(&mut session, again);
    assert!(again["isError"] != true, "{again}");
    // Another file, and the same name with another file behind it, are asked for.
    for prepare in [None, Some(root.join(".git/config"))] {
        let path = if prepare.is_some() { ".git/config" } else { HOOK };
        if let Some(file) = prepare {
            let other = root.join("other");
            fs::write(&other, "[user]\n").unwrap();
            fs::rename(other, file).unwrap();
        }
        let id = session.post("tools/call", write(path, "y"));
        let asked = question(&mut session);
        session.reply(&asked["id"], json!({"action": "decline"}));
        assert!(text(&result(&mut session, id)).starts_with("error (declined)"));
    }
    // Another run knows nothing of it.
    let mut other = asking(&root);
    let _ = other.post("tools/call", write(".git/config", "z"));
    question(&mut other);
}

#[track_caller]
fn session_result_without_question(session: &mut Session, id: u64) -> Value {
    let message = session.receive();
    assert_eq!(message["id"], id, "{message}");
    message["result"].clone()
}

#[test]
fn a_file_that_is_swapped_while_the_person_thinks_is_asked_for_again() {
    let (_dir, root) = workspace();
    let mut session = asking(&root);
    let id = session.post("tools/call", write(".git/config", "x"));
    let asked = question(&mut session);
    fs::write(root.join("other"), "[alias]\n").unwrap();
    fs::rename(root.join("other"), root.join(".git/config")).unwrap();
    session.reply(&asked["id"], accept(true));
    let asked = question(&mut session);
    session.reply(&asked["id"], json!({"action": "decline"}));
    assert!(text(&result(&mut session, id)).starts_with("error (declined)"));
    assert_eq!(fs::read_to_string(root.join(".git/config")).unwrap(), "[alias]\n");
}

#[test]
fn a_question_that_nobody_answers_times_out_and_is_withdrawn() {
    let (_dir, root) = workspace();
    let mut session =
        Session::start_with(&root, &["--confirm-timeout", "1"]).shake_hands_with(json!({"elicitation": {}}));
    let id = session.post("tools/call", write(HOOK, "x"));
    let asked = question(&mut session);
    let withdrawn = session.receive();
    assert_eq!(withdrawn["method"], "notifications/cancelled", "{withdrawn}");
    assert_eq!(withdrawn["params"]["requestId"], asked["id"]);
    let refused = result(&mut session, id);
    assert!(text(&refused).starts_with("error (confirmation_timed_out)"), "{refused}");
    // A late yes changes nothing.
    session.reply(&asked["id"], accept(true));
    session.call("list_dir", json!({"path": ".git/hooks"}));
    assert!(!root.join(HOOK).exists());
}

#[test]
fn a_call_that_is_given_up_withdraws_its_question() {
    let (_dir, root) = workspace();
    let mut session = asking(&root);
    let id = session.post("tools/call", write(HOOK, "x"));
    let asked = question(&mut session);
    session.cancel(id);
    let withdrawn = session.receive();
    assert_eq!(withdrawn["params"]["requestId"], asked["id"], "{withdrawn}");
    session.reply(&asked["id"], accept(true));
    session.call("list_dir", json!({"path": ".git/hooks"}));
    assert!(!root.join(HOOK).exists());
}

/// What each request of the stateless protocol carries.
fn meta() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}},
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    })
}

#[test]
fn without_a_session_the_result_asks_and_the_call_is_made_again() {
    let (_dir, root) = workspace();
    let mut session = Session::start(&root, &[]);
    let mut call = write(".git/config", "[core]\n\tbare = true\n");
    call["_meta"] = meta();
    let asked = session.request("tools/call", call.clone())["result"].clone();
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    assert_eq!(asked["inputRequests"]["confirm"]["method"], "elicitation/create");
    assert_eq!(fs::read_to_string(root.join(".git/config")).unwrap(), "[core]\n");
    let state = asked["requestState"].clone();
    // The same state with other arguments answers nothing.
    let mut other = write(HOOK, "x");
    other["_meta"] = meta();
    other["requestState"] = state.clone();
    other["inputResponses"] = json!({"confirm": accept(true)});
    let refused = session.request("tools/call", other)["result"].clone();
    assert!(text(&refused).starts_with("error (confirmation_expired)"), "{refused}");
    assert!(!root.join(HOOK).exists());
    // That used it up: the call is made anew.
    let asked = session.request("tools/call", call.clone())["result"].clone();
    call["requestState"] = asked["requestState"].clone();
    call["inputResponses"] = json!({"confirm": accept(true)});
    let done = session.request("tools/call", call.clone())["result"].clone();
    assert_eq!(done["structuredContent"]["action"], "overwritten", "{done}");
    let replayed = session.request("tools/call", call)["result"].clone();
    assert!(text(&replayed).starts_with("error (confirmation_expired)"), "{replayed}");
}

#[test]
fn without_a_session_no_is_no_and_a_client_that_cannot_ask_is_refused() {
    let (_dir, root) = workspace();
    let mut session = Session::start(&root, &[]);
    for answer in [json!({"confirm": accept(false)}), json!({"confirm": {"action": "decline"}}), json!({})] {
        let mut call = write(HOOK, "x");
        call["_meta"] = meta();
        let asked = session.request("tools/call", call.clone())["result"].clone();
        call["requestState"] = asked["requestState"].clone();
        call["inputResponses"] = answer;
        let refused = session.request("tools/call", call)["result"].clone();
        assert!(text(&refused).starts_with("error (declined)"), "{refused}");
    }
    let mut call = write(HOOK, "x");
    call["_meta"] = meta();
    call["_meta"]["io.modelcontextprotocol/clientCapabilities"] = json!({});
    let refused = session.request("tools/call", call)["result"].clone();
    assert!(text(&refused).starts_with("error (confirmation_needed)"), "{refused}");
    assert!(!root.join(HOOK).exists());
}
