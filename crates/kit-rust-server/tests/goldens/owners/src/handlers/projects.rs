//! Handlers of `ProjectRoutes`. This file is yours: kit wrote it once and does not change it.

use kit_runtime::sql::is_value_error;
use kit_runtime::value;

use crate::app::App;
use crate::db::project::{self, NewProject, ProjectChanges};
use crate::db::task::{self, TaskFilter};
use crate::error::{AppError, Error};
use crate::models::{GetProjectsByProjectIdTasksResponse, PageOfProject, PagePagination, Project};
use crate::router::{
    DeleteProjectsById, GetProjects, GetProjectsById, GetProjectsByProjectIdTasks,
    PatchProjectsById, PostProjects, ProjectRoutes,
};

/// Error for a request whose project the database refuses.
fn project_refused(error: sqlx::Error) -> Error {
    if is_value_error(&error) {
        return Error::bad_request(
            "VALIDATION_ERROR",
            "A value of the request does not fit its column",
        );
    }
    error.into()
}

/// Error for a request whose project does not exist.
fn project_not_found(id: &str) -> Error {
    AppError::ProjectNotFound
        .with("Project not found")
        .with_details(value!({ "id": id }))
}

/// Error for a request whose project does not exist.
fn project_not_found2(id: &str) -> Error {
    Error::not_found("NOT_FOUND", "Project not found").with_details(value!({ "id": id }))
}

impl ProjectRoutes for App {
    async fn post_projects(&self, input: PostProjects) -> Result<Project, Error> {
        let owner = &input.require_user.user_id;
        let body = input.body;
        let new = NewProject {
            id: None,
            name: body.name,
            owner_id: owner.clone(),
            created_at: None,
        };
        project::insert(&self.pool, &new)
            .await
            .map_err(project_refused)
    }

    async fn get_projects(&self, input: GetProjects) -> Result<PageOfProject, Error> {
        let owner = &input.require_user.user_id;
        let page = input.query.page.unwrap_or(1);
        let page_size = input.query.page_size.unwrap_or(20);
        let offset = (page - 1).saturating_mul(page_size);
        let (data, total) = tokio::try_join!(
            project::list(&self.pool, owner, page_size, offset),
            project::count(&self.pool, owner),
        )?;
        let total_pages = total / page_size + i64::from(total % page_size > 0);
        Ok(PageOfProject {
            data,
            pagination: PagePagination {
                total: total as f64,
                page: page as f64,
                page_size: page_size as f64,
                total_pages: total_pages as f64,
            },
        })
    }

    async fn get_projects_by_id(&self, input: GetProjectsById) -> Result<Project, Error> {
        let id = &input.params.id;
        let owner = &input.require_user.user_id;
        let found = project::get(&self.pool, id, owner).await?;
        found.ok_or_else(|| project_not_found(id))
    }

    async fn patch_projects_by_id(&self, input: PatchProjectsById) -> Result<Project, Error> {
        let id = &input.params.id;
        let owner = &input.require_user.user_id;
        let body = input.body;
        let changes = ProjectChanges { name: body.name };
        let changed = project::update(&self.pool, id, owner, &changes).await?;
        changed.ok_or_else(|| project_not_found2(id))
    }

    async fn delete_projects_by_id(&self, input: DeleteProjectsById) -> Result<(), Error> {
        let id = &input.params.id;
        let owner = &input.require_user.user_id;
        let deleted = project::delete(&self.pool, id, owner).await?;
        if deleted {
            Ok(())
        } else {
            Err(project_not_found2(id))
        }
    }

    async fn get_projects_by_project_id_tasks(
        &self,
        input: GetProjectsByProjectIdTasks,
    ) -> Result<GetProjectsByProjectIdTasksResponse, Error> {
        let owner = &input.require_user.user_id;
        let filter = TaskFilter {
            project_id: Some(input.params.project_id),
            ..TaskFilter::default()
        };
        let rows = task::list(&self.pool, owner, &filter, i64::MAX, 0).await?;
        Ok(GetProjectsByProjectIdTasksResponse(rows))
    }
}
