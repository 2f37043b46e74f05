//! Calls every route of Notes with the generated client, and checks the results. The first argument is the URL of the server.

use notes_rust_client::models::{
    DeleteNotesByIdParams, GetNotesByIdParams, Paging, PostNotesBody, PutNotesByIdParams, UpdateNoteInput,
};
use notes_rust_client::routes::notes::{
    DeleteNotesById, GetNotes, GetNotesById, GetNotesByIdFailure, PostNotes, PutNotesById,
    PutNotesByIdFailure,
};
use notes_rust_client::{Client, Error};

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let url = std::env::args().nth(1).expect("the URL of the server");
    let client = Client::new(&url)
        .and_then(|client| client.configure(|client| client.with_header("authorization", "Bearer ada:user")))
        .expect("a client");
    let notes = client.notes();

    let body = |title: &str| PostNotesBody {
        title: title.to_owned(),
        content: "Milk, äggs & \"flour\"".to_owned(),
        archived: false,
    };
    let note = notes
        .post_notes(PostNotes {
            body: body("Groceries"),
        })
        .await
        .expect("a note");
    assert_eq!(
        (note.title.as_str(), note.author_id.as_str()),
        ("Groceries", "ada")
    );
    assert_eq!(note.content, "Milk, äggs & \"flour\"");

    let read = |id: &str| GetNotesById {
        params: GetNotesByIdParams { id: id.to_owned() },
    };
    let found = notes.get_notes_by_id(read(&note.id)).await.expect("the note");
    assert_eq!(found, note);

    notes
        .post_notes(PostNotes { body: body("Later") })
        .await
        .expect("a note");
    let query = Paging {
        page: Some(2),
        page_size: Some(1),
    };
    let page = notes.get_notes(GetNotes { query }).await.expect("a page");
    assert_eq!((page.pagination.total, page.pagination.page), (2, 2));
    assert_eq!(page.data[0].title, "Groceries");

    let change = |id: &str, title: &str| PutNotesById {
        params: PutNotesByIdParams { id: id.to_owned() },
        body: UpdateNoteInput {
            title: Some(title.to_owned()),
            content: None,
            archived: Some(true),
        },
    };
    let changed = notes
        .put_notes_by_id(change(&note.id, "Food"))
        .await
        .expect("the note");
    assert_eq!((changed.title.as_str(), changed.archived), ("Food", true));

    // A validation error is not declared by the contract.
    let refused = notes
        .put_notes_by_id(change(&note.id, ""))
        .await
        .expect_err("an error");
    let Error::Refused(refusal) = &refused else {
        panic!("{refused:?}")
    };
    assert!(refusal.is(400, "VALIDATION_ERROR"), "{refusal:?}");
    assert_eq!(
        refusal.details.as_ref().expect("details")["fields"][0]["rule"],
        "minLength"
    );

    let params = DeleteNotesByIdParams { id: note.id.clone() };
    notes
        .delete_notes_by_id(DeleteNotesById { params })
        .await
        .expect("no error");
    let gone = notes.get_notes_by_id(read(&note.id)).await.expect_err("an error");
    let Error::Declared(GetNotesByIdFailure::NoteNotFound(refusal)) = &gone else {
        panic!("{gone:?}")
    };
    assert!(refusal.trace_id.is_some() && !refusal.message.is_empty());
    assert!(
        gone.to_string()
            .starts_with("the server responded with 404 NOTE_NOT_FOUND: "),
        "{gone}"
    );
    let gone = notes
        .put_notes_by_id(change(&note.id, "Food"))
        .await
        .expect_err("an error");
    assert!(
        matches!(gone, Error::Declared(PutNotesByIdFailure::NoteNotFound(_))),
        "{gone:?}"
    );

    // This value would lead to another route.
    let wrong = notes.get_notes_by_id(read("..")).await.expect_err("an error");
    assert!(matches!(wrong, Error::Request(_)), "{wrong:?}");

    let stranger = Client::new(&url).expect("a client");
    let refused = stranger
        .notes()
        .get_notes(GetNotes {
            query: Paging {
                page: None,
                page_size: None,
            },
        })
        .await;
    let refused = refused.expect_err("an error");
    assert!(refused.to_string().contains("401 UNAUTHORIZED"), "{refused}");

    let nobody = Client::new("http://127.0.0.1:9").expect("a client");
    let lost = nobody
        .notes()
        .get_notes_by_id(read(&note.id))
        .await
        .expect_err("an error");
    assert!(matches!(lost, Error::Transport(_)), "{lost:?}");
    println!("all calls passed");
}
