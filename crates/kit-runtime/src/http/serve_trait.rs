//! Responses of a server to the requests of its connections.

use std::net::IpAddr;

use hyper::body::Incoming;

use super::Error;
use crate::connection::ReusableTimeout;

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

    /// Returns the response to a request. `peer` is the address of the other end of the connection. Pass the same
    /// `timeout` for all requests of a connection, because it reuses its timer.
    fn respond(
        &self,
        request: axum::http::Request<Incoming>,
        peer: IpAddr,
        timeout: &ReusableTimeout,
    ) -> impl Future<Output = axum::response::Response> + Send;
}
