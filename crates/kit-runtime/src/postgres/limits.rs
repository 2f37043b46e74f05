//! Limits of the pool, from the environment.

use std::time::Duration;

use crate::Error;
use crate::settings::settings;

/// Number of connections where the environment does not say.
const CONNECTIONS: u32 = 10;
/// Wait for a connection where the environment does not say, in milliseconds.
const ACQUIRE_MS: u64 = 2_000;
/// Interval at which PostgreSQL looks if the client of a running statement is still connected.
const CHECK: &str = "1s";

#[derive(Debug)]
pub(super) struct Limits {
    /// `DATABASE_POOL_SIZE`
    pub(super) connections: u32,
    /// `DATABASE_CONNECT_TIMEOUT_MS`
    pub(super) acquire: Duration,
    /// `DATABASE_STATEMENT_TIMEOUT_MS`
    statement: Duration,
}

impl Limits {
    pub(super) fn load() -> Result<Self, Error> {
        crate::settings::Settings::load()?;
        let request = settings().request_timeout.unwrap_or_default();
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
                    "{name} is `{text}`; it takes a whole number from {least} to {most}"
                ))),
            }
        };
        // A day.
        let longest = 86_400_000;
        let request = u64::try_from(request.as_millis()).unwrap_or(longest);
        let connections = number("DATABASE_POOL_SIZE", CONNECTIONS.into(), 1, 10_000)?;
        Ok(Self {
            connections: u32::try_from(connections).unwrap_or(CONNECTIONS),
            acquire: Duration::from_millis(number("DATABASE_CONNECT_TIMEOUT_MS", ACQUIRE_MS, 1, longest)?),
            statement: Duration::from_millis(number("DATABASE_STATEMENT_TIMEOUT_MS", request, 0, longest)?),
        })
    }

    /// Returns the statements that each new session runs.
    pub(super) fn session(&self) -> String {
        let statement = self.statement.as_millis();
        // A server that is not on Linux or macOS knows the second setting and takes no value but 0 for it.
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
    fn defaults_follow_the_time_limit_of_requests() {
        let limits = Limits::read(|_| None, REQUEST).expect("defaults");
        assert_eq!((limits.connections, limits.acquire), (10, Duration::from_secs(2)));
        assert_eq!(limits.statement, REQUEST);
        assert!(limits.session().starts_with("SET statement_timeout = 30000;"));
    }

    #[test]
    fn values_out_of_range_are_refused_with_the_range() {
        for (name, value) in [
            ("DATABASE_POOL_SIZE", "0"),
            ("DATABASE_POOL_SIZE", "many"),
            ("DATABASE_CONNECT_TIMEOUT_MS", "0"),
            ("DATABASE_STATEMENT_TIMEOUT_MS", "-1"),
        ] {
            let read = |asked: &str| (asked == name).then(|| value.to_owned());
            let error = Limits::read(read, REQUEST).expect_err(name);
            let begin = format!("{name} is `{value}`; it takes a whole number from");
            assert!(error.message().starts_with(&begin), "{}", error.message());
        }
    }
}
