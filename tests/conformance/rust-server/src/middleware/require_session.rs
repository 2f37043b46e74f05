//! Middleware `requireSession`. Accepts only requests with a session.

use kit_runtime::sessions::Session;
use kit_runtime::{Caller, Error, Middleware, Request};

use crate::app::App;
use crate::services::sessions::{SessionData, sessions};

/// User who is logged in.
#[derive(Debug, Clone)]
pub struct RequireSession {
    /// `ctx.auth`.
    pub auth: Session<SessionData>,
}

impl Caller for RequireSession {
    fn has(&self, scope: &str) -> bool {
        self.auth.has(scope)
    }
}

impl Middleware<App> for RequireSession {
    const NAME: &'static str = "requireSession";

    async fn run(_app: &App, request: &Request) -> Result<Self, Error> {
        let auth = sessions()?.require(request.context()).await?;
        Ok(Self { auth })
    }
}
