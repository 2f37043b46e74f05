//! `requireSeller`. This file is yours: kit wrote it once and does not change it.

use kit_runtime::{Error, Middleware, Request};

use crate::app::App;

/// Values that `requireSeller` adds to a request.
#[derive(Debug, Clone)]
pub struct RequireSeller;

impl Middleware<App> for RequireSeller {
    const NAME: &'static str = "requireSeller";

    /// Refuses every request until you write which requests may pass.
    async fn run(_app: &App, _request: &Request) -> Result<Self, Error> {
        Err(Error::not_implemented(
            "requireSeller",
            "src/middleware/require_seller.rs",
        ))
    }
}
