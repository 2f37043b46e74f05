//! State that handlers share. This file is yours: kit wrote it once and does not change it.

use std::sync::Arc;

use kit_runtime::idempotency::{Idempotency, IdempotencyOptions};
use kit_runtime::passwords::{PasswordOptions, Passwords};
use kit_runtime::{Application, Error};
use sqlx::PgPool;

use crate::models::AppEnv;
use crate::services::limits::Limits;
use crate::services::sessions::{AccountSessions, sessions};
use crate::{db, environment};

/// State of the shop: settings, connections, and the rules for sessions, passwords and requests. Clones share it.
#[derive(Clone)]
pub struct App {
    /// Environment variables.
    pub env: Arc<AppEnv>,
    /// Connections to the database.
    pub pool: PgPool,
    /// Sessions of the accounts.
    pub sessions: Arc<AccountSessions>,
    /// Functions that hash and verify passwords, with the parameters of the server on Node.
    pub passwords: Arc<Passwords>,
    /// Rules for requests with an idempotency key.
    pub idempotency: Arc<Idempotency>,
    /// Limits of requests.
    pub limits: Arc<Limits>,
}

impl App {
    /// Reads the environment variables, and connects to the database that `DATABASE_URL` names.
    pub async fn connect() -> Result<Self, Error> {
        let env = environment::read()?;
        if env.kit_cookie_keys.is_none() {
            return Err(Error::internal(
                "KIT_COOKIE_KEYS is not set: the sessions need a key, such as that of `openssl rand -base64 32`",
            ));
        }
        let limits = Limits::new(&env)?;
        let pool = db::connect().await?;
        Ok(Self {
            env,
            sessions: Arc::new(sessions(&pool)?),
            passwords: Arc::new(PasswordOptions::default().build()?),
            idempotency: Arc::new(IdempotencyOptions::new().build()?),
            limits: Arc::new(limits),
            pool,
        })
    }
}

impl Application for App {
    /// Returns an error if the application cannot serve requests now. The response of `GET /readyz` is 503 then.
    async fn ready(&self) -> Result<(), Error> {
        sqlx::query("SELECT 1").execute(&self.pool).await?;
        Ok(())
    }
}
