//! Handlers of `TaskRoutes`. This file is yours: kit wrote it once and does not change it.

use kit_runtime::sql::{is_value_error, violated_constraint};
use kit_runtime::{as_number, value};

use crate::app::App;
use crate::db::project;
use crate::db::task::{self, NewTask, TaskChanges, TaskFilter};
use crate::error::{AppError, Error};
use crate::models::{GetNewestTasksResponse, PageOfTaskTitle, PagePagination, Task, TaskTitle};
use crate::router::{
    DeleteTasksById, GetNewestTasks, GetTasks, GetTasksById, PostTasks, PutTasksById, TaskRoutes,
};

/// Error for a request whose task would belong to another user.
fn other_owner_of_task() -> Error {
    AppError::TaskOfAnotherUser.with("Users make tasks for themselves")
}

/// Refuses a project that does not exist or belongs to another user, both with the same error.
async fn check_project_id(app: &App, id: Option<&str>, owner: &str) -> Result<(), Error> {
    let Some(id) = id else {
        return Ok(());
    };
    let found = project::get(&app.pool, id, owner).await?;
    if found.is_none() {
        return Err(AppError::ProjectNotFound.with("Project not found"));
    }
    Ok(())
}

/// Refuses a task that does not exist or belongs to another user, both with the same error.
async fn check_parent_id(app: &App, id: Option<&str>, owner: &str) -> Result<(), Error> {
    let Some(id) = id else {
        return Ok(());
    };
    let found = task::get(&app.pool, id, owner).await?;
    if found.is_none() {
        return Err(Error::conflict("CONFLICT", "Task not found"));
    }
    Ok(())
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
        Some(task::PROJECT_ID_REFERENCE) => AppError::ProjectNotFound.with("Project not found"),
        Some(task::PARENT_ID_REFERENCE) => Error::conflict("CONFLICT", "Task not found"),
        _ => error.into(),
    }
}

/// Error for a request whose task does not exist.
fn task_not_found(id: &str) -> Error {
    Error::not_found("NOT_FOUND", "Task not found").with_details(value!({ "id": id }))
}

impl TaskRoutes for App {
    async fn post_tasks(&self, input: PostTasks) -> Result<Task, Error> {
        let owner = &input.require_user.user_id;
        let body = input.body;
        if body.user_id != *owner {
            return Err(other_owner_of_task());
        }
        check_project_id(self, Some(body.project_id.as_str()), owner).await?;
        check_parent_id(
            self,
            body.parent_id.as_ref().and_then(Option::as_deref),
            owner,
        )
        .await?;
        let new = NewTask {
            id: None,
            title: body.title,
            done: Some(body.done),
            user_id: owner.clone(),
            project_id: body.project_id,
            parent_id: body.parent_id.flatten(),
            created_at: None,
        };
        task::insert(&self.pool, &new).await.map_err(task_refused)
    }

    async fn get_tasks(&self, input: GetTasks) -> Result<PageOfTaskTitle, Error> {
        let owner = &input.require_user.user_id;
        let filter = TaskFilter {
            done: input.query.done,
            user_id: input.query.user_id,
            ..TaskFilter::default()
        };
        let page = input.query.page.unwrap_or(1);
        let page_size = input.query.page_size.unwrap_or(20);
        let offset = (page - 1).saturating_mul(page_size);
        let mut connection = self.pool.acquire().await?;
        let (rows, total) =
            task::list_with_total(&mut connection, owner, &filter, page_size, offset).await?;
        let data = rows
            .into_iter()
            .map(|row| TaskTitle {
                id: row.id,
                title: row.title,
            })
            .collect();
        let total_pages = total / page_size + i64::from(total % page_size > 0);
        Ok(PageOfTaskTitle {
            data,
            pagination: PagePagination {
                total: as_number(total),
                page: as_number(page),
                page_size: as_number(page_size),
                total_pages: as_number(total_pages),
            },
        })
    }

    async fn get_newest_tasks(
        &self,
        input: GetNewestTasks,
    ) -> Result<GetNewestTasksResponse, Error> {
        let owner = &input.require_user.user_id;
        let page = task::KEYSET
            .filters()
            .filter("userId", &owner)
            .filter("done", &input.query.done)
            .page(
                input.query.cursor.as_deref(),
                input.query.limit.unwrap_or(20),
            )?;
        let filter = TaskFilter {
            done: input.query.done,
            ..TaskFilter::default()
        };
        let rows = task::page(&self.pool, owner, &filter, &page).await?;
        let page = page.of(rows)?;
        let rows = page.data;
        let data = rows
            .into_iter()
            .map(|row| TaskTitle {
                id: row.id,
                title: row.title,
            })
            .collect();
        Ok(GetNewestTasksResponse {
            data,
            next: page.next,
            previous: page.previous,
        })
    }

    async fn get_tasks_by_id(&self, input: GetTasksById) -> Result<Task, Error> {
        let id = &input.params.id;
        let owner = &input.require_user.user_id;
        let found = task::get(&self.pool, id, owner).await?;
        found.ok_or_else(|| task_not_found(id))
    }

    async fn put_tasks_by_id(&self, input: PutTasksById) -> Result<Task, Error> {
        let id = &input.params.id;
        let owner = &input.require_user.user_id;
        let body = input.body;
        if body.user_id.as_ref().is_some_and(|given| given != owner) {
            return Err(other_owner_of_task());
        }
        check_project_id(self, body.project_id.as_deref(), owner).await?;
        check_parent_id(
            self,
            body.parent_id.as_ref().and_then(Option::as_deref),
            owner,
        )
        .await?;
        let changes = TaskChanges {
            title: body.title,
            done: body.done,
            project_id: body.project_id,
            parent_id: body.parent_id,
        };
        let updated = task::update(&self.pool, id, owner, &changes)
            .await
            .map_err(task_refused)?;
        updated.ok_or_else(|| task_not_found(id))
    }

    async fn delete_tasks_by_id(&self, input: DeleteTasksById) -> Result<(), Error> {
        let id = &input.params.id;
        let owner = &input.require_user.user_id;
        let deleted = task::delete(&self.pool, id, owner).await?;
        if deleted {
            Ok(())
        } else {
            Err(task_not_found(id))
        }
    }
}
