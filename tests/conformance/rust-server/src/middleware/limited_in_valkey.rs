//! Middleware `limitedInValkey`. Limits requests by the header `x-client`, with counts in the store in `VALKEY_URL`. The limit is
//! in `SHARED_LIMIT`, and the behaviour while the store cannot be reached in `IF_STORE_FAILS`.

use std::sync::LazyLock;

use kit_runtime::rate_limit::{
    IfStoreFails, RateLimitOptionError, RateLimitOptions, SharedRateLimit, ValkeyLimits,
};
use kit_runtime::{Error, Middleware, Request};

use crate::app::App;

fn limit() -> Result<&'static SharedRateLimit, RateLimitOptionError> {
    static LIMIT: LazyLock<Result<SharedRateLimit, RateLimitOptionError>> = LazyLock::new(|| {
        let variable = |name: &str| std::env::var(name).unwrap_or_default();
        let store = ValkeyLimits::open(&variable("VALKEY_URL"))?;
        let if_store_fails = match variable("IF_STORE_FAILS").as_str() {
            "refuse" => IfStoreFails::Refuse,
            "allow" => IfStoreFails::Allow,
            _ => IfStoreFails::CountInMemory,
        };
        RateLimitOptions::new(variable("SHARED_LIMIT")).build_shared(store, if_store_fails)
    });
    LIMIT.as_ref().map_err(Clone::clone)
}

/// Result of the middleware `limitedInValkey`. It adds nothing to the request.
#[derive(Debug, Clone)]
pub struct LimitedInValkey;

impl Middleware<App> for LimitedInValkey {
    const NAME: &'static str = "limitedInValkey";

    async fn run(_app: &App, request: &Request) -> Result<Self, Error> {
        let client = request.header("x-client");
        limit()?.check_by(request, client.as_deref()).await?;
        Ok(Self)
    }
}
