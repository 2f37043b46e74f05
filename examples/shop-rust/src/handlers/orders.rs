//! Handlers of `OrderRoutes`. This file is yours: kit wrote it once and does not change it.

use crate::app::App;
use crate::error::Error;
use crate::models::{GetOrdersResponse, OrderView, PostOrdersReply201Headers};
use crate::router::{GetOrders, GetOrdersById, OrderRoutes, PostOrders, PostOrdersReply};
use crate::services::orders;

impl OrderRoutes for App {
    async fn post_orders(&self, input: PostOrders) -> Result<PostOrdersReply, Error> {
        let account_id = input.require_session.auth.subject();
        let mut connection = input.once.transaction.connection().await?;
        let body = orders::place(&mut connection, account_id).await?;
        let location = format!("/orders/{}", body.id);
        let headers = PostOrdersReply201Headers { location };
        Ok(PostOrdersReply::Created { headers, body })
    }

    async fn get_orders(&self, input: GetOrders) -> Result<GetOrdersResponse, Error> {
        let account_id = input.require_session.auth.subject();
        orders::page(&self.pool, account_id, &input.query).await
    }

    async fn get_orders_by_id(&self, input: GetOrdersById) -> Result<OrderView, Error> {
        let account_id = input.require_session.auth.subject();
        orders::get(&self.pool, account_id, &input.params.id).await
    }
}
