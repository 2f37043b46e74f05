//! The handlers of `StockRoutes`. This file is yours: kit made it once and leaves it alone.

use crate::app::App;
use crate::db::stock::{self, NewStock};
use crate::error::Error;
use crate::models::Stock;
use crate::router::{
    DeleteStockByProductIdByCountryCode, GetStockByProductIdByCountryCode, PostStock,
    PutStockByProductIdByCountryCode, StockRoutes,
};

impl StockRoutes for App {
    async fn get_stock_by_product_id_by_country_code(
        &self,
        _input: GetStockByProductIdByCountryCode,
    ) -> Result<Stock, Error> {
        Err(Error::not_written(
            "GET /stock/:productId/:countryCode",
            "src/handlers/stocks.rs",
        ))
    }

    async fn put_stock_by_product_id_by_country_code(
        &self,
        _input: PutStockByProductIdByCountryCode,
    ) -> Result<Stock, Error> {
        Err(Error::not_written(
            "PUT /stock/:productId/:countryCode",
            "src/handlers/stocks.rs",
        ))
    }

    async fn delete_stock_by_product_id_by_country_code(
        &self,
        _input: DeleteStockByProductIdByCountryCode,
    ) -> Result<(), Error> {
        Err(Error::not_written(
            "DELETE /stock/:productId/:countryCode",
            "src/handlers/stocks.rs",
        ))
    }

    async fn post_stock(&self, input: PostStock) -> Result<Stock, Error> {
        let body = input.body;
        let new = NewStock {
            product_id: body.product_id,
            country_code: body.country_code,
            amount: Some(body.amount),
        };
        Ok(stock::insert(&self.pool, &new).await?)
    }
}
