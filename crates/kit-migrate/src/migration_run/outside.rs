//! Steps with one statement outside of a transaction.

use super::MigrationRun;
use super::attempts::{AttemptError, Failure, Limit};
use crate::blockers::Blockers;
use crate::concurrent::{Concurrent, IndexState};
use crate::history::Progress;
use crate::script::Statement;
use crate::{DatabaseError, Event, MigrateError};

/// State of an index after the preparation of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Prepared {
    /// A run that was killed has completed the statement.
    Complete,
    /// No index has the name. An invalid index after the attempt comes from the attempt.
    Nothing,
    /// A valid index has the name, or the statement creates no index.
    Other,
}

impl MigrationRun<'_> {
    /// Runs a statement outside of a transaction. Starts it again if an earlier run was killed while it ran.
    pub(super) async fn run_outside_transaction(
        &mut self,
        statement: &Statement<'_>,
        number: usize,
        progress: &Progress,
        next: &Progress,
    ) -> Result<(), MigrateError> {
        let index = Concurrent::of(statement).map_err(|message| MigrateError::Script {
            name: self.migration.name.clone(),
            message: format!("line {}: {message}", statement.line),
        })?;
        let history = &self.run.history;
        let name = &self.progress_name();
        // True if an invalid index with the name can come from this migration: from a run that was killed, or from an earlier
        // attempt of this run. kit drops no other index.
        let mut is_own = progress.running;
        let mut is_recorded = progress.running;
        loop {
            self.check()?;
            // These statements wait for other sessions without blocking queries, so they may wait longer.
            let patience = if index == Concurrent::Other && !validates(statement) {
                self.run.options.lock_timeout
            } else {
                self.run.options.wait.saturating_sub(self.first_try.elapsed())
            };
            let outcome = async {
                self.settings(patience, Limit::None).await?;
                match self.prepare_attempt(&index, statement, progress, is_own).await? {
                    Prepared::Complete => return Ok(()),
                    Prepared::Nothing => is_own = true,
                    Prepared::Other => {}
                }
                if !is_recorded {
                    let running = Progress {
                        checksum: self.script.checksum(progress.done),
                        running: true,
                        between: false,
                        ..progress.clone()
                    };
                    self.run_own_sql(&history.record_progress(name, &running), progress.done)
                        .await
                        .map_err(AttemptError::Abort)?;
                    is_recorded = true;
                }
                self.execute(statement, number).await
            }
            .await;
            match outcome {
                Ok(()) => break,
                Err(error) => {
                    // An index of another session has the name, so the attempt has created nothing.
                    is_own &= !error.is_duplicate();
                    let outcome = self.retry_or_fail(error, progress).await;
                    // Remove the invalid index now if possible. If the connection is lost or other sessions are in the
                    // way, the next run removes it.
                    if outcome.is_err()
                        && (!is_own
                            || self
                                .remove_own(&index, statement, progress)
                                .await
                                .unwrap_or(false))
                    {
                        let record = if progress.done == 0 {
                            history.delete_progress(name)
                        } else {
                            let stopped = Progress {
                                running: false,
                                ..progress.clone()
                            };
                            history.record_progress(name, &stopped)
                        };
                        let _ = self.run_own_sql(&record, progress.done).await;
                    }
                    outcome?;
                }
            }
        }
        // With `IF NOT EXISTS`, PostgreSQL accepts an index that another session has created meanwhile, even if it is invalid.
        if matches!(index, Concurrent::Create { .. }) {
            let found = index
                .state(&self.run.connection)
                .await
                .map_err(|error| self.stop(Failure::of(statement, error), progress.done))?;
            if let IndexState::Invalid(found) = found {
                return Err(self.invalid_index(&found, statement));
            }
        }
        self.run_own_sql(&history.record_progress(name, next), progress.done)
            .await
    }

    /// Prepares an attempt: drops the invalid index that an earlier attempt has left. Fails like an attempt that gets no lock if
    /// another session creates an index of the table, or changes the table with the same lock. Otherwise the two sessions could wait
    /// for each other, this one for the lock of the other and the other for the end of older transactions, and PostgreSQL would stop
    /// one of them.
    async fn prepare_attempt(
        &self,
        index: &Concurrent,
        statement: &Statement<'_>,
        progress: &Progress,
        is_own: bool,
    ) -> Result<Prepared, AttemptError> {
        let client = &self.run.connection;
        let failed = |error| AttemptError::Failed(Failure::of(statement, error));
        let found = index.state(client).await.map_err(failed)?;
        let is_complete = match index {
            Concurrent::Create { .. } => found == IndexState::Valid,
            Concurrent::Drop { .. } => found == IndexState::Nothing,
            Concurrent::Other => false,
        };
        if progress.running && is_complete {
            return Ok(Prepared::Complete);
        }
        let sessions = index.other_sessions(client).await.map_err(failed)?;
        if !sessions.is_empty() {
            self.blockers.replace(Blockers {
                sessions,
                is_vacuum: false,
            });
            return Err(AttemptError::Failed(Failure {
                line: statement.line,
                title: statement.title(),
                source: DatabaseError::lock(
                    "another session creates an index of the table, or changes the table",
                ),
            }));
        }
        match (index, found) {
            (Concurrent::Create { .. }, IndexState::Nothing) => Ok(Prepared::Nothing),
            (Concurrent::Create { .. }, IndexState::Invalid(name)) => {
                // Another session may have completed the index before it released its lock.
                if index.state(client).await.map_err(failed)? != IndexState::Invalid(name.clone()) {
                    return Ok(Prepared::Other);
                }
                if !is_own {
                    return Err(AttemptError::Abort(self.invalid_index(&name, statement)));
                }
                self.drop_index(&name, statement).await?;
                Ok(Prepared::Nothing)
            }
            _ => Ok(Prepared::Other),
        }
    }

    /// Drops the invalid index that an attempt has left. Returns false if a run that was killed may still create the index.
    async fn remove_own(
        &self,
        index: &Concurrent,
        statement: &Statement<'_>,
        progress: &Progress,
    ) -> Result<bool, AttemptError> {
        let client = &self.run.connection;
        let failed = |error| AttemptError::Failed(Failure::of(statement, error));
        let found = index.state(client).await.map_err(failed)?;
        let (Concurrent::Create { .. }, IndexState::Invalid(name)) = (index, &found) else {
            return Ok(true);
        };
        if !index.other_sessions(client).await.map_err(failed)?.is_empty() {
            return Ok(!progress.running);
        }
        // Another session may have completed the index before it released its lock.
        if index.state(client).await.map_err(failed)? == found {
            self.drop_index(name, statement).await?;
        }
        Ok(true)
    }

    async fn drop_index(&self, name: &str, statement: &Statement<'_>) -> Result<(), AttemptError> {
        self.run
            .connection
            .batch_execute(&format!("DROP INDEX CONCURRENTLY IF EXISTS {name}"))
            .await
            .map_err(|error| AttemptError::Failed(Failure::of(statement, error)))?;
        self.run.report(&Event::Repaired(format!(
            "dropped the invalid index {name}, whose creation was interrupted"
        )));
        Ok(())
    }

    /// Returns the error for an invalid index that does not come from this migration.
    fn invalid_index(&self, index: &str, statement: &Statement<'_>) -> MigrateError {
        MigrateError::Script {
            name: self.migration.name.clone(),
            message: format!(
                "line {}: the index {index} already exists and is not valid; run `DROP INDEX CONCURRENTLY {index}`, then apply again",
                statement.line
            ),
        }
    }
}

/// Returns true for `ALTER TABLE … VALIDATE CONSTRAINT`, which reads all rows while other sessions read and write.
fn validates(statement: &Statement<'_>) -> bool {
    statement.begins(&["alter", "table"])
        && statement
            .head
            .windows(2)
            .any(|words| words[0] == "validate" && words[1] == "constraint")
}
