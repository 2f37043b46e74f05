//! Handlers of `PlainRoutes`. This file is yours: kit wrote it once and does not change it.

use crate::app::App;
use crate::error::Error;
use crate::models::Job;
use crate::router::{GetPlain, PlainRoutes};

impl PlainRoutes for App {
    async fn get_plain(&self, _input: GetPlain) -> Result<Job, Error> {
        Err(Error::not_implemented(
            "GET /plain",
            "src/handlers/plains.rs",
        ))
    }
}
