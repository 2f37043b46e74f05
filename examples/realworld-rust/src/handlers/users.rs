//! Handlers of `UserRoutes`. This file is yours: kit wrote it once and does not change it.

use super::logins::with_token;
use crate::app::App;
use crate::db::account;
use crate::error::{AppError, Error};
use crate::models::{Account, AccountChanges, UserResponse};
use crate::router::{GetApiUser, PutApiUser, UserRoutes};
use crate::services::errors::taken_or;

/// Returns the account of a token. A token of a deleted account is invalid.
fn own(account: Option<Account>) -> Result<Account, Error> {
    account.ok_or_else(|| AppError::InvalidToken.with("The account of the access token was deleted"))
}

/// Returns a new value of `bio` or `image`: an empty text becomes `null`.
fn filled(change: Option<Option<String>>) -> Option<Option<String>> {
    change.map(|text| text.filter(|text| !text.is_empty()))
}

impl UserRoutes for App {
    async fn get_api_user(&self, input: GetApiUser) -> Result<UserResponse, Error> {
        let account = account::get(&self.pool, input.require_member.user_id()).await?;
        with_token(self, own(account)?)
    }

    async fn put_api_user(&self, input: PutApiUser) -> Result<UserResponse, Error> {
        let AccountChanges {
            username,
            email,
            bio,
            image,
            password,
        } = input.body.user;
        let password_hash = match password {
            Some(password) => Some(self.passwords.hash(&password).await?),
            None => None,
        };
        let changes = account::AccountChanges {
            username,
            email,
            password_hash,
            bio: filled(bio),
            image: filled(image),
        };
        let account = account::update(&self.pool, input.require_member.user_id(), &changes).await;
        with_token(self, own(account.map_err(taken_or)?)?)
    }
}
