//! Handlers of `OrderRoutes`. This file is yours: kit wrote it once and does not change it.

use crate::app::App;
use crate::error::Error;
use crate::models::{GetStockResponse, Session};
use crate::router::{
    CancelOrder, CancelOrderReply, CreateOrder, CreateOrderReply, GetOrdersById,
    GetOrdersByIdReply, GetSession, GetStock, OrderRoutes, PutSession,
};

impl OrderRoutes for App {
    async fn create_order(&self, _input: CreateOrder) -> Result<CreateOrderReply, Error> {
        Err(Error::not_implemented(
            "POST /orders",
            "src/handlers/orders.rs",
        ))
    }

    async fn get_orders_by_id(&self, _input: GetOrdersById) -> Result<GetOrdersByIdReply, Error> {
        Err(Error::not_implemented(
            "GET /orders/:id",
            "src/handlers/orders.rs",
        ))
    }

    async fn cancel_order(&self, _input: CancelOrder) -> Result<CancelOrderReply, Error> {
        Err(Error::not_implemented(
            "DELETE /orders/:id",
            "src/handlers/orders.rs",
        ))
    }

    async fn get_session(&self, _input: GetSession) -> Result<Session, Error> {
        Err(Error::not_implemented(
            "GET /session",
            "src/handlers/orders.rs",
        ))
    }

    async fn put_session(&self, _input: PutSession) -> Result<Session, Error> {
        Err(Error::not_implemented(
            "PUT /session",
            "src/handlers/orders.rs",
        ))
    }

    async fn get_stock(&self, _input: GetStock) -> Result<GetStockResponse, Error> {
        Err(Error::not_implemented(
            "GET /stock",
            "src/handlers/orders.rs",
        ))
    }
}
