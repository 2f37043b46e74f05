//! `log`. This file is yours: kit made it once and leaves it alone.

use kit_runtime::{Error, Middleware, Request};

use crate::app::App;

/// What `log` adds to a request.
#[derive(Debug, Clone)]
pub struct Log;

impl Middleware<App> for Log {
    const NAME: &'static str = "log";

    /// Refuses every request until it says which may pass.
    async fn run(_app: &App, _request: &Request) -> Result<Self, Error> {
        Err(Error::not_implemented("log", "src/middleware/log.rs"))
    }
}
