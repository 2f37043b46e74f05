//! What every Rust server that kit generates is made with: JSON as JavaScript reads it, validation with the failures and words of kit's
//! TypeScript runtime, coercion of query and path, the route tree, and the way of a request with errors, logs and shutdown.
//!
//! Where it stands: `@kit/plugin-rust-server` writes this crate into `.kit/runtime/` of a project; generated code and handlers use it as
//! `kit_runtime`. It knows no project, no database and no IR.
//!
//! Invariants:
//! - What a request holds reaches a handler only after it was held against the shape of its type.
//! - Nothing here panics on input, and recursion on input is bounded.
//! - It passes the vectors that kit's TypeScript runtime passes.

mod bigint;
mod bytes;
pub mod check;
pub mod coerce;
mod connection;
pub mod format;
mod http;
pub mod json;
mod listener;
mod log;
mod never;
pub mod parts;
#[cfg(feature = "sqlx")]
pub mod postgres;
mod sampler;
mod serve;
mod settings;
pub mod shape;
#[cfg(feature = "sqlx")]
pub mod sql;
mod start;
mod stdout;
mod telemetry;
mod timestamp;
#[doc(hidden)] // Public for tests and fuzz targets alone.
pub mod trust_proxy;

pub use axum;
pub use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
pub use bigint::{BigInt, NoBigInt, OutOfRange};
pub use bytes::Bytes;
pub use http::{
    Answering, Application, Context, Error, Match, Middleware, Phase, Pieces, Reply, Request, Response,
    RouteTree, Router, Routes,
};
pub use indexmap::IndexMap;
pub use never::Never;
pub use serde_json::{Value, json as value};
pub use serve::{run, serve};
pub use timestamp::{NoTimestamp, Timestamp, is_date_time};

use shape::Shape;

/// A type that requests and answers may hold.
pub trait Contract: serde::Serialize + serde::de::DeserializeOwned {
    /// Its name in contracts and error messages.
    const NAME: &'static str;

    /// What its values are on the wire.
    fn shape() -> &'static Shape;
}

/// What the server calls itself in errors and logs.
pub const SERVER_ADAPTER: &str = "axum";

/// Whether answers tell what helps a developer: `NODE_ENV` is `development`, as it is for the TypeScript runtime.
pub fn is_development() -> bool {
    static IS_DEVELOPMENT: std::sync::LazyLock<bool> =
        std::sync::LazyLock::new(|| std::env::var("NODE_ENV").is_ok_and(|mode| mode == "development"));
    *IS_DEVELOPMENT
}

/// A property that may be absent and is never null unless its type says so: `#[serde(default, with = "optional", …)]`. An `Option`
/// alone would take null for absence.
pub mod optional {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    /// Reads a property that is there.
    pub fn deserialize<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
        deserializer: D,
    ) -> Result<Option<T>, D::Error> {
        T::deserialize(deserializer).map(Some)
    }

    /// Writes it; where it is absent, nobody asks.
    pub fn serialize<S: Serializer, T: Serialize>(
        value: &Option<T>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        value.serialize(serializer)
    }
}
