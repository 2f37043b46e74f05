//! Handlers of `ScopedRoutes`.

use crate::app::App;
use crate::error::Error;
use crate::handlers::payments::pay;
use crate::models::PaymentText;
use crate::router::{PostScoped, ScopedRoutes};

impl ScopedRoutes for App {
    async fn post_scoped(&self, input: PostScoped) -> Result<PaymentText, Error> {
        pay(&input.once_of_caller.transaction, &input.context, input.body).await
    }
}
