//! Errors of a run.

use std::fmt::Write as _;
use std::time::Duration;

use thiserror::Error;

use crate::database_error::DatabaseError;
use crate::{Half, Loss};

/// Formats each loss on a separate line.
fn format_losses(losses: &[Loss]) -> String {
    let mut text = String::new();
    for loss in losses {
        // Writing to a string cannot fail.
        let _ = write!(text, "\n  {loss}");
    }
    text
}

/// Error of a run. The database is unchanged, unless the variant documents something else.
#[derive(Debug, Error)]
pub enum MigrateError {
    /// The connection string does not parse.
    #[error("the database URL is not valid: {0}")]
    Url(#[source] tokio_postgres::Error),
    /// The connection string is not the URL of a PostgreSQL database.
    #[error("the database URL is not valid: {0}")]
    MalformedUrl(&'static str),
    /// The TLS settings of the URL cannot be used.
    #[error("the database URL requests TLS settings that cannot be used: {0}")]
    Tls(String),
    /// The connection failed.
    #[error("cannot connect to {target}: {source}")]
    Connect {
        /// Host, port and database.
        target: String,
        /// Reason of the failure.
        source: Box<DatabaseError>,
        /// Advice for the user; empty if kit has no advice.
        help: &'static str,
    },
    /// The asynchronous runtime could not be created.
    #[error("cannot start: {0}")]
    Runtime(#[source] std::io::Error),
    /// The caller runs on an asynchronous runtime, which must not be blocked.
    #[error(
        "`apply` blocks the thread, so it must not be called inside an asynchronous runtime; call `apply` from a separate thread"
    )]
    Nested,
    /// The connection goes through a pooler that may run each transaction in another server process.
    #[error(
        "the connection goes through a pooler that gives each transaction another server process (pgbouncer with `pool_mode = transaction`, or \
         one like it): the lock and the settings of a migration would stay behind in the pool"
    )]
    Pooled,
    /// Another run holds the lock.
    #[error("another migration is running ({holder}); gave up after {} s", waited.as_secs_f32())]
    Locked {
        /// Holder of the lock, as far as the database reports it.
        holder: String,
        /// Time that the run waited.
        waited: Duration,
    },
    /// During the whole wait, other sessions used a table that a migration changes. The migration was rolled back.
    #[error(
        "`{name}` line {line}: `{statement}` needs a lock that other transactions have; kit gave up after {tries} attempts in {} s and rolled the migration back{}",
        waited.as_secs_f32(),
        list(" The oldest open transactions:", holders)
    )]
    Blocked {
        /// Name of the migration.
        name: String,
        /// Line of the statement.
        line: usize,
        /// Beginning of the statement.
        statement: String,
        /// Number of attempts.
        tries: u32,
        /// Duration of all attempts.
        waited: Duration,
        /// Sessions that may hold the lock, oldest transaction first.
        holders: Vec<String>,
        /// Names of the migrations that this run had already applied.
        applied: Vec<String>,
    },
    /// A signal interrupted the run.
    #[error(
        "interrupted{}; {}",
        name.as_ref().map_or_else(String::new, |name| format!(" in `{name}`, whose running statement was cancelled")),
        stay(applied)
    )]
    Interrupted {
        /// Name of the migration that was running.
        name: Option<String>,
        /// Names of the migrations that this run had already applied.
        applied: Vec<String>,
    },
    /// The connection broke while a migration ran.
    #[error(
        "the connection to the database was lost while `{name}` ran, line {line}: {source}; PostgreSQL rolls back what was \
         not committed, so run it again when the server runs ({})",
        stay(applied)
    )]
    Lost {
        /// Name of the migration that was running.
        name: String,
        /// Line of the statement that was running.
        line: usize,
        /// Names of the migrations that this run had already applied.
        applied: Vec<String>,
        /// Reason of the failure, as far as it is known.
        source: Box<DatabaseError>,
    },
    /// The SQL of a migration cannot be split into statements, or contains an invalid marker.
    #[error("migrations/{name}/migration.sql, {message}")]
    Script {
        /// Name of the migration.
        name: String,
        /// Line and description of the mistake.
        message: String,
    },
    /// Steps of a migration that were applied before an interruption were edited afterwards.
    #[error(
        "`{name}` was partly applied, and its completed steps were edited afterwards; restore the first {done} of its steps in \
         migrations/{name}/migration.sql (later steps may be edited), then apply again"
    )]
    EditedWhilePartlyApplied {
        /// Name of the migration.
        name: String,
        /// Number of completed steps. A step is a sequence of statements in one transaction, or a single statement
        /// outside of a transaction.
        done: usize,
    },
    /// The connection's `search_path` contains no existing schema in which tables could be created.
    #[error(
        "no schema in the connection's search_path exists; create the schema, or set another search_path"
    )]
    NoSchema,
    /// The first schema of the connection's `search_path` is in the names of tables.
    #[error(
        "the schema `{schema}` is the first of the connection's search_path, and names of tables contain it too, so one table would \
         have two names; put another schema first, such as `public`, or write `@table` without `{schema}.`"
    )]
    SchemaIsFirst {
        /// Name of the schema.
        schema: String,
    },
    /// The database has no such schema.
    #[error(
        "the database has no schema `{schema}` that kit can read{}",
        if known.is_empty() { String::new() } else { format!("; it has {}", known.join(", ")) }
    )]
    UnknownSchema {
        /// Name of the schema.
        schema: String,
        /// Names of the schemas of the database.
        known: Vec<String>,
    },
    /// The migrations are out of order, or one occurs twice.
    #[error("the migration `{0}` is listed twice, or is not in the order of names")]
    Order(String),
    /// An applied migration was edited afterwards.
    #[error(
        "`{name}` was edited after it was applied or squashed; restore migration.sql and snapshot.json in migrations/{name}, and put your change into a new migration"
    )]
    Edited {
        /// Name of the migration.
        name: String,
    },
    /// An applied migration is not among the given migrations.
    #[error(
        "the database has applied `{name}`, but migrations/ has no directory with this name; get the directory (perhaps from another branch), or use another database"
    )]
    Missing {
        /// Name of the migration.
        name: String,
    },
    /// Directories of migrations are present although a squashed migration replaces them.
    #[error(
        "`{name}` replaces migrations whose directories are still there: {}",
        present.join(", ")
    )]
    ReplacedButPresent {
        /// Name of the squashed migration.
        name: String,
        /// Names of the replaced migrations that are present.
        present: Vec<String>,
    },
    /// The database has applied only a part of the migrations that a squashed migration replaces.
    #[error(
        "`{name}` replaces several migrations, and the database has applied only some of them{}{}",
        list(" Not applied completely:", missing),
        list(" Applied with another text:", different)
    )]
    PartlyReplaced {
        /// Name of the squashed migration.
        name: String,
        /// Names of replaced migrations that the database has not applied completely.
        missing: Vec<String>,
        /// Names of replaced migrations that the database has applied with another text.
        different: Vec<String>,
    },
    /// Migrations were planned before some of the migrations that a squashed one replaces.
    #[error("migrations do not fit a squashed migration{}", list("", problems))]
    Misplaced {
        /// Names of the migrations, with the reason and advice.
        problems: Vec<String>,
    },
    /// The migrations cannot be squashed.
    #[error("the migrations cannot be squashed: {reason}{}", list("", items))]
    NotSquashable {
        /// Description of the reason.
        reason: String,
        /// Objects, tables or statements to which the reason applies.
        items: Vec<String>,
        /// Advice for the user.
        help: &'static str,
    },
    /// Pending migrations would lose stored values.
    #[error(
        "{} would lose stored data; review the statements, then apply with `--allow-destructive`, or remove the statements{}",
        names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "),
        format_losses(losses)
    )]
    Destructive {
        /// Names of the migrations.
        names: Vec<String>,
        /// Statements that may lose data. A migration of `names` without a statement in this list is
        /// destructive according to its `changes.json`.
        losses: Vec<Loss>,
    },
    /// PostgreSQL refused a statement. Its transaction was rolled back; the steps counted in `before` and the
    /// migrations in `applied` are not rolled back.
    #[error("`{name}` failed {}: {source}", if *before == 0 {"and was rolled back".to_owned()} else {format!("after {before} of its steps; these steps stay applied, and the next run continues with the failed step")})]
    Statement {
        /// Name of the migration.
        name: String,
        /// Number of completed steps of this migration.
        before: usize,
        /// Names of the migrations that this run had already applied.
        applied: Vec<String>,
        /// Error of PostgreSQL.
        source: Box<DatabaseError>,
    },
    /// The SQL of a migration ended its own transaction. The statements before its end stay in the database,
    /// and kit has no record of them.
    #[error(
        "`{name}` ends its own transaction (COMMIT or ROLLBACK); but kit runs each migration in one transaction. The statements before COMMIT or ROLLBACK stay applied: remove the COMMIT or ROLLBACK from migration.sql, and repair the database by hand"
    )]
    EndedTransaction {
        /// Name of the migration.
        name: String,
    },
    /// kit cannot plan the creation of the tables in a snapshot, which a comparison with the database needs.
    #[error("kit cannot create tables from the snapshot of the migrations: {0}")]
    Snapshot(String),
    /// A later release has applied migrations with which this release may fail.
    #[error(
        "a later release has changed the database in a way with which this release may fail{}",
        list("", changes)
    )]
    LaterRelease {
        /// Names of the migrations, each with its changes.
        changes: Vec<String>,
    },
    /// A migration is expanded, and its second half was not run.
    #[error(
        "only the first half of `{name}` is applied: the old and the new build of the application can run, and the second half is missing"
    )]
    Expanded {
        /// Name of the migration.
        name: String,
    },
    /// A run stopped in one of the halves of a migration, or while it undid the first half.
    #[error("a run stopped while it {} half of `{name}`", match half {
        Half::Undo => "undid the first",
        Half::Second => "applied the second",
        Half::First | Half::Both => "applied the first",
    })]
    StoppedInHalf {
        /// Name of the migration.
        name: String,
        /// Part of the migration that the run applied.
        half: Half,
    },
    /// No migration is expanded.
    #[error("no migration waits for its second half")]
    NotExpanded,
    /// The second half of a migration has removed columns, so that the first half can no longer be undone.
    #[error(
        "the second half of `{name}` has removed columns of the old build, so the first half can no longer be undone"
    )]
    ContractBegan {
        /// Name of the migration.
        name: String,
    },
    /// The SQL of a migration does not say how to undo the first half.
    #[error(
        "`migration.sql` of `{name}` does not contain the comment `/* kit: abort`, which undoes the first half"
    )]
    NoAbort {
        /// Name of the migration.
        name: String,
    },
    /// A run of another release has not completed a migration that this release does not have.
    #[error(
        "this release does not have migrations that are partly applied: {}",
        names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
    )]
    LaterReleaseRuns {
        /// Names of the migrations.
        names: Vec<String>,
    },
    /// A migration without halves breaks the running application.
    #[error(
        "{} would break the running application, and the SQL has no second half",
        names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
    )]
    BreaksRunningApp {
        /// Names of the migrations.
        names: Vec<String>,
    },
    /// Sessions that may belong to the old build are connected.
    #[error(
        "sessions of the database are older than the first half of `{name}`, so they may belong to the old build{}",
        list("", sessions)
    )]
    OldSessions {
        /// Name of the migration.
        name: String,
        /// Descriptions of the sessions.
        sessions: Vec<String>,
    },
    /// Undoing the first half of a migration deletes values.
    #[error("undoing the first half of `{name}` deletes values that only the new build knows: {}", places.join(", "))]
    UndoLoses {
        /// Name of the migration.
        name: String,
        /// Names of the tables and columns.
        places: Vec<String>,
    },
    /// A connection to a scratch database reaches another database, which must not change.
    #[error(
        "a connection to the new scratch database {wanted} reaches the database {found}; nothing was changed there"
    )]
    OtherDatabase {
        /// Name of the scratch database.
        wanted: String,
        /// Name of the database that the connection reaches.
        found: String,
    },
    /// There is no migration that could be the baseline.
    #[error("migrations/ contains no migration that could be recorded as applied")]
    NoBaseline,
    /// The database already has a history of migrations.
    #[error("the database has applied `{name}` already, so it needs no baseline")]
    HasHistory {
        /// Name of the first migration in the history.
        name: String,
    },
    /// The database differs from the result of the baseline.
    #[error(
        "the database differs from `{name}`, so the migration cannot be recorded as applied{}",
        list("", differences)
    )]
    NotBaseline {
        /// Name of the migration.
        name: String,
        /// Objects that differ.
        differences: Vec<String>,
    },
    /// Any other communication with the database failed.
    #[error("{doing}: {source}")]
    Database {
        /// Description of the failed operation.
        doing: &'static str,
        /// Reason of the failure.
        source: Box<DatabaseError>,
    },
}

impl MigrateError {
    /// Returns a function that makes this error from a failure of the database. `doing` describes the failed operation.
    pub(crate) fn database(doing: &'static str) -> impl Fn(tokio_postgres::Error) -> Self {
        move |error| Self::Database {
            doing,
            source: DatabaseError::of(error, None),
        }
    }

    /// Returns advice for the user, unless the message already contains it.
    pub fn help(&self) -> Option<&str> {
        match self {
            Self::Url(_) | Self::MalformedUrl(_) => Some(
                "set DATABASE_URL=postgres://user:password@host:5432/database; in the user name, the password, the name of the database and the values of parameters, write characters other than letters and digits as %XX",
            ),
            Self::Connect { help, .. } if !help.is_empty() => Some(help),
            Self::Pooled => Some(
                "set MIGRATE_URL to the host and port of PostgreSQL itself (the port is usually 5432; that of the pooler is usually 6432), and leave DATABASE_URL to the application; a pool with `pool_mode = session` works too",
            ),
            Self::Locked { .. } => Some(
                "wait until the other migration is done, or wait longer with `--wait`; PostgreSQL releases the lock when the other connection ends",
            ),
            Self::Blocked { .. } => Some(
                "end those transactions, or apply at a time with fewer transactions; `--wait` sets how long kit tries again, and `--lock-timeout` how long one attempt waits (other queries wait behind this attempt)",
            ),
            Self::LaterRelease { .. } => Some(
                "deploy the later release again, or get its directories of migrations/ and write a migration that undoes these changes; \
                 with `kit migrate:generate --expand`, a deployment can be undone until `kit migrate:contract`",
            ),
            Self::Expanded { .. } => Some(
                "if no process of the old build is left, run `kit migrate:contract`; `kit migrate:contract --abort` goes back to the tables of the old build",
            ),
            Self::StoppedInHalf { half, .. } => Some(match half {
                Half::Undo => "`kit migrate:contract --abort` continues",
                Half::Second => {
                    "if no process of the old build is left, `kit migrate:contract` runs the rest; \
                     before the old columns are removed, `--abort` goes back to the tables of the old build"
                }
                Half::First | Half::Both => {
                    "`kit migrate:expand` continues; `kit migrate:contract --abort` goes back to the tables of the old build"
                }
            }),
            Self::NotExpanded => Some(
                "`kit migrate:expand` runs the first half of a migration; `kit migrate:status` shows the state of all migrations",
            ),
            Self::NoAbort { .. } => Some(
                "write the comment at the end of `migration.sql`, as `kit migrate:generate --expand` does, or complete the migration with `kit migrate:contract`",
            ),
            Self::LaterReleaseRuns { .. } => Some(
                "run the interrupted command of the release with the migration again; if no release has the migration any more, undo its steps by hand and delete its row of the table kit_migration_progress",
            ),
            Self::ContractBegan { .. } => Some("`kit migrate:contract` runs the rest of the second half"),
            Self::BreaksRunningApp { .. } => Some(
                "for a rename, a drop, a new type or a required new column, delete the migration and write it again with `kit migrate:generate --expand`; \
                 for another change, first deploy a build that works before and after it, then run `kit migrate:apply`",
            ),
            Self::OldSessions { .. } => Some(
                "stop the processes of the old build; if PostgreSQL hides when sessions began, run `GRANT pg_read_all_stats TO` the role of the migration; if the sessions belong to other programs or to a pooler, add `--ignore-sessions`",
            ),
            Self::UndoLoses { .. } => Some("add `--allow-destructive` if the values may be lost"),
            Self::ReplacedButPresent { .. } => Some("delete these directories"),
            Self::PartlyReplaced { .. } => Some(
                "apply the missing migrations with a version of the project from before the squash (`git log -- migrations` finds it), then apply again; \
                 a database without valuable rows can be created anew (`kit db reset` for the embedded one)",
            ),
            Self::NotSquashable { help, .. } => Some(help),
            Self::OtherDatabase { .. } => Some(
                "set SCRATCH_DATABASE_URL to the host and port of PostgreSQL itself, not to those of a pooler",
            ),
            Self::NoBaseline => Some("`kit db pull` writes the baseline of an existing database"),
            Self::HasHistory { .. } => {
                Some("`kit migrate:apply` applies the migrations that are not applied yet")
            }
            Self::NotBaseline { .. } => Some(
                "the database changed since `kit db pull`, or is another one; delete the new migration and the entities, and run `kit db pull` again",
            ),
            Self::Statement { source, .. } => source.advice.as_deref(),
            _ => None,
        }
    }
}

fn stay(applied: &[String]) -> String {
    match applied {
        [] => "nothing was applied".to_owned(),
        applied => format!("these migrations stay applied: {}", applied.join(", ")),
    }
}

fn list(title: &str, items: &[String]) -> String {
    if items.is_empty() {
        return String::new();
    }
    format!(".{title}\n  {}", items.join("\n  "))
}
