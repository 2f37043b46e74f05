//! The handlers of `UserRoutes`. This file is yours: kit made it once and leaves it alone.

use crate::app::App;
use crate::db::user::{self, NewUser, UserChanges};
use crate::error::{AppError, Error};
use crate::models::{PaginatedResponseOfUser, PaginatedResponsePagination, User};
use crate::router::{DeleteUsersById, GetUsers, GetUsersById, PostUsers, PutUsersById, UserRoutes};

impl UserRoutes for App {
    async fn post_users(&self, input: PostUsers) -> Result<User, Error> {
        let body = input.body;
        let new = NewUser {
            id: None,
            email: body.email,
            display_name: body.display_name,
            status: Some(body.status),
            created_at: None,
        };
        Ok(user::insert(&self.pool, &new).await?)
    }

    async fn get_users(&self, input: GetUsers) -> Result<PaginatedResponseOfUser, Error> {
        let page = input.query.page.unwrap_or(1);
        let page_size = input.query.page_size.unwrap_or(20);
        let offset = (page - 1).saturating_mul(page_size);
        let rows = user::list(&self.pool, page_size, offset).await?;
        let total = user::count(&self.pool).await?;
        Ok(PaginatedResponseOfUser {
            data: rows,
            pagination: PaginatedResponsePagination {
                total,
                page,
                page_size,
                total_pages: total / page_size + i64::from(total % page_size > 0),
            },
        })
    }

    async fn get_users_by_id(&self, input: GetUsersById) -> Result<User, Error> {
        let found = user::get(&self.pool, &input.params.id).await?;
        found.ok_or_else(|| AppError::UserNotFound.with("User not found"))
    }

    async fn put_users_by_id(&self, input: PutUsersById) -> Result<User, Error> {
        let body = input.body;
        let changes = UserChanges {
            email: body.email,
            display_name: body.display_name,
            status: body.status,
        };
        let found = user::update(&self.pool, &input.params.id, &changes).await?;
        found.ok_or_else(|| AppError::UserNotFound.with("User not found"))
    }

    async fn delete_users_by_id(&self, input: DeleteUsersById) -> Result<(), Error> {
        if user::delete(&self.pool, &input.params.id).await? {
            Ok(())
        } else {
            Err(AppError::UserNotFound.with("User not found"))
        }
    }
}
