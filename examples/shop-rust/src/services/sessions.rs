//! Sessions in the table `kit_sessions`, which the server on Node uses too.

use std::time::Duration;

use kit_runtime::OptionError;
use kit_runtime::sessions::{PostgresSessions, Session, SessionOptions, Sessions};
use sqlx::PgPool;

use crate::models::{AccountView, Role};

/// Session of a user, whose data is the account.
pub type AccountSession = Session<AccountView>;

/// Sessions of the accounts.
pub type AccountSessions = Sessions<PostgresSessions, AccountView>;

/// Id of the account that is logged in, for middleware that runs later.
#[derive(Clone)]
pub struct AccountId(pub String);

/// Scopes that contracts require.
const SCOPES: &[&str] = &["orders:read", "orders:write", "products:write"];

/// Time between two searches for sessions that have ended.
const HOUR: Duration = Duration::from_secs(3600);

/// Creates the sessions.
pub fn sessions(pool: &PgPool) -> Result<AccountSessions, OptionError> {
    SessionOptions::new(PostgresSessions::new(pool.clone()))
        .scopes(SCOPES)
        .scopes_of(scopes_of)
        .build()
}

/// Returns the scopes of a role. A customer who is blocked can log in, but has no scope.
fn scopes_of(_user: &str, account: &AccountView) -> Vec<String> {
    let scopes: &[&str] = match account.role {
        Role::Customer => &["orders:read", "orders:write"],
        Role::Staff => &["orders:read", "products:write"],
        Role::Blocked => &[],
    };
    scopes.iter().map(|scope| (*scope).to_owned()).collect()
}

/// Removes sessions that have ended, once an hour, until the server stops.
pub async fn remove_ended(pool: PgPool) {
    let store = PostgresSessions::new(pool);
    loop {
        match store.delete_ended().await {
            Ok(0) => {}
            // There may be more.
            Ok(_) => continue,
            Err(error) => tracing::warn!(%error, "Sessions that have ended could not be removed"),
        }
        tokio::select! {
            () = tokio::time::sleep(HOUR) => {}
            () = kit_runtime::stopping() => return,
        }
    }
}
