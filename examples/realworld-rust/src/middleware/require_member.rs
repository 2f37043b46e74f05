//! `requireMember`. This file is yours: kit wrote it once and does not change it.

use kit_runtime::{Error, Middleware, Request};

use crate::app::App;
use crate::error::AppError;
use crate::services::tokens;

/// Values that `requireMember` adds to a request.
#[derive(Debug, Clone)]
pub struct RequireMember {
    /// Id of the user who is logged in.
    pub user_id: String,
}

impl Middleware<App> for RequireMember {
    const NAME: &'static str = "requireMember";

    /// Accepts only requests with a token.
    async fn run(_app: &App, request: &Request) -> Result<Self, Error> {
        let Some(header) = request.header("authorization") else {
            return Err(AppError::TokenMissing.with("is missing"));
        };
        let user_id = tokens::account_of(&header)?;
        Ok(Self { user_id })
    }
}
