//! Handlers of `OrderRoutes`. This file is yours: kit wrote it once and does not change it.

use crate::app::App;
use crate::error::Error;
use crate::models::Received;
use crate::router::{
    GetExport, GetExportReply, GetReport, GetReportContents, GetWatch, GetWatchContents,
    OrderRoutes, PostOrders, PostPhotos,
};

impl OrderRoutes for App {
    async fn post_orders(&self, _input: PostOrders) -> Result<Received, Error> {
        Err(Error::not_implemented(
            "POST /orders",
            "src/handlers/orders.rs",
        ))
    }

    async fn post_photos(&self, _input: PostPhotos) -> Result<Received, Error> {
        Err(Error::not_implemented(
            "POST /photos",
            "src/handlers/orders.rs",
        ))
    }

    async fn get_report(&self, _input: GetReport) -> Result<GetReportContents, Error> {
        Err(Error::not_implemented(
            "GET /report",
            "src/handlers/orders.rs",
        ))
    }

    async fn get_export(&self, _input: GetExport) -> Result<GetExportReply, Error> {
        Err(Error::not_implemented(
            "GET /export",
            "src/handlers/orders.rs",
        ))
    }

    async fn get_watch(&self, _input: GetWatch) -> Result<GetWatchContents, Error> {
        Err(Error::not_implemented(
            "GET /watch",
            "src/handlers/orders.rs",
        ))
    }
}
