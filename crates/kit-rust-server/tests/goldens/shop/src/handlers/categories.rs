//! The handlers of `CategoryRoutes`. This file is yours: kit made it once and leaves it alone.

use crate::app::App;
use crate::db::category::{self, NewCategory};
use crate::error::Error;
use crate::models::{Category, GetCategoriesResponse};
use crate::router::{
    CategoryRoutes, DeleteCategoriesById, GetCategories, GetCategoriesById, PostCategories,
};

impl CategoryRoutes for App {
    async fn post_categories(&self, input: PostCategories) -> Result<Category, Error> {
        let body = input.body;
        let new = NewCategory {
            name: body.name,
            parent_id: body.parent_id,
        };
        Ok(category::insert(&self.pool, &new).await?)
    }

    async fn get_categories(&self, _input: GetCategories) -> Result<GetCategoriesResponse, Error> {
        Err(Error::not_written(
            "GET /categories",
            "src/handlers/categories.rs",
        ))
    }

    async fn get_categories_by_id(&self, input: GetCategoriesById) -> Result<Category, Error> {
        let found = category::get(&self.pool, input.params.id).await?;
        found.ok_or_else(|| Error::not_found("NOT_FOUND", "Category not found"))
    }

    async fn delete_categories_by_id(&self, input: DeleteCategoriesById) -> Result<(), Error> {
        if category::delete(&self.pool, input.params.id).await? {
            Ok(())
        } else {
            Err(Error::not_found("NOT_FOUND", "Category not found"))
        }
    }
}
