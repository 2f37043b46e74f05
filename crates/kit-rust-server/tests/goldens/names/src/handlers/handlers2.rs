//! Handlers of `Handlers`. This file is yours: kit wrote it once and does not change it.

use crate::app::App;
use crate::error::Error;
use crate::models::{Response, UserAccount2};
use crate::router::{Handlers, PostAccounts, PostContext};

impl Handlers for App {
    async fn post_context(&self, _input: PostContext) -> Result<Response, Error> {
        Err(Error::not_implemented(
            "POST /context",
            "src/handlers/handlers2.rs",
        ))
    }

    async fn post_accounts(&self, _input: PostAccounts) -> Result<UserAccount2, Error> {
        Err(Error::not_implemented(
            "POST /accounts",
            "src/handlers/handlers2.rs",
        ))
    }
}
