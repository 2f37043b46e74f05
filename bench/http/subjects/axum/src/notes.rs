//! Handlers of notes: read and create notes in memory, and read notes from the database.

use std::sync::{Arc, Mutex, PoisonError};

use axum::Json;
use axum::extract::rejection::{JsonRejection, PathRejection};
use axum::extract::{Path, State};
use axum::http::StatusCode;
use chrono::{DateTime, SecondsFormat, Utc};
use serde::{Deserialize, Serialize, Serializer};
use sqlx::PgPool;
use uuid::Uuid;

use crate::errors::{AppError, Field};
use crate::middleware::User;
use crate::store::Store;

#[derive(Clone, Serialize, sqlx::FromRow)]
#[serde(rename_all = "camelCase")]
pub struct Note {
    pub id: Uuid,
    pub title: String,
    pub content: String,
    pub author_id: String,
    pub archived: bool,
    #[serde(serialize_with = "milliseconds")]
    pub created_at: DateTime<Utc>,
    #[serde(serialize_with = "milliseconds")]
    pub updated_at: DateTime<Utc>,
}

/// Input for creating a note.
#[derive(Deserialize)]
pub struct CreateNote {
    title: String,
    content: String,
    #[serde(default)]
    archived: bool,
}

fn milliseconds<S: Serializer>(time: &DateTime<Utc>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&time.to_rfc3339_opts(SecondsFormat::Millis, true))
}

const NOT_FOUND: AppError = AppError::new(StatusCode::NOT_FOUND, "NOTE_NOT_FOUND", "Note not found");

pub async fn read(
    _: User,
    State(store): State<Arc<Mutex<Store>>>,
    Path(id): Path<String>,
) -> Result<Json<Note>, AppError> {
    let id = Uuid::parse_str(&id).map_err(|_| NOT_FOUND)?;
    let store = store.lock().unwrap_or_else(PoisonError::into_inner);
    store.find(id).cloned().map(Json).ok_or(NOT_FOUND)
}

pub async fn create(
    User(author_id): User,
    State(store): State<Arc<Mutex<Store>>>,
    body: Result<Json<CreateNote>, JsonRejection>,
) -> Result<(StatusCode, Json<Note>), AppError> {
    let Json(input) = body.map_err(refuse)?;
    check(&input)?;
    let now = Utc::now();
    let note = Note {
        id: Uuid::new_v4(),
        title: input.title,
        content: input.content,
        author_id,
        archived: input.archived,
        created_at: now,
        updated_at: now,
    };
    let mut store = store.lock().unwrap_or_else(PoisonError::into_inner);
    store.add(note.clone());
    Ok((StatusCode::CREATED, Json(note)))
}

fn check(input: &CreateNote) -> Result<(), AppError> {
    let mut fields = Vec::new();
    if input.title.is_empty() || input.title.chars().count() > 200 {
        fields.push(Field {
            path: "$.title",
            expected: "string, 1 to 200 characters".to_owned(),
        });
    }
    if input.content.chars().count() > 10_000 {
        fields.push(Field {
            path: "$.content",
            expected: "string, at most 10000 characters".to_owned(),
        });
    }
    if fields.is_empty() {
        Ok(())
    } else {
        Err(AppError::validation("The body is invalid", fields))
    }
}

/// Converts the error of a body that serde has refused. serde stops at the first value of a wrong type.
fn refuse(rejection: JsonRejection) -> AppError {
    match rejection {
        JsonRejection::MissingJsonContentType(_) => AppError::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "UNSUPPORTED_MEDIA_TYPE",
            "Send application/json",
        ),
        JsonRejection::BytesRejection(error) if error.status() == StatusCode::PAYLOAD_TOO_LARGE => {
            AppError::new(
                StatusCode::PAYLOAD_TOO_LARGE,
                "PAYLOAD_TOO_LARGE",
                "The body is too large",
            )
        }
        other => AppError::validation(
            "The body is invalid",
            vec![Field {
                path: "$",
                expected: other.body_text(),
            }],
        ),
    }
}

pub async fn read_stored(
    _: User,
    State(pool): State<PgPool>,
    id: Result<Path<Uuid>, PathRejection>,
) -> Result<Json<Note>, AppError> {
    let Path(id) = id.map_err(|_| {
        let expected = "string, format uuid".to_owned();
        AppError::validation(
            "The path parameters are invalid",
            vec![Field {
                path: "$.id",
                expected,
            }],
        )
    })?;
    let row = sqlx::query_as(
        "select id, title, content, author_id, archived, created_at, updated_at from bench_notes where id = $1",
    )
    .bind(id)
    .fetch_optional(&pool)
    .await
    .map_err(|error| {
        eprintln!("{error}");
        AppError::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "INTERNAL_SERVER_ERROR",
            "Internal Server Error",
        )
    })?;
    row.map(Json).ok_or(NOT_FOUND)
}
