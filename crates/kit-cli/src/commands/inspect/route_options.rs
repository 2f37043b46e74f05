//! Limits, options, dates and subprotocols of a route in `routes.json`.

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

/// Dates of a route, and its successor.
#[derive(Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Lifecycle {
    #[serde(skip_serializing_if = "Option::is_none")]
    deprecated_since: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sunset: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    successor: Option<String>,
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

impl Lifecycle {
    /// Returns the dates and the successor as text: `deprecated since 2026-01-01, removed on 2027-01-01, successor /v2/notes`.
    pub(super) fn text(&self) -> String {
        let deprecated = self
            .deprecated_since
            .as_ref()
            .map(|date| format!("deprecated since {date}"));
        let sunset = self.sunset.as_ref().map(|date| format!("removed on {date}"));
        let successor = self.successor.as_ref().map(|route| format!("successor {route}"));
        let parts: Vec<String> = [deprecated, sunset, successor].into_iter().flatten().collect();
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
