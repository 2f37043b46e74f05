use kit_runtime::Reply;

use crate::app::App;
use crate::error::Error;
use crate::router::{ExportRoutes, GetExportsById};

impl ExportRoutes for App {
    async fn get_exports_by_id(&self, _input: GetExportsById) -> Result<Reply, Error> {
        let lines = Reply::stream(async |mut chunks| {
            for line in ["a,b\n", "1,2\n"] {
                chunks.send(line).await?;
            }
            Ok(())
        });
        Ok(lines.content_type("text/csv"))
    }
}
