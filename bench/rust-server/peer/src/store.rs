//! Notes in the database. The SQL statements are those of `examples/notes-rust`, with columns of type UUID.

use sqlx::PgPool;
use uuid::Uuid;

use crate::notes::{ChangeNote, CreateNote, Note};

const LIST: &str = "
    SELECT id, title, content, author_id, archived, created_at, updated_at
    FROM notes
    ORDER BY created_at DESC, id DESC
    LIMIT $1 OFFSET $2";

const INSERT: &str = "
    INSERT INTO notes (title, content, author_id, archived)
    VALUES ($1, $2, $3, $4)
    RETURNING id, title, content, author_id, archived, created_at, updated_at";

const GET: &str = "
    SELECT id, title, content, author_id, archived, created_at, updated_at
    FROM notes
    WHERE id = $1";

const UPDATE: &str = "
    UPDATE notes
    SET title = COALESCE($2, title),
        content = COALESCE($3, content),
        archived = COALESCE($4, archived),
        updated_at = now()
    WHERE id = $1
    RETURNING id, title, content, author_id, archived, created_at, updated_at";

pub async fn list(pool: &PgPool, limit: i64, offset: i64) -> Result<Vec<Note>, sqlx::Error> {
    sqlx::query_as(LIST)
        .bind(limit)
        .bind(offset)
        .fetch_all(pool)
        .await
}

pub async fn count(pool: &PgPool) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar("SELECT count(*) FROM notes")
        .fetch_one(pool)
        .await
}

pub async fn insert(pool: &PgPool, new: CreateNote, author_id: String) -> Result<Note, sqlx::Error> {
    sqlx::query_as(INSERT)
        .bind(new.title)
        .bind(new.content)
        .bind(author_id)
        .bind(new.archived)
        .fetch_one(pool)
        .await
}

pub async fn get(pool: &PgPool, id: Uuid) -> Result<Option<Note>, sqlx::Error> {
    sqlx::query_as(GET).bind(id).fetch_optional(pool).await
}

pub async fn update(pool: &PgPool, id: Uuid, changes: ChangeNote) -> Result<Option<Note>, sqlx::Error> {
    sqlx::query_as(UPDATE)
        .bind(id)
        .bind(changes.title)
        .bind(changes.content)
        .bind(changes.archived)
        .fetch_optional(pool)
        .await
}

pub async fn delete(pool: &PgPool, id: Uuid) -> Result<bool, sqlx::Error> {
    let done = sqlx::query("DELETE FROM notes WHERE id = $1")
        .bind(id)
        .execute(pool)
        .await?;
    Ok(done.rows_affected() > 0)
}
