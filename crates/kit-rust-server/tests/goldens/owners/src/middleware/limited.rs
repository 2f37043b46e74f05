//! `limited`. This file is yours: kit wrote it once and does not change it.

use kit_runtime::{Error, Never, Next, Request, Wrapped, Wrapper};

use crate::app::App;

/// Values that `limited` adds to a request.
#[derive(Debug, Clone)]
pub struct Limited;

impl Wrapper<App> for Limited {
    const NAME: &'static str = "limited";

    type Reply = Never;

    /// Refuses every request until you write the wrapper.
    async fn run(_app: &App, _request: &Request, _next: Next<'_, Self>) -> Result<Wrapped, Error> {
        Err(Error::not_implemented(
            "limited",
            "src/middleware/limited.rs",
        ))
    }
}
