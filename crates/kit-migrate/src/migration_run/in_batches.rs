//! Steps that change a part of the rows at a time. A small table, all pages of which are one batch, changes in one transaction.

use std::time::{Duration, Instant};

use kit_database::sql::IN_BATCHES;
use tokio_postgres::SimpleQueryMessage;

use super::attempts::{AttemptError, Failure, LONGEST_PAUSE, Limit};
use super::{MigrationRun, first_value};
use crate::batches::{BatchSize, Batches};
use crate::history::Progress;
use crate::script::{Mode, Statement, Step};
use crate::{Event, MigrateError};

/// Maximum number of passes in a row that change no row although rows satisfy the condition. One such pass can happen if
/// another session writes a row behind the batches.
const MOST_IDLE_PASSES: u32 = 2;

impl MigrationRun<'_> {
    /// Runs a statement for a part of the rows at a time. A batch that waits for a row lock is tried again. Records the step only
    /// if no row satisfies the condition any more. If one batch has all pages of the table, runs the statement and records the step
    /// in one transaction, and returns true.
    pub(super) async fn run_in_batches(
        &mut self,
        step: &Step<'_>,
        number: usize,
        progress: &Progress,
        next: &Progress,
    ) -> Result<bool, MigrateError> {
        let statement = &step.statements[0];
        let script = |message: &str| MigrateError::Script {
            name: self.migration.name.clone(),
            message: format!("line {}: {message}", statement.line),
        };
        let batches = Batches::of(statement.text).map_err(script)?;
        self.settings(self.run.options.lock_timeout, Limit::Option)
            .await
            .map_err(|error| self.abort(error, progress.done))?;
        let pages = self.count_of(&batches.pages(), statement, progress).await?;
        let obstacles = self
            .first_values(&batches.obstacles(), statement, progress.done)
            .await?;
        // Without triggers, child tables would change too, but kit looks only at the triggers and foreign keys of the table itself.
        let is_safe = step.mode == Mode::Batches || obstacles.is_empty();
        if is_safe && pages <= BatchSize::default().pages() {
            // A statement that runs once changes no row twice, so no check is necessary. Nobody may edit a migration that an earlier
            // version of kit, with fewer checks, has applied, and new databases with few rows need the migration too.
            self.run_in_transaction(step, number, progress, next).await?;
            return Ok(true);
        }
        if let Some(obstacle) = obstacles.first() {
            // Without rows that satisfy the condition, there is nothing to change.
            if self.count_of(&batches.rest(), statement, progress).await? > 0 {
                return Err(script(&obstacle_message(obstacle, batches.table)));
            }
        } else {
            self.prepare_triggers(step, progress.done).await?;
            self.run_passes(&batches, statement, number, progress).await?;
        }
        self.run_own_sql(
            &self.run.history.record_progress(&self.progress_name(), next),
            progress.done,
        )
        .await?;
        Ok(false)
    }

    /// Runs a statement for all pages of its table, until no row satisfies the condition. A row that another session changes
    /// meanwhile can move to a page that was already visited.
    async fn run_passes(
        &mut self,
        batches: &Batches<'_>,
        statement: &Statement<'_>,
        number: usize,
        progress: &Progress,
    ) -> Result<(), MigrateError> {
        let (mut pass, mut idle) = (1, 0);
        loop {
            let changed = self
                .run_pass(batches, statement, (number, pass), progress)
                .await?;
            let rest = self.count_of(&batches.rest(), statement, progress).await?;
            if rest == 0 {
                return Ok(());
            }
            idle = if changed == 0 { idle + 1 } else { 0 };
            if idle == MOST_IDLE_PASSES || pass == Batches::MOST_PASSES {
                return Err(MigrateError::Script {
                    name: self.migration.name.clone(),
                    message: format!(
                        "line {}: {}",
                        statement.line,
                        incomplete_message(rest, pass, idle > 0)
                    ),
                });
            }
            pass += 1;
        }
    }

    /// Returns the number that a query of kit for a statement in batches finds.
    async fn count_of(
        &self,
        query: &str,
        statement: &Statement<'_>,
        progress: &Progress,
    ) -> Result<u64, MigrateError> {
        let found = self.first_values(query, statement, progress.done).await?;
        found
            .first()
            .and_then(|number| number.parse().ok())
            .ok_or_else(|| MigrateError::Script {
                name: self.migration.name.clone(),
                message: format!(
                    "line {}: the table does not exist or is not an ordinary table, so kit cannot change it in batches",
                    statement.line
                ),
            })
    }

    /// Returns the first value of each row of a query of kit for a statement.
    pub(super) async fn first_values(
        &self,
        query: &str,
        statement: &Statement<'_>,
        done: usize,
    ) -> Result<Vec<String>, MigrateError> {
        let messages = self
            .run
            .connection
            .simple_query(query)
            .await
            .map_err(|error| self.stop(Failure::of_query(statement, error), done))?;
        Ok(messages
            .iter()
            .filter_map(|message| first_value(std::slice::from_ref(message)))
            .collect())
    }

    /// Runs a statement once for all pages of its table. Returns the number of changed rows.
    async fn run_pass(
        &mut self,
        batches: &Batches<'_>,
        statement: &Statement<'_>,
        (number, pass): (usize, u32),
        progress: &Progress,
    ) -> Result<u64, MigrateError> {
        let pages = self.count_of(&batches.pages(), statement, progress).await?;
        let (mut from, mut size, mut changed) = (0, BatchSize::default(), 0);
        while from < pages {
            self.check()?;
            let to = (from + size.pages()).min(pages);
            self.run.report(&Event::Statement {
                name: &self.migration.name,
                number,
                of: self.script.len(),
                line: statement.line,
                title: &format!("{} ({} %, pass {pass})", statement.title(), from * 100 / pages),
            });
            let is_first = pass == 1 && changed == 0;
            match self.run_batch(batches, statement, (from, to), is_first).await {
                Ok((rows, took)) => {
                    size.adjust(took);
                    changed += rows;
                    (self.first_try, self.tries, from) = (Instant::now(), 0, to);
                    if rows > 0 {
                        // Leave half of the time to other sessions.
                        tokio::time::sleep(took.min(LONGEST_PAUSE)).await;
                    }
                }
                Err(error) => {
                    // If `ROLLBACK` fails too, the connection is lost and PostgreSQL rolls back itself.
                    let _ = self.run.connection.batch_execute("ROLLBACK").await;
                    size.shrink();
                    self.retry_or_fail(error, progress).await?;
                }
            }
        }
        Ok(changed)
    }

    /// Changes the rows of the pages from `from` to `to`, without `to`. Keeps the changes only if no changed row still
    /// satisfies the condition. `is_first` is true if no earlier batch has changed a row. Returns the number of changed rows,
    /// and the duration of the statement.
    async fn run_batch(
        &self,
        batches: &Batches<'_>,
        statement: &Statement<'_>,
        (from, to): (u64, u64),
        is_first: bool,
    ) -> Result<(u64, Duration), AttemptError> {
        let client = &self.run.connection;
        let begun = Instant::now();
        if !batches.is_update() {
            let sql = batches.sql(from, to);
            let messages = self.watched(client.simple_query(&sql), statement).await?;
            return Ok((changed_rows(&messages), begun.elapsed()));
        }
        let sql = batches.counting(from, to);
        let messages = self
            .watched_after(Batches::BEFORE, client.simple_query(&sql), statement)
            .await?;
        // The size of a batch does not change the duration of its commit.
        let took = begun.elapsed();
        let row = messages.iter().find_map(|message| match message {
            SimpleQueryMessage::Row(row) => Some(row),
            _ => None,
        });
        let changed: u64 = row.and_then(|row| row.get(0)?.parse().ok()).unwrap_or_default();
        // A subquery of the condition may read the table, and triggers that run after the rows may change other tables. So
        // only a query after the statement shows if a row still satisfies the condition.
        if let Some(rows) = row.and_then(|row| row.get(1)) {
            let found = self
                .watched(client.simple_query(&batches.still(rows)), statement)
                .await?;
            let still = first_value(&found).unwrap_or_default();
            if still != "0" {
                return Err(AttemptError::Abort(MigrateError::Script {
                    name: self.migration.name.clone(),
                    message: format!(
                        "line {}: {}",
                        statement.line,
                        twice_message(&still, changed, is_first)
                    ),
                }));
            }
        }
        self.watched(client.batch_execute("COMMIT"), statement).await?;
        Ok((changed, took))
    }
}

/// Returns the reason why kit cannot change a table in batches.
fn obstacle_message(obstacle: &str, table: &str) -> String {
    if obstacle == "children" {
        return format!(
            "{table} has child tables (INHERITS), and a step in batches visits the pages of one table; write `ONLY {table}`, and such a \
             step for each child table"
        );
    }
    format!(
        "{table} has a rule for UPDATE (CREATE RULE), so kit cannot count the rows that a batch changes; drop the rule, or remove the \
         line `{IN_BATCHES}`"
    )
}

/// Returns the reason why kit does not keep a batch: `still` of its `changed` rows still satisfy the condition.
fn twice_message(still: &str, changed: u64, is_first: bool) -> String {
    let kept = if is_first {
        "kit rolled the batch back, so no row is changed"
    } else {
        "kit rolled the batch back, and the rows of earlier batches stay changed"
    };
    format!(
        "the condition does not exclude the rows that the statement has changed: {still} of {changed} rows of a batch still satisfy it, \
         for example because their new value is null, so the statement could change them twice. {kept}. Write a condition that \
         excludes changed rows, such as `WHERE column IS NULL`, then apply again"
    )
}

/// Returns the reason why kit does not record the step as complete. `is_idle` is true if the last pass changed no row.
fn incomplete_message(rest: u64, passes: u32, is_idle: bool) -> String {
    if is_idle {
        return format!(
            "the statement does not change all rows that satisfy its condition (number of rows left: {rest}); perhaps a trigger returns \
             NULL for them. Remove the cause, or write a condition that excludes these rows, then apply again"
        );
    }
    format!(
        "after {passes} passes over the table, other sessions still write rows that satisfy the condition (number of rows left: {rest}). \
         Deploy a build that does not write such rows, or add a trigger (BEFORE INSERT OR UPDATE) that sets the value; in a condition \
         with the current time, such as now(), write a fixed time. Then apply again"
    )
}

/// Returns the number of rows that the statements changed.
fn changed_rows(messages: &[SimpleQueryMessage]) -> u64 {
    messages
        .iter()
        .map(|message| match message {
            SimpleQueryMessage::CommandComplete(rows) => *rows,
            _ => 0,
        })
        .sum()
}
