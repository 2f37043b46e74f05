//! `error`. This file is yours: kit made it once and leaves it alone.

use kit_runtime::{Error, Middleware, Request};

use crate::app::App;

/// What `error` adds to a request.
#[derive(Debug, Clone)]
pub struct ErrorModel2;

impl Middleware<App> for ErrorModel2 {
    const NAME: &'static str = "error";

    /// Refuses every request until it says which may pass.
    async fn run(_app: &App, _request: &Request) -> Result<Self, Error> {
        Err(Error::not_implemented("error", "src/middleware/error.rs"))
    }
}
