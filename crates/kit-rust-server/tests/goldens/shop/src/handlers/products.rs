//! The handlers of `ProductRoutes`. This file is yours: kit made it once and leaves it alone.

use crate::app::App;
use crate::db::product;
use crate::error::{AppError, Error};
use crate::models::{PageOfProductSummary, Product};
use crate::router::{
    DeleteProductsById, GetProducts, GetProductsById, PostProducts, ProductRoutes, PutProductsById,
};

impl ProductRoutes for App {
    async fn post_products(&self, _input: PostProducts) -> Result<Product, Error> {
        Err(Error::not_written(
            "POST /products",
            "src/handlers/products.rs",
        ))
    }

    async fn get_products(&self, _input: GetProducts) -> Result<PageOfProductSummary, Error> {
        Err(Error::not_written(
            "GET /products",
            "src/handlers/products.rs",
        ))
    }

    async fn get_products_by_id(&self, input: GetProductsById) -> Result<Product, Error> {
        let found = product::get(&self.pool, &input.params.id).await?;
        found.ok_or_else(|| AppError::ProductNotFound.with("Product not found"))
    }

    async fn put_products_by_id(&self, _input: PutProductsById) -> Result<Product, Error> {
        Err(Error::not_written(
            "PUT /products/:id",
            "src/handlers/products.rs",
        ))
    }

    async fn delete_products_by_id(&self, input: DeleteProductsById) -> Result<(), Error> {
        if product::delete(&self.pool, &input.params.id).await? {
            Ok(())
        } else {
            Err(AppError::ProductNotFound.with("Product not found"))
        }
    }
}
