//! Handlers of `MessageRoutes`, which send each message back.

use kit_runtime::{Socket, SocketMessage};

use crate::app::App;
use crate::error::Error;
use crate::router::{MessageRoutes, WsMessagesBoth, WsMessagesBytes, WsMessagesMixed, WsMessagesText};

async fn echo<T: SocketMessage>(socket: Socket<T, T>) -> Result<(), Error> {
    while let Some(message) = socket.recv().await {
        socket.send(&message).await?;
    }
    Ok(())
}

impl MessageRoutes for App {
    async fn ws_messages_text(&self, input: WsMessagesText) -> Result<(), Error> {
        echo(input.socket).await
    }

    async fn ws_messages_bytes(&self, input: WsMessagesBytes) -> Result<(), Error> {
        echo(input.socket).await
    }

    async fn ws_messages_both(&self, input: WsMessagesBoth) -> Result<(), Error> {
        echo(input.socket).await
    }

    async fn ws_messages_mixed(&self, input: WsMessagesMixed) -> Result<(), Error> {
        echo(input.socket).await
    }
}
