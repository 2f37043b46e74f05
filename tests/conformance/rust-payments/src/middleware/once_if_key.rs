//! Wrapper `onceIfKey`. Executes requests with the same key once, and requests without a key each time.

use std::sync::LazyLock;

use kit_runtime::idempotency::{Idempotency, IdempotencyOptionError, IdempotencyOptions, KeyOwner};
use kit_runtime::postgres::RequestTransaction;
use kit_runtime::{Error, Never, Next, Request, Wrapped, Wrapper};

use crate::app::App;

fn idempotency() -> Result<&'static Idempotency, IdempotencyOptionError> {
    static ONCE: LazyLock<Result<Idempotency, IdempotencyOptionError>> =
        LazyLock::new(|| IdempotencyOptions::new().optional().build());
    ONCE.as_ref().map_err(Clone::clone)
}

/// Values that `onceIfKey` adds to a request.
#[derive(Debug, Clone)]
pub struct OnceIfKey {
    /// Transaction in which the handler makes its queries.
    pub transaction: RequestTransaction,
}

impl Wrapper<App> for OnceIfKey {
    const NAME: &'static str = "onceIfKey";

    type Reply = Never;

    async fn run(app: &App, request: &Request, next: Next<'_, Self>) -> Result<Wrapped, Error> {
        let adds = |transaction| Self { transaction };
        idempotency()?
            .run(&app.pool, request, KeyOwner::Anyone, next, adds)
            .await
    }
}
