//! Responses of a server to the requests of its connections.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Bytes, HttpBody};

use super::Error;
use crate::connection::ConnectionState;

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
