//! Runs one migration.
//!
//! Most are one transaction, with their row in the history: both are there or neither. Where statements are marked to run
//! outside of one, the SQL is a list of steps, and each is recorded: a transactional one within its transaction, one outside
//! before it begins and after it has ended. So a run that was killed anywhere is continued by the next.

use std::time::{Duration, Instant};

use kit_database::Migration;
use tokio_postgres::SimpleQueryMessage;

use crate::apply::Run;
use crate::concurrent::{Concurrent, Found};
use crate::history::Progress;
use crate::script::{Script, Statement, Step};
use crate::{Applied, Event, MigrateError, Refusal};

/// The first pause after a lock was waited for in vain; each is twice as long as the last.
const FIRST_PAUSE: Duration = Duration::from_millis(200);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// One migration on its way.
pub(crate) struct One<'a> {
    run: &'a Run<'a>,
    migration: &'a Migration,
    script: &'a Script<'a>,
    begun: Instant,
    /// When the step under way was first tried, and how often.
    first_try: Instant,
    tries: u32,
}

/// Why a step did not work.
struct Failure {
    line: usize,
    title: String,
    source: Box<Refusal>,
}

impl<'a> One<'a> {
    pub(crate) fn new(run: &'a Run<'a>, migration: &'a Migration, script: &'a Script<'a>) -> Self {
        Self {
            run,
            migration,
            script,
            begun: Instant::now(),
            first_try: Instant::now(),
            tries: 0,
        }
    }

    /// Runs what is left of it.
    pub(crate) async fn apply(mut self, mut progress: Progress) -> Result<Applied, MigrateError> {
        let steps = &self.script.steps;
        let mut number = 1 + steps[..progress.done]
            .iter()
            .map(|step| step.statements.len())
            .sum::<usize>();
        // A transactional step that is the last one records the whole.
        let mut recorded = false;
        while progress.done < steps.len() {
            let step = &steps[progress.done];
            let next = Progress {
                done: progress.done + 1,
                checksum: self.script.checksum(progress.done + 1),
                running: false,
            };
            (self.first_try, self.tries) = (Instant::now(), 0);
            if step.alone {
                self.alone(&step.statements[0], number, &progress, &next).await?;
            } else {
                self.together(step, number, &progress, &next).await?;
            }
            number += step.statements.len();
            recorded = !step.alone && next.done == steps.len();
            progress = next;
        }
        if !recorded {
            let record = format!("BEGIN; {}; COMMIT", self.record());
            self.run_plain(&record, 0).await?;
        }
        Ok(Applied {
            name: self.migration.name.clone(),
            duration: self.begun.elapsed(),
        })
    }

    /// Statements in a transaction, tried again where others hold a lock.
    async fn together(
        &mut self,
        step: &Step<'_>,
        number: usize,
        progress: &Progress,
        next: &Progress,
    ) -> Result<(), MigrateError> {
        loop {
            self.check()?;
            let outcome = self.transaction(step, number, next).await;
            let Err(error) = outcome else {
                return Ok(());
            };
            // Where even this fails, the connection is gone and PostgreSQL rolls back by itself.
            let _ = self.run.connection.batch_execute("ROLLBACK").await;
            self.again(error, progress).await?;
        }
    }

    async fn transaction(&self, step: &Step<'_>, number: usize, next: &Progress) -> Result<(), Attempt> {
        let client = &self.run.connection;
        self.settings(self.run.options.lock_timeout).await?;
        let plain = |error| Attempt::Failed(Failure::plain(error));
        client.batch_execute("BEGIN").await.map_err(plain)?;
        let begun = self.number().await.map_err(plain)?;
        for (at, statement) in step.statements.iter().enumerate() {
            self.execute(statement, number + at).await?;
        }
        // A procedure or a block may have ended it.
        if self.number().await.map_err(plain)? != begun {
            return Err(Attempt::Stop(MigrateError::EndedTransaction {
                name: self.migration.name.clone(),
            }));
        }
        let record = if next.done == self.script.steps.len() {
            self.record()
        } else {
            self.run.history.advance(&self.migration.name, next)
        };
        client.batch_execute(&record).await.map_err(plain)?;
        self.check().map_err(Attempt::Stop)?;
        client.batch_execute("COMMIT").await.map_err(plain)
    }

    /// The statements that record it as applied.
    fn record(&self) -> String {
        let history = &self.run.history;
        let mut sql = history.record(self.migration, self.begun.elapsed());
        if !self.script.is_whole() {
            sql = format!("{sql}; {}", history.forget(&self.migration.name));
        }
        sql
    }

    /// A statement outside of a transaction, begun again where an earlier run was killed in it.
    async fn alone(
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
        let name = &self.migration.name;
        if progress.running {
            let found = index
                .look(&self.run.connection)
                .await
                .map_err(|error| self.stop(Failure::of(statement, error), progress.done))?;
            let done = match index {
                Concurrent::Create { .. } => found == Found::Valid,
                Concurrent::Drop { .. } => found == Found::Nothing,
                Concurrent::Other => false,
            };
            if done {
                return self.run_plain(&history.advance(name, next), progress.done).await;
            }
        } else {
            let running = Progress {
                checksum: self.script.checksum(progress.done),
                running: true,
                ..progress.clone()
            };
            self.run_plain(&history.advance(name, &running), progress.done)
                .await?;
        }
        loop {
            self.check()?;
            // What is made concurrently waits for others without making anyone wait.
            let patience = if index == Concurrent::Other {
                self.run.options.lock_timeout
            } else {
                self.run.options.wait.saturating_sub(self.first_try.elapsed())
            };
            let outcome = async {
                self.settings(patience).await?;
                // What is not valid under that name is what this migration began: now, or in a run that was killed.
                if progress.running || self.tries > 0 {
                    self.clear(&index, statement).await?;
                }
                self.execute(statement, number).await
            }
            .await;
            match outcome {
                Ok(()) => break,
                Err(error) => {
                    let outcome = self.again(error, progress).await;
                    // What can be taken back now is; where the connection is gone or others are in the way, the next run does it.
                    if outcome.is_err() && self.clear(&index, statement).await.is_ok() {
                        let before = if progress.done == 0 {
                            history.forget(name)
                        } else {
                            history.advance(name, progress)
                        };
                        let _ = self.run_plain(&before, progress.done).await;
                    }
                    outcome?;
                }
            }
        }
        // `IF NOT EXISTS` is content with an index that does not hold.
        if matches!(index, Concurrent::Create { .. }) {
            let found = index
                .look(&self.run.connection)
                .await
                .map_err(|error| self.stop(Failure::of(statement, error), progress.done))?;
            if let Found::Invalid(index) = found {
                return Err(MigrateError::Script {
                    name: name.clone(),
                    message: format!(
                        "line {}: the index {index} is there already and not valid; run `DROP INDEX CONCURRENTLY {index}`, then apply again",
                        statement.line
                    ),
                });
            }
        }
        self.run_plain(&history.advance(name, next), progress.done).await
    }

    async fn clear(&self, index: &Concurrent, statement: &Statement<'_>) -> Result<(), Attempt> {
        let cleared = index
            .clear(&self.run.connection)
            .await
            .map_err(|error| Attempt::Failed(Failure::of(statement, error)))?;
        if let Some(name) = cleared {
            self.run.say(&Event::Repaired(format!(
                "dropped the index {name}, whose making broke off"
            )));
        }
        Ok(())
    }

    async fn execute(&self, statement: &Statement<'_>, number: usize) -> Result<(), Attempt> {
        self.check().map_err(Attempt::Stop)?;
        self.run.say(&Event::Statement {
            name: &self.migration.name,
            number,
            of: self.script.len(),
            line: statement.line,
            title: &statement.title(),
        });
        self.run
            .connection
            .batch_execute(statement.text)
            .await
            .map_err(|error| Attempt::Failed(Failure::of(statement, error)))
    }

    /// Settings of the session. What an earlier migration of this run has set is undone; the wait for locks is bounded, since
    /// a statement that waits for one makes every later query on that table wait too.
    async fn settings(&self, lock_timeout: Duration) -> Result<(), Attempt> {
        let client = &self.run.connection;
        let text = format!(
            "RESET ALL; SET standard_conforming_strings = on; SET lock_timeout = {}",
            lock_timeout.as_millis().clamp(1, 2_147_483_647)
        );
        client
            .batch_execute(&text)
            .await
            .map_err(|error| Attempt::Failed(Failure::plain(error)))?;
        // A statement whose client was killed ends soon, and gives its locks back. Not every system can tell.
        let _ = client
            .batch_execute("SET client_connection_check_interval = 1000")
            .await;
        Ok(())
    }

    /// The number of the running transaction. By the simple protocol, which a migration's settings cannot disturb.
    async fn number(&self) -> Result<Option<String>, tokio_postgres::Error> {
        let messages = self
            .run
            .connection
            .simple_query("SELECT pg_catalog.pg_current_xact_id()")
            .await?;
        Ok(messages.iter().find_map(|message| match message {
            SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
            _ => None,
        }))
    }

    /// Runs what is kit's own.
    async fn run_plain(&self, sql: &str, done: usize) -> Result<(), MigrateError> {
        self.run
            .connection
            .batch_execute(sql)
            .await
            .map_err(|error| self.stop(Failure::plain(error), done))
    }

    /// Decides whether to try again, and waits until then.
    async fn again(&mut self, error: Attempt, progress: &Progress) -> Result<(), MigrateError> {
        let failure = match error {
            Attempt::Stop(error) => return Err(error),
            Attempt::Failed(failure) => failure,
        };
        self.tries += 1;
        if self.run.interrupt.is_set() || !failure.source.is_lock() {
            return Err(self.stop(failure, progress.done));
        }
        let waited = self.first_try.elapsed();
        let pause = (FIRST_PAUSE * 2_u32.saturating_pow(self.tries - 1)).min(LONGEST_PAUSE);
        if waited + pause > self.run.options.wait {
            return Err(MigrateError::Blocked {
                name: self.migration.name.clone(),
                line: failure.line,
                statement: failure.title,
                tries: self.tries,
                waited,
                holders: self.run.longest_transactions().await,
                applied: self.run.applied_names(),
            });
        }
        self.run.say(&Event::Waiting {
            what: format!(
                "`{}` line {}: others use what `{}` needs",
                self.migration.name, failure.line, failure.title
            ),
            pause,
        });
        self.run.pause(pause).await;
        self.check()
    }

    /// Ends where the run was interrupted.
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

/// Why a try did not work.
enum Attempt {
    /// PostgreSQL or the connection; it may be tried again.
    Failed(Failure),
    /// Anything else.
    Stop(MigrateError),
}

impl Failure {
    fn of(statement: &Statement<'_>, error: tokio_postgres::Error) -> Self {
        Self {
            line: statement.line,
            title: statement.title(),
            source: Refusal::at(error, Some(statement.text), statement.line),
        }
    }

    /// Of what is kit's own.
    fn plain(error: tokio_postgres::Error) -> Self {
        Self {
            line: 1,
            title: "the history of migrations".to_owned(),
            source: Refusal::of(error, None),
        }
    }
}
