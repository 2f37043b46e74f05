//! Handlers of `PublicRoutes`. This file is yours: kit wrote it once and does not change it.

use crate::app::App;
use crate::db::draft;
use crate::error::Error;
use crate::models::{GetOpenDraftsResponse, Project, Remark};
use crate::router::{GetOpenDrafts, GetOpenProjectsById, PostOpenRemarks, PublicRoutes};

impl PublicRoutes for App {
    async fn get_open_projects_by_id(&self, _input: GetOpenProjectsById) -> Result<Project, Error> {
        Err(Error::not_specified(
            "GET /open/projects/:id",
            "rows of `Project` belong to `ctx.user.id`, which no middleware of the route adds",
        ))
    }

    async fn get_open_drafts(&self, _input: GetOpenDrafts) -> Result<GetOpenDraftsResponse, Error> {
        let rows = draft::list(&self.pool, i64::MAX, 0).await?;
        Ok(GetOpenDraftsResponse(rows))
    }

    async fn post_open_remarks(&self, _input: PostOpenRemarks) -> Result<Remark, Error> {
        Err(Error::not_specified(
            "POST /open/remarks",
            "rows of `Task` belong to `ctx.user.id`, which no middleware of the route adds",
        ))
    }
}
