//! Handlers of `LoginRoutes`. This file is yours: kit wrote it once and does not change it.

use crate::app::App;
use crate::error::{AppError, Error};
use crate::models::AccountView;
use crate::router::{LoginRoutes, PostAccounts, PostSession};
use crate::services::accounts;

impl LoginRoutes for App {
    async fn post_accounts(&self, input: PostAccounts) -> Result<AccountView, Error> {
        let account = accounts::register(self, input.body).await?;
        accounts::log_in(self, &input.context, account).await
    }

    async fn post_session(&self, input: PostSession) -> Result<AccountView, Error> {
        match accounts::find_by_password(self, &input.body).await? {
            Some(account) => accounts::log_in(self, &input.context, account).await,
            None => {
                Err(AppError::CredentialsInvalid.with("The address or the password is wrong"))
            }
        }
    }
}
