//! Handlers of `NoteRoutes`. This file is yours: kit wrote it once and does not change it.

use kit_runtime::value;

use crate::app::App;
use crate::db::note::{self, NewNote, NoteChanges};
use crate::error::{AppError, Error};
use crate::models::{
    Note, NoteSummary, PaginatedResponseOfNoteSummary, PaginatedResponsePagination,
};
use crate::router::{DeleteNotesById, GetNotes, GetNotesById, NoteRoutes, PostNotes, PutNotesById};

/// Maximum length of `Note.authorId`. The id comes from the token, which no validator checks.
const AUTHOR_ID_LENGTH: usize = 100;

fn not_found(id: &str) -> Error {
    AppError::NoteNotFound
        .with("Note not found")
        .with_details(value!({ "id": id }))
}

impl NoteRoutes for App {
    async fn post_notes(&self, input: PostNotes) -> Result<Note, Error> {
        let PostNotes {
            body, require_auth, ..
        } = input;
        if require_auth.user_id.chars().count() > AUTHOR_ID_LENGTH {
            let message = format!("A user id has at most {AUTHOR_ID_LENGTH} characters");
            return Err(AppError::InvalidToken.with(message));
        }
        let new = NewNote {
            id: None,
            title: body.title,
            content: body.content,
            author_id: require_auth.user_id,
            archived: Some(body.archived),
            created_at: None,
        };
        Ok(note::insert(&self.pool, &new).await?)
    }

    async fn get_notes(&self, input: GetNotes) -> Result<PaginatedResponseOfNoteSummary, Error> {
        let page = input.query.page.unwrap_or(1);
        let page_size = input.query.page_size.unwrap_or(20);
        let offset = (page - 1).saturating_mul(page_size);
        let (rows, total) = tokio::try_join!(
            note::list(&self.pool, page_size, offset),
            note::count(&self.pool),
        )?;
        let data = rows
            .into_iter()
            .map(|row| NoteSummary {
                id: row.id,
                title: row.title,
                archived: row.archived,
                created_at: row.created_at,
            })
            .collect();
        Ok(PaginatedResponseOfNoteSummary {
            data,
            pagination: PaginatedResponsePagination {
                total,
                page,
                page_size,
                total_pages: total / page_size + i64::from(total % page_size > 0),
            },
        })
    }

    async fn get_notes_by_id(&self, input: GetNotesById) -> Result<Note, Error> {
        let id = &input.params.id;
        let found = note::get(&self.pool, id).await?;
        found.ok_or_else(|| not_found(id))
    }

    async fn put_notes_by_id(&self, input: PutNotesById) -> Result<Note, Error> {
        let PutNotesById { params, body, .. } = input;
        let changes = NoteChanges {
            title: body.title,
            content: body.content,
            author_id: None,
            archived: body.archived,
        };
        let found = note::update(&self.pool, &params.id, &changes).await?;
        found.ok_or_else(|| not_found(&params.id))
    }

    async fn delete_notes_by_id(&self, input: DeleteNotesById) -> Result<(), Error> {
        let id = &input.params.id;
        if note::delete(&self.pool, id).await? {
            Ok(())
        } else {
            Err(not_found(id))
        }
    }
}
