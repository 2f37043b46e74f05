//! Middleware `readSession`. Accepts all requests.

use kit_runtime::sessions::Session;
use kit_runtime::{Error, Middleware, Request};

use crate::app::App;
use crate::services::sessions::{SessionData, sessions};

/// Visitor, who may be logged in.
#[derive(Debug, Clone)]
pub struct ReadSession {
    pub session: Option<Session<SessionData>>,
}

impl Middleware<App> for ReadSession {
    const NAME: &'static str = "readSession";

    async fn run(_app: &App, request: &Request) -> Result<Self, Error> {
        let session = sessions()?.read(request.context()).await?;
        Ok(Self { session })
    }
}
