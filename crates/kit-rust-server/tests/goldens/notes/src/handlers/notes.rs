//! Handlers of `NoteRoutes`. This file is yours: kit wrote it once and does not change it.

use kit_runtime::{as_number, value};

use crate::app::App;
use crate::db::note::{self, NoteChanges};
use crate::error::{AppError, Error};
use crate::models::{
    Note, NoteSummary, PaginatedResponseOfNoteSummary, PaginatedResponsePagination,
};
use crate::router::{DeleteNotesById, GetNotes, GetNotesById, NoteRoutes, PostNotes, PutNotesById};

/// Error for a request whose note does not exist.
fn note_not_found(id: &str) -> Error {
    AppError::NoteNotFound
        .with("Note not found")
        .with_details(value!({ "id": id }))
}

impl NoteRoutes for App {
    async fn post_notes(&self, _input: PostNotes) -> Result<Note, Error> {
        Err(Error::not_implemented(
            "POST /notes",
            "src/handlers/notes.rs",
        ))
    }

    async fn get_notes(&self, input: GetNotes) -> Result<PaginatedResponseOfNoteSummary, Error> {
        let page = input.query.page.unwrap_or(1);
        let page_size = input.query.page_size.unwrap_or(20);
        let offset = (page - 1).saturating_mul(page_size);
        let mut connection = self.pool.acquire().await?;
        let (rows, total) = note::list_with_total(&mut connection, page_size, offset).await?;
        let data = rows
            .into_iter()
            .map(|row| NoteSummary {
                id: row.id,
                title: row.title,
                archived: row.archived,
                created_at: row.created_at,
            })
            .collect();
        let total_pages = total / page_size + i64::from(total % page_size > 0);
        Ok(PaginatedResponseOfNoteSummary {
            data,
            pagination: PaginatedResponsePagination {
                total: as_number(total),
                page: as_number(page),
                page_size: as_number(page_size),
                total_pages: as_number(total_pages),
            },
        })
    }

    async fn get_notes_by_id(&self, input: GetNotesById) -> Result<Note, Error> {
        let id = &input.params.id;
        let found = note::get(&self.pool, id).await?;
        found.ok_or_else(|| note_not_found(id))
    }

    async fn put_notes_by_id(&self, input: PutNotesById) -> Result<Note, Error> {
        let id = &input.params.id;
        let body = input.body;
        let changes = NoteChanges {
            title: body.title,
            content: body.content,
            author_id: None,
            archived: body.archived,
        };
        let updated = note::update(&self.pool, id, &changes).await?;
        updated.ok_or_else(|| note_not_found(id))
    }

    async fn delete_notes_by_id(&self, input: DeleteNotesById) -> Result<(), Error> {
        let id = &input.params.id;
        let deleted = note::delete(&self.pool, id).await?;
        if deleted {
            Ok(())
        } else {
            Err(note_not_found(id))
        }
    }
}
