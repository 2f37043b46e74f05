//! The vectors of `conformance/validation.json` on the generated models of Notes, which are compiled here as they are.

// Helpers of tests may unwrap as tests do; the models' own documentation is the users'.
#![allow(clippy::unwrap_used, missing_docs)]
#![deny(warnings)]
#![allow(clippy::pedantic, unreachable_pub, dead_code, unused_imports)] // A library's models, in a program.

#[rustfmt::skip] // As it is generated.
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
fn every_vector_passes() {
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
fn an_update_writes_only_what_it_holds() {
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
