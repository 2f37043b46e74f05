//! Handlers of `CustomRoutes`. This file is yours: kit wrote it once and does not change it.

use crate::app::App;
use crate::error::Error;
use crate::models::{CustomerName, GetFoundProductsResponse, GetTotalsOrdersByIdResponse, Product};
use crate::router::{
    CustomRoutes, GetFoundProducts, GetTotalsOrdersById, GetTranslatedProductsById, PostLogins,
    PutProductsById, PutProductsByIdReply,
};

impl CustomRoutes for App {
    async fn get_found_products(
        &self,
        _input: GetFoundProducts,
    ) -> Result<GetFoundProductsResponse, Error> {
        Err(Error::not_implemented(
            "GET /found/products",
            "src/handlers/customs.rs",
        ))
    }

    async fn get_totals_orders_by_id(
        &self,
        _input: GetTotalsOrdersById,
    ) -> Result<GetTotalsOrdersByIdResponse, Error> {
        Err(Error::not_implemented(
            "GET /totals/orders/:id",
            "src/handlers/customs.rs",
        ))
    }

    async fn post_logins(&self, _input: PostLogins) -> Result<CustomerName, Error> {
        Err(Error::not_implemented(
            "POST /logins",
            "src/handlers/customs.rs",
        ))
    }

    async fn get_translated_products_by_id(
        &self,
        _input: GetTranslatedProductsById,
    ) -> Result<Product, Error> {
        Err(Error::not_implemented(
            "GET /translated/products/:id",
            "src/handlers/customs.rs",
        ))
    }

    async fn put_products_by_id(
        &self,
        _input: PutProductsById,
    ) -> Result<PutProductsByIdReply, Error> {
        Err(Error::not_implemented(
            "PUT /products/:id",
            "src/handlers/customs.rs",
        ))
    }
}
