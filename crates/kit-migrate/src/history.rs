//! Record of the applied migrations, stored in the database.

use std::cell::Cell;
use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use kit_database::sql::identifier;
use kit_database::{HISTORY_TABLES, Migration, Risk, sql};
use tokio_postgres::Client;
use tokio_postgres::error::SqlState;

use crate::MigrateError;
use crate::event::Half;
use crate::lint::{findings, widenings};
use crate::script::{Mode, Script};
use crate::structure::{differs_from_plan, squashed_checksum};

/// Table of migrations that are completely applied.
const TABLE: &str = HISTORY_TABLES[0];

/// Table of migrations that are partly applied. Only migrations with statements outside of a transaction can be partly
/// applied.
const PROGRESS: &str = HISTORY_TABLES[1];

/// The history of one database.
pub(crate) struct History {
    /// Schema of the history tables, and of tables without a schema in their names.
    pub(crate) schema: String,
    /// Qualified name, because a migration that sets `search_path` must not redirect kit to another table.
    table: String,
    progress: String,
    /// True if the table has the column `breaks`, which earlier versions of kit did not create.
    has_breaks: Cell<bool>,
    /// True if the progress table has the column `between_halves`, which earlier versions of kit did not create.
    has_between: Cell<bool>,
}

/// Record of an applied migration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Record {
    pub(crate) checksum: String,
    /// UTC time: `2026-11-21T01:45:00Z`.
    pub(crate) applied_at: String,
    pub(crate) duration: Duration,
    /// Changes with which a build from before the migration may fail; empty if there are none. `None` if an earlier version
    /// of kit applied the migration.
    pub(crate) breaks: Option<String>,
}

/// Progress of a migration that is partly applied.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Progress {
    /// Number of completed steps.
    pub(crate) done: usize,
    /// Checksum of the completed steps.
    pub(crate) checksum: String,
    /// True if the next step, a statement outside of a transaction, was started.
    pub(crate) running: bool,
    /// True if the completed steps are the first half of a migration in two halves, and nothing else has begun.
    pub(crate) between: bool,
    /// Time of the last completed step, as PostgreSQL prints it: `2026-11-21 01:45:00.123+00`.
    pub(crate) changed_at: String,
}

/// End of the name under which the progress of undoing a first half is recorded.
const UNDOING: &str = "/abort";

/// Returns the name under which the progress of a part of a migration is recorded.
pub(crate) fn progress_name(name: &str, part: Half) -> String {
    match part {
        Half::Undo => format!("{name}{UNDOING}"),
        Half::Both | Half::First | Half::Second => name.to_owned(),
    }
}

/// Returns the name of the migration to which a record of progress belongs.
pub(crate) fn own_name(name: &str) -> &str {
    name.strip_suffix(UNDOING).unwrap_or(name)
}

/// Returns the names of migrations, sorted, that have records and are not in `migrations`.
pub(crate) fn absent<'a>(
    migrations: &[Migration],
    recorded: impl IntoIterator<Item = &'a String>,
) -> BTreeSet<&'a str> {
    let recorded = recorded.into_iter().map(|name| own_name(name));
    recorded
        .filter(|name| !migrations.iter().any(|migration| migration.name == **name))
        .collect()
}

impl Progress {
    /// Returns true if the first half of a migration is complete and nothing else has begun. `first_half` is the number of its
    /// steps; `None` if this release does not have the migration, and only the record can tell.
    pub(crate) fn is_between(&self, first_half: Option<usize>) -> bool {
        match first_half {
            Some(steps) => self.done == steps && !self.running,
            None => self.between,
        }
    }

    /// Returns true if the completed steps were not edited since they ran.
    pub(crate) fn matches(&self, script: &Script<'_>) -> bool {
        self.done <= script.steps.len()
            && (self.done == 0 || script.checksum(self.done) == self.checksum)
            && (!self.running
                || script
                    .steps
                    .get(self.done)
                    .is_some_and(|step| step.mode == Mode::Outside))
    }
}

impl History {
    /// Finds the schema of the history tables.
    pub(crate) async fn find(client: &Client) -> Result<Self, MigrateError> {
        let row = client
            .query_one("SELECT current_schema()::text", &[])
            .await
            .map_err(MigrateError::database("cannot find the schema of the database"))?;
        let schema: Option<&str> = row.get(0);
        let schema = schema.ok_or(MigrateError::NoSchema)?;
        Ok(Self {
            schema: schema.to_owned(),
            table: format!("{}.{TABLE}", identifier(schema)),
            progress: format!("{}.{PROGRESS}", identifier(schema)),
            has_breaks: Cell::new(false),
            has_between: Cell::new(false),
        })
    }

    /// Creates the tables if they do not exist; the progress table only if `progress` is true.
    pub(crate) async fn create(&self, client: &Client, progress: bool) -> Result<(), MigrateError> {
        let mut sql = Vec::new();
        // Check first: a user without the right to create tables may still be allowed to write to existing ones.
        if !exists(client, &self.table).await? {
            sql.push(format!(
                "CREATE TABLE IF NOT EXISTS {} (\n  name text PRIMARY KEY,\n  checksum text NOT NULL,\n  \
                 applied_at timestamptz DEFAULT now() NOT NULL,\n  duration_ms bigint NOT NULL,\n  breaks text\n)",
                self.table
            ));
        }
        if progress && !exists(client, &self.progress).await? {
            sql.push(format!(
                "CREATE TABLE IF NOT EXISTS {} (\n  name text PRIMARY KEY,\n  steps_done integer NOT NULL,\n  \
                 checksum text NOT NULL,\n  running boolean NOT NULL,\n  changed_at timestamptz DEFAULT now() NOT NULL,\n  \
                 between_halves boolean\n)",
                self.progress
            ));
        }
        client
            .batch_execute(&sql.join("; "))
            .await
            .map_err(MigrateError::database("cannot create the tables of the history"))?;
        self.has_breaks
            .set(ensure_column(client, &self.table, "breaks", "text").await?);
        if progress {
            self.has_between
                .set(ensure_column(client, &self.progress, "between_halves", "boolean").await?);
        }
        Ok(())
    }

    /// Reads the records and the progress. If the given migrations contain a squashed one, its record replaces the records of the
    /// migrations that it replaces.
    pub(crate) async fn read_folded(
        &self,
        client: &Client,
        migrations: &[Migration],
    ) -> Result<Folded, MigrateError> {
        let mut done = self.read(client).await?;
        let mut progress = self.read_progress(client).await?;
        let partly = fold(migrations, &mut done, &mut progress);
        Ok(Folded {
            done,
            progress,
            partly,
        })
    }

    /// Returns the applied migrations by name; empty if the table does not exist yet.
    pub(crate) async fn read(&self, client: &Client) -> Result<HashMap<String, Record>, MigrateError> {
        if !exists(client, &self.table).await? {
            return Ok(HashMap::new());
        }
        let query = format!(
            "SELECT name, checksum, to_char(applied_at AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"'), duration_ms, to_jsonb(kit_record) ->> 'breaks' FROM {} AS kit_record",
            self.table
        );
        let rows = client.query(&query, &[]).await.map_err(unreadable)?;
        Ok(rows
            .iter()
            .map(|row| {
                let record = Record {
                    checksum: row.get(1),
                    applied_at: row.get(2),
                    duration: Duration::from_millis(u64::try_from(row.get::<_, i64>(3)).unwrap_or_default()),
                    breaks: row.get(4),
                };
                (row.get(0), record)
            })
            .collect())
    }

    /// Returns the progress of partly applied migrations, by name.
    pub(crate) async fn read_progress(
        &self,
        client: &Client,
    ) -> Result<HashMap<String, Progress>, MigrateError> {
        if !exists(client, &self.progress).await? {
            return Ok(HashMap::new());
        }
        let query = format!(
            "SELECT name, steps_done, checksum, running, changed_at::text, \
             coalesce(to_jsonb(kit_record) ->> 'between_halves' = 'true', false) FROM {} AS kit_record",
            self.progress
        );
        let rows = client.query(&query, &[]).await.map_err(unreadable)?;
        Ok(rows
            .iter()
            .map(|row| {
                let progress = Progress {
                    done: usize::try_from(row.get::<_, i32>(1)).unwrap_or_default(),
                    checksum: row.get(2),
                    running: row.get(3),
                    changed_at: row.get(4),
                    between: row.get(5),
                };
                (row.get(0), progress)
            })
            .collect())
    }

    /// Returns the statement that records a migration as applied. The caller runs it in the migration's last
    /// transaction. A squashed migration is recorded as the migrations that it replaces, so that all databases of a project
    /// have the same history.
    pub(crate) fn record(&self, migration: &Migration, duration: Duration) -> String {
        let mut rows: Vec<(&str, String, String)> = migration
            .replaces()
            .iter()
            .map(|one| (one.name.as_str(), one.checksum.clone(), one.breaks.clone()))
            .collect();
        if rows.is_empty() {
            rows.push((&migration.name, migration.checksum(), breaking_changes(migration)));
        }
        let with_breaks = self.has_breaks.get();
        let last = rows.len() - 1;
        let values = rows.iter().enumerate().map(|(at, (name, checksum, breaks))| {
            let milliseconds = if at == last { duration.as_millis() } else { 0 };
            let breaks = if with_breaks {
                format!(", {}", sql::string_literal(breaks))
            } else {
                String::new()
            };
            let name = sql::string_literal(name);
            let checksum = sql::string_literal(checksum);
            format!("({name}, {checksum}, {milliseconds}{breaks})")
        });
        format!(
            "INSERT INTO {} (name, checksum, duration_ms{}) VALUES {}",
            self.table,
            if with_breaks { ", breaks" } else { "" },
            values.collect::<Vec<_>>().join(", ")
        )
    }

    /// Returns the statement that records the progress of a migration.
    pub(crate) fn record_progress(&self, name: &str, progress: &Progress) -> String {
        let (column, between, set) = if self.has_between.get() {
            (
                ", between_halves",
                if progress.between { ", true" } else { ", false" },
                ", between_halves = excluded.between_halves",
            )
        } else {
            ("", "", "")
        };
        format!(
            "INSERT INTO {} (name, steps_done, checksum, running{column}) VALUES ({}, {}, {}, {}{between}) \
             ON CONFLICT (name) DO UPDATE SET steps_done = excluded.steps_done, checksum = excluded.checksum, \
             running = excluded.running, changed_at = excluded.changed_at{set}",
            self.progress,
            sql::string_literal(name),
            progress.done,
            sql::string_literal(&progress.checksum),
            progress.running
        )
    }

    /// Returns the statement that deletes the progress of a migration.
    pub(crate) fn delete_progress(&self, name: &str) -> String {
        format!(
            "DELETE FROM {} WHERE name = {}",
            self.progress,
            sql::string_literal(name)
        )
    }
}

/// Records of a database, with squashed migrations in place of the migrations that they replace.
pub(crate) struct Folded {
    /// Applied migrations by name.
    pub(crate) done: HashMap<String, Record>,
    /// Progress of partly applied migrations, by name.
    pub(crate) progress: HashMap<String, Progress>,
    /// Squashed migrations of which the database has applied only a part.
    pub(crate) partly: Vec<PartlyReplaced>,
}

/// A squashed migration of which the database has applied only a part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PartlyReplaced {
    /// Name of the squashed migration.
    pub(crate) name: String,
    /// Names of replaced migrations that the database has not applied completely.
    pub(crate) missing: Vec<String>,
    /// Names of replaced migrations that the database has applied with another text.
    pub(crate) different: Vec<String>,
}

/// Replaces the records of migrations that a squashed migration replaces by a record of the squashed one. Returns the
/// squashed migrations for which the history is not complete; `done` then contains neither the squashed migration
/// nor the migrations that it replaces.
fn fold(
    migrations: &[Migration],
    done: &mut HashMap<String, Record>,
    progress: &mut HashMap<String, Progress>,
) -> Vec<PartlyReplaced> {
    let mut partly = Vec::new();
    for squashed in migrations
        .iter()
        .filter(|migration| !migration.replaces().is_empty())
    {
        let replaced = squashed.replaces();
        let is_replaced = |name: &str| replaced.iter().any(|one| one.name == own_name(name));
        let has_begun = progress.keys().any(|name| is_replaced(name));
        let names = |wanted: &dyn Fn(Option<&Record>, &str) -> bool| -> Vec<String> {
            let found = replaced
                .iter()
                .filter(|one| wanted(done.get(&one.name), &one.checksum));
            found.map(|one| one.name.clone()).collect()
        };
        let missing = names(&|record, _| record.is_none());
        let different = names(&|record, checksum| record.is_some_and(|record| record.checksum != checksum));
        let is_new = missing.len() == replaced.len() && !has_begun;
        let records: Vec<Record> = replaced.iter().filter_map(|one| done.remove(&one.name)).collect();
        progress.retain(|name, _| !is_replaced(name));
        if is_new {
            continue;
        }
        if !missing.is_empty() || !different.is_empty() {
            partly.push(PartlyReplaced {
                name: squashed.name.clone(),
                missing,
                different,
            });
            continue;
        }
        let newest = records.iter().map(|record| record.applied_at.clone()).max();
        let record = Record {
            checksum: squashed_checksum(squashed).unwrap_or_else(|| squashed.checksum()),
            applied_at: newest.unwrap_or_default(),
            duration: records.iter().map(|record| record.duration).sum(),
            breaks: Some(String::new()),
        };
        done.insert(squashed.name.clone(), record);
    }
    partly
}

/// Returns the changes of a migration with which a build from before the migration may fail: those that break its queries,
/// new rules that its rows may not satisfy, and values that it does not know.
pub(crate) fn breaking_changes(migration: &Migration) -> String {
    let planned = migration.changes.iter();
    let planned = planned.filter(|change| change.breaks_older_releases());
    let mut all: Vec<String> = planned.map(|change| change.change.summary()).collect();
    if let Ok(script) = Script::parse(&migration.sql)
        && (all.is_empty() || differs_from_plan(migration))
    {
        let mut found: Vec<(usize, String)> = findings(migration, &script)
            .into_iter()
            .filter(|finding| matches!(finding.risk, Risk::BreaksRunningApp | Risk::NeedsData))
            .map(|finding| (finding.line, finding.statement))
            .chain(widenings(migration, &script))
            .collect();
        found.sort();
        found.dedup();
        all.extend(found.into_iter().map(|(_, statement)| format!("`{statement}`")));
    }
    all.join("; ")
}

/// Adds a column that earlier versions of kit did not create, if the table does not have the column. Returns false if the role
/// must not change the table: migrations are then recorded without the column.
async fn ensure_column(
    client: &Client,
    table: &str,
    column: &str,
    r#type: &str,
) -> Result<bool, MigrateError> {
    let row = client
        .query_one(
            "SELECT EXISTS (SELECT FROM pg_catalog.pg_attribute WHERE attrelid = to_regclass($1) AND attname = $2 AND NOT attisdropped)",
            &[&table, &column],
        )
        .await
        .map_err(unreadable)?;
    if row.get(0) {
        return Ok(true);
    }
    let add = format!("ALTER TABLE {table} ADD COLUMN IF NOT EXISTS {column} {type}");
    match client.batch_execute(&add).await {
        Ok(()) => Ok(true),
        Err(error) if error.code() == Some(&SqlState::INSUFFICIENT_PRIVILEGE) => Ok(false),
        Err(error) => Err(MigrateError::database("cannot extend the table of the history")(
            error,
        )),
    }
}

async fn exists(client: &Client, table: &str) -> Result<bool, MigrateError> {
    let row = client
        .query_one("SELECT to_regclass($1) IS NOT NULL", &[&table])
        .await
        .map_err(unreadable)?;
    Ok(row.get(0))
}

fn unreadable(error: tokio_postgres::Error) -> MigrateError {
    MigrateError::database("cannot read the history of migrations")(error)
}
