//! Why migrations were not applied.

use std::fmt::{self, Write as _};
use std::time::Duration;

use thiserror::Error;
use tokio_postgres::error::ErrorPosition;

use crate::Loss;

/// Statements, each on a line of its own.
fn listed(losses: &[Loss]) -> String {
    let mut text = String::new();
    for loss in losses {
        // Writing to a string cannot fail.
        let _ = write!(text, "\n  {loss}");
    }
    text
}

/// What went wrong. Unless the variant says otherwise, the database is as it was.
#[derive(Debug, Error)]
pub enum MigrateError {
    /// The connection string does not parse.
    #[error("the database URL is not valid: {0}")]
    Url(#[source] tokio_postgres::Error),
    /// What the URL says of TLS cannot be done.
    #[error("the database URL asks for TLS that cannot be had: {0}")]
    Tls(String),
    /// No connection.
    #[error("cannot connect to {target}: {source}")]
    Connect {
        /// Host, port and database.
        target: String,
        /// Why.
        source: Box<Refusal>,
        /// What to do; empty where that is not known.
        help: &'static str,
    },
    /// The runtime could not be made.
    #[error("cannot start: {0}")]
    Runtime(#[source] std::io::Error),
    /// The caller is itself running on an asynchronous runtime, which must not be blocked.
    #[error(
        "`apply` blocks and was called from within an asynchronous runtime; call it from a thread of its own"
    )]
    Nested,
    /// A pooler is in between that lends server processes for one transaction each.
    #[error(
        "the connection goes through a pooler that gives each transaction another server process (pgbouncer with `pool_mode = transaction`, or \
         one like it): the lock and the settings of a migration would stay behind in the pool"
    )]
    Pooled,
    /// Another run holds the lock.
    #[error("another migration is running ({holder}); gave up after {} s", waited.as_secs_f32())]
    Locked {
        /// Who holds it, as far as the database tells.
        holder: String,
        /// How long it was waited for.
        waited: Duration,
    },
    /// A table that a migration changes was in use all the time. The migration was rolled back.
    #[error(
        "`{name}` line {line}: `{statement}` needs a lock that others hold; gave up after {tries} tries in {} s and rolled it back{}",
        waited.as_secs_f32(),
        list(" Transactions that are open longest:", holders)
    )]
    Blocked {
        /// The migration.
        name: String,
        /// Line of the statement.
        line: usize,
        /// Its beginning.
        statement: String,
        /// How often it was tried.
        tries: u32,
        /// How long.
        waited: Duration,
        /// Sessions that may hold it, oldest transaction first.
        holders: Vec<String>,
        /// Migrations of this run that were applied before.
        applied: Vec<String>,
    },
    /// The run was interrupted.
    #[error(
        "interrupted{}; {}",
        name.as_ref().map_or_else(String::new, |name| format!(" in `{name}`, whose running statement was cancelled")),
        stay(applied)
    )]
    Interrupted {
        /// The migration under way.
        name: Option<String>,
        /// Migrations of this run that were applied before.
        applied: Vec<String>,
    },
    /// The connection broke in the middle.
    #[error(
        "the connection to the database was lost while `{name}` ran, line {line}: {source}; PostgreSQL rolls back what was \
         not committed, so run it again once the server is there ({})",
        stay(applied)
    )]
    Lost {
        /// The migration under way.
        name: String,
        /// Line of the statement under way.
        line: usize,
        /// Migrations of this run that were applied before.
        applied: Vec<String>,
        /// What is known of it.
        source: Box<Refusal>,
    },
    /// The SQL of a migration is none that can be run.
    #[error("migrations/{name}/migration.sql, {message}")]
    Script {
        /// The migration.
        name: String,
        /// The line and what is wrong there.
        message: String,
    },
    /// What of a migration was applied before a crash is not what stands in the file now.
    #[error(
        "`{name}` was applied half way, and what was applied of it was edited since; restore the first {done} of its steps in \
         migrations/{name}/migration.sql (what comes after may be edited), then apply again"
    )]
    EditedHalfWay {
        /// The migration.
        name: String,
        /// How many steps are done: runs of statements in one transaction, and statements outside of one.
        done: usize,
    },
    /// The connection's `search_path` names no schema to make tables in.
    #[error(
        "the connection's search_path names no schema that exists; create one, or set another search_path"
    )]
    NoSchema,
    /// Names out of order, or twice.
    #[error("`{0}` is not in the order of names, or is there twice")]
    Order(String),
    /// An applied migration was edited.
    #[error(
        "`{name}` was edited after it was applied; restore migrations/{name}/migration.sql, and put the change into a new migration"
    )]
    Edited {
        /// The migration.
        name: String,
    },
    /// An applied migration is gone.
    #[error(
        "the database has applied `{name}`, which is not among the migrations; get the missing directory (another branch?), or use another database"
    )]
    Missing {
        /// The migration.
        name: String,
    },
    /// Pending migrations lose values.
    #[error(
        "{} would delete stored data; look at the statements, then apply with `--allow-destructive`, or take them out{}",
        names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "),
        listed(losses)
    )]
    Destructive {
        /// The migrations.
        names: Vec<String>,
        /// The statements. A migration without one here is destructive by its `changes.json`.
        losses: Vec<Loss>,
    },
    /// PostgreSQL refused a statement. What its transaction did was rolled back; what `before` and `applied` list stays.
    #[error("`{name}` failed {}: {source}", if *before == 0 {"and was rolled back".to_owned()} else {format!("half way ({before} of its steps are done and stay; the next run goes on after them)")})]
    Statement {
        /// The migration.
        name: String,
        /// Steps of it that are done: what stands before a statement outside of a transaction, and such statements.
        before: usize,
        /// Migrations of this run that were applied before.
        applied: Vec<String>,
        /// What PostgreSQL says.
        source: Box<Refusal>,
    },
    /// The SQL of a migration ended the transaction that it ran in. What it did until then stays, unrecorded.
    #[error(
        "`{name}` ends its own transaction (COMMIT or ROLLBACK); kit runs each migration in one. What ran before that statement stays in the database: take the statement out and repair by hand"
    )]
    EndedTransaction {
        /// The migration.
        name: String,
    },
    /// The tables of a snapshot cannot be made from nothing.
    #[error("the snapshot of the migrations cannot be made into tables: {0}")]
    Snapshot(String),
    /// Any other exchange with the database failed.
    #[error("{doing}: {source}")]
    Database {
        /// What was being done.
        doing: &'static str,
        /// Why it failed.
        source: Box<Refusal>,
    },
}

impl MigrateError {
    /// What to do, where the message does not say it.
    pub fn help(&self) -> Option<&str> {
        match self {
            Self::Url(_) => Some(
                "set DATABASE_URL=postgres://user:password@host:5432/database; in user and password, characters other than letters and digits are written as %XX",
            ),
            Self::Connect { help, .. } if !help.is_empty() => Some(help),
            Self::Pooled => Some(
                "name the database itself in DATABASE_URL for this command: the host and the port of PostgreSQL (mostly 5432), not those of the pooler (mostly 6432); a pool with `pool_mode = session` works too",
            ),
            Self::Locked { .. } => Some(
                "wait until it is done, or give it longer with `--wait`; the lock goes away with its connection",
            ),
            Self::Blocked { .. } => Some(
                "end those transactions or apply when there are fewer; `--wait` goes on trying for longer, `--lock-timeout` waits longer in one try (and lets other queries queue behind it)",
            ),
            Self::Statement { source, .. } if source.code.as_deref() == Some("25001") => {
                Some("put the line `-- kit: outside transaction` above that statement")
            }
            _ => None,
        }
    }
}

fn stay(applied: &[String]) -> String {
    match applied {
        [] => "nothing was applied".to_owned(),
        applied => format!("applied before and there: {}", applied.join(", ")),
    }
}

fn list(title: &str, items: &[String]) -> String {
    if items.is_empty() {
        return String::new();
    }
    format!(".{title}\n  {}", items.join("\n  "))
}

/// What PostgreSQL or the connection to it says.
#[derive(Debug)]
pub struct Refusal {
    /// The message.
    pub message: String,
    /// SQLSTATE, where PostgreSQL itself refused.
    pub code: Option<String>,
    /// What exactly, such as the key that exists twice.
    pub detail: Option<String>,
    /// What to do.
    pub hint: Option<String>,
    /// Line of the SQL, from 1, where PostgreSQL points at one.
    pub line: Option<usize>,
    /// That line.
    pub excerpt: Option<String>,
    source: Option<tokio_postgres::Error>,
}

impl Refusal {
    /// `sql` is the text that was sent, from line 1 on.
    pub(crate) fn of(error: tokio_postgres::Error, sql: Option<&str>) -> Box<Self> {
        Self::at(error, sql, 1)
    }

    /// The same of text that begins at a later line of its file. Where PostgreSQL points at no place, it is the first line.
    pub(crate) fn at(error: tokio_postgres::Error, sql: Option<&str>, first: usize) -> Box<Self> {
        let mut refusal = Self {
            message: error.to_string(),
            code: None,
            detail: None,
            hint: None,
            line: None,
            excerpt: None,
            source: None,
        };
        if let Some(database) = error.as_db_error() {
            database.message().clone_into(&mut refusal.message);
            refusal.code = Some(database.code().code().to_owned());
            refusal.detail = database.detail().map(str::to_owned);
            refusal.hint = database.hint().map(str::to_owned);
            if let Some(sql) = sql {
                let before = match database.position() {
                    // Positions count characters from 1.
                    Some(ErrorPosition::Original(position)) => {
                        let before: String = sql.chars().take(*position as usize - 1).collect();
                        before.matches('\n').count()
                    }
                    _ => 0,
                };
                refusal.line = Some(first + before);
                refusal.excerpt = sql.lines().nth(before).map(|text| text.trim().to_owned());
            }
        } else if let Some(source) = std::error::Error::source(&error) {
            refusal.message = format!("{error}: {source}");
        }
        refusal.source = Some(error);
        Box::new(refusal)
    }

    /// Whether PostgreSQL gave up waiting for a lock, or ended a deadlock: it may work at the next try.
    pub(crate) fn is_lock(&self) -> bool {
        matches!(self.code.as_deref(), Some("55P03" | "40P01"))
    }

    /// Whether the connection is gone: PostgreSQL said so, or nobody says anything any more.
    pub(crate) fn is_lost(&self) -> bool {
        match self.code.as_deref() {
            // It was told to end, crashed, or is shutting down.
            Some(code) => code.starts_with("57P") || code.starts_with("08"),
            None => self.source.is_some(),
        }
    }

    /// A failure that is not PostgreSQL's.
    pub(crate) fn plain(message: impl Into<String>) -> Box<Self> {
        Box::new(Self {
            message: message.into(),
            code: None,
            detail: None,
            hint: None,
            line: None,
            excerpt: None,
            source: None,
        })
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        if let Some(code) = &self.code {
            write!(f, " (SQLSTATE {code})")?;
        }
        if let (Some(line), Some(excerpt)) = (self.line, &self.excerpt) {
            write!(f, "\n  line {line}: {excerpt}")?;
        }
        if let Some(detail) = &self.detail {
            write!(f, "\n  detail: {detail}")?;
        }
        if let Some(hint) = &self.hint {
            write!(f, "\n  hint: {hint}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Refusal {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_ref().map(|source| source as _)
    }
}
