//! Handlers of `WatchRoutes`. This file is yours: kit wrote it once and does not change it.

use crate::app::App;
use crate::error::Error;
use crate::router::{WatchOrders, WatchRoutes, WsAnything, WsFiles, WsHeartbeat, WsText};

impl WatchRoutes for App {
    async fn watch_orders(&self, _input: WatchOrders) -> Result<(), Error> {
        Err(Error::not_implemented(
            "WS /orders",
            "src/handlers/watchs.rs",
        ))
    }

    async fn ws_heartbeat(&self, _input: WsHeartbeat) -> Result<(), Error> {
        Err(Error::not_implemented(
            "WS /heartbeat",
            "src/handlers/watchs.rs",
        ))
    }

    async fn ws_text(&self, _input: WsText) -> Result<(), Error> {
        Err(Error::not_implemented("WS /text", "src/handlers/watchs.rs"))
    }

    async fn ws_files(&self, _input: WsFiles) -> Result<(), Error> {
        Err(Error::not_implemented(
            "WS /files",
            "src/handlers/watchs.rs",
        ))
    }

    async fn ws_anything(&self, _input: WsAnything) -> Result<(), Error> {
        Err(Error::not_implemented(
            "WS /anything",
            "src/handlers/watchs.rs",
        ))
    }
}
