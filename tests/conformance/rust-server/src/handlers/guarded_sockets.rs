//! Handler of `GuardedSocketRoutes`.

use crate::app::App;
use crate::error::Error;
use crate::models::ChatMessage;
use crate::router::{GuardedSocketRoutes, WsGuarded};

impl GuardedSocketRoutes for App {
    async fn ws_guarded(&self, input: WsGuarded) -> Result<(), Error> {
        let text = "in".to_owned();
        input.socket.send(&ChatMessage { text }).await
    }
}
