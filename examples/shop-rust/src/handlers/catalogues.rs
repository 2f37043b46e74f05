//! Handlers of `CatalogueRoutes`. This file is yours: kit wrote it once and does not change it.

use kit_runtime::{Context, HeaderValue, header};

use crate::app::App;
use crate::error::Error;
use crate::models::{GetProductsResponse, GetTagsResponse, ProductView};
use crate::router::{CatalogueRoutes, GetProducts, GetProductsBySlug, GetTags};
use crate::services::catalogue;

/// Lets browsers and caches keep a response. They ask with the entity tag if the response has changed.
fn keep(context: &Context) {
    context.set_header(
        header::CACHE_CONTROL,
        HeaderValue::from_static("public, no-cache"),
    );
}

impl CatalogueRoutes for App {
    async fn get_products(&self, input: GetProducts) -> Result<GetProductsResponse, Error> {
        keep(&input.context);
        catalogue::page(&self.pool, &input.query).await
    }

    async fn get_products_by_slug(&self, input: GetProductsBySlug) -> Result<ProductView, Error> {
        keep(&input.context);
        catalogue::get(&self.pool, &input.params.slug).await
    }

    async fn get_tags(&self, input: GetTags) -> Result<GetTagsResponse, Error> {
        keep(&input.context);
        Ok(GetTagsResponse(catalogue::tags(&self.pool).await?))
    }
}
