//! Handlers of `DraftRoutes`. This file is yours: kit wrote it once and does not change it.

use crate::app::App;
use crate::error::Error;
use crate::models::Job;
use crate::router::{DraftRoutes, GetDrafts, PostDrafts};

impl DraftRoutes for App {
    async fn post_drafts(&self, _input: PostDrafts) -> Result<Job, Error> {
        Err(Error::not_implemented(
            "POST /drafts",
            "src/handlers/drafts.rs",
        ))
    }

    async fn get_drafts(&self, _input: GetDrafts) -> Result<Job, Error> {
        Err(Error::not_implemented(
            "GET /drafts",
            "src/handlers/drafts.rs",
        ))
    }
}
