//! Handlers of `DeliveryRoutes`. This file is yours: kit wrote it once and does not change it.

use std::collections::HashMap;

use kit_runtime::sql::{is_value_error, snapshot, violated_constraint};
use kit_runtime::{as_number, value};

use crate::app::App;
use crate::db::delivery::{self, DeliveryChanges, DeliveryFilter, NewDelivery};
use crate::db::delivery_item::{self, NewDeliveryItem};
use crate::error::{AppError, Error};
use crate::models::{
    Delivery, DeliveryPage, DeliveryPagePagination, DeliveryQueryOrder, DeliveryQuerySort,
    DeliveryView, DeliveryViewItems, PostDeliveriesReply201Headers,
};
use crate::router::{
    DeleteDeliveriesById, DeliveryRoutes, GetDeliveries, GetDeliveriesById, PatchDeliveriesById,
    PostDeliveries, PostDeliveriesReply,
};

/// Error for a request whose delivery the database refuses.
fn delivery_refused(error: sqlx::Error) -> Error {
    match violated_constraint(&error) {
        Some(delivery::TRACKING_NUMBER_UNIQUE) => {
            AppError::TrackingNumberTaken.with("Another delivery has this tracking number")
        }
        _ => error.into(),
    }
}

/// Error for a request whose delivery item the database refuses.
fn delivery_item_refused(error: sqlx::Error) -> Error {
    if is_value_error(&error) {
        return Error::bad_request(
            "VALIDATION_ERROR",
            "A value of the request does not fit its column",
        );
    }
    match violated_constraint(&error) {
        Some(delivery_item::PRIMARY_KEY) => AppError::DeliveryItemTwice
            .with("Another delivery item has this delivery id and product id"),
        Some(delivery_item::PRODUCT_ID_REFERENCE) => {
            AppError::ProductNotFound.with("Product not found")
        }
        _ => error.into(),
    }
}

/// Adds rows of other tables to rows of `deliveries`, with one query for each table.
async fn with_items(
    connection: &mut sqlx::PgConnection,
    rows: Vec<Delivery>,
) -> Result<Vec<DeliveryView>, Error> {
    let keys: Vec<_> = rows.iter().map(|row| row.id.as_str()).collect();
    let found = delivery_item::list_by_any_delivery_id(&mut *connection, &keys).await?;
    let mut items_by_key: HashMap<_, Vec<_>> = HashMap::new();
    for row in found {
        items_by_key
            .entry(row.delivery_id)
            .or_default()
            .push(DeliveryViewItems {
                product_id: row.product_id,
                quantity: row.quantity,
                purchase_price: row.purchase_price,
            });
    }
    let mut responses = Vec::with_capacity(rows.len());
    for row in rows {
        responses.push(DeliveryView {
            items: items_by_key.remove(&row.id).unwrap_or_default(),
            id: row.id,
            tracking_number: row.tracking_number,
            state: row.state,
            freight: row.freight,
            packing: row.packing,
            created_at: row.created_at,
        });
    }
    Ok(responses)
}

/// Adds rows of other tables to a row of `deliveries`.
async fn delivery_with_items(
    connection: &mut sqlx::PgConnection,
    row: Delivery,
) -> Result<DeliveryView, Error> {
    let mut responses = with_items(connection, vec![row]).await?;
    responses
        .pop()
        .ok_or_else(|| Error::internal("`with_items` returned no response for the row"))
}

/// Error for a request whose delivery does not exist.
fn delivery_not_found(id: &str) -> Error {
    AppError::DeliveryNotFound
        .with("Delivery not found")
        .with_details(value!({ "id": id }))
}

impl DeliveryRoutes for App {
    async fn post_deliveries(&self, input: PostDeliveries) -> Result<PostDeliveriesReply, Error> {
        let body = input.body;
        let new = NewDelivery {
            id: None,
            tracking_number: body.tracking_number,
            state: None,
            freight: body.freight,
            packing: body.packing,
            created_at: None,
        };
        let mut transaction = self.pool.begin().await?;
        let row = delivery::insert(&mut *transaction, &new)
            .await
            .map_err(delivery_refused)?;
        let mut items = body.items;
        // Each insert locks the row to which the item refers.
        // One order, so that requests rarely wait for each other in a circle.
        items.sort_by(|one, other| one.product_id.cmp(&other.product_id));
        for item in items {
            let new = NewDeliveryItem {
                delivery_id: row.id.clone(),
                product_id: item.product_id,
                quantity: item.quantity,
                purchase_price: item.purchase_price,
            };
            delivery_item::insert(&mut *transaction, &new)
                .await
                .map_err(delivery_item_refused)?;
        }
        let response = delivery_with_items(&mut transaction, row).await?;
        transaction.commit().await?;
        let headers = PostDeliveriesReply201Headers {
            location: format!("/deliveries/{}", response.id),
        };
        Ok(PostDeliveriesReply::Created {
            body: response,
            headers,
        })
    }

    async fn get_deliveries(&self, input: GetDeliveries) -> Result<DeliveryPage, Error> {
        let filter = DeliveryFilter {
            tracking_number: input.query.tracking_number,
            state: input.query.state,
        };
        let order = delivery::ListOrder {
            by: input.query.sort.map(|sort| match sort {
                DeliveryQuerySort::CreatedAt => delivery::SortColumn::CreatedAt,
                DeliveryQuerySort::Freight => delivery::SortColumn::Freight,
            }),
            descending: input
                .query
                .order
                .map(|order| order == DeliveryQueryOrder::Desc),
        };
        let page = input.query.page.unwrap_or(1);
        let page_size = input.query.page_size.unwrap_or(20);
        let offset = (page - 1).saturating_mul(page_size);
        let mut transaction = snapshot(&self.pool).await?;
        let (rows, total) =
            delivery::list_with_total(&mut transaction, &filter, order, page_size, offset).await?;
        let data = with_items(&mut transaction, rows).await?;
        transaction.commit().await?;
        let total_pages = total / page_size + i64::from(total % page_size > 0);
        Ok(DeliveryPage {
            data,
            pagination: DeliveryPagePagination {
                total: as_number(total),
                page: as_number(page),
                page_size: as_number(page_size),
                total_pages: as_number(total_pages),
            },
        })
    }

    async fn get_deliveries_by_id(&self, input: GetDeliveriesById) -> Result<DeliveryView, Error> {
        let id = &input.params.id;
        let mut transaction = snapshot(&self.pool).await?;
        let found = delivery::get(&mut *transaction, id).await?;
        let row = found.ok_or_else(|| delivery_not_found(id))?;
        let response = delivery_with_items(&mut transaction, row).await?;
        transaction.commit().await?;
        Ok(response)
    }

    async fn patch_deliveries_by_id(
        &self,
        input: PatchDeliveriesById,
    ) -> Result<DeliveryView, Error> {
        let id = &input.params.id;
        let body = input.body;
        let changes = DeliveryChanges {
            tracking_number: None,
            state: body.state,
            freight: body.freight,
            packing: None,
        };
        let mut transaction = self.pool.begin().await?;
        let updated = delivery::update(&mut *transaction, id, &changes)
            .await
            .map_err(delivery_refused)?;
        let row = updated.ok_or_else(|| delivery_not_found(id))?;
        let response = delivery_with_items(&mut transaction, row).await?;
        transaction.commit().await?;
        Ok(response)
    }

    async fn delete_deliveries_by_id(&self, input: DeleteDeliveriesById) -> Result<(), Error> {
        let id = &input.params.id;
        let deleted = delivery::delete(&self.pool, id).await?;
        if deleted {
            Ok(())
        } else {
            Err(delivery_not_found(id))
        }
    }
}
