//! State that handlers share. This file is yours: kit wrote it once and does not change it.

use kit_runtime::{Application, Error};
use sqlx::PgPool;

use crate::db;

/// State of the application: connections, clients and settings that handlers use. Clones share it.
#[derive(Debug, Clone)]
pub struct App {
    /// Connections to the database.
    pub pool: PgPool,
}

impl App {
    /// Connects to the database that the variable `DATABASE_URL` names.
    ///
    /// # Errors
    ///
    /// If the variable is wrong, or if the database does not respond.
    pub async fn connect() -> Result<Self, Error> {
        Ok(Self {
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
