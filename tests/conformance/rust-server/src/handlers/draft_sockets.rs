//! Handler of `DraftSocketRoutes`.

use crate::app::App;
use crate::error::Error;
use crate::models::ChatMessage;
use crate::router::{DraftSocketRoutes, WsDraftsLive};

impl DraftSocketRoutes for App {
    async fn ws_drafts_live(&self, input: WsDraftsLive) -> Result<(), Error> {
        let text = "in".to_owned();
        input.socket.send(&ChatMessage { text }).await
    }
}
