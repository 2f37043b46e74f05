//! Authentication, and the five middleware functions of `GET /account`.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use axum::extract::{FromRequestParts, Request, State};
use axum::http::header::{ACCEPT_LANGUAGE, AUTHORIZATION, CACHE_CONTROL};
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode};
use axum::middleware::Next;
use axum::response::Response;
use axum::{Extension, Json};
use serde::Serialize;

use crate::errors::AppError;

/// User that the access token names.
#[derive(Clone)]
pub struct User(pub String);

impl<S: Send + Sync> FromRequestParts<S> for User {
    type Rejection = AppError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, AppError> {
        let token = parts
            .headers
            .get(AUTHORIZATION)
            .and_then(|header| header.to_str().ok())
            .and_then(|header| header.strip_prefix("Bearer "))
            .ok_or(AppError::new(
                StatusCode::UNAUTHORIZED,
                "UNAUTHORIZED",
                "Missing or invalid authorization header",
            ))?;
        let user = token.split(':').next().unwrap_or_default();
        if user.is_empty() {
            return Err(AppError::new(
                StatusCode::UNAUTHORIZED,
                "INVALID_TOKEN",
                "The access token names no user",
            ));
        }
        Ok(Self(user.to_owned()))
    }
}

#[derive(Clone)]
pub struct Tenant(String);

#[derive(Clone)]
pub struct Locale(String);

#[derive(Clone, Copy)]
pub struct Used(u64);

/// Number of requests of each user.
#[derive(Default)]
pub struct Quota(Mutex<HashMap<String, u64>>);

const QUOTA: u64 = 1_000_000_000;

pub async fn require_auth(user: User, mut request: Request, next: Next) -> Response {
    request.extensions_mut().insert(user);
    next.run(request).await
}

pub async fn tenant(mut request: Request, next: Next) -> Result<Response, AppError> {
    let tenant = request
        .headers()
        .get("x-tenant")
        .and_then(|header| header.to_str().ok())
        .filter(|name| !name.is_empty())
        .ok_or(AppError::new(
            StatusCode::BAD_REQUEST,
            "TENANT_REQUIRED",
            "Send x-tenant",
        ))?;
    let tenant = Tenant(tenant.to_owned());
    request.extensions_mut().insert(tenant);
    Ok(next.run(request).await)
}

pub async fn locale(mut request: Request, next: Next) -> Response {
    let locale = request
        .headers()
        .get(ACCEPT_LANGUAGE)
        .and_then(|header| header.to_str().ok())
        .and_then(|header| header.split([',', ';']).next())
        .unwrap_or("en");
    let locale = Locale(locale.to_owned());
    request.extensions_mut().insert(locale);
    next.run(request).await
}

pub async fn quota(
    State(quota): State<Arc<Quota>>,
    Extension(User(user)): Extension<User>,
    mut request: Request,
    next: Next,
) -> Result<Response, AppError> {
    let used = {
        let mut counts = quota.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = counts.entry(user).or_default();
        *count += 1;
        *count
    };
    if used > QUOTA {
        return Err(AppError::new(
            StatusCode::TOO_MANY_REQUESTS,
            "QUOTA_EXCEEDED",
            "Too many requests",
        ));
    }
    request.extensions_mut().insert(Used(used));
    Ok(next.run(request).await)
}

pub async fn no_store(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    response
        .headers_mut()
        .insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Account {
    user_id: String,
    tenant: String,
    locale: String,
    used: u64,
}

pub async fn account(
    Extension(User(user_id)): Extension<User>,
    Extension(Tenant(tenant)): Extension<Tenant>,
    Extension(Locale(locale)): Extension<Locale>,
    Extension(Used(used)): Extension<Used>,
) -> Json<Account> {
    Json(Account {
        user_id,
        tenant,
        locale,
        used,
    })
}
