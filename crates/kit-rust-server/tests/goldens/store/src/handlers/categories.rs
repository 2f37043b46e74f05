//! Handlers of `CategoryRoutes`. This file is yours: kit wrote it once and does not change it.

use std::collections::HashMap;

use kit_runtime::sql::{snapshot, violated_constraint};
use kit_runtime::value;

use crate::app::App;
use crate::db::category::{self, NewCategory};
use crate::error::Error;
use crate::models::{Category, CategoryTree};
use crate::router::{CategoryRoutes, GetCategoriesById, PostCategories};

/// Error for a request whose category the database refuses.
fn category_refused(error: sqlx::Error) -> Error {
    match violated_constraint(&error) {
        Some(category::PARENT_ID_REFERENCE) => Error::conflict("CONFLICT", "Category not found"),
        _ => error.into(),
    }
}

/// Error for a request whose category does not exist.
fn category_not_found(id: i64) -> Error {
    Error::not_found("NOT_FOUND", "Category not found").with_details(value!({ "id": id }))
}

/// Adds rows of other tables to rows of `categories`, with one query for each table.
async fn with_children(
    connection: &mut sqlx::PgConnection,
    rows: Vec<Category>,
) -> Result<Vec<CategoryTree>, Error> {
    let keys: Vec<_> = rows.iter().map(|row| row.id).collect();
    let found = category::list_by_any_parent_id(&mut *connection, &keys).await?;
    let mut children_by_key: HashMap<_, Vec<_>> = HashMap::new();
    for row in found {
        let Some(key) = row.parent_id else {
            continue;
        };
        children_by_key.entry(key).or_default().push(row);
    }
    let mut responses = Vec::with_capacity(rows.len());
    for row in rows {
        responses.push(CategoryTree {
            children: children_by_key.remove(&row.id).unwrap_or_default(),
            id: row.id,
            name: row.name,
            parent_id: row.parent_id,
        });
    }
    Ok(responses)
}

/// Adds rows of other tables to a row of `categories`.
async fn category_with_children(
    connection: &mut sqlx::PgConnection,
    row: Category,
) -> Result<CategoryTree, Error> {
    let mut responses = with_children(connection, vec![row]).await?;
    responses
        .pop()
        .ok_or_else(|| Error::internal("`with_children` returned no response for the row"))
}

impl CategoryRoutes for App {
    async fn post_categories(&self, input: PostCategories) -> Result<Category, Error> {
        let body = input.body;
        let new = NewCategory {
            name: body.name,
            parent_id: body.parent_id,
        };
        category::insert(&self.pool, &new)
            .await
            .map_err(category_refused)
    }

    async fn get_categories_by_id(&self, input: GetCategoriesById) -> Result<CategoryTree, Error> {
        let id = input.params.id;
        let mut transaction = snapshot(&self.pool).await?;
        let found = category::get(&mut *transaction, id).await?;
        let row = found.ok_or_else(|| category_not_found(id))?;
        let response = category_with_children(&mut transaction, row).await?;
        transaction.commit().await?;
        Ok(response)
    }
}
