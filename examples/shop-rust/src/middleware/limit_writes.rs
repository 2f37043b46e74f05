//! `limitWrites`. This file is yours: kit wrote it once and does not change it.

use kit_runtime::{Error, Middleware, Request};

use crate::app::App;
use crate::services::limits;
use crate::services::sessions::sessions;

/// Values that `limitWrites` adds to a request.
#[derive(Debug, Clone)]
pub struct LimitWrites;

impl Middleware<App> for LimitWrites {
    const NAME: &'static str = "limitWrites";

    /// Limits how often an account may change something.
    async fn run(app: &App, request: &Request) -> Result<Self, Error> {
        // A middleware cannot see the values of an earlier middleware, so that the session is read again.
        let session = sessions(app)?.read(request.context()).await?;
        let account = session.as_ref().map(|session| session.subject());
        limits::writes(app)?.check_by(request, account)?;
        Ok(Self)
    }
}
