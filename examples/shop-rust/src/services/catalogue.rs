//! Products as everybody sees them.

use kit_runtime::keyset::{KeyType, Keyset, Order, Side};
use kit_runtime::sql;
use sqlx::PgPool;

use crate::error::{AppError, Error};
use crate::models::{GetProductsResponse, ProductQuery, ProductView, Tag};

/// Products, the newest first. The server on Node continues lists that this server began, and the reverse.
const NEWEST: Keyset = Keyset::new(
    "products",
    Order::Desc,
    &[
        ("products.created_at", KeyType::Timestamptz),
        ("products.id", KeyType::Uuid),
    ],
);

/// Columns of [`ProductView`].
const COLUMNS: &str = "products.id::text, slug, name, description, price::bigint, stock::bigint,
    array(SELECT tag::text FROM product_tags WHERE product_id = products.id ORDER BY 1)";

/// Row with the columns.
type Row = (String, String, String, String, i64, i64, Vec<String>);

fn view_of((id, slug, name, description, price, stock, tags): Row) -> ProductView {
    ProductView {
        id,
        slug,
        name,
        description,
        price,
        stock,
        tags,
    }
}

/// Returns one page of the products.
pub async fn page(pool: &PgPool, query: &ProductQuery) -> Result<GetProductsResponse, Error> {
    let page = NEWEST
        .filters()
        .filter("tag", &query.tag)
        .page(query.cursor.as_deref(), query.limit.unwrap_or(20))?;
    let (condition, order) = match page.side() {
        None => ("", "DESC"),
        Some(Side::Next) => ("AND (created_at, id) < ($3::timestamptz, $4::uuid)", "DESC"),
        Some(Side::Previous) => ("AND (created_at, id) > ($3::timestamptz, $4::uuid)", "ASC"),
    };
    // In ORDER BY, `id` alone would be the text of COLUMNS.
    let statement = format!(
        "SELECT {COLUMNS}, json_build_array(
            to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"'), id::text
        )::text AS kit_cursor_key
        FROM products
        WHERE ($2::text IS NULL
            OR EXISTS (SELECT FROM product_tags WHERE product_id = products.id AND tag = $2)) {condition}
        ORDER BY created_at {order}, products.id {order} LIMIT $1"
    );
    let rows = sqlx::query_as(&statement)
        .bind(page.limit())
        .bind(&query.tag);
    let rows: Vec<(Row, String)> = sql::keyed_rows(rows, page.key(), pool).await?;
    let found = page.of(rows)?;
    Ok(GetProductsResponse {
        data: found.data.into_iter().map(view_of).collect(),
        next: found.next,
        previous: found.previous,
    })
}

/// Returns a product.
pub async fn get(pool: &PgPool, slug: &str) -> Result<ProductView, Error> {
    let statement = format!("SELECT {COLUMNS} FROM products WHERE slug = $1");
    let row: Option<Row> = sqlx::query_as(&statement)
        .bind(slug)
        .fetch_optional(pool)
        .await?;
    let missing = || AppError::ProductNotFound.with(format!("There is no product {slug}"));
    row.map(view_of).ok_or_else(missing)
}

/// Sets the number of pieces of a product.
pub async fn set_stock(pool: &PgPool, slug: &str, stock: i64) -> Result<ProductView, Error> {
    sqlx::query("UPDATE products SET stock = $2 WHERE slug = $1")
        .bind(slug)
        .bind(stock)
        .execute(pool)
        .await?;
    get(pool, slug).await
}

/// Returns all tags by their names.
pub async fn tags(pool: &PgPool) -> Result<Vec<Tag>, Error> {
    let query = sqlx::query_as("SELECT * FROM tags ORDER BY name LIMIT 1000");
    Ok(query.fetch_all(pool).await?)
}
