//! Orders of an account.

use std::collections::HashMap;

use kit_runtime::keyset::{KeyType, Keyset, Order, Side};
use kit_runtime::{Timestamp, sql};
use sqlx::{PgConnection, PgPool};

use crate::error::{AppError, Error};
use crate::models::{GetOrdersQuery, GetOrdersResponse, OrderView, OrderViewItems, SoldOut};

/// Orders, the newest first.
const NEWEST: Keyset = Keyset::new(
    "orders",
    Order::Desc,
    &[
        ("placed_at", KeyType::Timestamptz),
        ("id", KeyType::Uuid),
    ],
);

/// Row of an order: id, total and time.
type Row = (String, i64, Timestamp);

/// Orders the products in the cart of an account, and empties the cart. The connection is that of a transaction.
pub async fn place(transaction: &mut PgConnection, account_id: &str) -> Result<OrderView, Error> {
    // Two requests of an account order one after the other, so that both cannot use the same cart.
    sqlx::query("SELECT FROM accounts WHERE id = $1::uuid FOR UPDATE")
        .bind(account_id)
        .execute(&mut *transaction)
        .await?;
    let lines = take_from_stock(transaction, account_id).await?;
    let total: i64 = lines.iter().map(|line| line.price * line.quantity).sum();
    let statement = "
        INSERT INTO orders (account_id, total) VALUES ($1::uuid, $2)
        RETURNING id::text, total, placed_at";
    let order: Row = sqlx::query_as(statement)
        .bind(account_id)
        .bind(total)
        .fetch_one(&mut *transaction)
        .await?;
    for line in lines {
        let statement = "INSERT INTO order_items (order_id, slug, name, price, quantity) VALUES ($1::uuid, $2, $3, $4, $5)";
        sqlx::query(statement)
            .bind(&order.0)
            .bind(line.slug)
            .bind(line.name)
            .bind(line.price)
            .bind(line.quantity)
            .execute(&mut *transaction)
            .await?;
    }
    sqlx::query("DELETE FROM cart_items WHERE account_id = $1::uuid")
        .bind(account_id)
        .execute(&mut *transaction)
        .await?;
    view_of(transaction, order).await
}

/// Reduces the stock of the products in a cart, and returns the lines of the cart.
async fn take_from_stock(
    transaction: &mut PgConnection,
    account_id: &str,
) -> Result<Vec<OrderViewItems>, Error> {
    // All orders lock products in the same order, so that no two orders wait for each other. Products are not locked against new
    // references, so that rows of other tables can refer to a product meanwhile.
    let statement = "
        SELECT products.id::text, slug, name, price::bigint, stock::bigint, quantity::bigint
        FROM cart_items JOIN products ON products.id = product_id
        WHERE account_id = $1::uuid
        ORDER BY products.id
        FOR UPDATE OF cart_items FOR NO KEY UPDATE OF products";
    let rows: Vec<(String, String, String, i64, i64, i64)> = sqlx::query_as(statement)
        .bind(account_id)
        .fetch_all(&mut *transaction)
        .await?;
    if rows.is_empty() {
        return Err(AppError::CartEmpty.with("The cart is empty"));
    }
    let mut lines = Vec::new();
    for (id, slug, name, price, stock, quantity) in rows {
        if quantity > stock {
            let message = format!("The shop has only {stock} of these: {name}");
            let details = SoldOut {
                slug,
                name,
                left: stock,
            };
            return Err(AppError::SoldOut(details).with(message));
        }
        sqlx::query("UPDATE products SET stock = $2 WHERE id = $1::uuid")
            .bind(id)
            .bind(stock - quantity)
            .execute(&mut *transaction)
            .await?;
        lines.push(OrderViewItems {
            slug,
            name,
            price,
            quantity,
        });
    }
    Ok(lines)
}

/// Returns one page of the orders of an account.
pub async fn page(
    pool: &PgPool,
    account_id: &str,
    query: &GetOrdersQuery,
) -> Result<GetOrdersResponse, Error> {
    let page = NEWEST
        .filters()
        .filter("accountId", &account_id)
        .page(query.cursor.as_deref(), query.limit.unwrap_or(20))?;
    let (condition, order) = match page.side() {
        None => ("", "DESC"),
        Some(Side::Next) => ("AND (placed_at, id) < ($3::timestamptz, $4::uuid)", "DESC"),
        Some(Side::Previous) => ("AND (placed_at, id) > ($3::timestamptz, $4::uuid)", "ASC"),
    };
    let statement = format!(
        "SELECT id::text, total, placed_at, json_build_array(
            to_char(placed_at AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"'), id::text
        )::text AS kit_cursor_key
        FROM orders
        WHERE account_id = $2::uuid {condition}
        ORDER BY placed_at {order}, orders.id {order} LIMIT $1"
    );
    let rows = sqlx::query_as(&statement)
        .bind(page.limit())
        .bind(account_id);
    let rows: Vec<(Row, String)> = sql::keyed_rows(rows, page.key(), pool).await?;
    let found = page.of(rows)?;
    let mut connection = pool.acquire().await?;
    Ok(GetOrdersResponse {
        data: with_items(&mut connection, found.data).await?,
        next: found.next,
        previous: found.previous,
    })
}

/// Returns an order of an account.
pub async fn get(pool: &PgPool, account_id: &str, id: &str) -> Result<OrderView, Error> {
    let statement = "SELECT id::text, total, placed_at FROM orders WHERE account_id = $1::uuid AND id = $2::uuid";
    let order: Option<Row> = sqlx::query_as(statement)
        .bind(account_id)
        .bind(id)
        .fetch_optional(pool)
        .await?;
    let order = order.ok_or_else(not_found)?;
    view_of(&mut *pool.acquire().await?, order).await
}

/// Returns the error for an order that does not exist.
fn not_found() -> Error {
    AppError::OrderNotFound.with("There is no such order")
}

async fn view_of(connection: &mut PgConnection, order: Row) -> Result<OrderView, Error> {
    let views = with_items(connection, vec![order]).await?;
    views.into_iter().next().ok_or_else(not_found)
}

/// Adds the items of orders, with one query.
async fn with_items(
    connection: &mut PgConnection,
    orders: Vec<Row>,
) -> Result<Vec<OrderView>, Error> {
    let ids: Vec<&str> = orders.iter().map(|(id, ..)| id.as_str()).collect();
    let statement = "
        SELECT order_id::text, slug, name, price::bigint, quantity::bigint
        FROM order_items WHERE order_id = ANY ($1::text[]::uuid[])
        ORDER BY name, slug";
    let rows: Vec<(String, String, String, i64, i64)> = sqlx::query_as(statement)
        .bind(ids)
        .fetch_all(connection)
        .await?;
    let mut items: HashMap<String, Vec<OrderViewItems>> = HashMap::new();
    for (order_id, slug, name, price, quantity) in rows {
        items.entry(order_id).or_default().push(OrderViewItems {
            slug,
            name,
            price,
            quantity,
        });
    }
    let view = |(id, total, placed_at): Row| OrderView {
        items: items.remove(&id).unwrap_or_default(),
        id,
        total,
        placed_at,
    };
    Ok(orders.into_iter().map(view).collect())
}
