//! `readMember`. This file is yours: kit wrote it once and does not change it.

use kit_runtime::{Error, Middleware, Request};

use crate::app::App;
use crate::services::tokens;

/// Values that `readMember` adds to a request.
#[derive(Debug, Clone)]
pub struct ReadMember {
    /// Id of the user who asks, or `None` if the request has no token.
    pub reader_id: Option<String>,
}

impl Middleware<App> for ReadMember {
    const NAME: &'static str = "readMember";

    /// Accepts requests with and without a token.
    async fn run(_app: &App, request: &Request) -> Result<Self, Error> {
        let header = request.header("authorization");
        let reader_id = header
            .map(|header| tokens::account_of(&header))
            .transpose()?;
        Ok(Self { reader_id })
    }
}
