//! The handlers of `NoteRoutes`. This file is yours: kit made it once and leaves it alone.

use crate::app::App;
use crate::db::note::{self, NoteChanges};
use crate::error::{AppError, Error};
use crate::models::{Note, PaginatedResponseOfNoteSummary};
use crate::router::{DeleteNotesById, GetNotes, GetNotesById, NoteRoutes, PostNotes, PutNotesById};

impl NoteRoutes for App {
    async fn post_notes(&self, _input: PostNotes) -> Result<Note, Error> {
        Err(Error::not_written("POST /notes", "src/handlers/notes.rs"))
    }

    async fn get_notes(&self, _input: GetNotes) -> Result<PaginatedResponseOfNoteSummary, Error> {
        Err(Error::not_written("GET /notes", "src/handlers/notes.rs"))
    }

    async fn get_notes_by_id(&self, input: GetNotesById) -> Result<Note, Error> {
        let found = note::get(&self.pool, &input.params.id).await?;
        found.ok_or_else(|| AppError::NoteNotFound.with("Note not found"))
    }

    async fn put_notes_by_id(&self, input: PutNotesById) -> Result<Note, Error> {
        let body = input.body;
        let changes = NoteChanges {
            title: body.title,
            content: body.content,
            author_id: None,
            archived: body.archived,
        };
        let found = note::update(&self.pool, &input.params.id, &changes).await?;
        found.ok_or_else(|| AppError::NoteNotFound.with("Note not found"))
    }

    async fn delete_notes_by_id(&self, input: DeleteNotesById) -> Result<(), Error> {
        if note::delete(&self.pool, &input.params.id).await? {
            Ok(())
        } else {
            Err(AppError::NoteNotFound.with("Note not found"))
        }
    }
}
