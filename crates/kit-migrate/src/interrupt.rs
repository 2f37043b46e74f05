//! Ctrl-C, and the signal that asks a process to end.

use std::cell::Cell;
use std::future::Future;
use std::pin::pin;
use std::time::Duration;

use crate::MigrateError;
use crate::connect::Connection;

/// How long a cancelled statement may take to end, before the connection is dropped without it.
const GRACE: Duration = Duration::from_secs(10);

/// How long to wait before the server is asked once more: a request that comes between two statements cancels neither.
const AGAIN: Duration = Duration::from_millis(300);

/// Whether a run is to end.
#[derive(Debug, Default)]
pub(crate) struct Interrupt {
    set: Cell<bool>,
}

impl Interrupt {
    /// Whether it is.
    pub(crate) fn is_set(&self) -> bool {
        self.set.get()
    }

    /// Does some work that changes nothing. A signal ends it at once.
    pub(crate) async fn or<T>(
        &self,
        work: impl Future<Output = Result<T, MigrateError>>,
    ) -> Result<T, MigrateError> {
        tokio::select! {
            biased;
            outcome = work => outcome,
            () = signal() => {
                self.set.set(true);
                Err(MigrateError::Interrupted { name: None, applied: Vec::new() })
            }
        }
    }

    /// Does some work. At a signal its statement is cancelled, and it is given the time to roll back. A second signal ends
    /// it at once.
    pub(crate) async fn guard<T>(
        &self,
        connection: &Connection,
        work: impl Future<Output = Result<T, MigrateError>>,
    ) -> Result<T, MigrateError> {
        let mut work = pin!(work);
        tokio::select! {
            biased;
            outcome = &mut work => return outcome,
            () = signal() => self.set.set(true),
        }
        let stop = async {
            for _ in 0..GRACE.as_millis() / AGAIN.as_millis() {
                let _ = tokio::time::timeout(GRACE, connection.cancel()).await;
                tokio::time::sleep(AGAIN).await;
            }
        };
        tokio::select! {
            biased;
            outcome = &mut work => outcome,
            () = stop => Err(MigrateError::Interrupted { name: None, applied: Vec::new() }),
            () = signal() => Err(MigrateError::Interrupted { name: None, applied: Vec::new() }),
        }
    }
}

/// Waits for a signal; for ever where there are none to be had.
async fn signal() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let (Ok(mut interrupt), Ok(mut terminate)) =
            (signal(SignalKind::interrupt()), signal(SignalKind::terminate()))
        else {
            return std::future::pending().await;
        };
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    }
    #[cfg(not(unix))]
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending().await
    }
}
