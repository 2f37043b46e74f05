//! Limits, options and subprotocols of one route.

use serde::{Deserialize, Serialize};

/// Subprotocols of a WebSocket (RFC 6455, section 1.9).
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Subprotocols {
    /// Names that a client may offer, in the order of the source. Never empty.
    pub names: Vec<String>,
    /// True if a client may offer no subprotocol (`protocols?`).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub optional: bool,
}

/// Limits and options of one route. Each replaces the limit or the option of the application.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RouteLimits {
    /// Maximum size of the request body in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body_bytes: Option<u64>,
    /// Maximum duration of a request in milliseconds; 0 for no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// Minimum number of bytes per second of a body that the handler reads while it arrives; 0 for no minimum.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body_min_bytes_per_second: Option<u64>,
    /// Time without bytes of a WebSocket's client after which the server sends a ping, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub socket_ping_ms: Option<u64>,
    /// True if the server may compress messages of WebSockets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub socket_compression: Option<bool>,
}

impl RouteLimits {
    /// Returns true if the limits of the application apply.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
