//! Middleware `tagged`. Sets headers before the inner wrappers run.

use kit_runtime::{Error, HeaderName, HeaderValue, Middleware, Request};

use crate::app::App;

/// Result of the middleware `tagged`. It adds nothing to the request.
#[derive(Debug, Clone)]
pub struct Tagged;

impl Middleware<App> for Tagged {
    const NAME: &'static str = "tagged";

    async fn run(_app: &App, request: &Request) -> Result<Self, Error> {
        for name in ["x-outer", "x-shared"] {
            let value = HeaderValue::from_static("tagged");
            request.context().set_header(HeaderName::from_static(name), value);
        }
        Ok(Self)
    }
}
