//! The handlers of `TodoRoutes`. This file is yours: kit made it once and leaves it alone.

use crate::app::App;
use crate::db::todo::{self, NewTodo, TodoChanges};
use crate::error::{AppError, Error};
use crate::models::{PaginatedResponseOfTodo, PaginatedResponsePagination, Todo};
use crate::router::{DeleteTodosById, GetTodos, GetTodosById, PostTodos, PutTodosById, TodoRoutes};

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
        Ok(todo::insert(&self.pool, &new).await?)
    }

    async fn get_todos(&self, input: GetTodos) -> Result<PaginatedResponseOfTodo, Error> {
        let page = input.query.page.unwrap_or(1);
        let page_size = input.query.page_size.unwrap_or(20);
        let offset = (page - 1).saturating_mul(page_size);
        let rows = todo::list(&self.pool, page_size, offset).await?;
        let total = todo::count(&self.pool).await?;
        Ok(PaginatedResponseOfTodo {
            data: rows,
            pagination: PaginatedResponsePagination {
                total,
                page,
                page_size,
                total_pages: total / page_size + i64::from(total % page_size > 0),
            },
        })
    }

    async fn get_todos_by_id(&self, input: GetTodosById) -> Result<Todo, Error> {
        let found = todo::get(&self.pool, &input.params.id).await?;
        found.ok_or_else(|| AppError::TodoNotFound.with("Todo not found"))
    }

    async fn put_todos_by_id(&self, input: PutTodosById) -> Result<Todo, Error> {
        let body = input.body;
        let changes = TodoChanges {
            title: body.title,
            completed: body.completed,
            user_id: None,
        };
        let found = todo::update(&self.pool, &input.params.id, &changes).await?;
        found.ok_or_else(|| AppError::TodoNotFound.with("Todo not found"))
    }

    async fn delete_todos_by_id(&self, input: DeleteTodosById) -> Result<(), Error> {
        if todo::delete(&self.pool, &input.params.id).await? {
            Ok(())
        } else {
            Err(AppError::TodoNotFound.with("Todo not found"))
        }
    }
}
