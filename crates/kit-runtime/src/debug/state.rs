//! Data from which the sidecar creates its responses.

use std::env;
use std::net::SocketAddr;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::Sidecar;
use super::guard::Guard;
use super::history::History;
use super::redaction::Redaction;
use super::settings::DebugSettings;
use crate::http::random_trace_id;
use crate::random::random_bytes;
use crate::settings::Settings;
use crate::{Error, SERVER_ADAPTER, bytes};

/// Time between two polls of the dashboard in milliseconds.
const DEVELOPMENT_POLL: u64 = 1_000;
const PRODUCTION_POLL: u64 = 3_000;

/// Views of the dashboard that the sidecar of a Rust server does not have, with the reason that the dashboard shows.
const ABSENT: [(&str, &str); 1] = [(
    "jobs",
    "A Rust server has no jobs of @kit/jobs. Their workers are applications for Node, each with its own sidecar.",
)];

/// Data from which the sidecar creates its responses.
pub(super) struct State {
    pub(super) settings: DebugSettings,
    pub(super) sidecar: Sidecar,
    pub(super) openapi: Option<&'static str>,
    pub(super) history: &'static History,
    pub(super) redaction: Redaction,
    pub(super) guard: Guard,
    /// Secret that only the page of this sidecar knows. The page sends it to repeat a request. `None` in production, because requests
    /// cannot be repeated there.
    replay_token: Option<String>,
    pub(super) routes: Vec<Value>,
    /// Identifier of this process, which changes after a restart.
    pub(super) instance: String,
    /// Address of the application.
    pub(super) address: SocketAddr,
    /// True if the application speaks TLS.
    pub(super) has_tls: bool,
    /// URL of `kit dev`, which passes requests to the application.
    proxy: Option<String>,
    /// Directory in which the program was started, which is the project's root in development.
    pub(super) root: PathBuf,
}

impl State {
    pub(super) fn new(
        settings: DebugSettings,
        sidecar: Sidecar,
        openapi: Option<&'static str>,
        history: &'static History,
        address: SocketAddr,
    ) -> Result<Self, Error> {
        let mut instance = random_trace_id();
        instance.truncate(16);
        let replay_token = if settings.is_production {
            None
        } else {
            Some(bytes::hex(&random_bytes::<32>()?))
        };
        Ok(Self {
            redaction: Redaction::new(&settings.redact)?,
            guard: Guard::new(&settings, replay_token.as_deref()),
            replay_token,
            settings,
            sidecar,
            openapi,
            history,
            routes: serde_json::from_str(sidecar.routes).unwrap_or_default(),
            instance,
            address,
            has_tls: Settings::load()?.tls.is_some(),
            proxy: env::var("KIT_DEV_URL")
                .ok()
                .filter(|url| url.starts_with("http://")),
            root: env::current_dir().unwrap_or_default(),
        })
    }

    /// Returns the URL of the application.
    pub(super) fn url(&self) -> String {
        if let Some(url) = &self.proxy {
            return url.clone();
        }
        let scheme = if self.has_tls { "https" } else { "http" };
        if self.address.ip().is_unspecified() {
            format!("{scheme}://localhost:{}", self.address.port())
        } else {
            format!("{scheme}://{}", self.address)
        }
    }

    /// Returns true if requests can be sent again.
    pub(super) fn can_replay(&self) -> bool {
        self.replay_token.is_some()
    }

    /// Returns the data that the dashboard requests first.
    pub(super) fn dashboard(&self) -> Value {
        let (is_production, name) = (self.settings.is_production, self.sidecar.name);
        // Polling uses a third of the requests that the rate limit allows. The others are for the page's other requests and for
        // `kit inspect`.
        let limited = self
            .settings
            .rate_limit
            .map_or(0, |limit| (3 * limit.window_ms).div_ceil(limit.max));
        let poll = if is_production {
            PRODUCTION_POLL
        } else {
            DEVELOPMENT_POLL
        };
        let absent = ABSENT.map(|(view, reason)| (view.to_owned(), Value::from(reason)));
        json!({
            "instance": self.instance,
            "mode": if is_production { "production" } else { "development" },
            "application": { "name": name, "url": self.url(), "adapter": SERVER_ADAPTER },
            "projectRoot": (!is_production).then(|| self.root.to_string_lossy()),
            "replayToken": self.replay_token,
            "pollMs": poll.max(limited),
            "absent": Value::Object(absent.into_iter().collect()),
        })
    }

    /// Returns the reason why this server does not have a view.
    pub(super) fn absent(view: &str) -> Option<&'static str> {
        ABSENT
            .iter()
            .find(|(known, _)| *known == view)
            .map(|(_, reason)| *reason)
    }
}
