//! `requireReader`. This file is yours: kit wrote it once and does not change it.

use kit_runtime::{Error, Middleware, Request};

use crate::app::App;

/// Values that `requireReader` adds to a request.
#[derive(Debug, Clone)]
pub struct RequireReader;

impl Middleware<App> for RequireReader {
    const NAME: &'static str = "requireReader";

    /// Refuses every request until you write which requests may pass.
    async fn run(_app: &App, _request: &Request) -> Result<Self, Error> {
        Err(Error::not_implemented(
            "requireReader",
            "src/middleware/require_reader.rs",
        ))
    }
}
