//! Wrapper `limited`. Fails if the header `x-mode` asks for it.

use kit_runtime::{Error, Never, Next, Request, Wrapped, Wrapper};

use crate::app::App;
use crate::error::AppError;
use crate::models::Limit;

/// Values that `limited` adds to a request.
#[derive(Debug, Clone)]
pub struct Limited;

impl Wrapper<App> for Limited {
    const NAME: &'static str = "limited";

    type Reply = Never;

    async fn run(_app: &App, request: &Request, next: Next<'_, Self>) -> Result<Wrapped, Error> {
        if request.header("x-mode").as_deref() == Some("limit") {
            return Err(AppError::Limited(Limit { limit: 3.0 }).with("Too many requests"));
        }
        Ok(next.run(Self).await?.into())
    }
}
