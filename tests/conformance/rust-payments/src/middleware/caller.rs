//! Middleware `caller`. Takes the id of the caller from the header `x-user`.

use kit_runtime::{Error, Middleware, Request};

use crate::app::App;

/// Id of the caller, for the wrapper `onceOfCaller`.
#[derive(Debug, Clone)]
pub struct Caller {
    pub id: String,
}

impl Middleware<App> for Caller {
    const NAME: &'static str = "caller";

    async fn run(_app: &App, request: &Request) -> Result<Self, Error> {
        let id = request.header("x-user").unwrap_or_default().into_owned();
        let caller = Self { id };
        request.context().insert(caller.clone());
        Ok(caller)
    }
}
