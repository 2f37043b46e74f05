//! Wrapper `once`. Executes requests with the same key once, for all callers.

use std::sync::LazyLock;

use kit_runtime::idempotency::{Idempotency, IdempotencyOptionError, IdempotencyOptions, KeyOwner};
use kit_runtime::postgres::RequestTransaction;
use kit_runtime::{Error, Never, Next, Request, Wrapped, Wrapper};

use crate::app::App;

fn idempotency() -> Result<&'static Idempotency, IdempotencyOptionError> {
    static ONCE: LazyLock<Result<Idempotency, IdempotencyOptionError>> =
        LazyLock::new(|| IdempotencyOptions::new().max_bytes(1000).build());
    ONCE.as_ref().map_err(Clone::clone)
}

/// Values that `once` adds to a request.
#[derive(Debug, Clone)]
pub struct Once {
    /// Transaction in which the handler makes its queries.
    pub transaction: RequestTransaction,
}

impl Wrapper<App> for Once {
    const NAME: &'static str = "once";

    type Reply = Never;

    async fn run(app: &App, request: &Request, next: Next<'_, Self>) -> Result<Wrapped, Error> {
        let adds = |transaction| Self { transaction };
        idempotency()?
            .run(&app.pool, request, KeyOwner::Anyone, next, adds)
            .await
    }
}
