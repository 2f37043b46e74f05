//! `requireAccount`. This file is yours: kit wrote it once and does not change it.

use kit_runtime::{Error, Middleware, Request};

use crate::app::App;

/// Values that `requireAccount` adds to a request.
#[derive(Debug, Clone)]
pub struct RequireAccount {
    /// `ctx.accountId`: the owner of the rows that the request may read and change.
    pub account_id: i64,
    /// `ctx.tenantId`: the owner of the rows that the request may read and change.
    pub tenant_id: String,
}

impl Middleware<App> for RequireAccount {
    const NAME: &'static str = "requireAccount";

    /// Refuses every request until you write which requests may pass.
    async fn run(_app: &App, _request: &Request) -> Result<Self, Error> {
        Err(Error::not_implemented(
            "requireAccount",
            "src/middleware/require_account.rs",
        ))
    }
}
