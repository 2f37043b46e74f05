//! Errors that PostgreSQL reports.

use std::fmt;

use tokio_postgres::error::ErrorPosition;

/// Error of PostgreSQL or of the connection to it.
#[derive(Debug)]
pub struct DatabaseError {
    /// Message of PostgreSQL or of the connection.
    pub message: String,
    /// SQLSTATE, if PostgreSQL itself reported the error.
    pub code: Option<String>,
    /// Detail of the error, such as the key that exists twice.
    pub detail: Option<String>,
    /// Advice of PostgreSQL.
    pub hint: Option<String>,
    /// Line of the SQL, from 1, if PostgreSQL reports a position.
    pub line: Option<usize>,
    /// Text of the SQL in `line`.
    pub excerpt: Option<String>,
    /// Advice of kit, if it knows the statement and the SQLSTATE.
    pub(crate) advice: Option<String>,
    source: Option<tokio_postgres::Error>,
}

impl DatabaseError {
    /// Creates the error. `sql` is the SQL that was sent, starting at line 1.
    pub(crate) fn of(error: tokio_postgres::Error, sql: Option<&str>) -> Box<Self> {
        Self::at(error, sql.map(|sql| ("", sql)), 1)
    }

    /// Creates the error for SQL that starts at line `first` of its file. The first text of `sql` was sent before the SQL, and
    /// is no part of the file. If PostgreSQL reports no position, `line` is `first`.
    pub(crate) fn at(error: tokio_postgres::Error, sql: Option<(&str, &str)>, first: usize) -> Box<Self> {
        let mut refusal = Self::plain(error.to_string());
        if let Some(database) = error.as_db_error() {
            database.message().clone_into(&mut refusal.message);
            refusal.code = Some(database.code().code().to_owned());
            refusal.detail = database.detail().map(str::to_owned);
            refusal.hint = database.hint().map(str::to_owned);
            if let Some((sent_before, sql)) = sql {
                let skipped = sent_before.chars().count();
                let before = match database.position() {
                    // Positions count characters, from 1.
                    Some(ErrorPosition::Original(position)) => {
                        let position = (*position as usize - 1).saturating_sub(skipped);
                        let before: String = sql.chars().take(position).collect();
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
        refusal
    }

    /// Returns true if PostgreSQL gave up waiting for a lock, or resolved a deadlock: a retry may succeed.
    pub(crate) fn is_lock(&self) -> bool {
        matches!(self.code.as_deref(), Some("55P03" | "40P01"))
    }

    /// Returns true if the connection is lost: PostgreSQL reported that it closes, or the connection failed without an
    /// error of PostgreSQL.
    pub(crate) fn is_lost(&self) -> bool {
        match self.code.as_deref() {
            // PostgreSQL was told to stop, crashed, or is shutting down.
            Some(code) => code.starts_with("57P") || code.starts_with("08"),
            None => self.source.is_some(),
        }
    }

    /// Creates the error for a lock that kit does not wait for. The error is like that of PostgreSQL after a lock timeout.
    pub(crate) fn lock(message: &str) -> Box<Self> {
        let mut refusal = Self::plain(message);
        refusal.code = Some("55P03".to_owned());
        refusal
    }

    /// Creates an error that does not come from PostgreSQL.
    pub(crate) fn plain(message: impl Into<String>) -> Box<Self> {
        Box::new(Self {
            message: message.into(),
            code: None,
            detail: None,
            hint: None,
            line: None,
            excerpt: None,
            advice: None,
            source: None,
        })
    }
}

impl fmt::Display for DatabaseError {
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

impl std::error::Error for DatabaseError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_ref().map(|source| source as _)
    }
}
