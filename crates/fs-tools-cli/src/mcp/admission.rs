//! How many calls run and wait: bounded in number and in bytes, first come first served, and no tool takes all threads.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use fs_tools::{Class, ToolError};
use serde_json::Value;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Calls that run at the same time; more wait their turn.
pub(super) const RUNNING: usize = 16;
/// Calls of one tool that run at the same time: slow ones leave room for the others.
const RUNNING_OF_ONE: usize = 12;
/// Calls that are under way, including those that wait for a thread or for an answer of a person.
const UNDER_WAY: usize = 1_024;
/// Bytes in the arguments of the calls that are under way: four times the largest text argument.
const BYTES_UNDER_WAY: usize = 256 * 1024 * 1024;

/// The bounds of one server, for all its clients together.
#[derive(Debug)]
pub(super) struct Admission {
    running: Arc<Semaphore>,
    by_tool: HashMap<String, Arc<Semaphore>>,
    under_way: AtomicUsize,
    bytes: AtomicUsize,
}

/// The place of a call from its arrival to its answer.
#[derive(Debug)]
pub(super) struct Place<'a> {
    admission: &'a Admission,
    bytes: usize,
}

/// The right to run on a thread, until it is dropped.
#[derive(Debug)]
pub(super) struct Ticket {
    _of_tool: Option<OwnedSemaphorePermit>,
    _running: Option<OwnedSemaphorePermit>,
}

impl Admission {
    /// `tools` are the names that have bounds of their own.
    pub(super) fn new<'n>(tools: impl Iterator<Item = &'n str>) -> Self {
        let by_tool = tools.map(|name| (name.to_owned(), Arc::new(Semaphore::new(RUNNING_OF_ONE))));
        Self {
            running: Arc::new(Semaphore::new(RUNNING)),
            by_tool: by_tool.collect(),
            under_way: AtomicUsize::new(0),
            bytes: AtomicUsize::new(0),
        }
    }

    /// Takes a call with arguments of that many bytes in.
    ///
    /// # Errors
    ///
    /// `too_many_calls` when as many are under way as the bounds allow.
    pub(super) fn place(&self, bytes: usize) -> Result<Place<'_>, ToolError> {
        let calls = self.under_way.fetch_add(1, Ordering::Relaxed);
        let before = self.bytes.fetch_add(bytes, Ordering::Relaxed);
        let place = Place { admission: self, bytes };
        // One call alone always fits: its own size is bounded where the request is read.
        if calls >= UNDER_WAY || (before > 0 && before.saturating_add(bytes) > BYTES_UNDER_WAY) {
            return Err(ToolError::new(
                Class::Limit,
                "too_many_calls",
                format!("{calls} calls with {before} bytes of arguments are under way"),
            )
            .hint("wait for some of their answers, then make this call again"));
        }
        Ok(place)
    }

    /// Waits for a thread, behind all calls that came before.
    pub(super) async fn enter(&self, tool: &str) -> Ticket {
        // The semaphores are never closed, so a permit is only missing for a tool without a bound.
        let of_tool = match self.by_tool.get(tool) {
            Some(bound) => Arc::clone(bound).acquire_owned().await.ok(),
            None => None,
        };
        Ticket { _of_tool: of_tool, _running: Arc::clone(&self.running).acquire_owned().await.ok() }
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.admission.under_way.fetch_sub(1, Ordering::Relaxed);
        self.admission.bytes.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

/// Bytes of the text in a value, keys included: what it costs to keep it.
pub(super) fn weight(value: &Value) -> usize {
    /// What a value takes besides its text.
    const EACH: usize = 32;
    let inner = match value {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(weight).sum(),
        Value::Object(map) => map.iter().map(|(key, value)| key.len() + weight(value)).sum(),
        _ => 0,
    };
    inner.saturating_add(EACH)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Admission, BYTES_UNDER_WAY, UNDER_WAY, weight};

    #[test]
    fn more_calls_than_the_bound_are_refused_and_places_come_back() {
        let admission = Admission::new(["read_file"].into_iter());
        let places: Vec<_> = (0..UNDER_WAY).map(|_| admission.place(1).unwrap()).collect();
        assert_eq!(admission.place(1).unwrap_err().code(), "too_many_calls");
        drop(places);
        assert!(admission.place(1).is_ok());
    }

    #[test]
    fn large_calls_are_bounded_together_but_one_alone_fits() {
        let admission = Admission::new(std::iter::empty());
        let large = admission.place(BYTES_UNDER_WAY + 1).unwrap();
        assert!(admission.place(1).is_err());
        drop(large);
        assert!(admission.place(BYTES_UNDER_WAY).is_ok());
    }

    #[test]
    fn the_weight_counts_text_at_any_depth() {
        assert!(weight(&json!({"path": "f", "content": "x".repeat(1_000)})) > 1_000);
        assert!(weight(&json!([["x".repeat(500)], {"y".repeat(500): 1}])) > 1_000);
    }
}
