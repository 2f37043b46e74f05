//! Limits, options and subprotocols of a route in `routes.json`.

use serde::{Deserialize, Serialize};

/// Limits of one route.
#[derive(Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Limits {
    #[serde(skip_serializing_if = "Option::is_none")]
    body_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    timeout_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    socket_ping_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    socket_compression: Option<bool>,
}

/// Subprotocols of a WebSocket.
#[derive(Serialize, Deserialize)]
pub(super) struct Subprotocols {
    names: Vec<String>,
    #[serde(default)]
    optional: bool,
}

impl Limits {
    /// Returns the limits and options as text, such as `body 4096 bytes, request 2000 ms`.
    pub(super) fn text(&self) -> String {
        let bytes = self.body_bytes.map(|bytes| format!("body {bytes} bytes"));
        let time = self.timeout_ms.map(|time| format!("request {time} ms"));
        let ping = self.socket_ping_ms.map(|time| format!("ping {time} ms"));
        let compression = self
            .socket_compression
            .map(|is_on| format!("compression {}", if is_on { "on" } else { "off" }));
        let parts: Vec<String> = [bytes, time, ping, compression].into_iter().flatten().collect();
        parts.join(", ")
    }
}

impl Subprotocols {
    /// Returns the names as text, such as `chat.v1, chat.v2`.
    pub(super) fn text(&self) -> String {
        let names = self.names.join(", ");
        if self.optional {
            format!("{names} (optional)")
        } else {
            names
        }
    }
}
