//! `limitWrites`. This file is yours: kit wrote it once and does not change it.

use kit_runtime::{Error, Middleware, Request};

use crate::app::App;
use crate::services::sessions::AccountId;

/// Values that `limitWrites` adds to a request.
#[derive(Debug, Clone)]
pub struct LimitWrites;

impl Middleware<App> for LimitWrites {
    const NAME: &'static str = "limitWrites";

    /// Limits how often an account may change something.
    async fn run(app: &App, request: &Request) -> Result<Self, Error> {
        let account = request.context().get::<AccountId>();
        let account = account.as_ref().map(|AccountId(id)| id.as_str());
        app.limits.writes.check_by(request, account)?;
        Ok(Self)
    }
}
