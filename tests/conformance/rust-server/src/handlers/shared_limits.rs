//! Handler of `SharedLimitRoutes`.

use crate::app::App;
use crate::error::Error;
use crate::models::Answered;
use crate::router::{GetLimitedShared, SharedLimitRoutes};

impl SharedLimitRoutes for App {
    async fn get_limited_shared(&self, _input: GetLimitedShared) -> Result<Answered, Error> {
        Ok(Answered { ok: true })
    }
}
