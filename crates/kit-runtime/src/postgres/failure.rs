//! Recognises the reasons of database errors: an outage, a missing table, a connection that needs TLS.

use std::io::ErrorKind;

/// Failure of the database after which the same request may succeed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Temporary {
    /// The database cannot be reached, or accepts no more work at the moment.
    Outage,
    /// Another transaction uses the same rows.
    Conflict,
}

/// Returns the kind of a temporary failure. Also looks at the errors that caused the error.
pub(crate) fn temporary(error: &(dyn std::error::Error + 'static)) -> Option<Temporary> {
    match error_of_sqlx(error)? {
        sqlx::Error::Io(_)
        | sqlx::Error::Tls(_)
        | sqlx::Error::PoolTimedOut
        | sqlx::Error::PoolClosed
        | sqlx::Error::WorkerCrashed => Some(Temporary::Outage),
        error @ sqlx::Error::Database(_) => kind_of_state(&state(error)?),
        _ => None,
    }
}

/// Returns the kind of a temporary failure with this SQL state.
fn kind_of_state(state: &str) -> Option<Temporary> {
    if is_state_of_outage(state) {
        return Some(Temporary::Outage);
    }
    // The last state is that of `NOWAIT` and `lock_timeout`.
    (is_state_of_conflict(state) || state == "55P03").then_some(Temporary::Conflict)
}

/// Returns the first error of sqlx among an error and its causes.
fn error_of_sqlx<'e>(error: &'e (dyn std::error::Error + 'static)) -> Option<&'e sqlx::Error> {
    std::iter::successors(Some(error), |error| error.source()).find_map(|error| error.downcast_ref())
}

/// Returns the SQL state of an error, or of the error that caused the error.
pub(crate) fn sql_state(error: &(dyn std::error::Error + 'static)) -> Option<String> {
    state(error_of_sqlx(error)?)
}

/// Returns true if an SQL state belongs to an outage
/// (<https://www.postgresql.org/docs/current/errcodes-appendix.html>): connection exceptions, too many connections, and
/// a server that is stopping, has crashed or is starting.
fn is_state_of_outage(state: &str) -> bool {
    state.starts_with("08") || matches!(state, "53300" | "57P01" | "57P02" | "57P03")
}

/// Returns true if PostgreSQL rolled a transaction back because of another transaction: a serialization failure (`40001`)
/// or a deadlock (`40P01`). Also looks at the errors that caused the error.
pub(crate) fn is_transaction_conflict(error: &(dyn std::error::Error + 'static)) -> bool {
    sql_state(error).is_some_and(|state| is_state_of_conflict(&state))
}

/// Returns true for a serialization failure and for a deadlock.
fn is_state_of_conflict(state: &str) -> bool {
    matches!(state, "40001" | "40P01")
}

fn state(error: &sqlx::Error) -> Option<String> {
    Some(error.as_database_error()?.code()?.into_owned())
}

/// Returns advice if an error says that a table or column does not exist. In most cases a migration was not applied.
pub(crate) fn help_for_missing(error: &sqlx::Error) -> Option<&'static str> {
    match state(error)?.as_str() {
        "42P01" => Some("the database lacks a table: run `kit migrate:apply`"),
        "42703" => Some("the database lacks a column: run `kit migrate:apply`"),
        _ => None,
    }
}

/// Returns true if a server that rejected a connection may accept it with TLS, or without TLS: `pg_hba.conf` has
/// separate rules for each.
pub(super) fn depends_on_tls(error: &sqlx::Error) -> bool {
    state(error).as_deref() == Some("28000")
}

/// Returns true if another attempt may succeed soon: a server that is starting refuses connections.
pub(super) fn may_be_starting(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Io(error) => error.kind() == ErrorKind::ConnectionRefused,
        _ => matches!(state(error).as_deref(), Some("57P03" | "53300")),
    }
}

/// Returns true if the pool of sqlx, after this error, tries to connect again until its timeout.
pub(super) fn is_retried_by_pool(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Io(error) => error.kind() == ErrorKind::ConnectionRefused,
        _ => state(error).as_deref() == Some("57P03"),
    }
}

/// Returns advice for a failed connection. The advice is empty if the error explains itself.
pub(super) fn help(error: &sqlx::Error, reason: &str) -> &'static str {
    match state(error).as_deref() {
        Some("28P01") => {
            "correct the user or the password in DATABASE_URL; write characters other than letters and digits as %XX"
        }
        Some("3D000") => {
            "create the database with `createdb`, or write the name of another database in DATABASE_URL"
        }
        Some("28000") if reason.contains("no encryption") => {
            "the server requires TLS: write `sslmode=require`"
        }
        Some("28000") if reason.contains("client certificate") => {
            "the server requires a client certificate: add it to the URL with `sslcert=/path/to/client.crt&sslkey=/path/to/client.key`"
        }
        Some("28000") => "the server's pg_hba.conf does not allow this user to connect from this machine",
        Some("53300") => "the server has reached its maximum number of connections",
        Some("57P03") => "the server is starting or stopping",
        None if reason.contains("UnknownIssuer") || reason.contains("BadSignature") => {
            "this machine does not trust the authority that signed the server's certificate: add the authority's certificate to the URL with `sslrootcert=/path/to/ca.pem`"
        }
        None if reason.contains("not valid for name") || reason.contains("NotValidForName") => {
            "the server's certificate is for another host: write that host into the URL, or add `sslmode=verify-ca`"
        }
        None if reason.contains("does not support TLS") => {
            "the server does not support TLS: write `sslmode=disable` if the network is trusted, or configure TLS on the server"
        }
        None if reason.contains("refused") || reason.contains("timed out") => {
            "start PostgreSQL on this host and port, or correct DATABASE_URL; `kit doctor` checks the connection"
        }
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use sqlx::error::{DatabaseError, ErrorKind};

    use super::{Temporary, help_for_missing, kind_of_state, sql_state, temporary};

    /// A database error with this SQL state.
    #[derive(Debug)]
    struct Refused(&'static str);

    impl std::fmt::Display for Refused {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str(self.0)
        }
    }

    impl std::error::Error for Refused {}

    impl DatabaseError for Refused {
        fn message(&self) -> &str {
            self.0
        }

        fn code(&self) -> Option<Cow<'_, str>> {
            Some(self.0.into())
        }

        fn as_error(&self) -> &(dyn std::error::Error + Send + Sync + 'static) {
            self
        }

        fn as_error_mut(&mut self) -> &mut (dyn std::error::Error + Send + Sync + 'static) {
            self
        }

        fn into_error(self: Box<Self>) -> Box<dyn std::error::Error + Send + Sync + 'static> {
            self
        }

        fn kind(&self) -> ErrorKind {
            ErrorKind::Other
        }
    }

    #[test]
    fn suggests_migrate_apply_for_missing_tables_and_columns_only() {
        let help = |state| help_for_missing(&sqlx::Error::Database(Box::new(Refused(state))));
        assert_eq!(
            help("42P01"),
            Some("the database lacks a table: run `kit migrate:apply`")
        );
        assert_eq!(
            help("42703"),
            Some("the database lacks a column: run `kit migrate:apply`")
        );
        assert_eq!(help("23505"), None);
        assert_eq!(help_for_missing(&sqlx::Error::RowNotFound), None);
    }

    #[derive(Debug)]
    struct Wrapped(sqlx::Error);

    impl std::fmt::Display for Wrapped {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("it did not work")
        }
    }

    impl std::error::Error for Wrapped {
        fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
            Some(&self.0)
        }
    }

    #[test]
    fn distinguishes_temporary_failures_from_errors_of_the_statement() {
        let outage = Some(Temporary::Outage);
        assert_eq!(temporary(&sqlx::Error::PoolTimedOut), outage);
        assert_eq!(temporary(&Wrapped(sqlx::Error::PoolTimedOut)), outage);
        let refused = std::io::ErrorKind::ConnectionRefused;
        assert_eq!(temporary(&sqlx::Error::Io(refused.into())), outage);
        assert_eq!(temporary(&sqlx::Error::RowNotFound), None);
        // This error did not come from the database.
        assert_eq!(temporary(&std::io::Error::from(refused)), None);
        let conflict = Wrapped(sqlx::Error::Database(Box::new(Refused("40P01"))));
        assert_eq!(temporary(&conflict), Some(Temporary::Conflict));
        assert_eq!(sql_state(&conflict).as_deref(), Some("40P01"));
        for (state, expected) in [
            ("08006", outage),
            ("57P01", outage),
            ("53300", outage),
            ("40001", Some(Temporary::Conflict)),
            ("40P01", Some(Temporary::Conflict)),
            ("55P03", Some(Temporary::Conflict)),
            ("40002", None),
            ("23505", None),
            ("57014", None),
        ] {
            assert_eq!(kind_of_state(state), expected, "{state}");
        }
    }
}
