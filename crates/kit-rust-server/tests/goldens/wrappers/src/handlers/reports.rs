//! Handlers of `ReportRoutes`. This file is yours: kit wrote it once and does not change it.

use crate::app::App;
use crate::error::Error;
use crate::models::Report;
use crate::router::{
    DeleteReportsById, GetReportsById, PostReports, PostReportsReply, ReportRoutes,
};

impl ReportRoutes for App {
    async fn get_reports_by_id(&self, _input: GetReportsById) -> Result<Report, Error> {
        Err(Error::not_implemented(
            "GET /reports/:id",
            "src/handlers/reports.rs",
        ))
    }

    async fn post_reports(&self, _input: PostReports) -> Result<PostReportsReply, Error> {
        Err(Error::not_implemented(
            "POST /reports",
            "src/handlers/reports.rs",
        ))
    }

    async fn delete_reports_by_id(&self, _input: DeleteReportsById) -> Result<(), Error> {
        Err(Error::not_implemented(
            "DELETE /reports/:id",
            "src/handlers/reports.rs",
        ))
    }
}
