//! Handler of `WrappedDraftRoutes`.

use crate::app::App;
use crate::error::Error;
use crate::models::Draft;
use crate::router::{PostWrappedDrafts, WrappedDraftRoutes};

impl WrappedDraftRoutes for App {
    async fn post_wrapped_drafts(&self, input: PostWrappedDrafts) -> Result<Draft, Error> {
        Ok(input.body)
    }
}
