//! Middleware `requireKey`. Accepts only requests with a key of the list in `API_KEYS`.

use kit_runtime::api_keys::ApiKeyCaller;
use kit_runtime::{Caller, Error, Middleware, Request};

use crate::app::App;
use crate::services::sessions::{find_key, keys};

/// Owner of a valid key.
#[derive(Debug, Clone)]
pub struct RequireKey {
    /// `ctx.auth`.
    pub auth: ApiKeyCaller,
}

impl Caller for RequireKey {
    fn has(&self, scope: &str) -> bool {
        self.auth.has(scope)
    }
}

impl Middleware<App> for RequireKey {
    const NAME: &'static str = "requireKey";

    async fn run(_app: &App, request: &Request) -> Result<Self, Error> {
        let auth = keys()?.require(request, find_key).await?;
        Ok(Self { auth })
    }
}
