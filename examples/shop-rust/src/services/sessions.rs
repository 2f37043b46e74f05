//! Sessions in the table `kit_sessions`, which the server on Node uses too.

use std::time::Duration;

use kit_runtime::OptionError;
use kit_runtime::sessions::{PostgresSessions, Session, SessionOptions, Sessions};
use serde::{Deserialize, Serialize};
use sqlx::PgPool;

use crate::models::Role;

/// Data of a session. It has no copy of the account: a role that changes applies to the next request.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SessionData {}

/// Session of a user, whose subject is the id of the account.
pub type AccountSession = Session<SessionData>;

/// Sessions of the accounts.
pub type AccountSessions = Sessions<PostgresSessions, SessionData>;

/// Id of the account that is logged in, for middleware that runs later.
#[derive(Clone)]
pub struct AccountId(pub String);

/// Time between two searches for sessions that have ended.
const HOUR: Duration = Duration::from_secs(3600);

/// Creates the sessions.
pub fn sessions(pool: &PgPool) -> Result<AccountSessions, OptionError> {
    SessionOptions::new(PostgresSessions::new(pool.clone())).build()
}

/// Returns the scopes of a role. A customer who is blocked can log in, but has no scope.
pub fn scopes_of(role: Role) -> &'static [&'static str] {
    match role {
        Role::Customer => &["orders:read", "orders:write"],
        Role::Staff => &["orders:read", "products:write"],
        Role::Blocked => &[],
    }
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
