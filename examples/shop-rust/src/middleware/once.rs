//! `once`. This file is yours: kit wrote it once and does not change it.

use kit_runtime::idempotency::KeyOwner;
use kit_runtime::postgres::RequestTransaction;
use kit_runtime::{Error, Never, Next, Request, Wrapped, Wrapper};

use crate::app::App;
use crate::services::sessions::AccountId;

/// Values that `once` adds to a request.
#[derive(Debug, Clone)]
pub struct Once {
    /// Transaction in which the handler makes its queries.
    pub transaction: RequestTransaction,
}

impl Wrapper<App> for Once {
    const NAME: &'static str = "once";

    type Reply = Never;

    /// Executes a request of an account once, also if the client repeats the request with the same idempotency key.
    async fn run(app: &App, request: &Request, next: Next<'_, Self>) -> Result<Wrapped, Error> {
        let account = request.context().get::<AccountId>();
        let owner = KeyOwner::Caller(account.as_ref().map_or("", |AccountId(id)| id));
        let adds = |transaction| Self { transaction };
        app.idempotency
            .run(&app.pool, request, owner, next, adds)
            .await
    }
}
