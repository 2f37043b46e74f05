//! `requireMember`. This file is yours: kit wrote it once and does not change it.

use kit_runtime::jwt::JwtCaller;
use kit_runtime::{Error, Middleware, Request};

use crate::app::App;

/// Values that `requireMember` adds to a request.
#[derive(Debug, Clone)]
pub struct RequireMember {
    /// User who is logged in.
    pub auth: JwtCaller,
}

impl RequireMember {
    /// Returns the id of the user's account.
    pub fn user_id(&self) -> &str {
        self.auth.subject()
    }
}

impl Middleware<App> for RequireMember {
    const NAME: &'static str = "requireMember";

    /// Accepts only requests with a token.
    async fn run(app: &App, request: &Request) -> Result<Self, Error> {
        let auth = app.tokens.verifier().require(request).await?;
        Ok(Self { auth })
    }
}
