//! Handlers of `ChatRoutes`. This file is yours: kit wrote it once and does not change it.

use crate::app::App;
use crate::error::Error;
use crate::router::{ChatRoutes, WsRoomsByRoom};

impl ChatRoutes for App {
    async fn ws_rooms_by_room(&self, _input: WsRoomsByRoom) -> Result<(), Error> {
        Err(Error::not_implemented(
            "WS /rooms/:room",
            "src/handlers/chats.rs",
        ))
    }
}
