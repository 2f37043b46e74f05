//! Why migrations were not applied.

use std::fmt;
use std::time::Duration;

use thiserror::Error;
use tokio_postgres::error::ErrorPosition;

/// What went wrong. Unless the variant says otherwise, the database is as it was.
#[derive(Debug, Error)]
pub enum MigrateError {
    /// The connection string does not parse.
    #[error("the database URL is not valid: {0}")]
    Url(#[source] tokio_postgres::Error),
    /// TLS was asked for.
    #[error(
        "the database URL asks for TLS (`sslmode`), which kit cannot do yet; use `sslmode=disable` or `sslmode=prefer` on a trusted network, or a local TLS proxy"
    )]
    Tls,
    /// No connection.
    #[error("cannot connect to {target}: {source}")]
    Connect {
        /// Host, port and database.
        target: String,
        /// Why.
        source: Box<Refusal>,
    },
    /// The runtime could not be made.
    #[error("cannot start: {0}")]
    Runtime(#[source] std::io::Error),
    /// The caller is itself running on an asynchronous runtime, which must not be blocked.
    #[error(
        "`apply` blocks and was called from within an asynchronous runtime; call it from a thread of its own"
    )]
    Nested,
    /// Another run holds the lock.
    #[error("another migration is running ({holder}); gave up after {} s", waited.as_secs_f32())]
    Locked {
        /// Who holds it, as far as the database tells.
        holder: String,
        /// How long it was waited for.
        waited: Duration,
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
        "{} would delete stored data; look at the statements, then apply with `--allow-destructive`",
        names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
    )]
    Destructive {
        /// The migrations.
        names: Vec<String>,
    },
    /// PostgreSQL refused a migration. It was rolled back as a whole; the ones before it, listed in `applied`, stay.
    #[error("`{name}` failed and was rolled back: {source}")]
    Statement {
        /// The migration.
        name: String,
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
    /// Any other exchange with the database failed.
    #[error("{doing}: {source}")]
    Database {
        /// What was being done.
        doing: &'static str,
        /// Why it failed.
        source: Box<Refusal>,
    },
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
    pub(crate) fn of(error: tokio_postgres::Error, sql: Option<&str>) -> Box<Self> {
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
            if let (Some(ErrorPosition::Original(position)), Some(sql)) = (database.position(), sql) {
                // Positions count characters from 1.
                let before: String = sql.chars().take(*position as usize - 1).collect();
                let line = before.matches('\n').count() + 1;
                refusal.line = Some(line);
                refusal.excerpt = sql.lines().nth(line - 1).map(|text| text.trim().to_owned());
            }
        } else if let Some(source) = std::error::Error::source(&error) {
            refusal.message = format!("{error}: {source}");
        }
        refusal.source = Some(error);
        Box::new(refusal)
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
