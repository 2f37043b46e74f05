//! Bodies that have one of several formats.

use rust_server_client::kit_client::File;
use rust_server_client::models::{PostFormatsPhotosBodyMultipart, Row};
use rust_server_client::routes::formats::{
    GetFormatsExport, GetFormatsExportAccept, GetFormatsExportContents, GetFormatsExportReply,
    GetFormatsReport, GetFormatsReportAccept, GetFormatsReportContents, GetFormatsReportFailure,
    GetFormatsWatch, GetFormatsWatchAccept, GetFormatsWatchContents, GetFormatsWatchEvent, PostFormatsOrders,
    PostFormatsOrdersBody, PostFormatsPhotos, PostFormatsPhotosBody, PostFormatsPhotosParts,
};
use rust_server_client::{Client, Error};

fn row(count: i64) -> Row {
    Row {
        title: format!("Order {count}"),
        count,
        due: "2026-01-02T03:04:05.678Z".parse().expect("a time"),
    }
}

pub async fn check(client: Client) {
    let formats = client.formats();

    let json = r#"{"title":"Order 1","count":1,"due":"2026-01-02T03:04:05.678Z"}"#;
    let text = |media_type: &str| PostFormatsOrdersBody::Text {
        media_type: media_type.to_owned(),
        value: "a,ä".to_owned(),
    };
    let raw = PostFormatsOrdersBody::Raw {
        media_type: "image/png".to_owned(),
        value: "PNG".into(),
    };
    for (body, media_type, shown) in [
        (PostFormatsOrdersBody::Json(row(1)), "application/json", json),
        (
            PostFormatsOrdersBody::Form(row(1)),
            "application/x-www-form-urlencoded",
            json,
        ),
        (text("text/csv"), "text/csv", "a,ä"),
        (
            text("text/tab-separated-values"),
            "text/tab-separated-values",
            "a,ä",
        ),
        (raw, "image/png", "PNG"),
    ] {
        let received = formats
            .post_formats_orders(PostFormatsOrders { body })
            .await
            .expect(media_type);
        assert_eq!(
            (received.r#type.as_str(), received.text.as_str()),
            (media_type, shown)
        );
    }
    let refused = PostFormatsOrders {
        body: text("text/plain"),
    };
    let refused = formats.post_formats_orders(refused).await.expect_err("an error");
    assert!(
        matches!(&refused, Error::Refused(refusal) if refusal.status.as_u16() == 415),
        "{refused:?}"
    );

    let parts = PostFormatsPhotosBody::Multipart(PostFormatsPhotosParts {
        fields: PostFormatsPhotosBodyMultipart {
            title: "Cat".to_owned(),
        },
        photo: File::new("cat.png", "meow"),
    });
    let raw = PostFormatsPhotosBody::Raw("{}".into());
    for (body, media_type, shown) in [
        (parts, "multipart/form-data", "Cat cat.png meow"),
        (raw, "application/json", "{}"),
    ] {
        let received = formats
            .post_formats_photos(PostFormatsPhotos { body })
            .await
            .expect(media_type);
        assert_eq!(
            (received.r#type.as_str(), received.text.as_str()),
            (media_type, shown)
        );
    }

    let report = |accept| formats.get_formats_report(GetFormatsReport { accept });
    let contents = report(Some(GetFormatsReportAccept::TextCsv))
        .await
        .expect("a report");
    assert!(
        matches!(&contents, GetFormatsReportContents::Text(text) if text == "title,count\nOrder 1,1\nOrder 2,2\n"),
        "{contents:?}"
    );
    let contents = report(Some(GetFormatsReportAccept::ApplicationPdf))
        .await
        .expect("a report");
    assert!(matches!(&contents, GetFormatsReportContents::Bytes(bytes) if &bytes[..] == b"%PDF-1.7"));
    let contents = report(Some(GetFormatsReportAccept::ApplicationJson))
        .await
        .expect("a report");
    assert!(matches!(&contents, GetFormatsReportContents::Json(rows) if rows.0 == [row(1), row(2)]));
    let contents = report(Some(GetFormatsReportAccept::ApplicationJsonl))
        .await
        .expect("a report");
    let GetFormatsReportContents::Lines(mut lines) = contents else {
        panic!("{contents:?}")
    };
    let mut rows = Vec::new();
    while let Some(row) = lines.next().await.expect("a line") {
        rows.push(row);
    }
    assert_eq!(rows, [row(1), row(2)]);
    report(None)
        .await
        .expect("a report in a format that the server chose");
    let failing = client
        .clone()
        .configure(|client| client.with_header("x-mode", "fail"))
        .expect("a client");
    let failed = failing
        .formats()
        .get_formats_report(GetFormatsReport { accept: None })
        .await;
    assert!(matches!(
        failed.expect_err("an error"),
        Error::Declared(GetFormatsReportFailure::Conflict(_))
    ));

    let export = |accept| formats.get_formats_export(GetFormatsExport { accept });
    let reply = export(Some(GetFormatsExportAccept::ApplicationJson))
        .await
        .expect("a reply");
    assert!(
        matches!(&reply, GetFormatsExportReply::Ok { body: GetFormatsExportContents::Json(first) } if *first == row(1)),
        "{reply:?}"
    );
    let reply = export(Some(GetFormatsExportAccept::TextCsv))
        .await
        .expect("a reply");
    assert!(
        matches!(
            &reply,
            GetFormatsExportReply::Ok {
                body: GetFormatsExportContents::Text(_)
            }
        ),
        "{reply:?}"
    );

    let watch = |accept| formats.get_formats_watch(GetFormatsWatch { accept });
    let contents = watch(Some(GetFormatsWatchAccept::TextEventStream))
        .await
        .expect("a response");
    let GetFormatsWatchContents::Events(mut events) = contents else {
        panic!("{contents:?}")
    };
    let first = events.next().await.expect("an event").expect("an event");
    assert!(matches!(&first.event, GetFormatsWatchEvent::Progress(progress) if progress.percent == 50.0));
    let contents = watch(Some(GetFormatsWatchAccept::ApplicationJson))
        .await
        .expect("a response");
    assert!(
        matches!(contents, GetFormatsWatchContents::Json(_)),
        "{contents:?}"
    );
}
