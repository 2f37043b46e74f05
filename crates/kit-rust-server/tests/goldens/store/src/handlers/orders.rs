//! Handlers of `OrderRoutes`. This file is yours: kit wrote it once and does not change it.

use std::collections::HashMap;

use kit_runtime::sql::{is_value_error, snapshot, violated_constraint};
use kit_runtime::value;

use crate::app::App;
use crate::db::customer;
use crate::db::order::{self, NewOrder, OrderChanges, OrderFilter};
use crate::db::order_item::{self, NewOrderItem, OrderItemChanges};
use crate::error::{AppError, Error};
use crate::models::{
    CustomerName, GetNewestOrdersResponse, GetOrdersResponse, Order, OrderItem, OrderView,
    OrderViewItems, PostOrdersReply201Headers,
};
use crate::router::{
    DeleteOrdersById, DeleteOrdersByIdReply, GetNewestOrders, GetOrders, GetOrdersById,
    OrderRoutes, PatchOrdersById, PatchOrdersByOrderIdItemsByLine, PostOrders, PostOrdersReply,
    PutOrdersById,
};

/// Error for a request whose order the database refuses.
fn order_refused(error: sqlx::Error) -> Error {
    match violated_constraint(&error) {
        Some(order::CUSTOMER_ID_REFERENCE | order::RECEIVER_ID_REFERENCE) => {
            AppError::CustomerNotFound.with("Customer not found")
        }
        _ => error.into(),
    }
}

/// Error for a request whose order item the database refuses.
fn order_item_refused(error: sqlx::Error) -> Error {
    if is_value_error(&error) {
        return Error::bad_request(
            "VALIDATION_ERROR",
            "A value of the request does not fit its column",
        );
    }
    match violated_constraint(&error) {
        Some(order_item::PRIMARY_KEY) => {
            Error::conflict("CONFLICT", "Another order item has this order id and line")
        }
        Some(order_item::ORDER_ID_REFERENCE) => Error::conflict("CONFLICT", "Order not found"),
        Some(order_item::PRODUCT_ID_REFERENCE) => {
            AppError::ProductNotFound.with("Product not found")
        }
        _ => error.into(),
    }
}

/// Adds rows of other tables to rows of `orders`, with one query for each table.
async fn with_customer_and_receiver_and_items(
    connection: &mut sqlx::PgConnection,
    rows: Vec<Order>,
) -> Result<Vec<OrderView>, Error> {
    let keys: Vec<_> = rows.iter().map(|row| row.customer_id.as_str()).collect();
    let found = customer::list_by_any_id(&mut *connection, &keys).await?;
    let customer_by_key: HashMap<_, _> =
        found.into_iter().map(|row| (row.id.clone(), row)).collect();
    let keys: Vec<_> = rows
        .iter()
        .filter_map(|row| row.receiver_id.as_deref())
        .collect();
    let found = customer::list_by_any_id(&mut *connection, &keys).await?;
    let receiver_by_key: HashMap<_, _> =
        found.into_iter().map(|row| (row.id.clone(), row)).collect();
    let keys: Vec<_> = rows.iter().map(|row| row.id).collect();
    let found = order_item::list_by_any_order_id(&mut *connection, &keys).await?;
    let mut items_by_key: HashMap<_, Vec<_>> = HashMap::new();
    for row in found {
        items_by_key
            .entry(row.order_id)
            .or_default()
            .push(OrderViewItems {
                line: row.line,
                product_id: row.product_id,
                quantity: row.quantity,
            });
    }
    let mut responses = Vec::with_capacity(rows.len());
    for row in rows {
        responses.push(OrderView {
            customer: customer_by_key
                .get(&row.customer_id)
                .cloned()
                .map(|row| CustomerName {
                    id: row.id,
                    name: row.name,
                })
                .ok_or_else(|| {
                    Error::internal("No row of `Customer` has the `customerId` of a row of `Order`")
                })?,
            receiver: row
                .receiver_id
                .as_ref()
                .and_then(|key| receiver_by_key.get(key))
                .cloned(),
            items: items_by_key.remove(&row.id).unwrap_or_default(),
            id: row.id,
            note: row.note,
            placed_at: row.placed_at,
        });
    }
    Ok(responses)
}

/// Adds rows of other tables to a row of `orders`.
async fn order_with_customer_and_receiver_and_items(
    connection: &mut sqlx::PgConnection,
    row: Order,
) -> Result<OrderView, Error> {
    let mut responses = with_customer_and_receiver_and_items(connection, vec![row]).await?;
    responses.pop().ok_or_else(|| {
        Error::internal("`with_customer_and_receiver_and_items` returned no response for the row")
    })
}

/// Error for a request whose order does not exist.
fn order_not_found(id: i64) -> Error {
    Error::not_found("NOT_FOUND", "Order not found").with_details(value!({ "id": id }))
}

/// Error for a request whose order item does not exist.
fn order_item_not_found(order_id: i64, line: i64) -> Error {
    Error::not_found("NOT_FOUND", "Order item not found")
        .with_details(value!({ "orderId": order_id, "line": line }))
}

impl OrderRoutes for App {
    async fn post_orders(&self, input: PostOrders) -> Result<PostOrdersReply, Error> {
        let body = input.body;
        let new = NewOrder {
            customer_id: body.customer_id,
            receiver_id: body.receiver_id,
            note: body.note,
            placed_at: None,
        };
        let mut transaction = self.pool.begin().await?;
        let row = order::insert(&mut *transaction, &new)
            .await
            .map_err(order_refused)?;
        let mut items = body.items;
        // Each insert locks the row to which the item refers.
        // One order, so that requests rarely wait for each other in a circle.
        items.sort_by(|one, other| one.product_id.cmp(&other.product_id));
        for item in items {
            let new = NewOrderItem {
                order_id: row.id,
                line: item.line,
                product_id: item.product_id,
                quantity: item.quantity,
            };
            order_item::insert(&mut *transaction, &new)
                .await
                .map_err(order_item_refused)?;
        }
        let response = order_with_customer_and_receiver_and_items(&mut transaction, row).await?;
        transaction.commit().await?;
        let headers = PostOrdersReply201Headers {
            location: format!("/orders/{}", response.id),
        };
        Ok(PostOrdersReply::Created {
            body: response,
            headers,
        })
    }

    async fn get_orders(&self, _input: GetOrders) -> Result<GetOrdersResponse, Error> {
        let mut transaction = snapshot(&self.pool).await?;
        let rows = order::list(&mut *transaction, &OrderFilter::default(), i64::MAX, 0).await?;
        let data = with_customer_and_receiver_and_items(&mut transaction, rows).await?;
        transaction.commit().await?;
        Ok(GetOrdersResponse(data))
    }

    async fn get_newest_orders(
        &self,
        input: GetNewestOrders,
    ) -> Result<GetNewestOrdersResponse, Error> {
        let page = order::KEYSET
            .filters()
            .filter("customerId", &input.query.customer_id)
            .page(
                input.query.cursor.as_deref(),
                input.query.limit.unwrap_or(20),
            )?;
        let filter = OrderFilter {
            customer_id: input.query.customer_id,
        };
        let mut transaction = snapshot(&self.pool).await?;
        let rows = order::page(&mut *transaction, &filter, &page).await?;
        let page = page.of(rows)?;
        let rows = page.data;
        let data = with_customer_and_receiver_and_items(&mut transaction, rows).await?;
        transaction.commit().await?;
        Ok(GetNewestOrdersResponse {
            data,
            next: page.next,
            previous: page.previous,
        })
    }

    async fn get_orders_by_id(&self, input: GetOrdersById) -> Result<OrderView, Error> {
        let id = input.params.id;
        let mut transaction = snapshot(&self.pool).await?;
        let found = order::get(&mut *transaction, id).await?;
        let row = found.ok_or_else(|| order_not_found(id))?;
        let response = order_with_customer_and_receiver_and_items(&mut transaction, row).await?;
        transaction.commit().await?;
        Ok(response)
    }

    async fn put_orders_by_id(&self, input: PutOrdersById) -> Result<OrderView, Error> {
        let id = input.params.id;
        let body = input.body;
        let changes = OrderChanges {
            customer_id: None,
            receiver_id: None,
            note: Some(body.note),
        };
        let mut transaction = self.pool.begin().await?;
        let updated = order::update(&mut *transaction, id, &changes)
            .await
            .map_err(order_refused)?;
        let row = updated.ok_or_else(|| order_not_found(id))?;
        let response = order_with_customer_and_receiver_and_items(&mut transaction, row).await?;
        transaction.commit().await?;
        Ok(response)
    }

    async fn patch_orders_by_id(&self, input: PatchOrdersById) -> Result<OrderView, Error> {
        let id = input.params.id;
        let body = input.body;
        let changes = OrderChanges {
            customer_id: None,
            receiver_id: None,
            note: body.note,
        };
        let mut transaction = self.pool.begin().await?;
        let updated = order::update(&mut *transaction, id, &changes)
            .await
            .map_err(order_refused)?;
        let row = updated.ok_or_else(|| order_not_found(id))?;
        order_item::delete_by_order_id(&mut *transaction, row.id).await?;
        let mut items = body.items;
        // Each insert locks the row to which the item refers.
        // One order, so that requests rarely wait for each other in a circle.
        items.sort_by(|one, other| one.product_id.cmp(&other.product_id));
        for item in items {
            let new = NewOrderItem {
                order_id: row.id,
                line: item.line,
                product_id: item.product_id,
                quantity: item.quantity,
            };
            order_item::insert(&mut *transaction, &new)
                .await
                .map_err(order_item_refused)?;
        }
        let response = order_with_customer_and_receiver_and_items(&mut transaction, row).await?;
        transaction.commit().await?;
        Ok(response)
    }

    async fn delete_orders_by_id(
        &self,
        input: DeleteOrdersById,
    ) -> Result<DeleteOrdersByIdReply, Error> {
        let id = input.params.id;
        let deleted = order::delete(&self.pool, id).await?;
        if deleted {
            Ok(DeleteOrdersByIdReply::NoContent)
        } else {
            Err(order_not_found(id))
        }
    }

    async fn patch_orders_by_order_id_items_by_line(
        &self,
        input: PatchOrdersByOrderIdItemsByLine,
    ) -> Result<OrderItem, Error> {
        let order_id = input.params.order_id;
        let line = input.params.line;
        let body = input.body;
        let changes = OrderItemChanges {
            product_id: None,
            quantity: Some(body.quantity),
        };
        let updated = order_item::update(&self.pool, order_id, line, &changes)
            .await
            .map_err(order_item_refused)?;
        updated.ok_or_else(|| order_item_not_found(order_id, line))
    }
}
