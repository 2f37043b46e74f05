//! Middleware `readCaller`. Takes the scopes of the caller from the header `x-scopes`.

use kit_runtime::{Caller, Error, Middleware, Request};

use crate::app::App;

/// Scopes of the caller. `None` if the request has no header `x-scopes`.
#[derive(Debug, Clone)]
pub struct ReadCaller {
    scopes: Option<Vec<String>>,
}

impl Caller for ReadCaller {
    fn has(&self, scope: &str) -> bool {
        let mut known = self.scopes.iter().flatten();
        known.any(|known| known == scope)
    }

    fn is_authenticated(&self) -> bool {
        self.scopes.is_some()
    }
}

impl Middleware<App> for ReadCaller {
    const NAME: &'static str = "readCaller";

    async fn run(_app: &App, request: &Request) -> Result<Self, Error> {
        let header = request.header("x-scopes");
        let scopes = header.map(|text| text.split(' ').map(str::to_owned).collect());
        Ok(Self { scopes })
    }
}
