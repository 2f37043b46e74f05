//! State that handlers share. This file is yours: kit wrote it once and does not change it.

use kit_runtime::{Application, Error};

/// State of the application: connections, clients and settings that handlers use. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct App {}

impl App {
    /// Creates the state.
    #[must_use]
    pub fn new() -> Self {
        Self {}
    }
}

impl Application for App {
    /// Returns an error if the application cannot serve requests now. The response of `GET /readyz` is 503 then.
    async fn ready(&self) -> Result<(), Error> {
        Ok(())
    }
}
