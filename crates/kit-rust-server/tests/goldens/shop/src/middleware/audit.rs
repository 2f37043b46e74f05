//! `audit`. This file is yours: kit wrote it once and does not change it.

use kit_runtime::{Error, Middleware, Request};

use crate::app::App;

/// Values that `audit` adds to a request.
#[derive(Debug, Clone)]
pub struct Audit;

impl Middleware<App> for Audit {
    const NAME: &'static str = "audit";

    /// Refuses every request until you write which requests may pass.
    async fn run(_app: &App, _request: &Request) -> Result<Self, Error> {
        Err(Error::not_implemented("audit", "src/middleware/audit.rs"))
    }
}
