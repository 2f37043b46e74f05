//! Runs the vectors of `conformance/validation.json` on the generated models of Notes, without changes to the models.

// A helper function may fail its test, and the doc comments of the models are written by the user.
#![allow(clippy::unwrap_used, missing_docs)]
#![deny(warnings)]
#![allow(clippy::pedantic, unreachable_pub, dead_code, unused_imports)] // a library's models in a program

#[rustfmt::skip] // unchanged generated code
#[path = "goldens/notes/kit/models/mod.rs"]
mod models;
mod vectors;

use models::{
    DeleteNotesByIdParams, GetNotesByIdParams, GetNotesQuery, Note, NoteSummary,
    PaginatedResponseOfNoteSummary, PaginatedResponsePagination, PostNotesBody, PutNotesByIdParams,
    UpdateNoteInput,
};
use vectors::{Generated, run};

#[test]
fn passes_every_validation_vector_of_notes() {
    let types = [
        Generated::of_answers::<Note>(),
        Generated::of::<NoteSummary>(),
        Generated::of::<UpdateNoteInput>(),
        Generated::of::<PaginatedResponseOfNoteSummary>(),
        Generated::of::<PostNotesBody>(),
        Generated::of::<GetNotesQuery>(),
        Generated::of::<GetNotesByIdParams>(),
        Generated::of::<PutNotesByIdParams>(),
        Generated::of::<DeleteNotesByIdParams>(),
    ];
    run("notes", &types);
}

#[test]
fn omits_the_absent_fields_of_an_update_in_json() {
    let update = UpdateNoteInput {
        title: Some("t".to_owned()),
        content: None,
        archived: None,
    };
    assert_eq!(kit_runtime::json::to_text(&update).unwrap(), r#"{"title":"t"}"#);
    let page = PaginatedResponsePagination {
        total: 1.0,
        page: 1.0,
        page_size: 0.5,
        total_pages: 1e21,
    };
    assert_eq!(
        kit_runtime::json::to_text(&page).unwrap(),
        r#"{"total":1,"page":1,"pageSize":0.5,"totalPages":1e+21}"#
    );
}
