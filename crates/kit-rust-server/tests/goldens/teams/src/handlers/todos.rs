//! Handlers of `TodoRoutes`. This file is yours: kit wrote it once and does not change it.

use kit_runtime::sql::violated_constraint;
use kit_runtime::value;

use crate::app::App;
use crate::db::todo::{self, NewTodo, TodoChanges, TodoFilter};
use crate::error::{AppError, Error};
use crate::models::{PaginatedResponseOfTodo, PaginatedResponsePagination, Todo};
use crate::router::{DeleteTodosById, GetTodos, GetTodosById, PostTodos, PutTodosById, TodoRoutes};

/// Error for a request whose todo the database refuses.
fn todo_refused(error: sqlx::Error) -> Error {
    match violated_constraint(&error) {
        Some(todo::USER_ID_REFERENCE) => AppError::UserNotFound.with("User not found"),
        _ => error.into(),
    }
}

/// Error for a request whose todo does not exist.
fn todo_not_found(id: &str) -> Error {
    AppError::TodoNotFound
        .with("Todo not found")
        .with_details(value!({ "id": id }))
}

impl TodoRoutes for App {
    async fn post_todos(&self, input: PostTodos) -> Result<Todo, Error> {
        let body = input.body;
        let new = NewTodo {
            id: None,
            title: body.title,
            completed: Some(body.completed),
            user_id: body.user_id,
            created_at: None,
        };
        todo::insert(&self.pool, &new).await.map_err(todo_refused)
    }

    async fn get_todos(&self, input: GetTodos) -> Result<PaginatedResponseOfTodo, Error> {
        let filter = TodoFilter {
            completed: input.query.completed,
            user_id: input.query.user_id,
        };
        let page = input.query.page.unwrap_or(1);
        let page_size = input.query.page_size.unwrap_or(20);
        let offset = (page - 1).saturating_mul(page_size);
        let mut connection = self.pool.acquire().await?;
        let (data, total) =
            todo::list_with_total(&mut connection, &filter, page_size, offset).await?;
        let total_pages = total / page_size + i64::from(total % page_size > 0);
        Ok(PaginatedResponseOfTodo {
            data,
            pagination: PaginatedResponsePagination {
                total,
                page,
                page_size,
                total_pages,
            },
        })
    }

    async fn get_todos_by_id(&self, input: GetTodosById) -> Result<Todo, Error> {
        let id = &input.params.id;
        let found = todo::get(&self.pool, id).await?;
        found.ok_or_else(|| todo_not_found(id))
    }

    async fn put_todos_by_id(&self, input: PutTodosById) -> Result<Todo, Error> {
        let id = &input.params.id;
        let body = input.body;
        let changes = TodoChanges {
            title: body.title,
            completed: body.completed,
            user_id: None,
        };
        let updated = todo::update(&self.pool, id, &changes)
            .await
            .map_err(todo_refused)?;
        updated.ok_or_else(|| todo_not_found(id))
    }

    async fn delete_todos_by_id(&self, input: DeleteTodosById) -> Result<(), Error> {
        let id = &input.params.id;
        let deleted = todo::delete(&self.pool, id).await?;
        if deleted {
            Ok(())
        } else {
            Err(todo_not_found(id))
        }
    }
}
