//! Middleware `guard`. Accepts requests with a token, and sets a header of the handshake.

use kit_runtime::{Error, HeaderName, HeaderValue, Middleware, Request};

use crate::app::App;

/// Result of the middleware `guard`. It adds nothing to the request.
#[derive(Debug, Clone)]
pub struct Guard;

impl Middleware<App> for Guard {
    const NAME: &'static str = "guard";

    async fn run(_app: &App, request: &Request) -> Result<Self, Error> {
        if request.header("x-token").as_deref() != Some("secret") {
            return Err(Error::unauthorized("UNAUTHORIZED", "Send x-token"));
        }
        let name = HeaderName::from_static("x-guarded");
        request.context().set_header(name, HeaderValue::from_static("yes"));
        Ok(Self)
    }
}
