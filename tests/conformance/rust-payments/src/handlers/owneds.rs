//! Handlers of `OwnedRoutes`.

use crate::app::App;
use crate::error::Error;
use crate::handlers::payments::pay;
use crate::models::PaymentText;
use crate::router::{OwnedRoutes, PostOwned};

impl OwnedRoutes for App {
    async fn post_owned(&self, input: PostOwned) -> Result<PaymentText, Error> {
        pay(&input.once_of_caller.transaction, &input.context, input.body).await
    }
}
