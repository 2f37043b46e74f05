//! Middleware `auth`. Accepts requests with any authorization.

use kit_runtime::{Error, Middleware, Request};

use crate::app::App;
use crate::error::AppError;

/// Result of the middleware `auth`. It adds nothing to the request.
#[derive(Debug, Clone)]
pub struct Auth;

impl Middleware<App> for Auth {
    const NAME: &'static str = "auth";

    async fn run(_app: &App, request: &Request) -> Result<Self, Error> {
        if request.header("authorization").is_none() {
            return Err(AppError::Unauthorized.with("Who are you?"));
        }
        Ok(Self)
    }
}
