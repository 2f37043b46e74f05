//! Runs one migration.
//!
//! Many migrations are one transaction that includes their row in the history, so both are committed or neither. If
//! lines such as `-- kit: new transaction` divide the SQL, the SQL is a list of steps, and each step is recorded: a
//! transactional step within its transaction, any other step before it starts and after it is done. Therefore the next
//! run can continue after a run was killed at any point.

use std::cell::RefCell;
use std::time::Instant;

use kit_database::Migration;
use tokio_postgres::SimpleQueryMessage;

use crate::blockers::Blockers;
use crate::history::{Progress, progress_name};
use crate::run::Run;
use crate::script::{Mode, Script, Statement, Step};
use crate::{Applied, Event, Half, MigrateError};

mod attempts;
mod in_batches;
mod outside;
mod triggers;

use attempts::{AttemptError, Failure, Limit, OWN_ROLE};

/// State of the migration that is running.
pub(crate) struct MigrationRun<'a> {
    run: &'a Run<'a>,
    migration: &'a Migration,
    script: &'a Script<'a>,
    half: Half,
    begun: Instant,
    /// Time of the first attempt of the current step. The field `tries` counts its attempts.
    first_try: Instant,
    tries: u32,
    /// Sessions that blocked the last attempt.
    blockers: RefCell<Blockers>,
}

impl<'a> MigrationRun<'a> {
    pub(crate) fn new(
        run: &'a Run<'a>,
        migration: &'a Migration,
        script: &'a Script<'a>,
        half: Half,
    ) -> Self {
        Self {
            run,
            migration,
            script,
            half,
            begun: Instant::now(),
            first_try: Instant::now(),
            tries: 0,
            blockers: RefCell::default(),
        }
    }

    /// Returns the name under which progress is recorded.
    fn progress_name(&self) -> String {
        progress_name(&self.migration.name, self.half)
    }

    /// Runs the steps that `progress` does not count as completed.
    pub(crate) async fn apply(mut self, mut progress: Progress) -> Result<Applied, MigrateError> {
        let steps = &self.script.steps;
        self.check_triggers(progress.done).await?;
        // A first half ends without a record in the history: its progress shows that it is complete.
        let end = match (self.half, self.script.first_half) {
            (Half::First, Some(end)) => end,
            _ => steps.len(),
        };
        let mut number = 1 + steps[..progress.done]
            .iter()
            .map(|step| step.statements.len())
            .sum::<usize>();
        // If the last step is transactional, its transaction also records the whole migration.
        let mut recorded = end < steps.len();
        while progress.done < end {
            let step = &steps[progress.done];
            let next = Progress {
                done: progress.done + 1,
                checksum: self.script.checksum(progress.done + 1),
                between: self.half == Half::First && progress.done + 1 == end,
                ..Progress::default()
            };
            (self.first_try, self.tries) = (Instant::now(), 0);
            let is_one_transaction = match step.mode {
                Mode::Transaction => {
                    self.run_in_transaction(step, number, &progress, &next).await?;
                    true
                }
                Mode::Outside => {
                    self.run_outside_transaction(&step.statements[0], number, &progress, &next)
                        .await?;
                    false
                }
                Mode::Batches | Mode::BatchesWithoutTriggers => {
                    self.run_in_batches(step, number, &progress, &next).await?
                }
            };
            number += step.statements.len();
            recorded = end < steps.len() || is_one_transaction && next.done == steps.len();
            progress = next;
        }
        if !recorded {
            let record = format!("BEGIN; {}; COMMIT", self.record());
            self.run_own_sql(&record, 0).await?;
        }
        Ok(Applied {
            name: self.migration.name.clone(),
            duration: self.begun.elapsed(),
            half: self.half,
        })
    }

    /// Runs a transactional step. Retries if other sessions hold a lock.
    async fn run_in_transaction(
        &mut self,
        step: &Step<'_>,
        number: usize,
        progress: &Progress,
        next: &Progress,
    ) -> Result<(), MigrateError> {
        loop {
            self.check()?;
            let outcome = self.transaction(step, number, progress, next).await;
            let Err(error) = outcome else {
                return Ok(());
            };
            // If `ROLLBACK` fails too, the connection is lost and PostgreSQL rolls back itself.
            let _ = self.run.connection.batch_execute("ROLLBACK").await;
            self.retry_or_fail(error, progress).await?;
        }
    }

    async fn transaction(
        &self,
        step: &Step<'_>,
        number: usize,
        progress: &Progress,
        next: &Progress,
    ) -> Result<(), AttemptError> {
        let client = &self.run.connection;
        self.settings(self.run.options.lock_timeout, Limit::Option)
            .await?;
        self.prepare_triggers(step, progress.done)
            .await
            .map_err(AttemptError::Abort)?;
        let plain = |error| AttemptError::Failed(Failure::of_own_sql(error));
        client.batch_execute("BEGIN").await.map_err(plain)?;
        let begun = self.transaction_id().await.map_err(plain)?;
        for (at, statement) in step.statements.iter().enumerate() {
            self.execute(statement, number + at).await?;
        }
        // A procedure or a `DO` block may have ended the transaction.
        if self.transaction_id().await.map_err(plain)? != begun {
            return Err(AttemptError::Abort(MigrateError::EndedTransaction {
                name: self.migration.name.clone(),
            }));
        }
        let record = if next.done == self.script.steps.len() {
            self.record()
        } else {
            self.run.history.record_progress(&self.progress_name(), next)
        };
        // The tables of the history belong to the role of the connection.
        client
            .batch_execute(&format!("{OWN_ROLE}; {record}"))
            .await
            .map_err(plain)?;
        self.check().map_err(AttemptError::Abort)?;
        client.batch_execute("COMMIT").await.map_err(plain)
    }

    /// Returns the statements that record the migration as applied.
    fn record(&self) -> String {
        let history = &self.run.history;
        if self.half == Half::Undo {
            let name = &self.migration.name;
            return format!(
                "{}; {}",
                history.delete_progress(name),
                history.delete_progress(&self.progress_name())
            );
        }
        let mut sql = history.record(self.migration, self.begun.elapsed());
        if !self.script.is_one_transaction() {
            sql = format!("{sql}; {}", history.delete_progress(&self.migration.name));
        }
        sql
    }

    async fn execute(&self, statement: &Statement<'_>, number: usize) -> Result<(), AttemptError> {
        self.check().map_err(AttemptError::Abort)?;
        self.run.report(&Event::Statement {
            name: &self.migration.name,
            number,
            of: self.script.len(),
            line: statement.line,
            title: &statement.title(),
        });
        let work = self.run.connection.batch_execute(statement.text);
        self.watched(work, statement).await
    }

    /// Returns the number of the running transaction. Uses the simple protocol, which settings of a migration cannot
    /// disturb.
    async fn transaction_id(&self) -> Result<Option<String>, tokio_postgres::Error> {
        let messages = self
            .run
            .connection
            .simple_query("SELECT pg_catalog.pg_current_xact_id()")
            .await?;
        Ok(first_value(&messages))
    }

    /// Runs SQL that is not part of the migration, such as a change to the history table, with the role of the connection.
    async fn run_own_sql(&self, sql: &str, done: usize) -> Result<(), MigrateError> {
        self.run
            .connection
            .batch_execute(&format!("{OWN_ROLE}; {sql}"))
            .await
            .map_err(|error| self.stop(Failure::of_own_sql(error), done))
    }

    /// Returns an error if the run was interrupted.
    fn check(&self) -> Result<(), MigrateError> {
        if self.run.interrupt.is_set() {
            return Err(self.interrupted());
        }
        Ok(())
    }

    fn interrupted(&self) -> MigrateError {
        MigrateError::Interrupted {
            name: Some(self.migration.name.clone()),
            applied: self.run.applied_names(),
        }
    }

    fn stop(&self, failure: Failure, done: usize) -> MigrateError {
        if self.run.interrupt.is_set() {
            return self.interrupted();
        }
        let name = self.migration.name.clone();
        let applied = self.run.applied_names();
        if failure.source.is_lost() {
            return MigrateError::Lost {
                name,
                line: failure.line,
                applied,
                source: failure.source,
            };
        }
        MigrateError::Statement {
            name,
            before: done,
            applied,
            source: failure.source,
        }
    }
}

/// Returns the first value of the first row.
fn first_value(messages: &[SimpleQueryMessage]) -> Option<String> {
    messages.iter().find_map(|message| match message {
        SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
        _ => None,
    })
}
