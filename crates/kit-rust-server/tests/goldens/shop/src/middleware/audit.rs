//! `audit`. This file is yours: kit made it once and leaves it alone.

use kit_runtime::{Error, Middleware, Request};

use crate::app::App;

/// What `audit` adds to a request.
#[derive(Debug, Clone)]
pub struct Audit;

impl Middleware<App> for Audit {
    const NAME: &'static str = "audit";

    /// Refuses every request until it says which may pass.
    async fn run(_app: &App, _request: &Request) -> Result<Self, Error> {
        Err(Error::not_implemented("audit", "src/middleware/audit.rs"))
    }
}
