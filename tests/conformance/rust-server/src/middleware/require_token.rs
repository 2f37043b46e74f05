//! Middleware `requireToken`. Accepts the tokens whose keys are at the URL in `JWKS_URL`.

use std::sync::LazyLock;
use std::time::Duration;

use kit_runtime::jwt::{Jwt, JwtCaller, JwtKeys, JwtOptionError, JwtOptions, KeyCache};
use kit_runtime::{Caller, Error, Middleware, Request};

use crate::app::App;

/// Verifier of the tokens. The times are those of `tests/conformance/jwt.test.ts`.
fn tokens() -> Result<&'static Jwt, JwtOptionError> {
    static TOKENS: LazyLock<Result<Jwt, JwtOptionError>> = LazyLock::new(|| {
        let url = std::env::var("JWKS_URL").unwrap_or_default();
        JwtOptions::new("https://id.example/", "shop", JwtKeys::url(url))
            .scopes(["orders:read", "orders:write"])
            .realm("shop")
            .key_cache(KeyCache {
                cooldown: Duration::from_millis(50),
                retry: Duration::from_millis(50),
                ..KeyCache::default()
            })
            .build()
    });
    TOKENS.as_ref().map_err(Clone::clone)
}

/// Caller with a valid token.
#[derive(Debug, Clone)]
pub struct RequireToken {
    /// `ctx.auth`.
    pub auth: JwtCaller,
}

impl Caller for RequireToken {
    fn has(&self, scope: &str) -> bool {
        self.auth.has(scope)
    }
}

impl Middleware<App> for RequireToken {
    const NAME: &'static str = "requireToken";

    async fn run(_app: &App, request: &Request) -> Result<Self, Error> {
        let auth = tokens()?.require(request).await?;
        Ok(Self { auth })
    }
}
