//! Finds the sessions that block a statement, over a second connection.

use std::future::Future;
use std::hash::{BuildHasher as _, RandomState};
use std::pin::pin;
use std::time::Duration;

use crate::MigrateError;
use crate::connect::{Connection, connect};

/// Sessions that block a statement.
#[derive(Debug, Default)]
pub(crate) struct Blockers {
    /// Descriptions for a message.
    pub(crate) sessions: Vec<String>,
    /// True if one of the sessions is an automatic vacuum.
    pub(crate) is_vacuum: bool,
}

/// Second connection, which can query the database while the first connection waits for a lock.
pub(crate) struct Watcher {
    connection: Connection,
    /// Number of the server process of the first connection.
    watched: i32,
}

/// Condition and description of sessions in `pg_stat_activity`.
pub(crate) const DESCRIPTION: &str = "'server process ' || pid || ', `' || coalesce(application_name, '') || '`, ' \
    || coalesce(state, backend_type) || coalesce(', since ' || to_char(xact_start AT TIME ZONE 'UTC', 'HH24:MI:SS') || ' UTC', '')";

impl Watcher {
    pub(crate) async fn open(url: &str, watched: &Connection) -> Result<Self, MigrateError> {
        let row = watched
            .query_one("SELECT pg_catalog.pg_backend_pid()", &[])
            .await
            .map_err(MigrateError::database(
                "cannot find the server process of the connection",
            ))?;
        Ok(Self {
            connection: connect(url).await?,
            watched: row.get(0),
        })
    }

    /// Waits for `work`. If the work takes longer than `delay`, also returns the sessions that block it.
    pub(crate) async fn watch<T>(
        &self,
        work: impl Future<Output = T>,
        delay: Duration,
    ) -> (T, Option<Blockers>) {
        let mut work = pin!(work);
        let find = async {
            tokio::time::sleep(delay).await;
            self.blockers().await
        };
        let found = tokio::select! {
            biased;
            outcome = &mut work => return (outcome, None),
            found = find => found,
        };
        (work.await, Some(found))
    }

    async fn blockers(&self) -> Blockers {
        let query = format!(
            "SELECT {DESCRIPTION}, backend_type = 'autovacuum worker' FROM pg_catalog.pg_stat_activity \
             WHERE pid = ANY (pg_catalog.pg_blocking_pids($1)) ORDER BY xact_start LIMIT 3"
        );
        let rows = self
            .connection
            .query(&query, &[&self.watched])
            .await
            .unwrap_or_default();
        Blockers {
            sessions: rows.iter().filter_map(|row| row.get(0)).collect(),
            is_vacuum: rows.iter().any(|row| row.get::<_, Option<bool>>(1) == Some(true)),
        }
    }
}

/// Returns a random time from three quarters to five quarters of the given time. Runs and applications that try again at
/// the same time would otherwise block each other again.
pub(crate) fn jittered(time: Duration) -> Duration {
    let random = u32::try_from(RandomState::new().hash_one(0_u8) % 1001).unwrap_or_default();
    time * (1500 + random) / 2000
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::jittered;

    #[test]
    fn random_times_are_within_a_quarter_of_the_given_time() {
        let times: Vec<Duration> = (0..100).map(|_| jittered(Duration::from_millis(100))).collect();
        let range = Duration::from_millis(75)..=Duration::from_millis(125);
        assert!(times.iter().all(|time| range.contains(time)), "{times:?}");
        assert!(times.iter().min() < times.iter().max());
    }
}
