//! Responses about the process and its server.

use std::num::NonZero;
use std::thread;

use serde_json::{Map, Value, json};

use super::state::State;
use crate::metrics::{self, Process};
use crate::{SERVER_ADAPTER, shutdown};

/// Returns the server of the application.
pub(super) fn server(state: &State) -> Value {
    let address = state.address;
    json!({
        "adapter": SERVER_ADAPTER,
        "platform": "hyper 1",
        "status": if shutdown::is_closing() { "stopping" } else { "ok" },
        "port": address.port(),
        "host": address.ip().to_string(),
        "url": state.url(),
    })
}

/// Returns the state of the process. A Rust program has neither a heap of JavaScript nor an event loop, so their figures are
/// absent.
pub(super) fn health(state: &State) -> Value {
    let process = Process::read();
    let mut answer = match server(state) {
        Value::Object(map) => map,
        _ => Map::new(),
    };
    let pool = metrics::pool().map(|pool| json!({ "idle": pool.idle, "used": pool.used, "max": pool.max }));
    let more = json!({
        "uptime": (process.uptime * 1_000.0).round() / 1_000.0,
        "memory": { "rss": process.memory.unwrap_or(0) },
        "connections": metrics::connections(),
        "pool": pool,
        "cpuSeconds": process.cpu.map(|(user, system)| user + system),
        "openFiles": process.files,
        "requests": {
            "active": state.history.active_count(),
            "answered": state.history.finished_count(),
        },
        "process": {
            "pid": std::process::id(),
            "worker": null,
            "cores": thread::available_parallelism().map_or(1, NonZero::get),
        },
        "missed": { "requests": 0, "errors": state.history.missed_errors() },
    });
    if let Value::Object(more) = more {
        answer.extend(more);
    }
    answer.into()
}
