//! Handlers of `SocketRoutes`, with the behavior of `tests/conformance/sockets-application.ts`.

use std::time::Duration;

use kit_runtime::{Contract, Socket};

use crate::app::App;
use crate::error::Error;
use crate::models::{ChatMessage, ShortMessage, WsHeartbeatOut, WsHeartbeatOutValue};
use crate::router::{
    SocketRoutes, WsBroken, WsClose, WsEcho, WsFailing, WsFlood, WsHeartbeat, WsLong, WsRoomsById, WsReading,
    WsMaybe, WsTuned, WsUnnamed, WsUnwritten, WsVersions, WsWatched,
};

/// Prints an event for the test: the name that the client has sent, and the event.
fn note(name: Option<&str>, event: &str) {
    println!("noticed {} {event}", name.unwrap_or_default());
}

/// Receives messages until the socket has ended.
async fn ignore<In: Contract, Out: Contract>(socket: &Socket<In, Out>) {
    while socket.recv().await.is_some() {}
}

/// Sends the subprotocol to the client, then each message back.
async fn tell(socket: Socket<ChatMessage, ChatMessage>) -> Result<(), Error> {
    let text = socket.protocol().unwrap_or("undefined").to_owned();
    socket.send(&ChatMessage { text }).await?;
    while let Some(message) = socket.recv().await {
        socket.send(&message).await?;
    }
    Ok(())
}

impl SocketRoutes for App {
    async fn ws_echo(&self, input: WsEcho) -> Result<(), Error> {
        while let Some(message) = input.socket.recv().await {
            input.socket.send(&message).await?;
        }
        Ok(())
    }

    async fn ws_rooms_by_id(&self, input: WsRoomsById) -> Result<(), Error> {
        let (id, color) = (input.params.id, input.headers.x_color);
        let name = input.query.name.as_deref().unwrap_or("nobody");
        let ip = input.context.ip().map(|ip| ip.to_string());
        let text = format!("{id} {name} {} {color}", ip.unwrap_or_default());
        input.socket.send(&ChatMessage { text }).await
    }

    async fn ws_long(&self, input: WsLong) -> Result<(), Error> {
        ignore(&input.socket).await;
        Ok(())
    }

    async fn ws_failing(&self, input: WsFailing) -> Result<(), Error> {
        match input.socket.recv().await {
            Some(ChatMessage { text }) => Err(Error::internal(text)),
            None => Ok(()),
        }
    }

    async fn ws_close(&self, input: WsClose) -> Result<(), Error> {
        while let Some(ChatMessage { text }) = input.socket.recv().await {
            input.socket.close(4001, &text);
        }
        Ok(())
    }

    async fn ws_broken(&self, input: WsBroken) -> Result<(), Error> {
        let text = "longer".to_owned();
        input.socket.send(&ShortMessage { text }).await
    }

    async fn ws_watched(&self, input: WsWatched) -> Result<(), Error> {
        let name = input.query.name.as_deref();
        note(name, "opened");
        while let Some(ChatMessage { text }) = input.socket.recv().await {
            note(name, &text);
        }
        let ended = input.socket.ended();
        note(name, if ended.is_some() { "closed" } else { "open" });
        let text = "late".to_owned();
        let late = input.socket.send(&ChatMessage { text }).await;
        let code = ended.map(|close| close.code).unwrap_or_default();
        note(name, &format!("{} {code}", if late.is_err() { "rejected" } else { "sent" }));
        late
    }

    async fn ws_flood(&self, input: WsFlood) -> Result<(), Error> {
        let text = "x".repeat(16 * 1024);
        for sent in 1..=4096 {
            let text = text.clone();
            input.socket.send(&ChatMessage { text }).await?;
            if sent % 16 == 0 {
                note(input.query.name.as_deref(), &sent.to_string());
            }
        }
        Ok(())
    }

    async fn ws_reading(&self, input: WsReading) -> Result<(), Error> {
        let mut read = 0;
        while let Some(ChatMessage { text }) = input.socket.recv().await {
            read += text.len();
            note(input.query.name.as_deref(), &read.to_string());
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        Ok(())
    }

    async fn ws_heartbeat(&self, input: WsHeartbeat) -> Result<(), Error> {
        let ping = WsHeartbeatOut(WsHeartbeatOutValue::Ping);
        while input.socket.recv().await.is_some() {
            input.socket.send(&ping).await?;
        }
        Ok(())
    }

    async fn ws_versions(&self, input: WsVersions) -> Result<(), Error> {
        tell(input.socket).await
    }

    async fn ws_maybe(&self, input: WsMaybe) -> Result<(), Error> {
        tell(input.socket).await
    }

    async fn ws_unnamed(&self, input: WsUnnamed) -> Result<(), Error> {
        tell(input.socket).await
    }

    async fn ws_tuned(&self, input: WsTuned) -> Result<(), Error> {
        tell(input.socket).await
    }

    async fn ws_unwritten(&self, _input: WsUnwritten) -> Result<(), Error> {
        Err(Error::not_implemented("WS /unwritten", "src/handlers/sockets.rs"))
    }
}
