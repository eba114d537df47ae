//! One attempt at a call: on a thread of its own, with progress to the client and a flag that ends it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use fs_tools::{Call, Progress, Question, ToolSet};
use rmcp::model::ProgressNotificationParam;
use rmcp::service::{RequestContext, RoleServer};
use tokio::sync::mpsc;

use super::admission::Ticket;
use super::question::{Asker, Known};
use crate::cli::Whose;

/// Shortest time between two progress notifications.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(100);

/// What an attempt does on its thread.
pub(super) type Work<T> = Arc<dyn Fn(&ToolSet, &Call<'_>) -> T + Send + Sync>;

/// What came of an attempt.
pub(super) struct Attempt<T> {
    pub(super) result: T,
    /// The question that ended it, if one did.
    pub(super) question: Option<Question>,
}

/// What an attempt starts from.
pub(super) struct Start<T> {
    pub(super) tools: Arc<ToolSet>,
    pub(super) whose: Whose,
    pub(super) ticket: Ticket,
    pub(super) known: Known,
    pub(super) can_ask: bool,
    pub(super) work: Work<T>,
}

/// Runs one attempt to its end; `None` when its thread was lost. The flag of the call is set when the client cancels,
/// and the attempt is waited for all the same: it holds its place until it has really ended.
pub(super) async fn attempt<T: Send + 'static>(
    start: Start<T>,
    cx: &RequestContext<RoleServer>,
) -> Option<Attempt<T>> {
    let flag = Arc::new(AtomicBool::new(cx.ct.is_cancelled()));
    let stop = Arc::clone(&flag);
    let (sender, mut updates) = mpsc::channel::<Update>(1);
    let wanted = cx.meta.get_progress_token();
    let reports = wanted.is_some();
    let mut job = tokio::task::spawn_blocking(move || {
        let Start { tools, whose, ticket, known, can_ask, work } = start;
        let channel = Channel { sender, started: Instant::now() };
        let progress: Option<&dyn Progress> = if reports { Some(&channel) } else { None };
        let asker = Asker::new(known, can_ask, Arc::clone(&stop));
        let call = Call { cancel: Some(&stop), progress, origin: whose.origin(), confirm: &asker };
        let result = work(&tools, &call);
        drop(ticket);
        Attempt { result, question: asker.into_noted() }
    });
    let mut last: Option<(Instant, f64)> = None;
    loop {
        tokio::select! {
            done = &mut job => return done.ok(),
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
