//! Handlers of `PhotoRoutes`, with the answers of `tests/conformance/bodies-application.ts`.

use std::fmt::Write as _;
use std::time::Duration;

use kit_runtime::{BodyBytes, Context, Event, Events, File, HeaderName, HeaderValue, Lines, Timestamp};
use serde_json::{Value, json};

use crate::app::App;
use crate::error::Error;
use crate::models::{Book, Photo, PostImportsResponse, Progress};
use crate::router::{
    GetBooks, GetEvents, GetEventsEvent, GetImage, GetReport, GetReportReply, GetTable, PhotoRoutes,
    PostBlobs, PostComments, PostFiles, PostHooks, PostIcons, PostImages, PostImports, PostPhotos,
    PostSessions, PostTables,
};

/// Sets the header `x-received` to a received body as JSON.
fn note(context: &Context, received: &impl serde::Serialize) -> Result<(), Error> {
    let json =
        serde_json::to_string(received).map_err(|_| Error::internal("a received body has no JSON form"))?;
    let mut text = String::new();
    for letter in json.chars() {
        if matches!(letter, ' '..='~') {
            text.push(letter);
        } else {
            for byte in letter.encode_utf8(&mut [0; 4]).bytes() {
                let _ = write!(text, "%{byte:02X}");
            }
        }
    }
    context.set_header(
        HeaderName::from_static("x-received"),
        HeaderValue::try_from(text)?,
    );
    Ok(())
}

fn shown(file: &File) -> Value {
    let text = String::from_utf8_lossy(&file.bytes);
    json!({ "name": file.name, "type": file.media_type, "text": text })
}

fn hex(context: &Context, bytes: &BodyBytes) -> Result<(), Error> {
    let mut text = String::new();
    for byte in bytes {
        let _ = write!(text, "{byte:02x}");
    }
    note(context, &text)
}

fn book(pages: i64) -> Result<Book, Error> {
    Ok(Book {
        title: format!("Book {pages}"),
        pages,
        printed: Timestamp::from_unix_millis(1_767_323_045_678)?,
    })
}

fn mode(context: &Context) -> String {
    context
        .header("x-mode")
        .map(std::borrow::Cow::into_owned)
        .unwrap_or_default()
}

/// Sends numbers in order without an end, and continues after the last one that the client received.
fn numbers(context: &Context) -> Events<GetEventsEvent> {
    let last = context.header("last-event-id");
    let last = last.and_then(|id| id.parse().ok()).unwrap_or(0_u32);
    Events::write(async move |mut events| {
        for number in last + 1.. {
            let progress = Progress {
                percent: f64::from(number),
            };
            let event = Event::new(GetEventsEvent::Progress(progress));
            let event = event.id(number.to_string()).retry(Duration::from_millis(20));
            events.send(event).await?;
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        Ok(())
    })
}

/// Sends an event and then nothing. Writes a line to the standard output when the stream is dropped.
fn until_the_client_leaves() -> Events<GetEventsEvent> {
    struct Dropped;
    impl Drop for Dropped {
        fn drop(&mut self) {
            println!("the stream is dropped");
        }
    }
    Events::write(async move |mut events| {
        let _dropped = Dropped;
        events.send(GetEventsEvent::Stopped).await?;
        std::future::pending().await
    })
}

impl PhotoRoutes for App {
    async fn post_sessions(&self, input: PostSessions) -> Result<(), Error> {
        note(&input.context, &input.body)
    }

    async fn post_photos(&self, input: PostPhotos) -> Result<Photo, Error> {
        let body = input.body;
        let mut received = serde_json::to_value(&body.fields)
            .map_err(|_| Error::internal("the fields have no JSON form"))?;
        received["photo"] = shown(&body.photo);
        if !body.more.is_empty() {
            received["more"] = body.more.iter().map(shown).collect();
        }
        note(&input.context, &received)?;
        Ok(Photo {
            id: "6f1d2c3b-0a9e-4f8d-8c7b-6a5d4e3f2a1b".to_owned(),
            title: body.fields.title,
        })
    }

    async fn post_files(&self, input: PostFiles) -> Result<(), Error> {
        note(&input.context, &json!({ "file": shown(&input.body.file) }))
    }

    async fn post_comments(&self, input: PostComments) -> Result<(), Error> {
        note(&input.context, &input.body.fields)
    }

    async fn post_hooks(&self, input: PostHooks) -> Result<(), Error> {
        hex(&input.context, &input.body)
    }

    async fn post_blobs(&self, input: PostBlobs) -> Result<(), Error> {
        hex(&input.context, &input.body)
    }

    async fn post_tables(&self, input: PostTables) -> Result<(), Error> {
        note(&input.context, &input.body)
    }

    async fn post_images(&self, input: PostImages) -> Result<(), Error> {
        hex(&input.context, &input.body)
    }

    async fn post_icons(&self, input: PostIcons) -> Result<(), Error> {
        hex(&input.context, &input.body)
    }

    async fn post_imports(&self, mut input: PostImports) -> Result<PostImportsResponse, Error> {
        let mut imported = 0.0;
        while let Some(book) = input.body.next().await {
            imported += book?.pages as f64;
        }
        Ok(PostImportsResponse { imported })
    }

    async fn get_table(&self, _input: GetTable) -> Result<String, Error> {
        Ok("title\nBücher\n".to_owned())
    }

    async fn get_image(&self, _input: GetImage) -> Result<BodyBytes, Error> {
        Ok(BodyBytes::from_static(b"\x89PNG"))
    }

    async fn get_books(&self, input: GetBooks) -> Result<Lines<Book>, Error> {
        let books = [book(1)?, book(2)?];
        if mode(&input.context) != "stream" {
            return Ok(Lines::of(books));
        }
        Ok(Lines::write(async move |mut lines| {
            for book in &books {
                lines.send(book).await?;
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            Ok(())
        }))
    }

    async fn get_events(&self, input: GetEvents) -> Result<Events<GetEventsEvent>, Error> {
        match mode(&input.context).as_str() {
            "numbers" => return Ok(numbers(&input.context)),
            "wait" => return Ok(until_the_client_leaves()),
            _ => {}
        }
        let done = Event::new(GetEventsEvent::Done(book(3)?));
        let done = done.id("7").retry(Duration::from_millis(250));
        Ok(Events::write(async move |mut events| {
            let progress = Progress { percent: 50.0 };
            events.send(GetEventsEvent::Progress(progress)).await?;
            tokio::time::sleep(Duration::from_millis(1)).await;
            events.send(done).await?;
            events.send(GetEventsEvent::Stopped).await
        }))
    }

    async fn get_report(&self, input: GetReport) -> Result<GetReportReply, Error> {
        Ok(match mode(&input.context).as_str() {
            "202" => GetReportReply::Accepted {
                body: Progress { percent: 50.0 },
            },
            "203" => GetReportReply::NonAuthoritativeInformation {
                body: Lines::of([book(1)?]),
            },
            _ => GetReportReply::Ok {
                body: "a,b\n".to_owned(),
            },
        })
    }
}
