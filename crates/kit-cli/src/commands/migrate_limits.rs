//! Time limits of a run of migrations, as options of a command.

use std::time::Duration;

use clap::Args;

/// Time limits of a run.
#[derive(Debug, Args)]
pub(crate) struct Limits {
    /// Maximum time to wait for another run of migrations, and to try again while other sessions lock a table.
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds)]
    wait: Duration,
    /// Maximum time that one attempt waits for a lock. During this time, other queries on the table wait too.
    #[arg(long, value_name = "SECONDS", default_value = "0.05", value_parser = seconds)]
    lock_timeout: Duration,
    /// Maximum duration of one statement that may hold locks; by default, the limit of the database.
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    statement_timeout: Option<Duration>,
}

impl Limits {
    /// Returns the options of a run with these limits.
    pub(crate) fn options(&self) -> kit_migrate::Options {
        kit_migrate::Options {
            wait: self.wait,
            lock_timeout: self.lock_timeout,
            statement_timeout: self.statement_timeout,
            interruptible: true,
            ..kit_migrate::Options::default()
        }
    }
}

/// Parses seconds such as `2` or `0.5`. The minimum is one millisecond, because PostgreSQL reads 0 as no limit; the maximum
/// is one day.
fn seconds(text: &str) -> Result<Duration, String> {
    text.parse::<f64>()
        .ok()
        .filter(|seconds| (0.001..=86_400.0).contains(seconds))
        .map(Duration::from_secs_f64)
        .ok_or_else(|| "a number of seconds from 0.001 to 86400".to_owned())
}
