//! Accounts and their passwords.

use kit_runtime::{Context, sql};
use sqlx::PgPool;

use crate::app::App;
use crate::db::account::{self, NewAccount};
use crate::error::{AppError, Error};
use crate::models::{Account, AccountView, Credentials, Registration};
use crate::services::sessions::SessionData;

/// Creates the account of a customer.
pub async fn register(app: &App, registration: Registration) -> Result<Account, Error> {
    let new = NewAccount {
        id: None,
        email: normalized(&registration.email),
        name: registration.name,
        password_hash: app.passwords.hash(&registration.password).await?,
        role: None,
        created_at: None,
    };
    let inserted = account::insert(&app.pool, &new).await;
    inserted.map_err(|error| match sql::violated_constraint(&error) {
        Some(account::EMAIL_UNIQUE) => AppError::EmailTaken.with("Another account has this address"),
        _ => error.into(),
    })
}

/// Returns the account with an address and a password.
pub async fn find_by_password(
    app: &App,
    credentials: &Credentials,
) -> Result<Option<Account>, Error> {
    let query = sqlx::query_as("SELECT * FROM accounts WHERE email = $1");
    let found: Option<Account> = query
        .bind(normalized(&credentials.email))
        .fetch_optional(&app.pool)
        .await?;
    // Without an account, this takes as long as with one. So the time does not show which addresses exist.
    let stored = found.as_ref().map(|account| account.password_hash.as_str());
    let is_right = app.passwords.verify(&credentials.password, stored).await?;
    let Some(account) = found.filter(|_| is_right) else {
        return Ok(None);
    };
    if app.passwords.needs_rehash(&account.password_hash) {
        let hash = app.passwords.hash(&credentials.password).await?;
        sqlx::query("UPDATE accounts SET password_hash = $2 WHERE id = $1::uuid")
            .bind(&account.id)
            .bind(hash)
            .execute(&app.pool)
            .await?;
    }
    Ok(Some(account))
}

/// Starts the session of an account.
pub async fn log_in(app: &App, context: &Context, account: Account) -> Result<AccountView, Error> {
    app.sessions
        .start(context, &account.id, &SessionData {})
        .await?;
    Ok(view_of(account))
}

/// Returns an account as its owner sees it. Returns `None` if the account was removed.
pub async fn read_view(pool: &PgPool, id: &str) -> Result<Option<AccountView>, Error> {
    Ok(account::get(pool, id).await?.map(view_of))
}

fn view_of(account: Account) -> AccountView {
    AccountView {
        email: account.email,
        name: account.name,
        role: account.role,
    }
}

/// Returns an address in lower case, because people do not write their address the same way each time.
fn normalized(email: &str) -> String {
    email.to_lowercase()
}
