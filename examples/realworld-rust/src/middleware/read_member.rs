//! `readMember`. This file is yours: kit wrote it once and does not change it.

use kit_runtime::jwt::JwtCaller;
use kit_runtime::{Error, Middleware, Request};

use crate::app::App;

/// Values that `readMember` adds to a request.
#[derive(Debug, Clone)]
pub struct ReadMember {
    /// User who asks, or `None` if the request has no token.
    pub auth: Option<JwtCaller>,
}

impl ReadMember {
    /// Returns the id of the user's account.
    pub fn reader_id(&self) -> Option<&str> {
        self.auth.as_ref().map(JwtCaller::subject)
    }
}

impl Middleware<App> for ReadMember {
    const NAME: &'static str = "readMember";

    /// Accepts requests with and without a token.
    async fn run(app: &App, request: &Request) -> Result<Self, Error> {
        let auth = app.tokens.verifier().read(request).await?;
        Ok(Self { auth })
    }
}
