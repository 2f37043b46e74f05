//! Middleware `requireAccount`, which reads the number of the account and the id of the tenant from the header `x-user`: `7:00000000-…`.

use kit_runtime::{Error, Middleware, Request};

use crate::app::App;
use crate::error::AppError;

/// Values that `requireAccount` adds to a request.
#[derive(Debug, Clone)]
pub struct RequireAccount {
    pub account_id: i64,
    pub tenant_id: String,
}

impl Middleware<App> for RequireAccount {
    const NAME: &'static str = "requireAccount";

    async fn run(_app: &App, request: &Request) -> Result<Self, Error> {
        let user = request.header("x-user").unwrap_or_default();
        let account = user.split_once(':').and_then(|(account, tenant)| Some((account.parse().ok()?, tenant)));
        let (account_id, tenant_id) = account.ok_or_else(|| AppError::Unauthorized.with("Nobody says who asks"))?;
        Ok(Self {
            account_id,
            tenant_id: tenant_id.to_owned(),
        })
    }
}
