//! Comments as the reader sees them.

use sqlx::postgres::PgRow;
use sqlx::{PgPool, Row as _};

use super::profiles;
use crate::models::CommentView;

/// Returns the comments of an article, in the order in which they were written.
pub async fn of_article(
    pool: &PgPool,
    reader_id: Option<&str>,
    article_id: &str,
) -> Result<Vec<CommentView>, sqlx::Error> {
    let query = format!(
        "{} WHERE article_id = $2::uuid ORDER BY comments.id",
        select()
    );
    let query = sqlx::query(&query).bind(reader_id).bind(article_id);
    query.try_map(|row| from_row(&row)).fetch_all(pool).await
}

/// Returns a comment that exists.
pub async fn get(
    pool: &PgPool,
    reader_id: Option<&str>,
    id: i64,
) -> Result<CommentView, sqlx::Error> {
    let query = format!("{} WHERE comments.id = $2", select());
    let query = sqlx::query(&query).bind(reader_id).bind(id);
    query.try_map(|row| from_row(&row)).fetch_one(pool).await
}

fn select() -> String {
    let profile = profiles::COLUMNS;
    format!(
        "SELECT comments.id, body, created_at, updated_at, {profile}
        FROM comments JOIN accounts ON accounts.id = author_id"
    )
}

fn from_row(row: &PgRow) -> Result<CommentView, sqlx::Error> {
    Ok(CommentView {
        id: row.try_get("id")?,
        body: row.try_get("body")?,
        created_at: row.try_get("created_at")?,
        updated_at: row.try_get("updated_at")?,
        author: profiles::from_row(row)?,
    })
}
