//! Bodies that are not JSON.

use rust_server_client::kit_client::{File, RequestLines, body_from_reader, body_from_writer};
use rust_server_client::models::{Album, Book, NewComment, NewSession, PostPhotosBody, PostVideosBody};
use rust_server_client::routes::photos::{
    GetEventsEvent, GetReportReply, PostArchives, PostArchivesParts, PostAvatars, PostAvatarsParts,
    PostBlobs, PostComments, PostCommentsParts, PostImports, PostPhotos, PostPhotosParts, PostSessions,
    PostTables, PostVideos, PostVideosParts,
};
use rust_server_client::{Client, Error};

/// Calls the routes. `long` is the number of bytes of streamed files, which the server sends back in a header: clients refuse large headers
/// over HTTP/2.
pub async fn check(client: Client, long: usize) {
    let photos = client.photos();

    // A form.
    let body = NewSession {
        email: "ada@example.com".to_owned(),
        count: 3,
        remember: Some(true),
        topics: None,
    };
    photos
        .post_sessions(PostSessions { body })
        .await
        .expect("no error");

    // Multipart: text, lists, JSON, a file, an optional file, several files.
    let taken = "2026-01-02T03:04:05.678Z".parse().expect("a time");
    let photo = |bytes: &'static [u8]| File::new("cat ä.png", bytes).with_media_type("image/png");
    let parts = |album: &str| PostPhotosParts {
        fields: PostPhotosBody {
            title: "Cäts & dogs".to_owned(),
            taken: Some(taken),
            tags: Some(vec!["a,b".to_owned(), "c".to_owned()]),
            album: Album {
                name: album.to_owned(),
                opened: Some(taken),
            },
        },
        photo: photo(b"\x89PNG\r\n\x1a\n"),
        more: vec![photo(b"\x89PNG\r\n\x1a\n1"), photo(b"\x89PNG\r\n\x1a\n2")],
    };
    let created = photos
        .post_photos(PostPhotos { body: parts("Pets") })
        .await
        .expect("a photo");
    assert_eq!(created.title, "Cäts & dogs");
    let refused = photos
        .post_photos(PostPhotos { body: parts("") })
        .await
        .expect_err("an error");
    let Error::Refused(refusal) = &refused else {
        panic!("{refused:?}")
    };
    assert!(
        refusal.is(400, "VALIDATION_ERROR") && refusal.body.contains("album.name"),
        "{refusal:?}"
    );
    let no_files = PostCommentsParts {
        fields: NewComment {
            text: "Nice".to_owned(),
            stars: 5,
        },
    };
    photos
        .post_comments(PostComments { body: no_files })
        .await
        .expect("no error");

    // Uploads from streams. The server reads the streamed part after the others, so the client sends it last.
    let video = |content| PostVideosParts {
        fields: PostVideosBody {
            title: "Cats".to_owned(),
            album: None,
        },
        video: File::new("cats.webm", content).with_media_type("text/plain"),
        cover: None,
    };
    let content = std::io::Cursor::new(vec![b'x'; long]);
    let body = video(body_from_reader(content));
    photos.post_videos(PostVideos { body }).await.expect("no error");
    let written = body_from_writer(async move |mut chunks| {
        for _ in 0..100 {
            chunks.send(vec![b'y'; long / 100]).await?;
            tokio::task::yield_now().await;
        }
        Ok(())
    });
    photos
        .post_videos(PostVideos { body: video(written) })
        .await
        .expect("no error");
    let content = std::io::Cursor::new(vec![b'x'; 250_000]);
    let body = video(body_from_reader(content));
    let refused = photos
        .post_videos(PostVideos { body })
        .await
        .expect_err("an error");
    let Error::Refused(refusal) = &refused else {
        panic!("{refused:?}")
    };
    assert!(matches!(refusal.status.as_u16(), 400 | 413), "{refusal:?}");
    let broken = body_from_writer(async |mut chunks| {
        chunks.send("begun").await?;
        Err("the disk failed".into())
    });
    let failed = photos
        .post_videos(PostVideos { body: video(broken) })
        .await
        .expect_err("an error");
    assert!(matches!(failed, Error::Transport(_)), "{failed:?}");
    let archive = |name: &str| File::new(name, format!("content of {name}"));
    let archives = PostArchivesParts {
        archives: vec![archive("a.zip"), archive("b.zip")],
    };
    photos
        .post_archives(PostArchives { body: archives })
        .await
        .expect("no error");
    for avatar in [None, Some(archive("me"))] {
        let body = PostAvatarsParts { avatar };
        photos.post_avatars(PostAvatars { body }).await.expect("no error");
    }

    // Bytes and text with a media type of the caller.
    let body = PostBlobs {
        media_type: "application/x-own".to_owned(),
        body: body_from_reader(&b"\x00\xff"[..]),
    };
    photos.post_blobs(body).await.expect("no error");
    let body = PostTables {
        media_type: "text/csv".to_owned(),
        body: "a,ä\n".to_owned(),
    };
    photos.post_tables(body).await.expect("no error");

    // Lines in both directions.
    let book = move |pages| Book {
        title: format!("Book {pages}"),
        pages,
        printed: taken,
    };
    let body = RequestLines::of(&[book(2), book(3)]).expect("lines");
    let response = photos
        .post_imports(PostImports { body })
        .await
        .expect("a response");
    assert_eq!(response.imported, 5.0);
    let body = RequestLines::write(async move |mut lines| {
        for pages in 1..=100 {
            lines.send(&book(pages)).await?;
        }
        Ok(())
    });
    let response = photos
        .post_imports(PostImports { body })
        .await
        .expect("a response");
    assert_eq!(response.imported, 5050.0);
    let mut books = photos.get_books().await.expect("lines");
    let mut pages = Vec::new();
    while let Some(book) = books.next().await.expect("a line") {
        pages.push(book.pages);
    }
    assert_eq!(pages, [1, 2]);

    // Other responses.
    assert_eq!(photos.get_table().await.expect("a table"), "title\nBücher\n");
    assert_eq!(&photos.get_image().await.expect("an image")[..], b"\x89PNG");
    let mut events = photos.get_events().await.expect("events");
    let mut received = Vec::new();
    while let Some(event) = events.next().await.expect("an event") {
        received.push(event);
    }
    assert_eq!(received.len(), 3, "{received:?}");
    assert!(matches!(&received[0].event, GetEventsEvent::Progress(progress) if progress.percent == 50.0));
    assert!(matches!(&received[1].event, GetEventsEvent::Done(book) if book.pages == 3));
    assert_eq!(received[1].id.as_deref(), Some("7"));
    assert_eq!(received[2].event, GetEventsEvent::Stopped);
    let report = photos.get_report().await.expect("a reply");
    assert!(
        matches!(&report, GetReportReply::Ok { body } if body == "a,b\n"),
        "{report:?}"
    );
}
