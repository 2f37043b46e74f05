//! `requireSeller`. This file is yours: kit made it once and leaves it alone.

use kit_runtime::{Error, Middleware, Request};

use crate::app::App;

/// What `requireSeller` adds to a request.
#[derive(Debug, Clone)]
pub struct RequireSeller;

impl Middleware<App> for RequireSeller {
    const NAME: &'static str = "requireSeller";

    /// Refuses every request until it says which may pass.
    async fn run(_app: &App, _request: &Request) -> Result<Self, Error> {
        Err(Error::not_implemented(
            "requireSeller",
            "src/middleware/require_seller.rs",
        ))
    }
}
