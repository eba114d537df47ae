//! Questions to a person, asked through the client.
//!
//! A call never waits for a person on a thread. It runs until it meets a question, ends there without having changed
//! anything, and runs again with the answer. Clients with a session are asked by `elicitation/create` in between;
//! clients of the stateless protocol get the question as the result and make the call again with the answer.

use std::collections::hash_map::RandomState;
use std::collections::{BTreeMap, HashMap};
use std::hash::BuildHasher as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use fs_tools::{Answer, Class, Confirm, Question, ToolError};
use rmcp::model::{
    ClientResult, ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationSchema,
    InputRequest, InputRequiredResult, InputResponses, ProtocolVersion, ServerRequest,
};
use rmcp::service::{PeerRequestOptions, RequestContext, RoleServer, ServiceError};
use serde_json::Value;

/// Questions of one call, at most: then the rest is refused as if nobody could be asked.
pub(super) const PER_CALL: usize = 16;
/// Questions of the stateless protocol that are open at the same time; the oldest gives way.
const OPEN: usize = 256;
/// Name of the one field of the form, and of the one request in a result.
const CONFIRM: &str = "confirm";

/// Answers that are known when an attempt starts.
pub(super) type Known = Vec<(Question, Answer)>;

/// How the client of a request can be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Channel {
    /// It cannot.
    Nobody,
    /// By a request of ours, while the call is under way.
    Session,
    /// By a result that asks; the client makes the call again.
    Rounds,
}

impl Channel {
    /// What the client of this request declared.
    pub(super) fn of(cx: &RequestContext<RoleServer>) -> Self {
        let elicitation = cx.client_capabilities().and_then(|declared| declared.elicitation);
        // No mode at all means forms, as clients had it before modes existed.
        if !elicitation.is_some_and(|modes| modes.form.is_some() || modes.url.is_none()) {
            return Self::Nobody;
        }
        if is_stateless(cx) { Self::Rounds } else { Self::Session }
    }
}

/// Whether the request is one of the protocol without sessions.
pub(super) fn is_stateless(cx: &RequestContext<RoleServer>) -> bool {
    cx.protocol_version().is_some_and(|version| version.as_str() >= ProtocolVersion::V_2026_07_28.as_str())
}

/// The questions of one attempt: answered as far as answers are known, otherwise noted, and the attempt ends.
#[derive(Debug)]
pub(super) struct Asker {
    known: Known,
    can_ask: bool,
    noted: Mutex<Option<Question>>,
    stop: Arc<AtomicBool>,
}

impl Asker {
    /// `stop` is the flag that ends the attempt.
    pub(super) fn new(known: Known, can_ask: bool, stop: Arc<AtomicBool>) -> Self {
        Self { known, can_ask, noted: Mutex::new(None), stop }
    }

    /// The question that ended the attempt.
    pub(super) fn into_noted(self) -> Option<Question> {
        self.noted.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Confirm for Asker {
    fn ask(&self, question: &Question) -> Answer {
        if let Some((_, answer)) = self.known.iter().find(|(known, _)| known == question) {
            return *answer;
        }
        if self.can_ask {
            self.noted.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_with(|| question.clone());
            self.stop.store(true, Ordering::Relaxed);
        }
        Answer::Nobody
    }
}

/// Asks the client of a session, and waits for the answer without holding anything.
///
/// # Errors
///
/// `confirmation_timed_out`, `confirmation_failed` when the client cannot show the question after all, and `cancelled`
/// when the call is cancelled meanwhile.
pub(super) async fn ask(
    question: &Question,
    patience: Duration,
    cx: &RequestContext<RoleServer>,
) -> Result<Answer, ToolError> {
    let request = ServerRequest::ElicitRequest(form(question)?);
    let options = PeerRequestOptions::with_timeout(patience);
    let failed = |what: &str| {
        ToolError::new(
            Class::Confirmation,
            "confirmation_failed",
            format!("a person has to confirm this, and {what}"),
        )
        .at(question.path.clone())
        .hint("ask the person to make this change, or to allow it in the configuration of the server")
    };
    let sent = cx.peer.send_request_with_option(request, options).await;
    let handle = sent.map_err(|_| failed("the question could not be sent"))?;
    let (peer, id) = (handle.peer.clone(), handle.id.clone());
    tokio::select! {
        answer = handle.await_response() => match answer {
            Ok(ClientResult::ElicitResult(result)) => Ok(judge(&result)),
            Ok(_) => Err(failed("the client gave no answer to the question")),
            Err(ServiceError::Timeout { .. }) => Err(timed_out(question, patience)),
            Err(_) => Err(failed("the client could not put the question")),
        },
        () = cx.ct.cancelled() => {
            let withdrawn = rmcp::model::CancelledNotificationParam::new(Some(id), Some("the call was cancelled".into()));
            // A client that is gone needs no notice.
            let _ = peer.notify_cancelled(withdrawn).await;
            Err(cancelled())
        }
    }
}

/// The refusal of a call that the client gave up.
pub(super) fn cancelled() -> ToolError {
    ToolError::new(Class::Cancelled, "cancelled", "the call was cancelled; nothing was changed")
}

fn timed_out(question: &Question, patience: Duration) -> ToolError {
    ToolError::new(
        Class::Confirmation,
        "confirmation_timed_out",
        format!("a person has to confirm this, and nobody answered within {} seconds", patience.as_secs()),
    )
    .at(question.path.clone())
    .hint("nothing was changed; call again when somebody is there to answer")
}

fn form(question: &Question) -> Result<ElicitRequest, ToolError> {
    let schema = ElicitationSchema::builder()
        .required_bool_property(CONFIRM, |field| {
            field.title("Allow").description("Holds for this file until the server ends.").with_default(false)
        })
        .build()
        .map_err(|error| ToolError::new(Class::Internal, "internal", error))?;
    Ok(ElicitRequest::new(ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: question.text.clone(),
        requested_schema: schema,
    }))
}

fn judge(result: &ElicitResult) -> Answer {
    let ticked = result.content.as_ref().and_then(|content| content.get(CONFIRM)).and_then(Value::as_bool);
    if result.action == ElicitationAction::Accept && ticked == Some(true) { Answer::Yes } else { Answer::No }
}

/// The open questions of the stateless protocol. What the client hands back is only a name of what is kept here, good
/// for one use, for one call, and for a while.
#[derive(Debug, Default)]
pub(super) struct Open {
    hasher: RandomState,
    pending: Mutex<HashMap<String, Pending>>,
}

#[derive(Debug)]
struct Pending {
    call: u64,
    known: Known,
    question: Question,
    until: Instant,
}

impl Open {
    /// A fingerprint of a call, by a key that no client knows.
    pub(super) fn fingerprint(&self, name: &str, arguments: &Value) -> u64 {
        self.hasher.hash_one((name, arguments.to_string()))
    }

    /// Keeps a question and returns the result that asks it.
    pub(super) fn put(
        &self,
        call: u64,
        known: Known,
        question: Question,
        patience: Duration,
    ) -> Result<InputRequiredResult, ToolError> {
        let ask = InputRequest::Elicitation(form(&question)?);
        let name = random_name()?;
        let now = Instant::now();
        let mut pending = self.pending.lock().unwrap_or_else(PoisonError::into_inner);
        pending.retain(|_, one| one.until > now);
        if pending.len() >= OPEN
            && let Some(oldest) =
                pending.iter().min_by_key(|(_, one)| one.until).map(|(name, _)| name.clone())
        {
            pending.remove(&oldest);
        }
        pending.insert(name.clone(), Pending { call, known, question, until: now + patience });
        Ok(InputRequiredResult::new(Some(BTreeMap::from([(CONFIRM.to_owned(), ask)])), Some(name)))
    }

    /// Takes the answers of a call that is made again.
    ///
    /// # Errors
    ///
    /// `confirmation_expired` when the question is not open (any more), or belongs to another call.
    pub(super) fn take(
        &self,
        state: &str,
        call: u64,
        answers: Option<&InputResponses>,
    ) -> Result<Known, ToolError> {
        let found = self.pending.lock().unwrap_or_else(PoisonError::into_inner).remove(state);
        let Some(found) = found.filter(|one| one.call == call && one.until > Instant::now()) else {
            return Err(ToolError::new(
                Class::Confirmation,
                "confirmation_expired",
                "the question that this call answers is not open: it was answered, it was another call's, or too much \
                 time has passed",
            )
            .hint("nothing was changed; make the call again without requestState, and the question is put again"));
        };
        let answer = answers
            .and_then(|answers| answers.get(CONFIRM))
            .and_then(|answer| serde_json::from_value::<ElicitResult>(answer.clone()).ok())
            .map_or(Answer::No, |result| judge(&result));
        let mut known = found.known;
        known.push((found.question, answer));
        Ok(known)
    }
}

/// 128 random bits in hexadecimal digits.
fn random_name() -> Result<String, ToolError> {
    super::random::hex(16)
        .map_err(|error| ToolError::new(Class::Internal, "internal", format!("no random numbers: {error}")))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use fs_tools::{Answer, Question};
    use rmcp::model::InputResponses;
    use serde_json::json;

    use super::{OPEN, Open};

    fn question(path: &str) -> Question {
        Question { path: path.into(), code: "c".into(), text: "t".into(), file: Some((1, 2)) }
    }

    fn yes() -> InputResponses {
        InputResponses::from([("confirm".into(), json!({"action": "accept", "content": {"confirm": true}}))])
    }

    #[test]
    fn an_answer_holds_for_one_use_of_one_call() {
        let open = Open::default();
        let long = Duration::from_secs(60);
        let (call, other) =
            (open.fingerprint("t", &json!({"a": 1})), open.fingerprint("t", &json!({"a": 2})));
        assert_ne!(call, other);
        let ask = || open.put(call, Vec::new(), question("f"), long).unwrap().request_state.unwrap();
        let state = ask();
        assert_eq!(open.take(&state, call, Some(&yes())).unwrap(), [(question("f"), Answer::Yes)]);
        assert_eq!(open.take(&state, call, Some(&yes())).unwrap_err().code(), "confirmation_expired");
        assert!(open.take(&ask(), other, Some(&yes())).is_err());
        assert!(open.take("", call, Some(&yes())).is_err());
        for no in [
            json!({"action": "accept", "content": {"confirm": false}}),
            json!({"action": "accept"}),
            json!({"action": "decline", "content": {"confirm": true}}),
            json!({"action": "cancel"}),
            json!("yes"),
        ] {
            let answers = InputResponses::from([("confirm".into(), no)]);
            assert_eq!(open.take(&ask(), call, Some(&answers)).unwrap(), [(question("f"), Answer::No)]);
        }
        assert_eq!(open.take(&ask(), call, None).unwrap(), [(question("f"), Answer::No)]);
    }

    #[test]
    fn questions_expire_and_are_bounded() {
        let open = Open::default();
        let state = open.put(1, Vec::new(), question("f"), Duration::ZERO).unwrap().request_state.unwrap();
        assert!(open.take(&state, 1, Some(&yes())).is_err());
        for _ in 0..OPEN + 10 {
            let _ = open.put(1, Vec::new(), question("f"), Duration::from_secs(60)).unwrap();
        }
        assert_eq!(open.pending.lock().unwrap().len(), OPEN);
    }
}
