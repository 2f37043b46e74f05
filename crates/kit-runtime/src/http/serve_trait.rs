//! Responses of a server to the requests of its connections.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use axum::body::{Bytes, HttpBody};

use super::Error;
use crate::connection::ConnectionState;

/// Longest timeout of a route in milliseconds, of all routers of this process that have become routers of axum: a router of axum does
/// not tell what it contains.
static LONGEST_TIMEOUT: AtomicU64 = AtomicU64::new(0);

/// Records the longest timeout of a route of a router that becomes a router of axum.
pub(super) fn record_timeout(of_routes: Option<Duration>) {
    let millis = of_routes.unwrap_or_default().as_millis();
    LONGEST_TIMEOUT.fetch_max(u64::try_from(millis).unwrap_or(u64::MAX), Ordering::Relaxed);
}

/// Returns the longest timeout that was recorded.
pub(super) fn longest_recorded_timeout() -> Option<Duration> {
    let millis = LONGEST_TIMEOUT.load(Ordering::Relaxed);
    (millis > 0).then(|| Duration::from_millis(millis))
}

/// Source of responses for [`serve`](crate::serve()): a [`Router`](crate::Router), or any router of axum.
pub trait Serve: Clone + Send + Sync + 'static {
    /// Returns an error if the server must not start. [`serve`](crate::serve()) calls this function first.
    ///
    /// # Errors
    ///
    /// If a directory of static files does not exist.
    fn check(&self) -> Result<(), Error> {
        Ok(())
    }

    /// Returns the longest timeout that a route has in place of the server's own.
    #[doc(hidden)] // Called only by the server.
    fn longest_timeout(&self) -> Option<Duration> {
        None
    }

    /// Returns the response to a request of a connection.
    #[doc(hidden)] // Called only by the server.
    fn respond<B>(
        &self,
        request: axum::http::Request<B>,
        connection: &Arc<ConnectionState>,
    ) -> impl Future<Output = axum::response::Response> + Send
    where
        B: HttpBody<Data = Bytes, Error: Into<axum::BoxError> + Send> + Send + Unpin + 'static;
}
