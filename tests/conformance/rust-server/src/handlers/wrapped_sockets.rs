//! Handler of `WrappedSocketRoutes`.

use crate::app::App;
use crate::error::Error;
use crate::models::ChatMessage;
use crate::router::{WrappedSocketRoutes, WsWrapped};

impl WrappedSocketRoutes for App {
    async fn ws_wrapped(&self, input: WsWrapped) -> Result<(), Error> {
        let text = "in".to_owned();
        input.socket.send(&ChatMessage { text }).await
    }
}
