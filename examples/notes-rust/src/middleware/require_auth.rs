//! `requireAuth`. This file is yours: kit wrote it once and does not change it.

use kit_runtime::{Error, Middleware, Request};

use crate::app::App;
use crate::error::AppError;

/// Values that `requireAuth` adds to a request.
#[derive(Debug, Clone)]
pub struct RequireAuth {
    /// Id of the user that sent the request.
    pub user_id: String,
    /// Role of the user.
    pub user_role: UserRole,
}

/// Role of a user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UserRole {
    /// Has the permissions of every user.
    User,
    /// Has all permissions.
    Admin,
}

impl Middleware<App> for RequireAuth {
    const NAME: &'static str = "requireAuth";

    /// Accepts requests with the header `authorization: Bearer <user id>:<role>`.
    ///
    /// The token is a placeholder that anyone can make up. A real application verifies a signed token here; nothing else changes.
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
