//! `timed`. This file is yours: kit wrote it once and does not change it.

use kit_runtime::{Error, Never, Next, Request, Wrapped, Wrapper};

use crate::app::App;

/// Values that `timed` adds to a request.
#[derive(Debug, Clone)]
pub struct Timed;

impl Wrapper<App> for Timed {
    const NAME: &'static str = "timed";

    type Reply = Never;

    /// Refuses every request until you write the wrapper.
    async fn run(_app: &App, _request: &Request, _next: Next<'_, Self>) -> Result<Wrapped, Error> {
        Err(Error::not_implemented("timed", "src/middleware/timed.rs"))
    }
}
