//! `cached`. This file is yours: kit wrote it once and does not change it.

use kit_runtime::{Error, Next, Request, Wrapped, Wrapper};

use crate::app::App;
use crate::router::CachedReply;

/// Values that `cached` adds to a request.
#[derive(Debug, Clone)]
pub struct Cached;

impl Wrapper<App> for Cached {
    const NAME: &'static str = "cached";

    type Reply = CachedReply;

    /// Refuses every request until you write the wrapper.
    async fn run(
        _app: &App,
        _request: &Request,
        _next: Next<'_, Self>,
    ) -> Result<Wrapped<CachedReply>, Error> {
        Err(Error::not_implemented("cached", "src/middleware/cached.rs"))
    }
}
