//! The handlers of `ShopRoutes`. This file is yours: kit made it once and leaves it alone.

use crate::app::App;
use crate::db::shop::{self, NewShop};
use crate::error::{AppError, Error};
use crate::models::{PageOfShop, Shop};
use crate::router::{
    DeleteShopsById, GetShops, GetShopsById, PatchShopsById, PostShops, ShopRoutes,
};

impl ShopRoutes for App {
    async fn post_shops(&self, input: PostShops) -> Result<Shop, Error> {
        let body = input.body;
        let new = NewShop {
            id: None,
            name: body.name,
            slug: body.slug,
            contact: body.contact,
            opened_at: None,
        };
        Ok(shop::insert(&self.pool, &new).await?)
    }

    async fn get_shops(&self, _input: GetShops) -> Result<PageOfShop, Error> {
        Err(Error::not_written("GET /shops", "src/handlers/shops.rs"))
    }

    async fn get_shops_by_id(&self, input: GetShopsById) -> Result<Shop, Error> {
        let found = shop::get(&self.pool, &input.params.id).await?;
        found.ok_or_else(|| AppError::ShopNotFound.with("Shop not found"))
    }

    async fn patch_shops_by_id(&self, _input: PatchShopsById) -> Result<Shop, Error> {
        Err(Error::not_written(
            "PATCH /shops/:id",
            "src/handlers/shops.rs",
        ))
    }

    async fn delete_shops_by_id(&self, input: DeleteShopsById) -> Result<(), Error> {
        if shop::delete(&self.pool, &input.params.id).await? {
            Ok(())
        } else {
            Err(AppError::ShopNotFound.with("Shop not found"))
        }
    }
}
