//! `requireUser`. This file is yours: kit wrote it once and does not change it.

use kit_runtime::{Error, Middleware, Request};

use crate::app::App;

/// Values that `requireUser` adds to a request.
#[derive(Debug, Clone)]
pub struct RequireUser;

impl kit_runtime::Caller for RequireUser {
    /// Refuses every caller until you write which scopes a caller has.
    fn has(&self, _scope: &str) -> bool {
        false
    }
}

impl Middleware<App> for RequireUser {
    const NAME: &'static str = "requireUser";

    /// Refuses every request until you write which requests may pass.
    async fn run(_app: &App, _request: &Request) -> Result<Self, Error> {
        Err(Error::not_implemented(
            "requireUser",
            "src/middleware/require_user.rs",
        ))
    }
}
