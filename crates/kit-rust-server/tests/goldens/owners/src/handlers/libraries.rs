//! Handlers of `LibraryRoutes`. This file is yours: kit wrote it once and does not change it.

use kit_runtime::sql::{is_value_error, violated_constraint};
use kit_runtime::value;

use crate::app::App;
use crate::db::book::{self, BookChanges, BookFilter, NewBook};
use crate::db::shelf::{self, NewShelf};
use crate::error::Error;
use crate::models::{Book, GetBooksResponse, GetNewestBooksResponse, Shelf};
use crate::router::{
    GetBooks, GetBooksById, GetNewestBooks, LibraryRoutes, PostBooks, PostShelves, PutBooksById,
};

/// Error for a request whose shelf would belong to another user.
fn other_owner_of_shelf() -> Error {
    Error::forbidden("FORBIDDEN", "The shelf would belong to another user")
}

/// Error for a request whose shelf the database refuses.
fn shelf_refused(error: sqlx::Error) -> Error {
    if is_value_error(&error) {
        return Error::bad_request(
            "VALIDATION_ERROR",
            "A value of the request does not fit its column",
        );
    }
    match violated_constraint(&error) {
        Some(shelf::PRIMARY_KEY) => {
            Error::conflict("CONFLICT", "Another shelf has this room and number")
        }
        _ => error.into(),
    }
}

/// Error for a request whose book would belong to another user.
fn other_owner_of_book() -> Error {
    Error::forbidden("FORBIDDEN", "The book would belong to another user")
}

/// Refuses a shelf that does not exist or belongs to another user, both with the same error.
async fn check_room_and_shelf(
    connection: &mut sqlx::PgConnection,
    room: Option<&str>,
    number: Option<i64>,
    owner: &str,
) -> Result<(), Error> {
    let (Some(room), Some(number)) = (room, number) else {
        return Ok(());
    };
    let found = shelf::get(connection, room, number, owner).await?;
    if found.is_none() {
        return Err(Error::conflict("CONFLICT", "Shelf not found"));
    }
    Ok(())
}

/// Error for a request whose book the database refuses.
fn book_refused(error: sqlx::Error) -> Error {
    if is_value_error(&error) {
        return Error::bad_request(
            "VALIDATION_ERROR",
            "A value of the request does not fit its column",
        );
    }
    match violated_constraint(&error) {
        Some(book::ROOM_SHELF_REFERENCE) => Error::conflict("CONFLICT", "Shelf not found"),
        _ => error.into(),
    }
}

/// Error for a request whose book does not exist.
fn book_not_found(id: &str) -> Error {
    Error::not_found("NOT_FOUND", "Book not found").with_details(value!({ "id": id }))
}

impl LibraryRoutes for App {
    async fn post_shelves(&self, input: PostShelves) -> Result<Shelf, Error> {
        let owner = &input.require_user.user_id;
        let body = input.body;
        if body.user_id != *owner {
            return Err(other_owner_of_shelf());
        }
        let new = NewShelf {
            room: body.room,
            number: body.number,
            user_id: owner.clone(),
        };
        shelf::insert(&self.pool, &new).await.map_err(shelf_refused)
    }

    async fn post_books(&self, input: PostBooks) -> Result<Book, Error> {
        let owner = &input.require_user.user_id;
        let body = input.body;
        if body.user_id != *owner {
            return Err(other_owner_of_book());
        }
        let new = NewBook {
            id: None,
            title: body.title,
            user_id: owner.clone(),
            room: body.room,
            shelf: body.shelf,
            tags: Some(body.tags),
            pages: Some(body.pages),
            created_at: None,
        };
        let mut transaction = self.pool.begin().await?;
        let row = book::insert(&mut *transaction, &new)
            .await
            .map_err(book_refused)?;
        check_room_and_shelf(&mut transaction, row.room.as_deref(), row.shelf, owner).await?;
        transaction.commit().await?;
        Ok(row)
    }

    async fn get_books(&self, input: GetBooks) -> Result<GetBooksResponse, Error> {
        let owner = &input.require_user.user_id;
        let filter = BookFilter {
            tags: input.query.tags,
            pages: input.query.pages,
        };
        let rows = book::list(&self.pool, owner, &filter, i64::MAX, 0).await?;
        Ok(GetBooksResponse(rows))
    }

    async fn get_newest_books(
        &self,
        input: GetNewestBooks,
    ) -> Result<GetNewestBooksResponse, Error> {
        let owner = &input.require_user.user_id;
        let page = book::KEYSET
            .filters()
            .filter("userId", &owner)
            .filter("tags", &input.query.tags)
            .page(
                input.query.cursor.as_deref(),
                input.query.limit.unwrap_or(20),
            )?;
        let filter = BookFilter {
            tags: input.query.tags,
            ..BookFilter::default()
        };
        let rows = book::page(&self.pool, owner, &filter, &page).await?;
        let page = page.of(rows)?;
        Ok(GetNewestBooksResponse {
            data: page.data,
            next: page.next,
            previous: page.previous,
        })
    }

    async fn get_books_by_id(&self, input: GetBooksById) -> Result<Book, Error> {
        let id = &input.params.id;
        let owner = &input.require_user.user_id;
        let found = book::get(&self.pool, id, owner).await?;
        found.ok_or_else(|| book_not_found(id))
    }

    async fn put_books_by_id(&self, input: PutBooksById) -> Result<Book, Error> {
        let id = &input.params.id;
        let owner = &input.require_user.user_id;
        let body = input.body;
        if body.user_id.as_ref().is_some_and(|given| given != owner) {
            return Err(other_owner_of_book());
        }
        let changes = BookChanges {
            title: body.title,
            room: body.room.map(Some),
            shelf: body.shelf.map(Some),
            tags: body.tags,
            pages: body.pages,
        };
        let mut transaction = self.pool.begin().await?;
        let updated = book::update(&mut *transaction, id, owner, &changes)
            .await
            .map_err(book_refused)?;
        if let Some(row) = &updated {
            check_room_and_shelf(&mut transaction, row.room.as_deref(), row.shelf, owner).await?;
        }
        transaction.commit().await?;
        updated.ok_or_else(|| book_not_found(id))
    }
}
