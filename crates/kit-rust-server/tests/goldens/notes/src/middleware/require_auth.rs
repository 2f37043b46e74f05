//! `requireAuth`. This file is yours: kit wrote it once and does not change it.

use kit_runtime::{Error, Middleware, Request};

use crate::app::App;

/// Values that `requireAuth` adds to a request.
#[derive(Debug, Clone)]
pub struct RequireAuth;

impl Middleware<App> for RequireAuth {
    const NAME: &'static str = "requireAuth";

    /// Refuses every request until you write which requests may pass.
    async fn run(_app: &App, _request: &Request) -> Result<Self, Error> {
        Err(Error::not_implemented(
            "requireAuth",
            "src/middleware/require_auth.rs",
        ))
    }
}
