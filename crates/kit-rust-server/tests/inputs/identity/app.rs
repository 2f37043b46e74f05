//! State of the pages of the guide about identity and limits.

use std::sync::Arc;

use kit_runtime::api_keys::{ApiKeyOptions, ApiKeys};
use kit_runtime::idempotency::{Idempotency, IdempotencyOptions};
use kit_runtime::jwt::Jwt;
use kit_runtime::oidc::Oidc;
use kit_runtime::passwords::{PasswordOptions, Passwords};
use kit_runtime::rate_limit::{
    IfStoreFails, RateLimit, RateLimitOptions, SharedRateLimit, ValkeyLimits,
};
use kit_runtime::sessions::{PostgresSessions, SessionOptions};
use kit_runtime::{Application, Error};
use sqlx::PgPool;

use crate::db;
use crate::services::accounts::AccountSessions;
use crate::services::{logins, tokens};

#[derive(Clone)]
pub struct App {
    pub pool: PgPool,
    pub passwords: Arc<Passwords>,
    pub sessions: Arc<AccountSessions>,
    pub oidc: Arc<Oidc>,
    pub tokens: Arc<Jwt>,
    pub keys: Arc<ApiKeys>,
    pub limit: Arc<RateLimit>,
    pub shared_limit: Arc<SharedRateLimit>,
    pub idempotency: Arc<Idempotency>,
}

impl App {
    pub async fn connect() -> Result<Self, Error> {
        let pool = db::connect().await?;
        Ok(Self {
            passwords: Arc::new(PasswordOptions::default().build()?),
            sessions: Arc::new(SessionOptions::new(PostgresSessions::new(pool.clone())).build()?),
            pool,
            oidc: Arc::new(logins::oidc()?),
            tokens: Arc::new(tokens::tokens()?),
            keys: Arc::new(ApiKeyOptions::new("shop").scopes(["orders:read", "orders:write"]).build()?),
            limit: Arc::new(RateLimitOptions::new("100/min").build()?),
            shared_limit: Arc::new(RateLimitOptions::new("100/min").build_shared(
                ValkeyLimits::open(&std::env::var("VALKEY_URL")?)?,
                IfStoreFails::CountInMemory,
            )?),
            idempotency: Arc::new(IdempotencyOptions::new().hours(48.0).build()?),
        })
    }
}

impl Application for App {
    async fn ready(&self) -> Result<(), Error> {
        sqlx::query("SELECT 1").execute(&self.pool).await?;
        Ok(())
    }
}
