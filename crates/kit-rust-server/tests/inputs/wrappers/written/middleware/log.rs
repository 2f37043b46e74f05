use kit_runtime::{Error, HeaderName, HeaderValue, Middleware, Request};

use crate::app::App;

/// Values that `log` adds to a request.
#[derive(Debug, Clone)]
pub struct Log;

impl Middleware<App> for Log {
    const NAME: &'static str = "log";

    async fn run(_app: &App, request: &Request) -> Result<Self, Error> {
        let name = HeaderName::from_static("x-log");
        request.context().set_header(name, HeaderValue::from_static("1"));
        Ok(Self)
    }
}
