//! Handlers of `DraftRoutes`.

use crate::app::App;
use crate::error::Error;
use crate::models::Draft;
use crate::router::{DraftRoutes, GetDrafts, PostDrafts};

impl DraftRoutes for App {
    async fn post_drafts(&self, input: PostDrafts) -> Result<Draft, Error> {
        Ok(input.body)
    }

    async fn get_drafts(&self, _input: GetDrafts) -> Result<Draft, Error> {
        Ok(Draft {
            title: "a".to_owned(),
        })
    }
}
