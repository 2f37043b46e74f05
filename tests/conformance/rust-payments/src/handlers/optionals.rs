//! Handlers of `OptionalRoutes`.

use crate::app::App;
use crate::error::Error;
use crate::handlers::payments::pay;
use crate::models::PaymentText;
use crate::router::{OptionalRoutes, PostOptional};

impl OptionalRoutes for App {
    async fn post_optional(&self, input: PostOptional) -> Result<PaymentText, Error> {
        pay(&input.once_if_key.transaction, &input.context, input.body).await
    }
}
