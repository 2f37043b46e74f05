//! Handlers of `PhotoRoutes`, with the answers of `tests/conformance/bodies-application.ts`.

use std::fmt::Write as _;
use std::time::Duration;

use kit_runtime::{
    BodyBytes, Content, Context, Event, Events, File, HeaderName, HeaderValue, Lines, StatusCode, Timestamp,
    Upload,
};
use serde_json::{Value, json};

use crate::app::App;
use crate::error::Error;
use crate::models::{Book, Photo, PostImportsResponse, Progress};
use crate::router::{
    GetBooks, GetEvents, GetEventsEvent, GetImage, GetReport, GetReportEvent, GetReportReply, GetTable,
    PhotoRoutes, PostArchives, PostAvatars, PostBlobs, PostComments, PostFiles, PostHooks, PostIcons, PostImages,
    PostImports, PostPhotos, PostSessions, PostTables, PostVideos,
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

/// Reads an upload to its end.
async fn read(upload: &mut Upload) -> Result<Value, Error> {
    let mut bytes = Vec::new();
    upload.write_to(&mut bytes).await?;
    let text: String = bytes.into_iter().map(char::from).collect();
    Ok(json!({ "name": upload.name(), "type": upload.media_type(), "text": text }))
}

/// Counts the bytes of an upload, with the speed that a test chooses with the header `x-mode`.
async fn count(upload: &mut Upload, mode: &str) -> Result<usize, Error> {
    const PART: usize = 1024 * 1024;
    if mode == "hold" {
        tokio::time::sleep(Duration::from_secs(3)).await;
    }
    let (mut bytes, mut next) = (0, PART);
    while let Some(chunk) = upload.next_chunk().await? {
        bytes += chunk.len();
        if mode == "slow" && bytes >= next {
            next += PART;
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        if mode == "leave" {
            break;
        }
    }
    Ok(bytes)
}

/// Value that writes a line to the standard output when it is created, and when it is dropped.
struct Observed(&'static str);

impl Observed {
    fn new(what: &'static str) -> Self {
        println!("{what} begins");
        Self(what)
    }
}

impl Drop for Observed {
    fn drop(&mut self) {
        println!("{} is dropped", self.0);
    }
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

/// Sends bytes in chunks. Writes a line to the standard output when the stream begins, and when the stream is dropped.
fn zeros(length: usize) -> Content<BodyBytes> {
    const CHUNK: usize = 65_536;
    Content::write(async move |mut chunks| {
        let _observed = Observed::new("the image");
        let mut left = length;
        while left > 0 {
            let chunk = left.min(CHUNK);
            left -= chunk;
            chunks.send(vec![0; chunk]).await?;
        }
        Ok(())
    })
}

/// Sends an event and then nothing. Writes a line to the standard output when the stream is dropped.
fn until_the_client_leaves() -> Events<GetEventsEvent> {
    Events::write(async move |mut events| {
        let _observed = Observed::new("the stream");
        events.send(GetEventsEvent::Stopped).await?;
        std::future::pending().await
    })
}

fn denied(what: &str) -> Error {
    Error::new(StatusCode::FORBIDDEN, "DENIED", format!("No {what} for you"))
}

/// Sets the headers and the status, and fails or waits, before the first event. `tests/conformance/streams.test.ts` has the same
/// in TypeScript.
fn late_events(context: Context, mode: String) -> Result<Events<GetEventsEvent>, Error> {
    let seen = HeaderValue::try_from(mode.as_str())?;
    Ok(Events::write(async move |mut events| {
        context.set_header(HeaderName::from_static("x-seen"), seen);
        let mut event = Event::new(GetEventsEvent::Progress(Progress { percent: 1.0 }));
        match mode.as_str() {
            "denied" => return Err(denied("events")),
            "deferred-denied" => {
                tokio::time::sleep(Duration::from_millis(20)).await;
                return Err(denied("events"));
            }
            "broken" => return Err(Error::internal("The stream failed")),
            "status" => context.set_status(StatusCode::NON_AUTHORITATIVE_INFORMATION),
            _ => {
                tokio::time::sleep(Duration::from_millis(600)).await;
                if mode == "quiet-broken" {
                    return Err(Error::internal("The stream failed"));
                }
                let mode = context.header("x-mode").unwrap_or_default();
                let address = context.ip().map(|address| address.to_string());
                event = event.id(format!("{mode} {}", address.unwrap_or_default()));
            }
        }
        events.send(event).await
    }))
}

async fn three_events<E: kit_runtime::EventData>(
    mut events: kit_runtime::EventSender<E>,
    [progress, done, stopped]: [E; 3],
) -> Result<(), Error> {
    events.send(progress).await?;
    tokio::time::sleep(Duration::from_millis(1)).await;
    let done = Event::new(done).id("7").retry(Duration::from_millis(250));
    events.send(done).await?;
    events.send(stopped).await
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

    async fn post_videos(&self, input: PostVideos) -> Result<(), Error> {
        let (mode, mut body) = (mode(&input.context), input.body);
        let mut received = serde_json::to_value(&body.fields)
            .map_err(|_| Error::internal("the fields have no JSON form"))?;
        if let Some(cover) = &body.cover {
            received["cover"] = shown(cover);
        }
        match mode.as_str() {
            "ignore" => {}
            "leave" => received["video"] = json!(count(&mut body.video, "leave").await?),
            _ => received["video"] = read(&mut body.video).await?,
        }
        note(&input.context, &received)
    }

    async fn post_archives(&self, mut input: PostArchives) -> Result<(), Error> {
        let mode = mode(&input.context);
        let mut archives = Vec::new();
        while let Some(archive) = input.body.archives.next().await? {
            archives.push(match mode.as_str() {
                "names" => json!(archive.name()),
                _ => read(archive).await?,
            });
        }
        note(&input.context, &json!({ "archives": archives }))
    }

    async fn post_avatars(&self, input: PostAvatars) -> Result<(), Error> {
        let mode = mode(&input.context);
        let Some(mut avatar) = input.body.avatar else {
            return note(&input.context, &json!({}));
        };
        if mode.is_empty() {
            return note(&input.context, &json!({ "avatar": read(&mut avatar).await? }));
        }
        let _observed = Observed::new("the upload");
        note(&input.context, &count(&mut avatar, &mode).await?)
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

    async fn get_table(&self, input: GetTable) -> Result<Content<String>, Error> {
        if mode(&input.context) != "stream" {
            return Ok("title\nBücher\n".into());
        }
        Ok(Content::write(async |mut chunks| {
            chunks.send("title\n").await?;
            tokio::time::sleep(Duration::from_millis(1)).await;
            chunks.send("Bücher\n").await
        }))
    }

    async fn get_image(&self, input: GetImage) -> Result<Content<BodyBytes>, Error> {
        let mode = mode(&input.context);
        if let Ok(length) = mode.parse() {
            return Ok(zeros(length));
        }
        if mode == "failing" {
            return Ok(Content::write(async |_| Err(Error::internal("The stream failed"))));
        }
        Ok(BodyBytes::from_static(b"\x89PNG").into())
    }

    async fn get_books(&self, input: GetBooks) -> Result<Lines<Book>, Error> {
        let books = [book(1)?, book(2)?];
        match mode(&input.context).as_str() {
            "stream" => {}
            "denied" => return Ok(Lines::write(async |_| Err(denied("books")))),
            _ => return Ok(Lines::of(books)),
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
            "" => {}
            other => return late_events(input.context.clone(), other.to_owned()),
        }
        let all = [
            GetEventsEvent::Progress(Progress { percent: 50.0 }),
            GetEventsEvent::Done(book(3)?),
            GetEventsEvent::Stopped,
        ];
        Ok(Events::write(|events| three_events(events, all)))
    }

    async fn get_report(&self, input: GetReport) -> Result<GetReportReply, Error> {
        Ok(match mode(&input.context).as_str() {
            "202" => GetReportReply::Accepted {
                body: Progress { percent: 50.0 },
            },
            "denied" => GetReportReply::NonAuthoritativeInformation {
                body: Lines::write(async |_| Err(denied("report"))),
            },
            "203" => GetReportReply::NonAuthoritativeInformation {
                body: Lines::of([book(1)?]),
            },
            "207" => {
                let all = [
                    GetReportEvent::Progress(Progress { percent: 50.0 }),
                    GetReportEvent::Done(book(3)?),
                    GetReportEvent::Stopped,
                ];
                GetReportReply::MultiStatus {
                    body: Events::write(|events| three_events(events, all)),
                }
            }
            _ => GetReportReply::Ok { body: "a,b\n".into() },
        })
    }
}
