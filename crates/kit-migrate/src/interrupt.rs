//! Handles Ctrl-C and termination signals.

use std::cell::{Cell, RefCell};
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::{Context, Poll};
use std::time::Duration;

use crate::MigrateError;
use crate::connect::Connection;

/// Time limit for a cancelled statement to stop. After it, kit drops the connection.
const GRACE: Duration = Duration::from_secs(10);

/// Pause before the cancel request is repeated: a request that arrives between two statements cancels none of
/// them.
const CANCEL_INTERVAL: Duration = Duration::from_millis(300);

/// Receives signals, and records if a signal interrupted the run.
#[derive(Debug, Default)]
pub(crate) struct Interrupt {
    set: Cell<bool>,
    /// `None` if the run is not interruptible, or if signals are not available.
    signals: RefCell<Option<Signals>>,
}

impl Interrupt {
    /// Listens for signals from now on. A signal that arrives before one of the methods below waits for it is not lost.
    pub(crate) fn listen() -> Self {
        Self {
            set: Cell::default(),
            signals: RefCell::new(Signals::listen().ok()),
        }
    }

    /// Returns true if the run is interrupted.
    pub(crate) fn is_set(&self) -> bool {
        self.set.get()
    }

    /// Runs work that changes nothing. A signal stops the work immediately.
    pub(crate) async fn run_or_stop<T>(
        &self,
        work: impl Future<Output = Result<T, MigrateError>>,
    ) -> Result<T, MigrateError> {
        tokio::select! {
            biased;
            outcome = work => outcome,
            () = self.signal() => {
                self.set.set(true);
                Err(MigrateError::Interrupted { name: None, applied: Vec::new() })
            }
        }
    }

    /// Runs work. A signal cancels its running statement and gives the work time to roll back. A second signal stops
    /// the work immediately.
    pub(crate) async fn run_or_cancel<T>(
        &self,
        connection: &Connection,
        work: impl Future<Output = Result<T, MigrateError>>,
    ) -> Result<T, MigrateError> {
        let mut work = pin!(work);
        tokio::select! {
            biased;
            outcome = &mut work => return outcome,
            () = self.signal() => self.set.set(true),
        }
        let stop = async {
            for _ in 0..GRACE.as_millis() / CANCEL_INTERVAL.as_millis() {
                let _ = tokio::time::timeout(GRACE, connection.cancel()).await;
                tokio::time::sleep(CANCEL_INTERVAL).await;
            }
        };
        tokio::select! {
            biased;
            outcome = &mut work => outcome,
            () = stop => Err(MigrateError::Interrupted { name: None, applied: Vec::new() }),
            () = self.signal() => Err(MigrateError::Interrupted { name: None, applied: Vec::new() }),
        }
    }

    /// Waits for a signal. Never returns if signals are not available.
    async fn signal(&self) {
        poll_fn(|context| match &mut *self.signals.borrow_mut() {
            Some(signals) => signals.poll(context),
            None => Poll::Pending,
        })
        .await;
    }
}

/// Listeners for `SIGINT` (Ctrl-C) and `SIGTERM`.
#[cfg(unix)]
#[derive(Debug)]
struct Signals([tokio::signal::unix::Signal; 2]);

#[cfg(unix)]
impl Signals {
    fn listen() -> std::io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self([
            signal(SignalKind::interrupt())?,
            signal(SignalKind::terminate())?,
        ]))
    }

    fn poll(&mut self, context: &mut Context<'_>) -> Poll<()> {
        // Poll every signal, so that each registers the waker.
        let received = self
            .0
            .each_mut()
            .map(|signal| signal.poll_recv(context).is_ready());
        if received.contains(&true) {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    }
}

/// Listener for Ctrl-C.
#[cfg(windows)]
#[derive(Debug)]
struct Signals(tokio::signal::windows::CtrlC);

#[cfg(windows)]
impl Signals {
    fn listen() -> std::io::Result<Self> {
        Ok(Self(tokio::signal::windows::ctrl_c()?))
    }

    fn poll(&mut self, context: &mut Context<'_>) -> Poll<()> {
        self.0.poll_recv(context).map(|_| ())
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::Interrupt;
    use crate::MigrateError;

    #[test]
    fn interrupts_work_by_a_signal_that_arrived_before_the_work_began() {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(async {
            let interrupt = Interrupt::listen();
            let own = std::process::id().to_string();
            let status = std::process::Command::new("kill").args(["-TERM", &own]).status();
            assert!(status.unwrap().success());
            let limit = std::time::Duration::from_secs(20);
            let work = std::future::pending::<Result<(), MigrateError>>();
            let outcome = tokio::time::timeout(limit, interrupt.run_or_stop(work)).await;
            assert!(matches!(outcome, Ok(Err(MigrateError::Interrupted { .. }))));
            assert!(interrupt.is_set());
        });
    }
}
