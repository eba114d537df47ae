//! After an interruption: finding out how changes ended, without touching a file of the user.

use crate::{
    error::Error,
    history::{History, Names},
    record,
    store::{ChangeRow, Rows, RowsMut, Scan, SetRow, SetStatus, Store, Sync, Which},
    version::{ChangeId, Outcome, SetId},
    workspace::{Current, Workspace},
};

/// What recovery found.
#[non_exhaustive]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Recovered {
    /// Changes whose outcome is now known.
    pub settled: Vec<(ChangeId, Outcome)>,
    /// Groups of which only some files were published: id, files published, files. They can be resumed or rolled back.
    pub interrupted: Vec<(SetId, u32, u32)>,
    /// Temporary files that were left alone, since their content is no recorded version or cannot be compared.
    pub strays: Vec<Vec<u8>>,
}

/// What was found out about one change.
struct Finding {
    row: ChangeRow,
    outcome: Outcome,
    temp_gone: bool,
}

impl<S: Store> History<S> {
    /// Finds out how the changes ended that other handles, now closed, left open.
    ///
    /// Compares the content at each path with the two sides of the change. Temporary files that a change names are
    /// taken away if a version holds their content, or if nothing was published; no other file is touched. Changes of
    /// live handles are left alone.
    ///
    /// # Errors
    ///
    /// Those of the store and of the workspace; what was found out so far is not lost, it will be found again.
    ///
    /// # Cost
    ///
    /// An index look-up when there is nothing to do; otherwise each path concerned is read once.
    pub fn recover(&mut self, workspace: &mut impl Workspace) -> Result<Recovered, Error> {
        let scan = Scan { which: Which::Unfinished, ..Scan::default() };
        let (open, sets) = self.store.view(|rows| Ok((rows.changes(&scan)?, rows.sets(SetStatus::Open)?)))?;
        let open: Vec<ChangeRow> = open.into_iter().filter(|row| !self.store.is_alive(row.owner)).collect();
        let sets: Vec<SetRow> = sets.into_iter().filter(|set| !self.store.is_alive(set.owner)).collect();
        let mut found = Recovered::default();
        if open.is_empty() && sets.is_empty() {
            return Ok(found);
        }
        let mut findings = Vec::new();
        for row in open.into_iter().rev() {
            findings.push(self.examine(row, workspace, &mut found)?);
        }
        workspace.sync()?;
        self.store.transact(Sync::Now, |tx| {
            for Finding { row, outcome, temp_gone } in &findings {
                let Some(mut now) = tx.change(row.id)? else { continue };
                // Somebody else may have settled it meanwhile, and knew better.
                if now.outcome == Outcome::Open {
                    now.outcome = *outcome;
                    found.settled.push((row.id, *outcome));
                }
                if *temp_gone {
                    now.temp = None;
                }
                tx.put_change(&now)?;
            }
            for set in &sets {
                let scan = Scan { set: Some(set.id), which: Which::All, ..Scan::default() };
                let landed = tx.changes(&scan)?.iter().filter(|row| row.outcome == Outcome::Landed).count();
                let applied = u32::try_from(landed).unwrap_or(u32::MAX);
                let status = match applied {
                    0 => SetStatus::Aborted,
                    all if all == set.total => SetStatus::Done,
                    _ => SetStatus::Interrupted,
                };
                if status == SetStatus::Interrupted {
                    found.interrupted.push((set.id, applied, set.total));
                }
                tx.put_set(&SetRow { status, applied, ..*set })?;
            }
            Ok(())
        })?;
        Ok(found)
    }

    fn examine(
        &self,
        row: ChangeRow,
        workspace: &mut impl Workspace,
        found: &mut Recovered,
    ) -> Result<Finding, Error> {
        let path = self.store.view(|rows| Names::default().path(rows, row.path))?;
        let current = workspace.look(&path)?;
        let outcome = match (row.outcome, &current) {
            (Outcome::Open, Current::Blocked(_)) => Outcome::Unknown,
            (Outcome::Open, _) => {
                self.store.view(|rows| record::classify(rows, self.keys(), &row, current.file()))?
            }
            (settled, _) => settled,
        };
        let Some(temp) = row.temp.clone() else { return Ok(Finding { row, outcome, temp_gone: true }) };
        let spare = match workspace.look(&temp)? {
            Current::Absent => true,
            Current::Blocked(_) => false,
            file @ Current::File(_) => self.store.view(|rows| {
                let at = self.at(row.path);
                let is = |state| record::is_state(rows, at, state, file.file());
                // While the old content is at the path, nothing was published: the file is a copy being made.
                let unpublished = record::is_state(rows, at, &row.before, current.file())? == Some(true);
                Ok(unpublished || is(&row.before)? == Some(true) || is(&row.after)? == Some(true))
            })?,
        };
        if spare {
            workspace.discard(&temp, 0)?;
        } else {
            found.strays.push(temp);
        }
        Ok(Finding { row, outcome, temp_gone: spare })
    }
}
