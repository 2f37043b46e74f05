use kit_runtime::{Error, Never, Next, Request, Wrapped, Wrapper};

use crate::app::App;
use crate::error::AppError;
use crate::models::Wait;

/// Values that `limited` adds to a request.
#[derive(Debug, Clone)]
pub struct Limited;

impl Wrapper<App> for Limited {
    const NAME: &'static str = "limited";

    type Reply = Never;

    async fn run(_app: &App, request: &Request, next: Next<'_, Self>) -> Result<Wrapped, Error> {
        if request.header("x-limited").is_some() {
            return Err(AppError::TooManySettings(Wait { seconds: 3 }).with("Wait three seconds"));
        }
        Ok(next.run(Self).await?.into())
    }
}
