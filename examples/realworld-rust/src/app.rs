//! State that handlers share. This file is yours: kit wrote it once and does not change it.

use std::sync::Arc;

use kit_runtime::passwords::{PasswordOptions, Passwords};
use kit_runtime::{Application, Error};
use sqlx::PgPool;

use crate::db;
use crate::services::tokens::Tokens;

/// State of the application: connections, and the rules for passwords and tokens. Clones share it.
#[derive(Clone)]
pub struct App {
    /// Connections to the database.
    pub pool: PgPool,
    /// Functions that hash and verify passwords. The server on Node reads the same hashes.
    pub passwords: Arc<Passwords>,
    /// Access tokens.
    pub tokens: Arc<Tokens>,
}

impl App {
    /// Reads the secret of the tokens, and connects to the database that the variable `DATABASE_URL` names.
    pub async fn connect() -> Result<Self, Error> {
        Ok(Self {
            tokens: Arc::new(Tokens::from_environment()?),
            passwords: Arc::new(PasswordOptions::default().build()?),
            pool: db::connect().await?,
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
