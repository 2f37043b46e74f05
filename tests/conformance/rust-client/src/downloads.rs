//! Downloads: whole bodies, ranges, and files that do not exist.

use rust_server_client::kit_client::ByteRange;
use rust_server_client::models::GetDownloadsFilesByNameParams;
use rust_server_client::routes::downloads::{
    GetDownloadsBytes, GetDownloadsFilesByName, GetDownloadsFilesByNameFailure, GetDownloadsSource,
};
use rust_server_client::{Client, Error};

pub async fn check(client: Client) {
    let downloads = client.downloads();
    let source = |range| downloads.get_downloads_source(GetDownloadsSource { range });
    let mut whole = source(None).await.expect("a download");
    assert_eq!((whole.status(), whole.first(), whole.size()), (200, 0, Some(10)));
    let tag = whole.etag().map(str::to_owned);
    let mut received = Vec::new();
    while let Some(chunk) = whole.chunk().await.expect("a chunk") {
        received.extend_from_slice(&chunk);
    }
    assert_eq!(received, b"0123456789");

    // Continues a download.
    let rest = |tag| ByteRange {
        first: 6,
        last: None,
        tag,
    };
    let part = source(Some(rest(tag))).await.expect("a range");
    assert_eq!((part.status(), part.first(), part.size()), (206, 6, Some(10)));
    assert_eq!(&part.bytes().await.expect("bytes")[..], b"6789");
    let changed = source(Some(rest(Some("\"other\"".to_owned())))).await.expect("a download");
    assert_eq!((changed.status(), changed.first()), (200, 0));

    let after_end = ByteRange {
        first: 10,
        ..ByteRange::default()
    };
    let input = GetDownloadsBytes {
        range: Some(after_end),
    };
    match downloads.get_downloads_bytes(input).await {
        Err(Error::Refused(refusal)) => assert_eq!(refusal.status.as_u16(), 416),
        other => panic!("a range after the end is refused: {other:?}"),
    }
    let input = GetDownloadsFilesByName {
        params: GetDownloadsFilesByNameParams {
            name: "missing".to_owned(),
        },
        range: None,
    };
    match downloads.get_downloads_files_by_name(input).await {
        Err(Error::Declared(GetDownloadsFilesByNameFailure::NotFound(_))) => {}
        other => panic!("a missing file is the declared error: {other:?}"),
    }
}
