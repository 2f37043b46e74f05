//! Authentication of the peer.

use axum::extract::FromRequestParts;
use axum::http::StatusCode;
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;

use crate::errors::AppError;

/// User that the access token names: `authorization: Bearer <user id>:<role>`.
pub struct User(pub String);

impl<S: Sync> FromRequestParts<S> for User {
    type Rejection = AppError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, AppError> {
        let header = parts.headers.get(AUTHORIZATION);
        let token = header
            .and_then(|header| header.to_str().ok()?.strip_prefix("Bearer "))
            .ok_or_else(|| {
                let message = "Missing or invalid authorization header";
                AppError::new(StatusCode::UNAUTHORIZED, "UNAUTHORIZED", message)
            })?;
        let user = token.split(':').next().unwrap_or_default();
        if user.is_empty() {
            let message = "The access token names no user";
            return Err(AppError::new(StatusCode::UNAUTHORIZED, "INVALID_TOKEN", message));
        }
        Ok(Self(user.to_owned()))
    }
}
