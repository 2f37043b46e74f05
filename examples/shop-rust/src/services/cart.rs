//! Cart of an account.

use sqlx::PgPool;

use super::catalogue;
use crate::error::{AppError, Error};
use crate::models::{Cart, CartLine};

/// Maximum number of products in a cart.
const MOST_LINES: i64 = 100;

const LINES: &str = "
    SELECT slug, name, price::bigint, stock::bigint, quantity::bigint
    FROM cart_items JOIN products ON products.id = product_id
    WHERE account_id = $1::uuid
    ORDER BY name, products.id";

/// Returns the cart of an account.
pub async fn read(pool: &PgPool, account_id: &str) -> Result<Cart, Error> {
    let rows: Vec<(String, String, i64, i64, i64)> = sqlx::query_as(LINES)
        .bind(account_id)
        .fetch_all(pool)
        .await?;
    let line = |(slug, name, price, stock, quantity)| CartLine {
        slug,
        name,
        price,
        stock,
        quantity,
    };
    let lines: Vec<CartLine> = rows.into_iter().map(line).collect();
    let total = lines.iter().map(|line| line.price * line.quantity).sum();
    Ok(Cart { lines, total })
}

/// Sets the quantity of a product in the cart.
pub async fn set_quantity(
    pool: &PgPool,
    account_id: &str,
    slug: &str,
    quantity: i64,
) -> Result<Cart, Error> {
    let product_id = catalogue::get(pool, slug).await?.id;
    let others = "SELECT count(*) FROM cart_items WHERE account_id = $1::uuid AND product_id <> $2::uuid";
    let count: i64 = sqlx::query_scalar(others)
        .bind(account_id)
        .bind(&product_id)
        .fetch_one(pool)
        .await?;
    if count >= MOST_LINES {
        return Err(AppError::CartFull.with(format!("A cart has at most {MOST_LINES} products")));
    }
    let statement = "
        INSERT INTO cart_items (account_id, product_id, quantity) VALUES ($1::uuid, $2::uuid, $3)
        ON CONFLICT (account_id, product_id) DO UPDATE SET quantity = excluded.quantity";
    sqlx::query(statement)
        .bind(account_id)
        .bind(product_id)
        .bind(quantity)
        .execute(pool)
        .await?;
    read(pool, account_id).await
}

/// Takes a product out of the cart.
pub async fn remove(pool: &PgPool, account_id: &str, slug: &str) -> Result<Cart, Error> {
    let statement = "
        DELETE FROM cart_items
        WHERE account_id = $1::uuid AND product_id IN (SELECT id FROM products WHERE slug = $2)";
    sqlx::query(statement)
        .bind(account_id)
        .bind(slug)
        .execute(pool)
        .await?;
    read(pool, account_id).await
}
