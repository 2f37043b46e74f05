//! Handlers of `CustomerRoutes`. This file is yours: kit wrote it once and does not change it.

use kit_runtime::sql::violated_constraint;
use kit_runtime::value;

use crate::app::App;
use crate::db::customer::{self, CustomerFilter, NewCustomer};
use crate::error::{AppError, Error};
use crate::models::{CustomerName, GetCustomersResponse};
use crate::router::{CustomerRoutes, GetCustomers, GetCustomersById, PostCustomers};

/// Error for a request whose customer the database refuses.
fn customer_refused(error: sqlx::Error) -> Error {
    match violated_constraint(&error) {
        Some(customer::EMAIL_UNIQUE) => {
            AppError::EmailTaken.with("Another customer has this email")
        }
        _ => error.into(),
    }
}

/// Error for a request whose customer does not exist.
fn customer_not_found(id: &str) -> Error {
    Error::not_found("NOT_FOUND", "Customer not found").with_details(value!({ "id": id }))
}

impl CustomerRoutes for App {
    async fn post_customers(&self, input: PostCustomers) -> Result<CustomerName, Error> {
        let body = input.body;
        let new = NewCustomer {
            id: None,
            email: body.email,
            name: body.name,
        };
        let row = customer::insert(&self.pool, &new)
            .await
            .map_err(customer_refused)?;
        Ok(CustomerName {
            id: row.id,
            name: row.name,
        })
    }

    async fn get_customers_by_id(&self, input: GetCustomersById) -> Result<CustomerName, Error> {
        let id = &input.params.id;
        let found = customer::get(&self.pool, id).await?;
        let row = found.ok_or_else(|| customer_not_found(id))?;
        Ok(CustomerName {
            id: row.id,
            name: row.name,
        })
    }

    async fn get_customers(&self, input: GetCustomers) -> Result<GetCustomersResponse, Error> {
        let filter = CustomerFilter {
            name: input.query.name,
        };
        let rows = customer::list(&self.pool, &filter, i64::MAX, 0).await?;
        let data = rows
            .into_iter()
            .map(|row| CustomerName {
                id: row.id,
                name: row.name,
            })
            .collect();
        Ok(GetCustomersResponse(data))
    }
}
