//! State that handlers share. This file is yours: kit wrote it once and does not change it.

use std::sync::Arc;

use kit_runtime::{Application, Error};

use crate::environment;
use crate::models::BookEnv;

/// State of the application: connections, clients and settings that handlers use. Clones share it.
#[derive(Debug, Clone)]
pub struct App {
    /// Environment variables.
    pub env: Arc<BookEnv>,
}

impl App {
    /// Reads the environment variables, and creates the state.
    ///
    /// # Errors
    ///
    /// If a variable is missing or wrong.
    pub fn new() -> Result<Self, Error> {
        Ok(Self {
            env: environment::read()?,
        })
    }
}

impl Application for App {
    /// Returns an error if the application cannot serve requests now. The response of `GET /readyz` is 503 then.
    async fn ready(&self) -> Result<(), Error> {
        Ok(())
    }
}
