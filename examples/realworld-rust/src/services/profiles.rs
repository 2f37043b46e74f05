//! Accounts as other users see them.

use sqlx::postgres::PgRow;
use sqlx::{PgPool, Row as _};

use crate::error::{AppError, Error};
use crate::models::Profile;

/// Columns of [`Profile`], in a query that has the table `accounts`. The first argument of the query is the id of the
/// reader.
pub const COLUMNS: &str = "accounts.username, accounts.bio, accounts.image, EXISTS (
    SELECT FROM follows WHERE follower_id = $1::uuid AND followed_id = accounts.id) AS following";

/// Reads the columns of a profile.
pub fn from_row(row: &PgRow) -> Result<Profile, sqlx::Error> {
    Ok(Profile {
        username: row.try_get("username")?,
        bio: row.try_get("bio")?,
        image: row.try_get("image")?,
        following: row.try_get("following")?,
    })
}

/// Returns the id of an account, and its profile as the reader sees it.
pub async fn get(
    pool: &PgPool,
    reader_id: Option<&str>,
    username: &str,
) -> Result<(String, Profile), Error> {
    let query = format!("SELECT accounts.id::text, {COLUMNS} FROM accounts WHERE username = $2");
    let query = sqlx::query(&query).bind(reader_id).bind(username);
    let Some(row) = query.fetch_optional(pool).await? else {
        return Err(AppError::ProfileNotFound.with("not found"));
    };
    Ok((row.try_get("id")?, from_row(&row)?))
}
