//! The seam of a test build: a plan per thread.

use std::cell::{Cell, RefCell};

use rustix::io::Errno;

use super::Step;

/// Says what happens at a step.
#[derive(Debug, Clone, Copy)]
pub enum Fault {
    /// The step answers this error number, once.
    Fails(i32),
    /// The writer stops there as in a crash: this step and all that follow it, tidying up included, do
    /// nothing.
    Stops,
    /// Somebody else acts just before the step, once, and the step goes on.
    Calls(fn()),
}

thread_local! {
    static PLAN: RefCell<Vec<(Step, Fault)>> = const { RefCell::new(Vec::new()) };
    static CRASHED: Cell<bool> = const { Cell::new(false) };
}

/// Runs `work` on this thread with one fault; tells beside its result whether the fault was met.
pub fn inject<T>(step: Step, fault: Fault, work: impl FnOnce() -> T) -> (T, bool) {
    inject_all(&[(step, fault)], work)
}

/// Runs `work` on this thread with several faults; tells beside its result whether all were met.
pub fn inject_all<T>(plan: &[(Step, Fault)], work: impl FnOnce() -> T) -> (T, bool) {
    PLAN.set(plan.to_vec());
    let result = work();
    CRASHED.set(false);
    (result, PLAN.take().is_empty())
}

pub(crate) fn at(step: Step) -> Result<(), Errno> {
    if CRASHED.get() {
        return Err(Errno::CANCELED);
    }
    let found = PLAN.with_borrow_mut(|plan| {
        let at = plan.iter().position(|(planned, _)| *planned == step)?;
        Some(plan.remove(at).1)
    });
    match found {
        None => Ok(()),
        Some(Fault::Fails(errno)) => Err(Errno::from_raw_os_error(errno)),
        Some(Fault::Stops) => {
            CRASHED.set(true);
            Err(Errno::CANCELED)
        }
        Some(Fault::Calls(act)) => {
            act();
            Ok(())
        }
    }
}

/// Returns how many of `len` bytes are written before [`Step::WriteRest`]: half of them.
pub(crate) fn first_part(len: usize) -> usize {
    len / 2
}
