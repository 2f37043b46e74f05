//! Handlers of `OrderRoutes`.

use crate::app::App;
use crate::error::Error;
use crate::models::GetOrderResponse;
use crate::router::{GetOrder, OrderRoutes};

impl OrderRoutes for App {
    async fn get_order(&self, input: GetOrder) -> Result<GetOrderResponse, Error> {
        let mut steps = [
            ("global5", input.global5.0),
            ("group7", input.group7.0),
            ("global9", input.global9.0),
        ];
        steps.sort_by_key(|(_, step)| *step);
        let names = steps.map(|(name, _)| name);
        Ok(GetOrderResponse {
            order: names.join(" "),
        })
    }
}
