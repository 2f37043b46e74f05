//! `requireSession`. This file is yours: kit wrote it once and does not change it.

use kit_runtime::{Caller, Error, Middleware, Request};

use crate::app::App;
use crate::services::sessions::{AccountId, AccountSession};

/// Values that `requireSession` adds to a request.
#[derive(Debug, Clone)]
pub struct RequireSession {
    /// `ctx.auth`: the session of the user.
    pub auth: AccountSession,
}

impl Caller for RequireSession {
    fn has(&self, scope: &str) -> bool {
        self.auth.has(scope)
    }
}

impl Middleware<App> for RequireSession {
    const NAME: &'static str = "requireSession";

    /// Accepts only requests of users who are logged in.
    async fn run(app: &App, request: &Request) -> Result<Self, Error> {
        let auth = app.sessions.require(request.context()).await?;
        request
            .context()
            .insert(AccountId(auth.subject().to_owned()));
        Ok(Self { auth })
    }
}
