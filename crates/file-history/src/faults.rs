//! Faults on demand for the in-memory store and workspace: one failing step, or a stop of everything.

use std::sync::{Arc, Mutex, PoisonError};

use crate::error::Error;

/// Says what happens at the chosen step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// That step fails; later ones work.
    Error,
    /// That step and all later ones fail, as if the process had died before it.
    Stop,
}

/// Counts the steps of everything it was given to, and lets one of them fail.
///
/// A test first runs without a fault, asks for the number of [`steps`](Self::steps), and then runs once per step.
#[derive(Debug, Clone, Default)]
pub struct Faults(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    steps: u64,
    plan: Option<(u64, Fault)>,
}

impl Faults {
    /// Plans a fault at the step with this number, counted from 0 from the start.
    pub fn at(step: u64, fault: Fault) -> Self {
        Self(Arc::new(Mutex::new(State { steps: 0, plan: Some((step, fault)) })))
    }

    /// Returns how many steps were taken.
    pub fn steps(&self) -> u64 {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).steps
    }

    /// Plans a fault this many steps from now.
    pub fn arm(&self, ahead: u64, fault: Fault) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.plan = Some((state.steps + ahead, fault));
    }

    /// Forgets the planned fault.
    pub fn disarm(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).plan = None;
    }

    /// Takes one step: for other stores and workspaces that want to take part.
    ///
    /// # Errors
    ///
    /// [`Error::Workspace`] if this step is to fail.
    pub fn step(&self) -> Result<(), Error> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let now = state.steps;
        state.steps += 1;
        match state.plan {
            Some((at, Fault::Error)) if now == at => Err(Error::Workspace("injected fault".into())),
            Some((at, Fault::Stop)) if now >= at => Err(Error::Workspace("injected stop".into())),
            _ => Ok(()),
        }
    }
}
