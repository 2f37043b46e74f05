//! Steps that change a part of the rows at a time.

use std::time::Instant;

use tokio_postgres::SimpleQueryMessage;

use super::attempts::{Failure, LONGEST_PAUSE, Limit};
use super::{MigrationRun, first_value};
use crate::batches::{BatchSize, Batches};
use crate::history::Progress;
use crate::script::{Mode, Statement, Step};
use crate::{Event, MigrateError};

impl MigrationRun<'_> {
    /// Runs a statement for a part of the rows at a time. A batch that waits for a row lock is tried again.
    pub(super) async fn run_in_batches(
        &mut self,
        step: &Step<'_>,
        number: usize,
        progress: &Progress,
        next: &Progress,
    ) -> Result<(), MigrateError> {
        let statement = &step.statements[0];
        let script = |message: &str| MigrateError::Script {
            name: self.migration.name.clone(),
            message: format!("line {}: {message}", statement.line),
        };
        let batches = Batches::of(statement.text).map_err(script)?;
        self.settings(self.run.options.lock_timeout, Limit::Option)
            .await
            .map_err(|error| self.abort(error, progress.done))?;
        if step.mode == Mode::BatchesWithoutTriggers {
            self.switch_triggers_off(&batches, statement, progress.done)
                .await?;
        }
        // A row that another session changes meanwhile can move to a page that was already visited.
        for pass in 1..=Batches::MOST_PASSES {
            let changed = self
                .run_pass(&batches, statement, (number, pass), progress)
                .await?;
            if changed == 0 {
                break;
            }
            let rest = self.count_of(&batches.rest(), statement, progress).await?;
            if rest == 0 {
                break;
            }
            if pass == 1 && rest > changed / 2 {
                return Err(script(
                    "the condition does not exclude the rows that the statement has changed, so a second pass would change rows twice. \
                     Each row was changed once. Before you run the migration again, add a condition that excludes these rows, such as \
                     `WHERE column IS NULL`",
                ));
            }
        }
        self.run_own_sql(
            &self.run.history.record_progress(&self.progress_name(), next),
            progress.done,
        )
        .await
    }

    /// Returns the number that a query of kit for a statement in batches finds.
    async fn count_of(
        &self,
        query: &str,
        statement: &Statement<'_>,
        progress: &Progress,
    ) -> Result<u64, MigrateError> {
        let found = self
            .run
            .connection
            .simple_query(query)
            .await
            .map_err(|error| self.stop(Failure::of(statement, error), progress.done))?;
        first_value(&found)
            .and_then(|number| number.parse().ok())
            .ok_or_else(|| MigrateError::Script {
                name: self.migration.name.clone(),
                message: format!(
                    "line {}: the table does not exist or is not an ordinary table, so kit cannot change it in batches",
                    statement.line
                ),
            })
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
            let begun = Instant::now();
            self.run.report(&Event::Statement {
                name: &self.migration.name,
                number,
                of: self.script.len(),
                line: statement.line,
                title: &format!("{} ({} %, pass {pass})", statement.title(), from * 100 / pages),
            });
            let sql = batches.sql(from, to);
            let work = self.run.connection.simple_query(&sql);
            match self.watched(work, statement).await {
                Ok(messages) => {
                    let took = begun.elapsed();
                    let rows = changed_rows(&messages);
                    size.adjust(took);
                    changed += rows;
                    (self.first_try, self.tries, from) = (Instant::now(), 0, to);
                    if rows > 0 {
                        // Leave half of the time to other sessions.
                        tokio::time::sleep(took.min(LONGEST_PAUSE)).await;
                    }
                }
                Err(error) => {
                    size.shrink();
                    self.retry_or_fail(error, progress).await?;
                }
            }
        }
        Ok(changed)
    }
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
