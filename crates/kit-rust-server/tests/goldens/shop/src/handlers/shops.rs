//! Handlers of `ShopRoutes`. This file is yours: kit wrote it once and does not change it.

use kit_runtime::sql::violated_constraint;
use kit_runtime::{as_number, value};

use crate::app::App;
use crate::db::shop::{self, NewShop, ShopChanges};
use crate::error::{AppError, Error};
use crate::models::{PageOfShop, PagePagination, Shop};
use crate::router::{
    DeleteShopsById, GetShops, GetShopsById, PatchShopsById, PostShops, ShopRoutes,
};

/// Error for a request whose shop the database refuses.
fn shop_refused(error: sqlx::Error) -> Error {
    match violated_constraint(&error) {
        Some(shop::SLUG_UNIQUE) => AppError::SlugTaken.with("Another shop has this slug"),
        _ => error.into(),
    }
}

/// Error for a request whose shop does not exist.
fn shop_not_found(id: &str) -> Error {
    AppError::ShopNotFound
        .with("Shop not found")
        .with_details(value!({ "id": id }))
}

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
        shop::insert(&self.pool, &new).await.map_err(shop_refused)
    }

    async fn get_shops(&self, input: GetShops) -> Result<PageOfShop, Error> {
        let page = input.query.page.unwrap_or(1);
        let page_size = input.query.page_size.unwrap_or(20);
        let offset = (page - 1).saturating_mul(page_size);
        let mut connection = self.pool.acquire().await?;
        let (data, total) = shop::list_with_total(&mut connection, page_size, offset).await?;
        let total_pages = total / page_size + i64::from(total % page_size > 0);
        Ok(PageOfShop {
            data,
            pagination: PagePagination {
                total: as_number(total),
                page: as_number(page),
                page_size: as_number(page_size),
                total_pages: as_number(total_pages),
            },
        })
    }

    async fn get_shops_by_id(&self, input: GetShopsById) -> Result<Shop, Error> {
        let id = &input.params.id;
        let found = shop::get(&self.pool, id).await?;
        found.ok_or_else(|| shop_not_found(id))
    }

    async fn patch_shops_by_id(&self, input: PatchShopsById) -> Result<Shop, Error> {
        let id = &input.params.id;
        let body = input.body;
        let changes = ShopChanges {
            name: body.name,
            slug: body.slug,
            contact: body.contact,
        };
        let updated = shop::update(&self.pool, id, &changes)
            .await
            .map_err(shop_refused)?;
        updated.ok_or_else(|| shop_not_found(id))
    }

    async fn delete_shops_by_id(&self, input: DeleteShopsById) -> Result<(), Error> {
        let id = &input.params.id;
        let deleted = shop::delete(&self.pool, id).await?;
        if deleted {
            Ok(())
        } else {
            Err(shop_not_found(id))
        }
    }
}
