//! The run itself.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use kit_database::Migration;
use tokio_postgres::{Client, SimpleQueryMessage};

use crate::connect::{block_on, connect};
use crate::history::History;
use crate::{MigrateError, Refusal, lock};

/// How to apply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Consent to lose stored values.
    pub allow_destructive: bool,
    /// Find out what would be applied, and write nothing.
    pub dry_run: bool,
    /// How long to wait for another run to end, and for each lock on a table that the application holds.
    pub lock_timeout: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            allow_destructive: false,
            dry_run: false,
            lock_timeout: Duration::from_secs(15),
        }
    }
}

/// What happened.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// What this run applied, in order.
    pub applied: Vec<Applied>,
    /// What a dry run would have applied, in order.
    pub pending: Vec<String>,
    /// How many had been applied before.
    pub already_applied: usize,
    /// What a person should know, though nothing failed.
    pub warnings: Vec<String>,
}

/// An applied migration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Applied {
    /// Its name.
    pub name: String,
    /// How long it took.
    pub duration: Duration,
}

/// Applies what has not been applied yet. `migrations` are all committed ones, in the order of their names.
///
/// Blocks until done; connects with a bounded wait (10 s unless the URL says `connect_timeout`).
pub fn apply(url: &str, migrations: &[Migration], options: &Options) -> Result<Report, MigrateError> {
    if let Some(pair) = migrations.windows(2).find(|pair| pair[0].name >= pair[1].name) {
        return Err(MigrateError::Order(pair[1].name.clone()));
    }
    block_on(run(url, migrations, options))
}

async fn run(url: &str, migrations: &[Migration], options: &Options) -> Result<Report, MigrateError> {
    let client = connect(url).await?;
    let history = History::locate(&client).await?;
    if !options.dry_run {
        lock::acquire(&client, options.lock_timeout).await?;
    }
    let done = history.read(&client).await?;
    let pending = pending(migrations, &done)?;
    let mut report = Report {
        already_applied: done.len(),
        warnings: warnings(&client, migrations, &pending, &done).await?,
        ..Report::default()
    };
    if options.dry_run {
        report.pending = pending.iter().map(|migration| migration.name.clone()).collect();
        return Ok(report);
    }
    let destructive: Vec<String> = pending
        .iter()
        .filter(|migration| migration.destructive)
        .map(|migration| migration.name.clone())
        .collect();
    if !destructive.is_empty() && !options.allow_destructive {
        return Err(MigrateError::Destructive { names: destructive });
    }
    if !pending.is_empty() {
        history.create(&client).await?;
    }
    for migration in pending {
        let duration = one(&client, &history, migration, options, &report.applied).await?;
        report.applied.push(Applied {
            name: migration.name.clone(),
            duration,
        });
    }
    Ok(report)
}

/// What is not in the history yet, once what is there was found to be unchanged.
fn pending<'a>(
    migrations: &'a [Migration],
    done: &HashMap<String, String>,
) -> Result<Vec<&'a Migration>, MigrateError> {
    let mut gone: Vec<&String> = done
        .keys()
        .filter(|name| !migrations.iter().any(|migration| migration.name == **name))
        .collect();
    gone.sort();
    if let Some(name) = gone.first() {
        return Err(MigrateError::Missing {
            name: (*name).clone(),
        });
    }
    let mut pending = Vec::new();
    for migration in migrations {
        match done.get(&migration.name) {
            None => pending.push(migration),
            Some(checksum) if *checksum == migration.checksum() => {}
            Some(_) => {
                return Err(MigrateError::Edited {
                    name: migration.name.clone(),
                });
            }
        }
    }
    Ok(pending)
}

async fn warnings(
    client: &Client,
    migrations: &[Migration],
    pending: &[&Migration],
    done: &HashMap<String, String>,
) -> Result<Vec<String>, MigrateError> {
    let mut warnings = Vec::new();
    let newest = migrations
        .iter()
        .rev()
        .find(|migration| done.contains_key(&migration.name));
    for migration in pending {
        if let Some(newest) = newest
            && migration.name < newest.name
        {
            warnings.push(format!(
                "`{}` is older than `{}`, which was applied before it",
                migration.name, newest.name
            ));
        }
    }
    let row = client
        .query_one("SELECT current_setting('TimeZone')", &[])
        .await
        .map_err(|error| MigrateError::Database {
            doing: "cannot read the settings of the database",
            source: Refusal::of(error, None),
        })?;
    let zone: &str = row.get(0);
    if ![
        "UTC", "Etc/UTC", "GMT", "Etc/GMT", "Etc/Zulu", "Zulu", "UCT", "Etc/UCT",
    ]
    .contains(&zone)
    {
        warnings.push(format!(
            "the time zone of the database is {zone}: `now()` stores local time in columns that kit reads as UTC; \
             run `ALTER DATABASE … SET timezone TO 'UTC'`"
        ));
    }
    Ok(warnings)
}

/// Runs one migration and records it, both or neither.
async fn one(
    client: &Client,
    history: &History,
    migration: &Migration,
    options: &Options,
    before: &[Applied],
) -> Result<Duration, MigrateError> {
    let refused = |error, sql| MigrateError::Statement {
        name: migration.name.clone(),
        applied: before.iter().map(|applied| applied.name.clone()).collect(),
        source: Refusal::of(error, sql),
    };
    let start = Instant::now();
    // RESET ALL undoes what an earlier migration of this run has set; the wait for locks is bounded, since a statement
    // that waits for one makes every later query on that table wait too.
    let opening = format!(
        "RESET ALL; BEGIN; SET LOCAL standard_conforming_strings = on; SET LOCAL lock_timeout = {}",
        options.lock_timeout.as_millis().clamp(1, 2_147_483_647)
    );
    client
        .batch_execute(&opening)
        .await
        .map_err(|error| refused(error, None))?;
    let outcome = async {
        let begun = transaction(client).await.map_err(|error| refused(error, None))?;
        client
            .batch_execute(&migration.sql)
            .await
            .map_err(|error| refused(error, Some(&migration.sql)))?;
        if transaction(client).await.map_err(|error| refused(error, None))? != begun {
            return Err(MigrateError::EndedTransaction {
                name: migration.name.clone(),
            });
        }
        client
            .batch_execute(&history.record(migration, start.elapsed()))
            .await
            .map_err(|error| refused(error, None))?;
        client
            .batch_execute("COMMIT")
            .await
            .map_err(|error| refused(error, None))
    }
    .await;
    if let Err(error) = outcome {
        // Where even this fails, the connection is gone and PostgreSQL rolls back by itself.
        let _ = client.batch_execute("ROLLBACK").await;
        return Err(error);
    }
    Ok(start.elapsed())
}

/// The number of the running transaction. By the simple protocol, which a migration's settings cannot disturb.
async fn transaction(client: &Client) -> Result<Option<String>, tokio_postgres::Error> {
    let messages = client
        .simple_query("SELECT pg_catalog.pg_current_xact_id()")
        .await?;
    Ok(messages.iter().find_map(|message| match message {
        SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
        _ => None,
    }))
}
