//! Attempts of a step: each has settings and a short lock timeout, and is repeated if other sessions hold a lock.

use std::time::Duration;

use super::MigrationRun;
use crate::advice::advice;
use crate::blockers::jittered;
use crate::history::Progress;
use crate::script::Statement;
use crate::{DatabaseError, Event, MigrateError};

/// First pause after an attempt to get a lock failed. Each later pause is twice as long as the previous
/// pause, apart from a random part.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
pub(super) const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// Statements that give the session the role of the connection again. `RESET ALL` does not change the role.
pub(super) const OWN_ROLE: &str = "RESET SESSION AUTHORIZATION; RESET ROLE";

/// Time limit of the statements of a step.
#[derive(Debug, Clone, Copy)]
pub(super) enum Limit {
    /// The limit in the options, or else the limit that the database sets.
    Option,
    /// No limit: the statement makes no query wait.
    None,
}

/// Failure of a step.
pub(super) struct Failure {
    pub(super) line: usize,
    pub(super) title: String,
    pub(super) source: Box<DatabaseError>,
}

impl MigrationRun<'_> {
    /// Waits for SQL that runs. After a failed attempt, also finds out which sessions block the SQL.
    pub(super) async fn watched<T>(
        &self,
        work: impl Future<Output = Result<T, tokio_postgres::Error>>,
        statement: &Statement<'_>,
    ) -> Result<T, AttemptError> {
        self.watched_after("", work, statement).await
    }

    /// Waits as [`Self::watched`] does for SQL that begins with `before` and then has the statement.
    pub(super) async fn watched_after<T>(
        &self,
        before: &str,
        work: impl Future<Output = Result<T, tokio_postgres::Error>>,
        statement: &Statement<'_>,
    ) -> Result<T, AttemptError> {
        let watcher = self.run.watcher.borrow().clone();
        let outcome = match watcher {
            Some(watcher) if self.tries > 0 => {
                let delay = self.run.options.lock_timeout / 2;
                let (outcome, blockers) = watcher.watch(work, delay).await;
                if let Some(blockers) = blockers {
                    self.blockers.replace(blockers);
                }
                outcome
            }
            _ => work.await,
        };
        outcome.map_err(|error| AttemptError::Failed(Failure::after(before, statement, error)))
    }

    /// Sets the session settings that kit needs, and resets the role and the settings that an earlier step of this run
    /// changed. The lock timeout limits the wait for locks, because a waiting statement blocks all later
    /// queries on the same table. With `row_security = off`, PostgreSQL refuses a statement from which a policy would hide
    /// rows. Otherwise checks would pass and batches would change nothing, because a migration has no tenant.
    pub(super) async fn settings(&self, lock_timeout: Duration, limit: Limit) -> Result<(), AttemptError> {
        let client = &self.run.connection;
        let milliseconds = |time: Duration| time.as_millis().clamp(1, 2_147_483_647);
        let mut text = format!(
            "{OWN_ROLE}; RESET ALL; SET standard_conforming_strings = on; SET row_security = off; SET lock_timeout = {}",
            milliseconds(lock_timeout)
        );
        match (limit, self.run.options.statement_timeout) {
            (Limit::Option, Some(time)) => {
                text = format!("{text}; SET statement_timeout = {}", milliseconds(time));
            }
            (Limit::Option, None) => {}
            (Limit::None, _) => text += "; SET statement_timeout = 0",
        }
        client
            .batch_execute(&text)
            .await
            .map_err(|error| AttemptError::Failed(Failure::of_own_sql(error)))?;
        // With this setting, PostgreSQL soon stops a statement whose client was killed, and releases its locks. Some
        // operating systems do not support the setting, so its failure is ignored.
        let _ = client
            .batch_execute("SET client_connection_check_interval = 1000")
            .await;
        Ok(())
    }

    /// Decides if the step is tried again. If yes, waits until the next attempt. If no, returns the error.
    pub(super) async fn retry_or_fail(
        &mut self,
        error: AttemptError,
        progress: &Progress,
    ) -> Result<(), MigrateError> {
        let failure = match error {
            AttemptError::Abort(error) => return Err(error),
            AttemptError::Failed(failure) => failure,
        };
        self.tries += 1;
        if self.run.interrupt.is_set() || !failure.source.is_lock() {
            return Err(self.stop(failure, progress.done));
        }
        let waited = self.first_try.elapsed();
        let pause = jittered((FIRST_PAUSE * 2_u32.saturating_pow(self.tries - 1)).min(LONGEST_PAUSE));
        if waited + pause > self.run.options.wait {
            return Err(MigrateError::Blocked {
                name: self.migration.name.clone(),
                line: failure.line,
                statement: failure.title,
                tries: self.tries,
                waited,
                holders: match self.blockers.take().sessions {
                    sessions if sessions.is_empty() => self.run.longest_transactions().await,
                    sessions => sessions,
                },
                applied: self.run.applied_names(),
            });
        }
        self.run.report(&Event::Waiting {
            what: format!(
                "`{}` line {}: other transactions lock what `{}` needs",
                self.migration.name, failure.line, failure.title
            ),
            pause,
        });
        self.run.open_watcher().await;
        self.run.pause(pause).await;
        if self.blockers.borrow().is_vacuum {
            self.end_vacuum(failure.line).await;
        }
        self.check()
    }

    /// Makes PostgreSQL end an automatic vacuum of the table that the statement in the given line changes. PostgreSQL ends
    /// a vacuum if another session waits longer than an attempt of kit. This lock does not make queries wait.
    pub(super) async fn end_vacuum(&self, line: usize) {
        const PATIENCE: Duration = Duration::from_secs(3);
        let statements = self.script.steps.iter().flat_map(|step| &step.statements);
        let Some(table) = statements
            .filter(|statement| statement.line == line)
            .find_map(Statement::altered_table)
        else {
            return;
        };
        let sql = format!(
            "BEGIN; SET LOCAL lock_timeout = {}; LOCK TABLE {table} IN SHARE UPDATE EXCLUSIVE MODE; COMMIT",
            PATIENCE.as_millis()
        );
        // If this attempt fails, the next attempt of the statement fails too, and reports the error.
        if self.run.connection.batch_execute(&sql).await.is_err() {
            let _ = self.run.connection.batch_execute("ROLLBACK").await;
        }
    }

    /// Converts the failure of an attempt that is not repeated.
    pub(super) fn abort(&self, error: AttemptError, done: usize) -> MigrateError {
        match error {
            AttemptError::Abort(error) => error,
            AttemptError::Failed(failure) => self.stop(failure, done),
        }
    }
}

/// Failure of one attempt.
pub(super) enum AttemptError {
    /// PostgreSQL or the connection failed; another attempt may succeed.
    Failed(Failure),
    /// Any other error, which stops the run.
    Abort(MigrateError),
}

impl AttemptError {
    /// Returns true if an object with the name exists already.
    pub(super) fn is_duplicate(&self) -> bool {
        matches!(self, Self::Failed(failure) if failure.source.code.as_deref() == Some("42P07"))
    }
}

impl Failure {
    pub(super) fn of(statement: &Statement<'_>, error: tokio_postgres::Error) -> Self {
        Self::after("", statement, error)
    }

    /// Creates the failure of SQL that begins with `before` and then has the statement.
    fn after(before: &str, statement: &Statement<'_>, error: tokio_postgres::Error) -> Self {
        Self::at((before, statement.text), statement, error)
    }

    /// Creates the failure of a query of kit for the statement. Positions in the query say nothing about the statement.
    pub(super) fn of_query(statement: &Statement<'_>, error: tokio_postgres::Error) -> Self {
        Self::at(("", &statement.title()), statement, error)
    }

    /// Creates the failure of SQL for the statement. `sql` is a text that was sent before, and the text in which PostgreSQL reports a
    /// position.
    fn at(sql: (&str, &str), statement: &Statement<'_>, error: tokio_postgres::Error) -> Self {
        let mut source = DatabaseError::at(error, Some(sql), statement.line);
        source.advice = source.code.as_deref().and_then(|code| advice(statement, code));
        Self {
            line: statement.line,
            title: statement.title(),
            source,
        }
    }

    /// Creates the failure for SQL that is not part of the migration.
    pub(super) fn of_own_sql(error: tokio_postgres::Error) -> Self {
        Self {
            line: 1,
            title: "the history of migrations".to_owned(),
            source: DatabaseError::of(error, None),
        }
    }
}
