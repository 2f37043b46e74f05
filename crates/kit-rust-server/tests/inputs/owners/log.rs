//! Middleware `log`, which accepts every request.

use kit_runtime::{Error, Middleware, Request};

use crate::app::App;

/// Value that `log` adds to a request.
#[derive(Debug, Clone)]
pub struct Log;

impl Middleware<App> for Log {
    const NAME: &'static str = "log";

    async fn run(_app: &App, _request: &Request) -> Result<Self, Error> {
        Ok(Self)
    }
}
