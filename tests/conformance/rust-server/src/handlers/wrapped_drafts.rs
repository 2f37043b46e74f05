//! Handler of `WrappedDraftRoutes`.

use crate::app::App;
use crate::error::Error;
use crate::models::Draft;
use crate::router::{PostOuterDrafts, PostWrappedDrafts, WrappedDraftRoutes};

impl WrappedDraftRoutes for App {
    async fn post_wrapped_drafts(&self, input: PostWrappedDrafts) -> Result<Draft, Error> {
        Ok(input.body)
    }

    async fn post_outer_drafts(&self, input: PostOuterDrafts) -> Result<Draft, Error> {
        Ok(input.body)
    }
}
