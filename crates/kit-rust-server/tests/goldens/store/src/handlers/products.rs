//! Handlers of `ProductRoutes`. This file is yours: kit wrote it once and does not change it.

use std::collections::HashMap;

use kit_runtime::sql::{is_value_error, snapshot, violated_constraint};
use kit_runtime::{as_number, value};

use crate::app::App;
use crate::db::product::{self, NewProduct, ProductChanges, ProductFilter};
use crate::db::product_tag::{self, NewProductTag};
use crate::db::tag::{self, NewTag, TagChanges};
use crate::error::{AppError, Error};
use crate::models::{
    PageOfProductView, PagePagination, PostProductsReply201Headers, Product, ProductView, Tag,
    TaggedProduct,
};
use crate::router::{
    GetNamedProductsBySlug, GetProducts, GetProductsById, GetTagsBySlug, PatchProductsById,
    PostProducts, PostProductsReply, PostTags, ProductRoutes, PutTagsBySlug, PutTagsBySlugReply,
};

/// Error for a request whose product the database refuses.
fn product_refused(error: sqlx::Error) -> Error {
    match violated_constraint(&error) {
        Some(product::SLUG_UNIQUE) => Error::conflict("CONFLICT", "Another product has this slug"),
        _ => error.into(),
    }
}

/// Error for a request whose product tag the database refuses.
fn product_tag_refused(error: sqlx::Error) -> Error {
    if is_value_error(&error) {
        return Error::bad_request(
            "VALIDATION_ERROR",
            "A value of the request does not fit its column",
        );
    }
    match violated_constraint(&error) {
        Some(product_tag::PRIMARY_KEY) => Error::conflict(
            "CONFLICT",
            "Another product tag has this product id and tag",
        ),
        Some(product_tag::TAG_REFERENCE) => Error::conflict("CONFLICT", "Tag not found"),
        _ => error.into(),
    }
}

/// Adds rows of other tables to rows of `products`, with one query for each table.
async fn with_tags(
    connection: &mut sqlx::PgConnection,
    rows: Vec<Product>,
) -> Result<Vec<ProductView>, Error> {
    let keys: Vec<_> = rows.iter().map(|row| row.id.as_str()).collect();
    let found = product_tag::list_by_any_product_id(&mut *connection, &keys).await?;
    let mut tags_by_key: HashMap<_, Vec<_>> = HashMap::new();
    for row in found {
        tags_by_key.entry(row.product_id).or_default().push(row.tag);
    }
    let mut responses = Vec::with_capacity(rows.len());
    for row in rows {
        responses.push(ProductView {
            tags: tags_by_key.remove(&row.id).unwrap_or_default(),
            id: row.id,
            slug: row.slug,
            name: row.name,
            price: row.price,
            serial: row.serial,
            reviewed: row.reviewed,
            attributes: row.attributes,
            contents: row.contents,
        });
    }
    Ok(responses)
}

/// Adds rows of other tables to a row of `products`.
async fn product_with_tags(
    connection: &mut sqlx::PgConnection,
    row: Product,
) -> Result<ProductView, Error> {
    let mut responses = with_tags(connection, vec![row]).await?;
    responses
        .pop()
        .ok_or_else(|| Error::internal("`with_tags` returned no response for the row"))
}

/// Error for a request whose product does not exist.
fn product_not_found(id: &str) -> Error {
    Error::not_found("NOT_FOUND", "Product not found").with_details(value!({ "id": id }))
}

/// Error for a request whose product does not exist.
fn product_not_found2(slug: &str) -> Error {
    AppError::ProductNotFound
        .with("Product not found")
        .with_details(value!({ "slug": slug }))
}

/// Adds rows of other tables to rows of `products`, with one query for each table.
async fn with_tags2(
    connection: &mut sqlx::PgConnection,
    rows: Vec<Product>,
) -> Result<Vec<TaggedProduct>, Error> {
    let keys: Vec<_> = rows.iter().map(|row| row.id.as_str()).collect();
    let joined = product_tag::list_by_any_product_id(&mut *connection, &keys).await?;
    let keys: Vec<_> = joined.iter().map(|row| row.tag.as_str()).collect();
    let found = tag::list_by_any_slug(&mut *connection, &keys).await?;
    let found: HashMap<_, _> = found
        .into_iter()
        .map(|row| (row.slug.clone(), row))
        .collect();
    let mut tags_by_key: HashMap<_, Vec<_>> = HashMap::new();
    for join in joined {
        if let Some(row) = found.get(&join.tag).cloned() {
            tags_by_key.entry(join.product_id).or_default().push(row);
        }
    }
    let mut responses = Vec::with_capacity(rows.len());
    for row in rows {
        responses.push(TaggedProduct {
            tags: tags_by_key.remove(&row.id).unwrap_or_default(),
            id: row.id,
            name: row.name,
        });
    }
    Ok(responses)
}

/// Adds rows of other tables to a row of `products`.
async fn product_with_tags2(
    connection: &mut sqlx::PgConnection,
    row: Product,
) -> Result<TaggedProduct, Error> {
    let mut responses = with_tags2(connection, vec![row]).await?;
    responses
        .pop()
        .ok_or_else(|| Error::internal("`with_tags2` returned no response for the row"))
}

/// Error for a request whose tag the database refuses.
fn tag_refused(error: sqlx::Error) -> Error {
    match violated_constraint(&error) {
        Some(tag::PRIMARY_KEY) => Error::conflict("CONFLICT", "Another tag has this slug"),
        _ => error.into(),
    }
}

/// Error for a request whose tag does not exist.
fn tag_not_found(id: &str) -> Error {
    Error::not_found("NOT_FOUND", "Tag not found").with_details(value!({ "slug": id }))
}

impl ProductRoutes for App {
    async fn post_products(&self, input: PostProducts) -> Result<PostProductsReply, Error> {
        let body = input.body;
        let new = NewProduct {
            id: None,
            slug: body.slug,
            name: body.name,
            price: body.price,
            serial: body.serial,
            reviewed: Some(body.reviewed),
            attributes: body.attributes,
            contents: body.contents,
            created_at: None,
        };
        let mut transaction = self.pool.begin().await?;
        let row = product::insert(&mut *transaction, &new)
            .await
            .map_err(product_refused)?;
        let mut items = body.tags.unwrap_or_default();
        // Each insert locks the row to which the item refers.
        // One order, so that requests rarely wait for each other in a circle.
        items.sort_unstable();
        for item in items {
            let new = NewProductTag {
                product_id: row.id.clone(),
                tag: item,
            };
            product_tag::insert(&mut *transaction, &new)
                .await
                .map_err(product_tag_refused)?;
        }
        let response = product_with_tags(&mut transaction, row).await?;
        transaction.commit().await?;
        let headers = PostProductsReply201Headers {
            location: format!("/products/{}", response.id),
        };
        Ok(PostProductsReply::Created {
            body: response,
            headers,
        })
    }

    async fn get_products(&self, input: GetProducts) -> Result<PageOfProductView, Error> {
        let filter = ProductFilter {
            slug: input.query.slug,
            reviewed: input.query.reviewed,
            tag: input.query.tag,
        };
        let page = input.query.page.unwrap_or(1);
        let page_size = input.query.page_size.unwrap_or(20);
        let offset = (page - 1).saturating_mul(page_size);
        let mut transaction = snapshot(&self.pool).await?;
        let (rows, total) =
            product::list_with_total(&mut transaction, &filter, page_size, offset).await?;
        let data = with_tags(&mut transaction, rows).await?;
        transaction.commit().await?;
        let total_pages = total / page_size + i64::from(total % page_size > 0);
        Ok(PageOfProductView {
            data,
            pagination: PagePagination {
                total: as_number(total),
                page: as_number(page),
                page_size: as_number(page_size),
                total_pages: as_number(total_pages),
            },
        })
    }

    async fn get_products_by_id(&self, input: GetProductsById) -> Result<ProductView, Error> {
        let id = &input.params.id;
        let mut transaction = snapshot(&self.pool).await?;
        let found = product::get(&mut *transaction, id).await?;
        let row = found.ok_or_else(|| product_not_found(id))?;
        let response = product_with_tags(&mut transaction, row).await?;
        transaction.commit().await?;
        Ok(response)
    }

    async fn get_named_products_by_slug(
        &self,
        input: GetNamedProductsBySlug,
    ) -> Result<TaggedProduct, Error> {
        let slug = &input.params.slug;
        let mut transaction = snapshot(&self.pool).await?;
        let found = product::get_by_slug(&mut *transaction, slug).await?;
        let row = found.ok_or_else(|| product_not_found2(slug))?;
        let response = product_with_tags2(&mut transaction, row).await?;
        transaction.commit().await?;
        Ok(response)
    }

    async fn patch_products_by_id(&self, input: PatchProductsById) -> Result<ProductView, Error> {
        let id = &input.params.id;
        let body = input.body;
        let changes = ProductChanges {
            slug: body.slug,
            name: body.name,
            price: body.price,
            serial: body.serial,
            reviewed: body.reviewed,
            attributes: body.attributes,
            contents: body.contents,
        };
        let mut transaction = self.pool.begin().await?;
        let updated = product::update(&mut *transaction, id, &changes)
            .await
            .map_err(product_refused)?;
        let row = updated.ok_or_else(|| product_not_found(id))?;
        if let Some(mut items) = body.tags {
            product_tag::delete_by_product_id(&mut *transaction, &row.id).await?;
            // Each insert locks the row to which the item refers.
            // One order, so that requests rarely wait for each other in a circle.
            items.sort_unstable();
            for item in items {
                let new = NewProductTag {
                    product_id: row.id.clone(),
                    tag: item,
                };
                product_tag::insert(&mut *transaction, &new)
                    .await
                    .map_err(product_tag_refused)?;
            }
        }
        let response = product_with_tags(&mut transaction, row).await?;
        transaction.commit().await?;
        Ok(response)
    }

    async fn post_tags(&self, input: PostTags) -> Result<Tag, Error> {
        let body = input.body;
        let new = NewTag {
            slug: body.slug,
            name: body.name,
        };
        tag::insert(&self.pool, &new).await.map_err(tag_refused)
    }

    async fn get_tags_by_slug(&self, input: GetTagsBySlug) -> Result<Tag, Error> {
        let id = &input.params.slug;
        let found = tag::get(&self.pool, id).await?;
        found.ok_or_else(|| tag_not_found(id))
    }

    async fn put_tags_by_slug(&self, input: PutTagsBySlug) -> Result<PutTagsBySlugReply, Error> {
        let id = &input.params.slug;
        let body = input.body;
        let changes = TagChanges {
            name: Some(body.name.clone()),
        };
        let updated = tag::update(&self.pool, id, &changes)
            .await
            .map_err(tag_refused)?;
        if let Some(body) = updated {
            return Ok(PutTagsBySlugReply::Ok { body });
        }
        let new = NewTag {
            slug: input.params.slug,
            name: body.name,
        };
        let row = tag::insert(&self.pool, &new).await.map_err(tag_refused)?;
        Ok(PutTagsBySlugReply::Created { body: row })
    }
}
