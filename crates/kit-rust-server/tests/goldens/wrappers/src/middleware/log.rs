//! `log`. This file is yours: kit wrote it once and does not change it.

use kit_runtime::{Error, Middleware, Request};

use crate::app::App;

/// Values that `log` adds to a request.
#[derive(Debug, Clone)]
pub struct Log;

impl Middleware<App> for Log {
    const NAME: &'static str = "log";

    /// Refuses every request until you write which requests may pass.
    async fn run(_app: &App, _request: &Request) -> Result<Self, Error> {
        Err(Error::not_implemented("log", "src/middleware/log.rs"))
    }
}
