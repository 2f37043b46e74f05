//! Handlers of `StockRoutes`. This file is yours: kit wrote it once and does not change it.

use kit_runtime::sql::violated_constraint;
use kit_runtime::value;

use crate::app::App;
use crate::db::stock::{self, NewStock, StockChanges};
use crate::error::{AppError, Error};
use crate::models::Stock;
use crate::router::{
    DeleteStockByProductIdByCountryCode, GetStockByProductIdByCountryCode, PostStock,
    PutStockByProductIdByCountryCode, StockRoutes,
};

/// Error for a request whose stock does not exist.
fn stock_not_found(product_id: &str, country_code: &str) -> Error {
    AppError::StockNotFound
        .with("Stock not found")
        .with_details(value!({ "productId": product_id, "countryCode": country_code }))
}

/// Error for a request whose stock the database refuses.
fn stock_refused(error: sqlx::Error) -> Error {
    match violated_constraint(&error) {
        Some(stock::PRIMARY_KEY) => AppError::StockExists.with("These are counted already"),
        Some(stock::PRODUCT_ID_REFERENCE) => Error::conflict("CONFLICT", "Product not found"),
        Some(stock::COUNTRY_CODE_REFERENCE) => Error::conflict("CONFLICT", "Country not found"),
        _ => error.into(),
    }
}

impl StockRoutes for App {
    async fn get_stock_by_product_id_by_country_code(
        &self,
        input: GetStockByProductIdByCountryCode,
    ) -> Result<Stock, Error> {
        let product_id = &input.params.product_id;
        let country_code = &input.params.country_code;
        let found = stock::get(&self.pool, product_id, country_code).await?;
        found.ok_or_else(|| stock_not_found(product_id, country_code))
    }

    async fn put_stock_by_product_id_by_country_code(
        &self,
        input: PutStockByProductIdByCountryCode,
    ) -> Result<Stock, Error> {
        let product_id = &input.params.product_id;
        let country_code = &input.params.country_code;
        let body = input.body;
        let changes = StockChanges {
            amount: Some(body.amount),
        };
        let updated = stock::update(&self.pool, product_id, country_code, &changes).await?;
        updated.ok_or_else(|| stock_not_found(product_id, country_code))
    }

    async fn delete_stock_by_product_id_by_country_code(
        &self,
        input: DeleteStockByProductIdByCountryCode,
    ) -> Result<(), Error> {
        let product_id = &input.params.product_id;
        let country_code = &input.params.country_code;
        let deleted = stock::delete(&self.pool, product_id, country_code).await?;
        if deleted {
            Ok(())
        } else {
            Err(stock_not_found(product_id, country_code))
        }
    }

    async fn post_stock(&self, input: PostStock) -> Result<Stock, Error> {
        let body = input.body;
        let new = NewStock {
            product_id: body.product_id,
            country_code: body.country_code,
            amount: Some(body.amount),
        };
        stock::insert(&self.pool, &new).await.map_err(stock_refused)
    }
}
