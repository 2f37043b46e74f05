//! `requireAuth`. This file is yours: kit made it once and leaves it alone.

use kit_runtime::{Error, Middleware, Request};

use crate::app::App;
use crate::error::AppError;

/// What `requireAuth` adds to a request.
#[derive(Debug, Clone)]
pub struct RequireAuth {
    /// Who sent it.
    pub user_id: String,
    /// What they may do.
    pub user_role: UserRole,
}

/// What a user may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UserRole {
    /// What everybody may.
    User,
    /// Everything.
    Admin,
}

impl Middleware<App> for RequireAuth {
    const NAME: &'static str = "requireAuth";

    /// Lets a request pass that carries `authorization: Bearer <user id>:<role>`.
    ///
    /// The token is a stand-in that anyone can make up. A real application verifies a signed token here; nothing else changes.
    async fn run(_app: &App, request: &Request) -> Result<Self, Error> {
        let header = request.header("authorization").unwrap_or_default();
        let Some(token) = header.strip_prefix("Bearer ") else {
            return Err(AppError::Unauthorized.with("Missing or invalid authorization header"));
        };
        let mut parts = token.split(':');
        let user_id = parts.next().unwrap_or_default();
        if user_id.is_empty() {
            return Err(AppError::InvalidToken.with("The access token names no user"));
        }
        let user_role = match parts.next() {
            Some("admin") => UserRole::Admin,
            _ => UserRole::User,
        };
        Ok(Self {
            user_id: user_id.to_owned(),
            user_role,
        })
    }
}
