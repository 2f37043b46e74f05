//! `readSession`. This file is yours: kit wrote it once and does not change it.

use kit_runtime::{Error, Middleware, Request};

use crate::app::App;
use crate::services::sessions::AccountSession;

/// Values that `readSession` adds to a request.
#[derive(Debug, Clone)]
pub struct ReadSession {
    /// `ctx.auth`: the session of the visitor, or `None` if the visitor is not logged in.
    pub auth: Option<AccountSession>,
}

impl Middleware<App> for ReadSession {
    const NAME: &'static str = "readSession";

    /// Accepts all requests.
    async fn run(app: &App, request: &Request) -> Result<Self, Error> {
        let auth = app.sessions.read(request.context()).await?;
        Ok(Self { auth })
    }
}
