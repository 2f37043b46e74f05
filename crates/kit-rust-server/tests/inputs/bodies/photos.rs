//! Handlers of `PhotoRoutes`, which the tests of served bodies call. Each returns what it has received.

use std::time::Duration;

use kit_runtime::{BodyBytes, Content, Download, Event, Events, HeaderName, HeaderValue, Lines, Timestamp, Upload};

use crate::app::App;
use crate::error::Error;
use crate::models::{Book, Photo, PostImportsResponse, Progress};
use crate::router::{
    GetBooks, GetEvents, GetEventsEvent, GetFilm, GetImage, GetReport, GetReportEvent, GetReportReply, GetTable, PhotoRoutes,
    PostArchives, PostAvatars, PostBlobs, PostComments, PostFiles, PostHooks, PostIcons, PostImages, PostImports,
    PostPhotos, PostSessions, PostTables, PostVideos,
};

/// Sets a header of the response to the text of a received body.
fn report(context: &kit_runtime::Context, received: impl std::fmt::Debug) -> Result<(), Error> {
    let value = HeaderValue::try_from(format!("{received:?}"))?;
    context.set_header(HeaderName::from_static("x-received"), value);
    Ok(())
}

/// Reads an upload to its end.
async fn read(upload: &mut Upload) -> Result<String, Error> {
    let mut bytes = Vec::new();
    upload.write_to(&mut bytes).await?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    Ok(format!("{} {} {text}", upload.name(), upload.media_type()))
}

fn book(title: &str) -> Result<Book, Error> {
    Ok(Book {
        title: title.to_owned(),
        pages: 7,
        printed: Timestamp::from_unix_millis(1_767_323_045_000)?,
    })
}

impl PhotoRoutes for App {
    async fn post_sessions(&self, input: PostSessions) -> Result<(), Error> {
        let body = input.body;
        report(&input.context, (body.email, body.count, body.remember, body.topics))
    }

    async fn post_photos(&self, input: PostPhotos) -> Result<Photo, Error> {
        let body = input.body;
        let names: Vec<_> = body.more.iter().map(|file| &file.name).collect();
        report(
            &input.context,
            (&body.photo, names, &body.fields.tags, &body.fields.album.name),
        )?;
        Ok(Photo {
            id: "4b1ad5b9-97a8-45c1-a3d5-6c2f0b0e6d3a".to_owned(),
            title: body.fields.title,
        })
    }

    async fn post_files(&self, input: PostFiles) -> Result<(), Error> {
        report(&input.context, &input.body.file.bytes)
    }

    async fn post_comments(&self, input: PostComments) -> Result<(), Error> {
        let fields = input.body.fields;
        report(&input.context, (fields.text, fields.stars))
    }

    async fn post_videos(&self, input: PostVideos) -> Result<(), Error> {
        let mut body = input.body;
        let video = read(&mut body.video).await?;
        let cover = body.cover.map(|file| file.name);
        report(&input.context, (body.fields.title, video, cover))
    }

    async fn post_archives(&self, mut input: PostArchives) -> Result<(), Error> {
        let mut archives = Vec::new();
        while let Some(archive) = input.body.archives.next().await? {
            archives.push(read(archive).await?);
        }
        report(&input.context, archives)
    }

    async fn post_avatars(&self, input: PostAvatars) -> Result<(), Error> {
        let avatar = match input.body.avatar {
            Some(mut avatar) => Some(read(&mut avatar).await?),
            None => None,
        };
        report(&input.context, avatar)
    }

    async fn post_hooks(&self, input: PostHooks) -> Result<(), Error> {
        report(&input.context, &input.body)
    }

    async fn post_blobs(&self, input: PostBlobs) -> Result<(), Error> {
        report(&input.context, &input.body)
    }

    async fn post_tables(&self, input: PostTables) -> Result<(), Error> {
        report(&input.context, &input.body)
    }

    async fn post_images(&self, input: PostImages) -> Result<(), Error> {
        report(&input.context, &input.body)
    }

    async fn post_icons(&self, input: PostIcons) -> Result<(), Error> {
        report(&input.context, &input.body)
    }

    async fn post_imports(&self, mut input: PostImports) -> Result<PostImportsResponse, Error> {
        let mut imported = 0.0;
        while let Some(book) = input.body.next().await {
            let _book: Book = book?;
            imported += 1.0;
        }
        Ok(PostImportsResponse { imported })
    }

    async fn get_table(&self, _input: GetTable) -> Result<Content<String>, Error> {
        Ok(Content::write(async |mut chunks| {
            chunks.send("a,b\n").await?;
            chunks.send("1,é\n").await
        }))
    }

    async fn get_image(&self, _input: GetImage) -> Result<Content<BodyBytes>, Error> {
        Ok(BodyBytes::from_static(b"\x89PNG\r\n\x1a\n").into())
    }

    async fn get_film(&self, _input: GetFilm) -> Result<Download, Error> {
        let film = Download::write(10, async |first, last, mut chunks| {
            let (first, last) = (usize::try_from(first)?, usize::try_from(last)?);
            let bytes = b"0123456789".get(first..=last).unwrap_or_default();
            chunks.send(bytes).await
        });
        Ok(film.etag("\"7\"").attachment("film.mp4"))
    }

    async fn get_books(&self, _input: GetBooks) -> Result<Lines<Book>, Error> {
        Ok(Lines::of(vec![book("Milk")?, book("Butter")?]))
    }

    async fn get_events(&self, input: GetEvents) -> Result<Events<GetEventsEvent>, Error> {
        let last = input.context.header("last-event-id").map(std::borrow::Cow::into_owned);
        let done = book("Milk")?;
        Ok(Events::write(async move |mut events| {
            if last.as_deref() == Some("never") {
                // The client reads the first event, and then leaves.
                events.send(GetEventsEvent::Stopped).await?;
                std::future::pending::<()>().await;
            }
            events
                .send(GetEventsEvent::Progress(Progress { percent: 12.5 }))
                .await?;
            let retry = Duration::from_millis(1500);
            events
                .send(Event::new(GetEventsEvent::Done(done)).id("7").retry(retry))
                .await?;
            events.send(GetEventsEvent::Stopped).await
        }))
    }

    async fn get_report(&self, input: GetReport) -> Result<GetReportReply, Error> {
        Ok(match input.context.header("prefer").as_deref() {
            Some("progress") => GetReportReply::Accepted {
                body: Progress { percent: 1.0 },
            },
            Some("lines") => GetReportReply::NonAuthoritativeInformation {
                body: Lines::of(vec![book("Milk")?]),
            },
            Some("events") => GetReportReply::MultiStatus {
                body: Events::write(async |mut events| events.send(GetReportEvent::Stopped).await),
            },
            _ => GetReportReply::Ok {
                body: "a,b\n".into(),
            },
        })
    }
}
