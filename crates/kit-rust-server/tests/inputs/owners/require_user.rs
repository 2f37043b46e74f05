//! Middleware `requireUser`, which trusts the header `x-user`.

use kit_runtime::{Error, Middleware, Request};

use crate::app::App;
use crate::error::AppError;

/// Value that `requireUser` adds to a request.
#[derive(Debug, Clone)]
pub struct RequireUser {
    pub user_id: String,
}

impl Middleware<App> for RequireUser {
    const NAME: &'static str = "requireUser";

    async fn run(_app: &App, request: &Request) -> Result<Self, Error> {
        let user = request.header("x-user").unwrap_or_default();
        if user.is_empty() {
            return Err(AppError::Unauthorized.with("Nobody says who asks"));
        }
        Ok(Self {
            user_id: user.into_owned(),
        })
    }
}
