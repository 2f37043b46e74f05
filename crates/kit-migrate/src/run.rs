//! State of one run, which its parts share.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use crate::blockers::{DESCRIPTION, Watcher};
use crate::connect::Connection;
use crate::event::{Applied, Event, Half};
use crate::history::History;
use crate::interrupt::Interrupt;

/// Options of [`apply`](crate::apply).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Part of the pending migrations that runs. Default: all migrations, completely.
    pub half: Half,
    /// Run the second half of a migration even if sessions that are older than its first half may belong to the old build.
    pub ignore_sessions: bool,
    /// Allow migrations that lose stored values.
    pub allow_destructive: bool,
    /// Report what would be applied, and write nothing.
    pub dry_run: bool,
    /// Maximum time to wait for another run to finish, and to retry while the application holds locks. Default: 60 s.
    pub wait: Duration,
    /// Maximum time that one attempt waits for a lock. Queries of the application queue behind the attempt, so keep
    /// this time short. Default: 50 ms.
    pub lock_timeout: Duration,
    /// Maximum duration of a statement that may hold locks, or `None` for the limit that the database sets. Statements that
    /// make no query wait, such as `CREATE INDEX CONCURRENTLY`, have no limit. Default: `None`.
    pub statement_timeout: Option<Duration>,
    /// True if Ctrl-C and a termination signal stop the run cleanly. These signals then do not end the
    /// process by themselves.
    pub interruptible: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            half: Half::Both,
            ignore_sessions: false,
            allow_destructive: false,
            dry_run: false,
            wait: Duration::from_mins(1),
            lock_timeout: Duration::from_millis(50),
            statement_timeout: None,
            interruptible: false,
        }
    }
}

/// State of one run.
pub(crate) struct Run<'a> {
    pub(crate) url: &'a str,
    pub(crate) connection: Connection,
    /// Second connection, opened when an attempt to get a lock failed.
    pub(crate) watcher: RefCell<Option<Rc<Watcher>>>,
    pub(crate) history: History,
    pub(crate) options: &'a Options,
    pub(crate) interrupt: Interrupt,
    pub(crate) watch: &'a dyn Fn(&Event<'_>),
    /// Migrations that this run applied.
    pub(crate) applied: RefCell<Vec<Applied>>,
}

impl Run<'_> {
    /// Passes a progress event to the function `watch` of the caller.
    pub(crate) fn report(&self, event: &Event<'_>) {
        (self.watch)(event);
    }

    /// Returns the names of the migrations that this run applied.
    pub(crate) fn applied_names(&self) -> Vec<String> {
        self.applied
            .borrow()
            .iter()
            .map(|applied| applied.name.clone())
            .collect()
    }

    /// Waits for the given time, or until the run is interrupted.
    pub(crate) async fn pause(&self, pause: Duration) {
        const SLICE: Duration = Duration::from_millis(50);
        let end = tokio::time::Instant::now() + pause;
        while !self.interrupt.is_set() && tokio::time::Instant::now() < end {
            tokio::time::sleep(SLICE.min(pause)).await;
        }
    }

    /// Opens the second connection, unless it is open. Without the connection, messages name fewer sessions.
    pub(crate) async fn open_watcher(&self) {
        if self.watcher.borrow().is_none()
            && let Ok(watcher) = Watcher::open(self.url, &self.connection).await
        {
            self.watcher.replace(Some(Rc::new(watcher)));
        }
    }

    /// Describes the three other sessions of this database whose transactions are open longest, for a message.
    pub(crate) async fn longest_transactions(&self) -> Vec<String> {
        let query = format!(
            "SELECT {DESCRIPTION} FROM pg_catalog.pg_stat_activity WHERE datname = current_database() \
             AND pid <> pg_backend_pid() AND xact_start IS NOT NULL AND state IS NOT NULL ORDER BY xact_start LIMIT 3"
        );
        match self.connection.query(&query, &[]).await {
            Ok(rows) => rows.iter().filter_map(|row| row.get(0)).collect(),
            Err(_) => Vec::new(),
        }
    }
}
