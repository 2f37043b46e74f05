//! `limitLogins`. This file is yours: kit wrote it once and does not change it.

use kit_runtime::{Error, Middleware, Request};

use crate::app::App;

/// Values that `limitLogins` adds to a request.
#[derive(Debug, Clone)]
pub struct LimitLogins;

impl Middleware<App> for LimitLogins {
    const NAME: &'static str = "limitLogins";

    /// Limits how often an address may try a password.
    async fn run(app: &App, request: &Request) -> Result<Self, Error> {
        app.limits.logins.check(request)?;
        Ok(Self)
    }
}
