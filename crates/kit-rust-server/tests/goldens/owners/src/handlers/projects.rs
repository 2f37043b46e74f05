//! Handlers of `ProjectRoutes`. This file is yours: kit wrote it once and does not change it.

use kit_runtime::sql::{is_value_error, violated_constraint};
use kit_runtime::{as_number, value};

use crate::app::App;
use crate::db::project::{self, NewProject, ProjectChanges};
use crate::db::task::{self, TaskChanges, TaskFilter};
use crate::error::{AppError, Error};
use crate::models::{
    Direction, GetProjectsByProjectIdTasksResponse, GetProjectsQuerySort, PageOfProject,
    PagePagination, Project, Task,
};
use crate::router::{
    DeleteProjectsById, DeleteProjectsByProjectIdTasksById, GetProjects, GetProjectsById,
    GetProjectsByProjectIdTasks, GetProjectsByProjectIdTasksById, GetTasksByParentIdTasksByTaskId,
    PatchProjectsById, PatchProjectsByProjectIdTasksById, PostProjects, ProjectRoutes,
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

/// Error for a request whose task does not exist.
fn task_not_found(id: &str) -> Error {
    Error::not_found("NOT_FOUND", "Task not found").with_details(value!({ "id": id }))
}

/// Error for a request whose task the database refuses.
fn task_refused(error: sqlx::Error) -> Error {
    if is_value_error(&error) {
        return Error::bad_request(
            "VALIDATION_ERROR",
            "A value of the request does not fit its column",
        );
    }
    match violated_constraint(&error) {
        Some(task::PROJECT_ID_REFERENCE) => Error::conflict("CONFLICT", "Project not found"),
        Some(task::PARENT_ID_REFERENCE) => Error::conflict("CONFLICT", "Task not found"),
        _ => error.into(),
    }
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
        let order = project::ListOrder {
            by: input.query.sort.map(|sort| match sort {
                GetProjectsQuerySort::Name => project::SortColumn::Name,
                GetProjectsQuerySort::CreatedAt => project::SortColumn::CreatedAt,
            }),
            descending: input.query.order.map(|order| order == Direction::Desc),
        };
        let page = input.query.page.unwrap_or(1);
        let page_size = input.query.page_size.unwrap_or(20);
        let offset = (page - 1).saturating_mul(page_size);
        let mut connection = self.pool.acquire().await?;
        let (data, total) =
            project::list_with_total(&mut connection, owner, order, page_size, offset).await?;
        let total_pages = total / page_size + i64::from(total % page_size > 0);
        Ok(PageOfProject {
            data,
            pagination: PagePagination {
                total: as_number(total),
                page: as_number(page),
                page_size: as_number(page_size),
                total_pages: as_number(total_pages),
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
        let updated = project::update(&self.pool, id, owner, &changes).await?;
        updated.ok_or_else(|| project_not_found2(id))
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

    async fn get_projects_by_project_id_tasks_by_id(
        &self,
        input: GetProjectsByProjectIdTasksById,
    ) -> Result<Task, Error> {
        let id = &input.params.id;
        let owner = &input.require_user.user_id;
        let found = task::get(&self.pool, id, owner).await?;
        found
            .filter(|row| {
                row.project_id
                    .eq_ignore_ascii_case(&input.params.project_id)
            })
            .ok_or_else(|| task_not_found(id))
    }

    async fn patch_projects_by_project_id_tasks_by_id(
        &self,
        input: PatchProjectsByProjectIdTasksById,
    ) -> Result<Task, Error> {
        let id = &input.params.id;
        let owner = &input.require_user.user_id;
        let body = input.body;
        let changes = TaskChanges {
            title: body.title,
            done: None,
            project_id: None,
            parent_id: None,
        };
        let mut transaction = self.pool.begin().await?;
        let found = task::get_for_update(&mut *transaction, id, owner).await?;
        let is_missing = found.is_none_or(|row| {
            !row.project_id
                .eq_ignore_ascii_case(&input.params.project_id)
        });
        if is_missing {
            return Err(task_not_found(id));
        }
        let updated = task::update(&mut *transaction, id, owner, &changes)
            .await
            .map_err(task_refused)?;
        transaction.commit().await?;
        updated.ok_or_else(|| task_not_found(id))
    }

    async fn delete_projects_by_project_id_tasks_by_id(
        &self,
        input: DeleteProjectsByProjectIdTasksById,
    ) -> Result<(), Error> {
        let id = &input.params.id;
        let owner = &input.require_user.user_id;
        let mut transaction = self.pool.begin().await?;
        let found = task::get_for_update(&mut *transaction, id, owner).await?;
        let is_missing = found.is_none_or(|row| {
            !row.project_id
                .eq_ignore_ascii_case(&input.params.project_id)
        });
        if is_missing {
            return Err(task_not_found(id));
        }
        let deleted = task::delete(&mut *transaction, id, owner).await?;
        transaction.commit().await?;
        if deleted {
            Ok(())
        } else {
            Err(task_not_found(id))
        }
    }

    async fn get_tasks_by_parent_id_tasks_by_task_id(
        &self,
        input: GetTasksByParentIdTasksByTaskId,
    ) -> Result<Task, Error> {
        let id = &input.params.task_id;
        let owner = &input.require_user.user_id;
        let found = task::get(&self.pool, id, owner).await?;
        found
            .filter(|row| {
                row.parent_id
                    .as_ref()
                    .and_then(Option::as_ref)
                    .is_some_and(|value| value.eq_ignore_ascii_case(&input.params.parent_id))
            })
            .ok_or_else(|| task_not_found(id))
    }
}
