//! Debug sidecar: shows the activity of the application on a separate port, as JSON and as a dashboard. The counterpart for
//! Node is `packages/plugin-debug`, whose dashboard this module serves. `docs/guide/debugging.md` describes the endpoints.
//!
//! Without the crate feature `debug` nothing is recorded. With the feature, requests are recorded only while the sidecar is on.

mod access;
mod answer;
mod dashboard;
mod endpoints;
mod errors;
mod guard;
mod health;
mod history;
mod latency;
mod layer;
mod listener;
mod nearest;
mod performance;
mod project;
mod query;
mod rate_limit;
mod record_json;
mod recorded;
mod recording;
mod redaction;
mod replay;
mod requests;
mod ring;
mod routes;
mod schema;
mod settings;
mod sql;
mod state;
mod streams;

use std::sync::OnceLock;

use crate::{Application, Routes};

pub(crate) use errors::failed;
pub(crate) use history::log;
pub(crate) use layer::calls;
pub(crate) use listener::serve;
pub(crate) use recorded::Recorded;
#[cfg(feature = "sockets")]
pub(crate) use streams::StreamResult;
pub(crate) use streams::{RecordedStream, StreamKind};

/// Files of the dashboard and descriptions of the application, which the debug sidecar shows. `kit build` generates the
/// value.
///
/// ```
/// use kit_runtime::{Application, Routes, Sidecar};
///
/// fn with_sidecar<A: Application>(routes: Routes<A>, dashboard: &'static str) -> Routes<A> {
///     routes.sidecar(Sidecar::new("shop", dashboard).routes("[]").middleware("[]").schemas("{}"))
/// }
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Sidecar {
    name: &'static str,
    dashboard: &'static str,
    routes: &'static str,
    middleware: &'static str,
    schemas: &'static str,
}

impl Sidecar {
    /// Creates the sidecar of an application with a name. `dashboard` is a JSON object that has each file of the dashboard by
    /// its path, compressed with gzip and written as base64.
    pub const fn new(name: &'static str, dashboard: &'static str) -> Self {
        Self {
            name,
            dashboard,
            routes: "[]",
            middleware: "[]",
            schemas: "{}",
        }
    }

    /// Sets the routes: the content of `routes.json`.
    #[must_use]
    pub const fn routes(mut self, routes: &'static str) -> Self {
        self.routes = routes;
        self
    }

    /// Sets the registered middleware: the content of `middleware.json`.
    #[must_use]
    pub const fn middleware(mut self, middleware: &'static str) -> Self {
        self.middleware = middleware;
        self
    }

    /// Sets the types: the content of `schemas.json`.
    #[must_use]
    pub const fn schemas(mut self, schemas: &'static str) -> Self {
        self.schemas = schemas;
        self
    }
}

static SIDECAR: OnceLock<(Sidecar, Option<&'static str>)> = OnceLock::new();

impl<A: Application> Routes<A> {
    /// Sets what the debug sidecar shows. The sidecar belongs to the process, so only the first call has an effect. Call
    /// [`Self::openapi`] before, so that the sidecar has the document too.
    #[must_use]
    pub fn sidecar(self, sidecar: Sidecar) -> Self {
        SIDECAR.get_or_init(|| (sidecar, self.openapi));
        self
    }
}

/// Returns the sidecar that the program has declared, and the document of the application. Returns `None` if the program has no
/// sidecar.
fn declared() -> Option<(Sidecar, Option<&'static str>)> {
    SIDECAR.get().copied()
}
