//! Handlers of `ProductRoutes`. This file is yours: kit wrote it once and does not change it.

use kit_runtime::sql::{is_value_error, violated_constraint};
use kit_runtime::{as_number, value};

use crate::app::App;
use crate::db::product::{self, NewProduct, ProductChanges, ProductFilter};
use crate::error::{AppError, Error};
use crate::models::{PageOfProductSummary, PagePagination, Product, ProductSummary};
use crate::router::{
    DeleteProductsById, GetProducts, GetProductsById, PostProducts, PostProductsImports,
    ProductRoutes, PutProductsById,
};

/// Error for a request whose product the database refuses.
fn product_refused(error: sqlx::Error) -> Error {
    if is_value_error(&error) {
        return Error::bad_request(
            "VALIDATION_ERROR",
            "A value of the request does not fit its column",
        );
    }
    match violated_constraint(&error) {
        Some(product::SHOP_ID_SKU_UNIQUE) => {
            AppError::ProductExists.with("The shop has a product of this number")
        }
        Some(product::SHOP_ID_REFERENCE) => AppError::ShopNotFound.with("Shop not found"),
        Some(product::CATEGORY_ID_REFERENCE) => {
            AppError::CategoryNotFound.with("Category not found")
        }
        _ => error.into(),
    }
}

/// Error for a request whose product does not exist.
fn product_not_found(id: &str) -> Error {
    AppError::ProductNotFound
        .with("Product not found")
        .with_details(value!({ "id": id }))
}

impl ProductRoutes for App {
    async fn post_products(&self, input: PostProducts) -> Result<Product, Error> {
        let body = input.body;
        let new = NewProduct {
            id: None,
            shop_id: body.shop_id,
            category_id: body.category_id.flatten(),
            sku: body.sku,
            title: body.title,
            description: body.description.flatten(),
            price_cents: body.price_cents,
            weight: body.weight,
            status: Some(body.status),
            kind: body.kind,
            tags: body.tags,
            size: body.size,
            attributes: body.attributes,
            r#type: body.r#type,
            visible: Some(body.visible),
            listed_at: body.listed_at,
            views: body.views,
            created_at: None,
        };
        product::insert(&self.pool, &new)
            .await
            .map_err(product_refused)
    }

    async fn post_products_imports(&self, input: PostProductsImports) -> Result<Product, Error> {
        let body = input.body;
        let new = NewProduct {
            id: None,
            shop_id: body.shop_id,
            category_id: body.category_id.flatten(),
            sku: body.sku,
            title: body.title,
            description: body.description.flatten(),
            price_cents: body.price_cents,
            weight: body.weight,
            status: Some(body.status),
            kind: body.kind,
            tags: body.tags,
            size: body.size,
            attributes: body.attributes,
            r#type: body.r#type,
            visible: Some(body.visible),
            listed_at: body.listed_at,
            views: body.views,
            created_at: None,
        };
        product::insert(&self.pool, &new)
            .await
            .map_err(product_refused)
    }

    async fn get_products(&self, input: GetProducts) -> Result<PageOfProductSummary, Error> {
        let filter = ProductFilter {
            shop_id: input.query.shop_id,
            kind: input.query.kind,
            visible: input.query.visible,
            views: input.query.views,
        };
        let page = input.query.page.unwrap_or(1);
        let page_size = input.query.page_size.unwrap_or(20);
        let offset = (page - 1).saturating_mul(page_size);
        let mut connection = self.pool.acquire().await?;
        let (rows, total) =
            product::list_with_total(&mut connection, &filter, page_size, offset).await?;
        let data = rows
            .into_iter()
            .map(|row| ProductSummary {
                id: row.id,
                title: row.title,
                price_cents: row.price_cents,
                status: row.status,
            })
            .collect();
        let total_pages = total / page_size + i64::from(total % page_size > 0);
        Ok(PageOfProductSummary {
            data,
            pagination: PagePagination {
                total: as_number(total),
                page: as_number(page),
                page_size: as_number(page_size),
                total_pages: as_number(total_pages),
            },
        })
    }

    async fn get_products_by_id(&self, input: GetProductsById) -> Result<Product, Error> {
        let id = &input.params.id;
        let found = product::get(&self.pool, id).await?;
        found.ok_or_else(|| product_not_found(id))
    }

    async fn put_products_by_id(&self, input: PutProductsById) -> Result<Product, Error> {
        let id = &input.params.id;
        let body = input.body;
        let changes = ProductChanges {
            shop_id: None,
            category_id: body.category_id,
            sku: body.sku,
            title: body.title,
            description: body.description,
            price_cents: body.price_cents,
            weight: body.weight,
            status: body.status,
            kind: body.kind,
            tags: body.tags,
            size: body.size.map(Some),
            attributes: body.attributes,
            r#type: body.r#type.map(Some),
            visible: body.visible,
            listed_at: body.listed_at.map(Some),
            views: body.views.map(Some),
        };
        let updated = product::update(&self.pool, id, &changes)
            .await
            .map_err(product_refused)?;
        updated.ok_or_else(|| product_not_found(id))
    }

    async fn delete_products_by_id(&self, input: DeleteProductsById) -> Result<(), Error> {
        let id = &input.params.id;
        let deleted = product::delete(&self.pool, id).await?;
        if deleted {
            Ok(())
        } else {
            Err(product_not_found(id))
        }
    }
}
