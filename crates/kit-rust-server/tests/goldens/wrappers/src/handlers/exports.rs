//! Handlers of `ExportRoutes`. This file is yours: kit wrote it once and does not change it.

use kit_runtime::Reply;

use crate::app::App;
use crate::error::Error;
use crate::router::{ExportRoutes, GetExportsById};

impl ExportRoutes for App {
    async fn get_exports_by_id(&self, _input: GetExportsById) -> Result<Reply, Error> {
        Err(Error::not_implemented(
            "GET /exports/:id",
            "src/handlers/exports.rs",
        ))
    }
}
