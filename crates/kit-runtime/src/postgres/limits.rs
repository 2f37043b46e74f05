//! Limits of the connection pool, from environment variables.

use std::time::Duration;

use crate::Error;
use crate::settings::Settings;

/// Default for the maximum number of connections.
const CONNECTIONS: u32 = 10;
/// Default time to wait for a connection, in milliseconds.
const ACQUIRE_MS: u64 = 2_000;
/// Interval at which PostgreSQL checks if the client of a running statement is still connected. If the client is
/// not connected, PostgreSQL cancels the statement.
const CHECK: &str = "1s";

#[derive(Debug)]
pub(super) struct Limits {
    /// `DATABASE_POOL_SIZE`: maximum number of connections.
    pub(super) connections: u32,
    /// `DATABASE_CONNECT_TIMEOUT_MS`: maximum time to wait for a connection.
    pub(super) acquire: Duration,
    /// `DATABASE_STATEMENT_TIMEOUT_MS`: maximum duration of a statement. 0 means no limit.
    statement: Duration,
}

impl Limits {
    pub(super) fn load() -> Result<Self, Error> {
        let request = Settings::load()?.request_timeout.unwrap_or_default();
        Self::read(|name| std::env::var(name).ok(), request)
    }

    fn read(variable: impl Fn(&str) -> Option<String>, request: Duration) -> Result<Self, Error> {
        let number = |name: &str, default: u64, least: u64, most: u64| {
            let Some(text) = variable(name).filter(|text| !text.is_empty()) else {
                return Ok(default);
            };
            match text.parse::<u64>() {
                Ok(number) if (least..=most).contains(&number) => Ok(number),
                _ => Err(Error::internal(format!(
                    "{name} is `{text}`; use an integer from {least} to {most}"
                ))),
            }
        };
        // One day.
        let longest = 86_400_000;
        let request = u64::try_from(request.as_millis()).unwrap_or(longest);
        let connections = number("DATABASE_POOL_SIZE", CONNECTIONS.into(), 1, 10_000)?;
        Ok(Self {
            connections: u32::try_from(connections).unwrap_or(CONNECTIONS),
            acquire: Duration::from_millis(number("DATABASE_CONNECT_TIMEOUT_MS", ACQUIRE_MS, 1, longest)?),
            statement: Duration::from_millis(number("DATABASE_STATEMENT_TIMEOUT_MS", request, 0, longest)?),
        })
    }

    /// Returns the SQL that each new connection runs first, which sets the limits.
    pub(super) fn session(&self) -> String {
        let statement = self.statement.as_millis();
        // PostgreSQL on other systems than Linux and macOS accepts only the value 0 for the second setting, so its
        // error is ignored.
        format!(
            "SET statement_timeout = {statement}; \
             DO $$ BEGIN SET client_connection_check_interval = '{CHECK}'; EXCEPTION WHEN OTHERS THEN NULL; END $$"
        )
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::Limits;

    const REQUEST: Duration = Duration::from_secs(30);

    #[test]
    fn uses_the_request_timeout_as_the_default_statement_timeout() {
        let limits = Limits::read(|_| None, REQUEST).expect("defaults");
        assert_eq!((limits.connections, limits.acquire), (10, Duration::from_secs(2)));
        assert_eq!(limits.statement, REQUEST);
        assert!(limits.session().starts_with("SET statement_timeout = 30000;"));
    }

    #[test]
    fn refuses_values_out_of_range_and_reports_the_range() {
        for (name, value) in [
            ("DATABASE_POOL_SIZE", "0"),
            ("DATABASE_POOL_SIZE", "many"),
            ("DATABASE_CONNECT_TIMEOUT_MS", "0"),
            ("DATABASE_STATEMENT_TIMEOUT_MS", "-1"),
        ] {
            let read = |asked: &str| (asked == name).then(|| value.to_owned());
            let error = Limits::read(read, REQUEST).expect_err(name);
            let begin = format!("{name} is `{value}`; use an integer from");
            assert!(error.message().starts_with(&begin), "{}", error.message());
        }
    }
}
