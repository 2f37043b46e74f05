//! The shutdown of the server, as its connections and requests see it.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::{Notify, watch};

/// True from the announcement of the shutdown on.
static IS_CLOSING: AtomicBool = AtomicBool::new(false);

/// Wakes the tasks that wait for [`IS_CLOSING`].
static WAITING: Notify = Notify::const_new();

/// Returns true if the server is shutting down.
pub(crate) fn is_closing() -> bool {
    IS_CLOSING.load(Ordering::SeqCst)
}

/// Waits until the server gets SIGTERM or SIGINT, before it completes the requests in progress. A task in the background can
/// end its work then. Waits forever if the program does not call [`serve`](crate::serve).
///
/// ```
/// use std::time::Duration;
///
/// async fn remove_old_rows() {
///     loop {
///         // The queries are here.
///         tokio::select! {
///             () = kit_runtime::stopping() => return,
///             () = tokio::time::sleep(Duration::from_secs(3600)) => {}
///         }
///     }
/// }
/// ```
pub async fn stopping() {
    // An announcement after this line wakes the task, also if the task does not wait yet.
    let announced = WAITING.notified();
    if !is_closing() {
        announced.await;
    }
}

/// Value that becomes true when the server shuts down. Each open connection has a receiver.
static CLOSING: LazyLock<watch::Sender<bool>> = LazyLock::new(|| watch::Sender::new(false));

/// Shutdown of the server, as an open connection sees it. The server waits until all of these values are dropped.
#[derive(Debug)]
pub(crate) struct Shutdown(watch::Receiver<bool>);

impl Shutdown {
    pub(crate) fn of_server() -> Self {
        Self(CLOSING.subscribe())
    }

    /// Waits until the shutdown begins.
    pub(crate) async fn begun(&mut self) {
        // Fails only if there is no sender, but the sender lives as long as the program.
        let _ = self.0.wait_for(|is_closing| *is_closing).await;
    }
}

/// Announces the shutdown: responses from now on end their connections.
pub(crate) fn announce() {
    IS_CLOSING.store(true, Ordering::SeqCst);
    WAITING.notify_waiters();
}

/// Begins the shutdown of all open connections.
pub(crate) fn begin() {
    CLOSING.send_replace(true);
}

/// Waits until every connection has ended.
pub(crate) async fn connections_ended() {
    CLOSING.closed().await;
}
