//! Handlers of `UserRoutes`. This file is yours: kit wrote it once and does not change it.

use kit_runtime::sql::violated_constraint;
use kit_runtime::value;

use crate::app::App;
use crate::db::user::{self, NewUser, UserChanges, UserFilter};
use crate::error::{AppError, Error};
use crate::models::{PaginatedResponseOfUser, PaginatedResponsePagination, User};
use crate::router::{DeleteUsersById, GetUsers, GetUsersById, PostUsers, PutUsersById, UserRoutes};

/// Error for a request whose user the database refuses.
fn user_refused(error: sqlx::Error) -> Error {
    match violated_constraint(&error) {
        Some(user::EMAIL_UNIQUE) => {
            AppError::UserEmailConflict.with("Another user has this email address")
        }
        _ => error.into(),
    }
}

/// Error for a request whose user does not exist.
fn user_not_found(id: &str) -> Error {
    AppError::UserNotFound
        .with("User not found")
        .with_details(value!({ "id": id }))
}

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
        user::insert(&self.pool, &new).await.map_err(user_refused)
    }

    async fn get_users(&self, input: GetUsers) -> Result<PaginatedResponseOfUser, Error> {
        let filter = UserFilter {
            status: input.query.status,
        };
        let page = input.query.page.unwrap_or(1);
        let page_size = input.query.page_size.unwrap_or(20);
        let offset = (page - 1).saturating_mul(page_size);
        let mut connection = self.pool.acquire().await?;
        let (data, total) =
            user::list_with_total(&mut connection, &filter, page_size, offset).await?;
        let total_pages = total / page_size + i64::from(total % page_size > 0);
        Ok(PaginatedResponseOfUser {
            data,
            pagination: PaginatedResponsePagination {
                total,
                page,
                page_size,
                total_pages,
            },
        })
    }

    async fn get_users_by_id(&self, input: GetUsersById) -> Result<User, Error> {
        let id = &input.params.id;
        let found = user::get(&self.pool, id).await?;
        found.ok_or_else(|| user_not_found(id))
    }

    async fn put_users_by_id(&self, input: PutUsersById) -> Result<User, Error> {
        let id = &input.params.id;
        let body = input.body;
        let changes = UserChanges {
            email: body.email,
            display_name: body.display_name,
            status: body.status,
        };
        let updated = user::update(&self.pool, id, &changes)
            .await
            .map_err(user_refused)?;
        updated.ok_or_else(|| user_not_found(id))
    }

    async fn delete_users_by_id(&self, input: DeleteUsersById) -> Result<(), Error> {
        let id = &input.params.id;
        let deleted = user::delete(&self.pool, id).await?;
        if deleted {
            Ok(())
        } else {
            Err(user_not_found(id))
        }
    }
}
