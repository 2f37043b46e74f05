//! Wrapper `onceOfCaller`. Executes requests with the same key once, for each caller.

use std::sync::LazyLock;

use kit_runtime::idempotency::{Idempotency, IdempotencyOptionError, IdempotencyOptions, Isolation, KeyOwner};
use kit_runtime::postgres::RequestTransaction;
use kit_runtime::{Error, Never, Next, Request, Wrapped, Wrapper};

use crate::app::App;
use crate::middleware::caller::Caller;

fn idempotency() -> Result<&'static Idempotency, IdempotencyOptionError> {
    static ONCE: LazyLock<Result<Idempotency, IdempotencyOptionError>> =
        LazyLock::new(|| IdempotencyOptions::new().isolation(Isolation::Serializable).build());
    ONCE.as_ref().map_err(Clone::clone)
}

/// Values that `onceOfCaller` adds to a request.
#[derive(Debug, Clone)]
pub struct OnceOfCaller {
    /// Transaction in which the handler makes its queries.
    pub transaction: RequestTransaction,
}

impl Wrapper<App> for OnceOfCaller {
    const NAME: &'static str = "onceOfCaller";

    type Reply = Never;

    async fn run(app: &App, request: &Request, next: Next<'_, Self>) -> Result<Wrapped, Error> {
        let caller = request.context().get::<Caller>();
        let owner = KeyOwner::Caller(caller.as_ref().map_or("", |caller| &caller.id));
        let adds = |transaction| Self { transaction };
        idempotency()?
            .run(&app.pool, request, owner, next, adds)
            .await
    }
}
