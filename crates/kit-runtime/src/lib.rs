//! Runtime of every Rust server that kit generates: JSON with the semantics of JavaScript, validation with the same
//! failures and messages as kit's TypeScript runtime, coercion of query and path, the route tree, and request
//! processing with errors, logs and shutdown.
//!
//! `@kit/plugin-rust-server` writes this crate into `.kit/runtime/` of a project. Generated code and handlers use it as
//! `kit_runtime`. The crate depends on no project, no database and no IR.
//!
//! Without the cargo feature `server`, the crate has only the types and functions that models of contracts use. Rust clients use the
//! crate like this.
//!
//! Invariants:
//! - Input of a request reaches a handler only after it was checked against the shape of its type.
//! - No code in this crate panics on input, and recursion on input is limited.
//! - The crate passes the same conformance vectors as kit's TypeScript runtime.

// Models use only a part of the modules that they share with the server.
#![cfg_attr(not(feature = "server"), allow(dead_code, unused_imports))]

#[cfg(feature = "server")]
#[doc(hidden)] // Public only for tests.
pub mod accept;
#[cfg(feature = "api-keys")]
pub mod api_keys;
mod bigint;
mod bytes;
#[doc(hidden)] // Public only for generated code.
pub mod check;
#[cfg(feature = "tls")]
mod client_certificate;
#[doc(hidden)] // Public only for generated code.
pub mod coerce;
#[cfg(feature = "server")]
mod connection;
#[cfg(feature = "server")]
#[doc(hidden)] // Public only for tests.
pub mod cookies;
#[cfg(feature = "debug")]
mod debug;
#[cfg(all(feature = "server", not(feature = "debug")))]
#[path = "debug_off.rs"]
mod debug;
#[cfg(feature = "decimal")]
mod decimal;
mod decimal_text;
#[cfg(feature = "server")]
mod dev_link;
#[cfg(feature = "server")]
mod environment;
#[cfg(feature = "server")]
mod file_signatures;
#[doc(hidden)] // Public only for generated code.
pub mod format;
#[cfg(any(feature = "api-keys", feature = "jwt", feature = "sessions"))]
mod granted_scopes;
#[cfg(feature = "server")]
mod host;
#[cfg(feature = "server")]
mod http;
#[cfg(feature = "sqlx")]
pub mod idempotency;
pub mod json;
#[cfg(feature = "jwt")]
pub mod jwt;
#[cfg(feature = "server")]
pub mod keyset;
#[cfg(feature = "server")]
mod listener;
#[cfg(feature = "server")]
mod log;
#[cfg(feature = "server")]
mod log_fields;
#[cfg(feature = "server")]
mod log_level;
#[cfg(feature = "server")]
mod media_type;
#[cfg(feature = "server")]
mod metrics;
#[cfg(feature = "server")]
#[doc(hidden)] // Public only for tests.
pub mod multipart;
mod never;
#[cfg(feature = "oidc")]
pub mod oidc;
#[cfg(any(
    feature = "api-keys",
    feature = "oidc",
    feature = "passwords",
    feature = "sessions"
))]
mod option_error;
#[cfg(any(feature = "jwt", feature = "otlp"))]
mod outgoing;
#[cfg(feature = "passwords")]
pub mod passwords;
#[cfg(feature = "sqlx")]
pub mod postgres;
#[cfg(any(
    feature = "api-keys",
    feature = "debug",
    feature = "oidc",
    feature = "passwords",
    feature = "sessions"
))]
mod random;
#[cfg(feature = "server")]
pub mod rate_limit;
#[cfg(feature = "server")]
#[doc(hidden)] // Public only for tests.
pub mod redact;
#[cfg(feature = "server")]
mod sampler;
#[doc(hidden)] // Public only for generated code.
pub mod serde_parts;
#[cfg(feature = "server")]
mod serve;
#[cfg(feature = "sessions")]
pub mod sessions;
#[cfg(feature = "server")]
mod set_defaults;
#[cfg(feature = "server")]
mod settings;
#[doc(hidden)] // Public only for generated code.
pub mod shape;
#[cfg(feature = "server")]
mod shutdown;
#[cfg(feature = "sqlx")]
pub mod sql;
#[cfg(feature = "server")]
mod start_error;
#[cfg(feature = "server")]
mod stdout;
#[cfg(feature = "server")]
mod telemetry;
#[cfg(feature = "testing")]
pub mod testing;
mod timestamp;
#[cfg(feature = "tls")]
mod tls;
#[cfg(feature = "tls")]
mod tls_dates;
#[cfg(any(feature = "jwt", feature = "otlp", feature = "sqlx"))]
mod tls_files;
#[cfg(feature = "tls")]
mod tls_redirect;
#[cfg(feature = "server")]
mod tls_settings;
#[cfg(feature = "server")]
#[doc(hidden)] // Public only for tests and fuzz targets.
pub mod trust_proxy;
#[cfg(feature = "valkey")]
mod valkey;
#[cfg(feature = "server")]
mod variables;

#[cfg(feature = "server")]
pub use axum;
#[cfg(feature = "server")]
pub use axum::body::Bytes as BodyBytes;
#[cfg(feature = "server")]
pub use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
pub use bigint::{BigInt, OutOfRange, ParseBigIntError};
pub use bytes::Bytes;
#[cfg(feature = "tls")]
pub use client_certificate::ClientCertificate;
#[cfg(feature = "server")]
pub use cookies::{Cookie, SameSite};
#[cfg(feature = "debug")]
pub use debug::Sidecar;
#[cfg(feature = "decimal")]
pub use decimal::{Decimal, ParseDecimalError};
#[cfg(feature = "server")]
pub use environment::environment;
#[cfg(feature = "etag")]
pub use http::Etag;
#[cfg(feature = "server")]
pub use http::{
    Application, Caller, Choice, ChunkSender, Content, ContentSender, Context, Cors, Csrf, CurrentVersion,
    DeclaredReply, Docs, Download, Error, ErrorFormat, Event, EventData, EventSender, Events, Failure, File,
    FilePart, Files, InvalidField, LineSender, Lines, Match, Middleware, Next, Passed, Phase, Replies, Reply,
    Request, RequestChunks, RequestLines, RequestLog, Response, RouteTree, Router, Routes, Segment, Serve,
    Site, Upload, Uploads, Wrapped, Wrapper,
};
#[cfg(feature = "compression")]
pub use http::{Coding, Compression};
#[cfg(feature = "sockets")]
pub use http::{Socket, SocketClose, SocketMessage, SocketOptions, TextOrBinary};
#[cfg(feature = "server")]
#[doc(hidden)] // Public only for generated code.
pub use http::{check_origins, origins_of};
pub use indexmap::IndexMap;
#[cfg(feature = "jiff")]
pub use jiff;
pub use never::Never;
pub use num_bigint;
#[cfg(any(
    feature = "api-keys",
    feature = "oidc",
    feature = "passwords",
    feature = "sessions"
))]
pub use option_error::OptionError;
#[cfg(feature = "decimal")]
pub use rust_decimal;
pub use serde_json::{Value, json as value};
#[cfg(feature = "server")]
pub use serve::{run, serve};
#[cfg(feature = "server")]
#[doc(hidden)] // Called only by generated code.
pub use set_defaults::set_defaults;
#[cfg(feature = "server")]
pub use shutdown::stopping;
pub use timestamp::{Timestamp, TimestampError, is_date_time};

use shape::Shape;

/// A type that contracts can use in requests and responses.
pub trait Contract: serde::Serialize + serde::de::DeserializeOwned {
    /// Name of the type in contracts and error messages.
    const NAME: &'static str;

    /// Returns the shape of the values in JSON.
    fn shape() -> &'static Shape;
}

/// Returns an integer as the Rust type of `number`, for example the number of all rows of a list. The result is exact up to
/// 9,007,199,254,740,992 (2 to the power of 53), and otherwise the nearest `f64`, as for every number in JavaScript.
///
/// ```
/// use kit_runtime::as_number;
///
/// assert_eq!(as_number(20), 20.0);
/// ```
#[allow(clippy::cast_precision_loss)] // Reason: the documentation names the bound.
pub const fn as_number(integer: i64) -> f64 {
    integer as f64
}

/// Name of this server in errors and logs.
pub const SERVER_ADAPTER: &str = "axum";

/// Returns true if responses contain details for developers: `NODE_ENV` is `development`, as in the TypeScript runtime.
///
/// ```
/// use kit_runtime::{HeaderValue, header, is_development};
///
/// /// Returns the value of `cache-control` for pages.
/// fn caching() -> HeaderValue {
///     HeaderValue::from_static(if is_development() { "no-store" } else { "max-age=60" })
/// }
/// ```
pub fn is_development() -> bool {
    static IS_DEVELOPMENT: std::sync::LazyLock<bool> =
        std::sync::LazyLock::new(|| std::env::var("NODE_ENV").is_ok_and(|mode| mode == "development"));
    *IS_DEVELOPMENT
}

#[cfg(feature = "server")]
/// Returns true if the server runs in tests: `NODE_ENV` is `test`.
fn is_test() -> bool {
    static IS_TEST: std::sync::LazyLock<bool> =
        std::sync::LazyLock::new(|| std::env::var("NODE_ENV").is_ok_and(|mode| mode == "test"));
    *IS_TEST
}

/// Serde functions for a property that may be absent: `#[serde(default, with = "optional", …)]`. Unlike with `Option`
/// alone, null does not mean absent, and is refused unless the type includes null.
///
/// ```
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Deserialize, Serialize)]
/// struct Note {
///     #[serde(default, with = "kit_runtime::optional", skip_serializing_if = "Option::is_none")]
///     author: Option<String>,
/// }
///
/// let note: Note = serde_json::from_str("{}")?;
/// assert_eq!(note.author, None);
/// assert!(serde_json::from_str::<Note>(r#"{ "author": null }"#).is_err());
/// # Ok::<(), serde_json::Error>(())
/// ```
pub mod optional {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    /// Deserializes a property that is present.
    ///
    /// # Errors
    ///
    /// If the value does not have the type `T`.
    #[doc(hidden)] // Called by Serde, as in the example of the module.
    pub fn deserialize<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
        deserializer: D,
    ) -> Result<Option<T>, D::Error> {
        T::deserialize(deserializer).map(Some)
    }

    /// Serializes a property that is present. Set `skip_serializing_if` as well, so that `serde` does not call this
    /// function for an absent property.
    ///
    /// # Errors
    ///
    /// If the value has no form in the output format.
    #[doc(hidden)] // Called by Serde, as in the example of the module.
    pub fn serialize<S: Serializer, T: Serialize>(
        value: &Option<T>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        value.serialize(serializer)
    }
}

/// Runs the examples of the README as tests.
#[cfg(all(doctest, feature = "server"))]
#[doc = include_str!("../README.md")]
struct Readme;
