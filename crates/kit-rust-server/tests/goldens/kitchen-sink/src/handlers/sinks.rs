//! Handlers of `SinkRoutes`. This file is yours: kit wrote it once and does not change it.

use kit_runtime::sql::violated_constraint;

use crate::app::App;
use crate::db::user_account::{self, NewUserAccount};
use crate::error::Error;
use crate::models::{Defaults, Figure, UserAccount};
use crate::router::{
    DeleteSwappedByBByA, GetFilesByPath, GetOpen, GetPairsByAByB, GetSearch, PostAccounts,
    PutDefaults, SinkRoutes,
};

/// Error for a request whose user account the database refuses.
fn user_account_refused(error: sqlx::Error) -> Error {
    match violated_constraint(&error) {
        Some(user_account::EMAIL_UNIQUE) => {
            Error::conflict("CONFLICT", "Another user account has this email")
        }
        _ => error.into(),
    }
}

impl SinkRoutes for App {
    async fn get_search(&self, _input: GetSearch) -> Result<Figure, Error> {
        Err(Error::not_implemented(
            "GET /search",
            "src/handlers/sinks.rs",
        ))
    }

    async fn get_open(&self, _input: GetOpen) -> Result<(), Error> {
        Err(Error::not_implemented("GET /open", "src/handlers/sinks.rs"))
    }

    async fn get_pairs_by_a_by_b(&self, _input: GetPairsByAByB) -> Result<(), Error> {
        Err(Error::not_implemented(
            "GET /pairs/:a/:b",
            "src/handlers/sinks.rs",
        ))
    }

    async fn delete_swapped_by_b_by_a(&self, _input: DeleteSwappedByBByA) -> Result<(), Error> {
        Err(Error::not_implemented(
            "DELETE /swapped/:b/:a",
            "src/handlers/sinks.rs",
        ))
    }

    async fn get_files_by_path(&self, _input: GetFilesByPath) -> Result<(), Error> {
        Err(Error::not_implemented(
            "GET /files/*path",
            "src/handlers/sinks.rs",
        ))
    }

    async fn post_accounts(&self, input: PostAccounts) -> Result<UserAccount, Error> {
        let body = input.body;
        let new = NewUserAccount {
            id: body.id,
            email: body.email,
            status: Some(body.status),
        };
        user_account::insert(&self.pool, &new)
            .await
            .map_err(user_account_refused)
    }

    async fn put_defaults(&self, _input: PutDefaults) -> Result<Defaults, Error> {
        Err(Error::not_implemented(
            "PUT /defaults",
            "src/handlers/sinks.rs",
        ))
    }
}
