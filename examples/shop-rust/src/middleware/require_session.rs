//! `requireSession`. This file is yours: kit wrote it once and does not change it.

use kit_runtime::{Caller, Error, Middleware, Request};

use crate::app::App;
use crate::db::account;
use crate::services::sessions::{AccountId, AccountSession, scopes_of};

/// Values that `requireSession` adds to a request.
#[derive(Debug, Clone)]
pub struct RequireSession {
    /// `ctx.auth`: the session of the user.
    pub auth: AccountSession,
    /// Scopes of the role that the account has now.
    scopes: &'static [&'static str],
}

impl Caller for RequireSession {
    fn has(&self, scope: &str) -> bool {
        self.scopes.contains(&scope)
    }
}

impl Middleware<App> for RequireSession {
    const NAME: &'static str = "requireSession";

    /// Accepts only requests of users who are logged in.
    async fn run(app: &App, request: &Request) -> Result<Self, Error> {
        let auth = app.sessions.require(request.context()).await?;
        // An account that was removed has no scopes.
        let account = account::get(&app.pool, auth.subject()).await?;
        let scopes = account.map_or(&[][..], |account| scopes_of(account.role));
        request
            .context()
            .insert(AccountId(auth.subject().to_owned()));
        Ok(Self { auth, scopes })
    }
}
