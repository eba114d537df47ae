//! What the client is told besides answers: names of tools, codes and times, never content, paths or arguments.

use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

use rmcp::model::{LoggingLevel, LoggingMessageNotificationParam};
use rmcp::service::{Peer, RequestContext, RoleServer};
use serde_json::{Value, json};

use super::question::is_stateless;

/// The level that the client of a session asked for.
pub(super) struct Level(AtomicU8);

impl Default for Level {
    fn default() -> Self {
        Self(AtomicU8::new(rank(LoggingLevel::Warning)))
    }
}

impl Level {
    pub(super) fn set(&self, level: LoggingLevel) {
        self.0.store(rank(level), Ordering::Relaxed);
    }

    /// Whether the client of this request wants a message of `level`. Without a session it says so in each request.
    pub(super) fn wants(&self, cx: &RequestContext<RoleServer>, level: LoggingLevel) -> bool {
        let least = if is_stateless(cx) {
            cx.meta.log_level().map(rank)
        } else {
            Some(self.0.load(Ordering::Relaxed))
        };
        least.is_some_and(|least| rank(level) >= least)
    }

    /// The same for a session outside of any request.
    pub(super) fn wants_in_session(&self, level: LoggingLevel) -> bool {
        rank(level) >= self.0.load(Ordering::Relaxed)
    }
}

fn rank(level: LoggingLevel) -> u8 {
    match level {
        LoggingLevel::Debug => 0,
        LoggingLevel::Info => 1,
        LoggingLevel::Notice => 2,
        LoggingLevel::Warning => 3,
        LoggingLevel::Error => 4,
        LoggingLevel::Critical => 5,
        LoggingLevel::Alert => 6,
        LoggingLevel::Emergency => 7,
    }
}

/// How bad the end of a call is: a defect is an error, a person's part in it a warning, everything else information.
pub(super) fn level_of(code: Option<&str>) -> LoggingLevel {
    match code {
        Some("internal") => LoggingLevel::Error,
        Some(
            "confirmation_needed"
            | "confirmation_timed_out"
            | "confirmation_failed"
            | "declined"
            | "too_many_calls"
            | "root_refused",
        ) => LoggingLevel::Warning,
        _ => LoggingLevel::Info,
    }
}

/// The message about the end of a call.
pub(super) fn end_of_call(tool: &str, code: Option<&str>, took: Duration) -> Value {
    json!({"tool": tool, "outcome": code.unwrap_or("ok"), "milliseconds": u64::try_from(took.as_millis()).unwrap_or(u64::MAX)})
}

/// Sends a message; a client that is gone misses it.
pub(super) async fn send(peer: &Peer<RoleServer>, level: LoggingLevel, data: Value) {
    let message = LoggingMessageNotificationParam::new(level, data).with_logger("fs-tools");
    let _ = peer.notify_logging_message(message).await;
}
