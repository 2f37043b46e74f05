//! Routes of notes, with their input, their responses and their rules.

use axum::Json;
use axum::extract::rejection::{JsonRejection, QueryRejection};
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use chrono::{NaiveDateTime, SecondsFormat};
use serde::{Deserialize, Serialize, Serializer};
use sqlx::PgPool;
use uuid::Uuid;

use crate::auth::User;
use crate::errors::{AppError, Field};
use crate::store;

#[derive(Serialize, sqlx::FromRow)]
#[serde(rename_all = "camelCase")]
pub struct Note {
    pub id: Uuid,
    pub title: String,
    pub content: String,
    pub author_id: String,
    pub archived: bool,
    #[serde(serialize_with = "milliseconds")]
    pub created_at: NaiveDateTime,
    #[serde(serialize_with = "milliseconds")]
    pub updated_at: NaiveDateTime,
}

#[derive(Deserialize)]
pub struct CreateNote {
    pub title: String,
    pub content: String,
    #[serde(default)]
    pub archived: bool,
}

#[derive(Deserialize)]
pub struct ChangeNote {
    pub title: Option<String>,
    pub content: Option<String>,
    pub archived: Option<bool>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Paging {
    page: Option<i64>,
    page_size: Option<i64>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Summary {
    id: Uuid,
    title: String,
    archived: bool,
    #[serde(serialize_with = "milliseconds")]
    created_at: NaiveDateTime,
}

#[derive(Serialize)]
pub struct Page {
    data: Vec<Summary>,
    pagination: Pagination,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Pagination {
    total: i64,
    page: i64,
    page_size: i64,
    total_pages: i64,
}

fn milliseconds<S: Serializer>(time: &NaiveDateTime, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&time.and_utc().to_rfc3339_opts(SecondsFormat::Millis, true))
}

pub async fn create(
    User(author_id): User,
    State(pool): State<PgPool>,
    body: Result<Json<CreateNote>, JsonRejection>,
) -> Result<(StatusCode, Json<Note>), AppError> {
    let Json(new) = body?;
    refuse_invalid("body", check_texts(Some(&new.title), Some(&new.content)))?;
    let note = store::insert(&pool, new, author_id).await?;
    Ok((StatusCode::CREATED, Json(note)))
}

pub async fn list(
    _: User,
    State(pool): State<PgPool>,
    paging: Result<Query<Paging>, QueryRejection>,
) -> Result<Json<Page>, AppError> {
    let Query(paging) = paging?;
    let (page, page_size) = (paging.page.unwrap_or(1), paging.page_size.unwrap_or(20));
    refuse_invalid("query", check_paging(page, page_size))?;
    let offset = (page - 1).saturating_mul(page_size);
    let (rows, total) = tokio::try_join!(store::list(&pool, page_size, offset), store::count(&pool))?;
    let data = rows.into_iter().map(|row| Summary {
        id: row.id,
        title: row.title,
        archived: row.archived,
        created_at: row.created_at,
    });
    Ok(Json(Page {
        data: data.collect(),
        pagination: Pagination {
            total,
            page,
            page_size,
            total_pages: total / page_size + i64::from(total % page_size > 0),
        },
    }))
}

pub async fn read(
    _: User,
    State(pool): State<PgPool>,
    Path(id): Path<String>,
) -> Result<Json<Note>, AppError> {
    let Ok(key) = Uuid::parse_str(&id) else {
        return Err(AppError::no_note(id));
    };
    let found = store::get(&pool, key).await?;
    found.map(Json).ok_or_else(|| AppError::no_note(id))
}

pub async fn change(
    _: User,
    State(pool): State<PgPool>,
    Path(id): Path<String>,
    body: Result<Json<ChangeNote>, JsonRejection>,
) -> Result<Json<Note>, AppError> {
    let Json(changes) = body?;
    let failures = check_texts(changes.title.as_deref(), changes.content.as_deref());
    refuse_invalid("body", failures)?;
    let Ok(key) = Uuid::parse_str(&id) else {
        return Err(AppError::no_note(id));
    };
    let found = store::update(&pool, key, changes).await?;
    found.map(Json).ok_or_else(|| AppError::no_note(id))
}

pub async fn remove(
    _: User,
    State(pool): State<PgPool>,
    Path(id): Path<String>,
) -> Result<StatusCode, AppError> {
    let is_gone = match Uuid::parse_str(&id) {
        Ok(key) => store::delete(&pool, key).await?,
        Err(_) => false,
    };
    if is_gone {
        Ok(StatusCode::NO_CONTENT)
    } else {
        Err(AppError::no_note(id))
    }
}

fn check_texts(title: Option<&str>, content: Option<&str>) -> Vec<Field> {
    let mut fields = Vec::new();
    if let Some(title) = title.filter(|title| !(1..=200).contains(&title.chars().count())) {
        fields.push(Field {
            path: "$.title",
            expected: "string, 1 to 200 characters",
            value: title.into(),
        });
    }
    if let Some(content) = content.filter(|content| content.chars().count() > 10_000) {
        fields.push(Field {
            path: "$.content",
            expected: "string, at most 10000 characters",
            value: content.into(),
        });
    }
    fields
}

fn check_paging(page: i64, page_size: i64) -> Vec<Field> {
    let mut fields = Vec::new();
    if page < 1 {
        fields.push(Field {
            path: "$.page",
            expected: "integer, at least 1",
            value: page.into(),
        });
    }
    if !(1..=100).contains(&page_size) {
        fields.push(Field {
            path: "$.pageSize",
            expected: "integer, 1 to 100",
            value: page_size.into(),
        });
    }
    fields
}

fn refuse_invalid(part: &str, fields: Vec<Field>) -> Result<(), AppError> {
    if fields.is_empty() {
        Ok(())
    } else {
        Err(AppError::invalid(part, fields))
    }
}
