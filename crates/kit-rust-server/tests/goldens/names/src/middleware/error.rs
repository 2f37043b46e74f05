//! `error`. This file is yours: kit wrote it once and does not change it.

use kit_runtime::{Error, Middleware, Request};

use crate::app::App;

/// Values that `error` adds to a request.
#[derive(Debug, Clone)]
pub struct ErrorModel2;

impl Middleware<App> for ErrorModel2 {
    const NAME: &'static str = "error";

    /// Refuses every request until you write which requests may pass.
    async fn run(_app: &App, _request: &Request) -> Result<Self, Error> {
        Err(Error::not_implemented("error", "src/middleware/error.rs"))
    }
}
