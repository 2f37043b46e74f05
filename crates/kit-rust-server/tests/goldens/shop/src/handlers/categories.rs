//! Handlers of `CategoryRoutes`. This file is yours: kit wrote it once and does not change it.

use kit_runtime::sql::violated_constraint;
use kit_runtime::value;

use crate::app::App;
use crate::db::category::{self, NewCategory};
use crate::db::product;
use crate::error::Error;
use crate::models::{Category, GetCategoriesResponse};
use crate::router::{
    CategoryRoutes, DeleteCategoriesById, GetCategories, GetCategoriesById, PostCategories,
};

/// Error for a request whose category the database refuses.
fn category_refused(error: sqlx::Error) -> Error {
    match violated_constraint(&error) {
        Some(category::NAME_UNIQUE) => {
            Error::conflict("CONFLICT", "Another category has this name")
        }
        Some(category::PARENT_ID_REFERENCE) => Error::conflict("CONFLICT", "Category not found"),
        _ => error.into(),
    }
}

/// Error for a request whose category does not exist.
fn category_not_found(id: i64) -> Error {
    Error::not_found("NOT_FOUND", "Category not found").with_details(value!({ "id": id }))
}

/// Error for a request that deletes a category to which other rows refer.
fn category_in_use(error: sqlx::Error) -> Error {
    match violated_constraint(&error) {
        Some(product::CATEGORY_ID_REFERENCE) => {
            Error::conflict("CONFLICT", "It is in use by products")
        }
        _ => error.into(),
    }
}

impl CategoryRoutes for App {
    async fn post_categories(&self, input: PostCategories) -> Result<Category, Error> {
        let body = input.body;
        let new = NewCategory {
            name: body.name,
            parent_id: body.parent_id,
        };
        category::insert(&self.pool, &new)
            .await
            .map_err(category_refused)
    }

    async fn get_categories(&self, _input: GetCategories) -> Result<GetCategoriesResponse, Error> {
        let rows = category::list(&self.pool, i64::MAX, 0).await?;
        Ok(GetCategoriesResponse(rows))
    }

    async fn get_categories_by_id(&self, input: GetCategoriesById) -> Result<Category, Error> {
        let id = input.params.id;
        let found = category::get(&self.pool, id).await?;
        found.ok_or_else(|| category_not_found(id))
    }

    async fn delete_categories_by_id(&self, input: DeleteCategoriesById) -> Result<(), Error> {
        let id = input.params.id;
        let deleted = category::delete(&self.pool, id)
            .await
            .map_err(category_in_use)?;
        if deleted {
            Ok(())
        } else {
            Err(category_not_found(id))
        }
    }
}
