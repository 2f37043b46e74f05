//! Handlers of `StockRoutes`. This file is yours: kit wrote it once and does not change it.

use crate::app::App;
use crate::error::Error;
use crate::models::ProductView;
use crate::router::{PutProductsBySlugStock, StockRoutes};
use crate::services::catalogue;

impl StockRoutes for App {
    async fn put_products_by_slug_stock(
        &self,
        input: PutProductsBySlugStock,
    ) -> Result<ProductView, Error> {
        catalogue::set_stock(&self.pool, &input.params.slug, input.body.stock).await
    }
}
