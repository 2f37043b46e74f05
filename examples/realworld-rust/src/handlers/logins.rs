//! Handlers of `LoginRoutes`. This file is yours: kit wrote it once and does not change it.

use crate::app::App;
use crate::db::account::{self, NewAccount};
use crate::error::{AppError, Error};
use crate::models::{Account, CurrentUser, Login, Registration, UserResponse};
use crate::router::{LoginRoutes, PostApiUsers, PostApiUsersLogin};
use crate::services::errors::taken_or;

/// Returns an account with a new token.
pub fn with_token(app: &App, account: Account) -> Result<UserResponse, Error> {
    let user = CurrentUser {
        username: account.username,
        email: account.email,
        bio: account.bio,
        image: account.image,
        token: app.tokens.token_for(account.id)?,
    };
    Ok(UserResponse { user })
}

impl LoginRoutes for App {
    async fn post_api_users(&self, input: PostApiUsers) -> Result<UserResponse, Error> {
        let Registration {
            username,
            email,
            password,
        } = input.body.user;
        let new = NewAccount {
            id: None,
            username,
            email,
            password_hash: self.passwords.hash(&password).await?,
            bio: None,
            image: None,
        };
        with_token(self, account::insert(&self.pool, &new).await.map_err(taken_or)?)
    }

    async fn post_api_users_login(&self, input: PostApiUsersLogin) -> Result<UserResponse, Error> {
        let Login { email, password } = input.body.user;
        let query = sqlx::query_as("SELECT * FROM accounts WHERE email = $1").bind(email);
        let account: Option<Account> = query.fetch_optional(&self.pool).await?;
        let stored = account.as_ref().map(|account| &*account.password_hash);
        let is_right = self.passwords.verify(&password, stored).await?;
        match account {
            Some(account) if is_right => with_token(self, account),
            _ => Err(AppError::CredentialsInvalid.with("invalid")),
        }
    }
}
