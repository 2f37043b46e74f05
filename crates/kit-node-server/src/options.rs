//! What JavaScript passes to `create`, as one JSON text.

use std::time::Duration;

use kit_http::{Config, Limits, Timeouts};
use kit_router::CompiledRouteTree;
use serde::Deserialize;

/// The options of one server.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Options {
    pub(crate) tree: CompiledRouteTree,
    /// Refs by route number.
    pub(crate) routes: Vec<String>,
    host: Option<String>,
    port: u16,
    body_bytes: usize,
    #[serde(default)]
    timeouts: TimeoutOptions,
}

/// Milliseconds; what is absent keeps the engine's default.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct TimeoutOptions {
    head: Option<u64>,
    body: Option<u64>,
    idle: Option<u64>,
    write: Option<u64>,
}

impl Options {
    pub(crate) fn config(&self) -> Config {
        let defaults = Timeouts::default();
        let time = |given: Option<u64>, default: Duration| given.map_or(default, Duration::from_millis);
        Config {
            host: self.host.clone(),
            port: self.port,
            limits: Limits {
                body_bytes: self.body_bytes,
                ..Limits::default()
            },
            timeouts: Timeouts {
                head: time(self.timeouts.head, defaults.head),
                body: time(self.timeouts.body, defaults.body),
                idle: time(self.timeouts.idle, defaults.idle),
                write: time(self.timeouts.write, defaults.write),
                ..defaults
            },
        }
    }
}
