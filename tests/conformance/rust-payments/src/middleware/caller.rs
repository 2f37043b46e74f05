//! Middleware `caller`. Takes the id of the caller from the header `x-user`, and the scopes from `x-scopes`.

use kit_runtime::{Error, Middleware, Request};

use crate::app::App;

/// Id of the caller, for the wrapper `onceOfCaller`, and the scopes.
#[derive(Debug, Clone)]
pub struct Caller {
    pub id: String,
    scopes: String,
}

impl kit_runtime::Caller for Caller {
    fn has(&self, scope: &str) -> bool {
        self.scopes.split(' ').any(|known| known == scope)
    }
}

impl Middleware<App> for Caller {
    const NAME: &'static str = "caller";

    async fn run(_app: &App, request: &Request) -> Result<Self, Error> {
        let text = |name| request.header(name).unwrap_or_default().into_owned();
        let caller = Self {
            id: text("x-user"),
            scopes: text("x-scopes"),
        };
        request.context().insert(caller.clone());
        Ok(caller)
    }
}
