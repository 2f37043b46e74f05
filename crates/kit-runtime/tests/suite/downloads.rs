//! Tests of downloads: files, bytes and sources, with their ranges, their preconditions and their headers.

// Helper functions of tests may unwrap like tests.
#![allow(clippy::unwrap_used)]
#![allow(clippy::disallowed_methods, reason = "the tests write the files of downloads")]

use std::path::PathBuf;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context as Task, Poll, ready};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use futures_core::Stream;
use kit_runtime::testing::{TestClient, TestResponse};
use kit_runtime::{
    Application, BodyBytes, Context, Download, Error, HeaderValue, Request, Response, Routes, Segment,
    StatusCode, header,
};
use tokio::time::Interval;

const CONTENT: &str = "0123456789abcdefghij";
/// More than the bytes of [`CONTENT`] after the first one.
const LONGER: &[u8] = b"123456789abcdefghij+";
/// First 32 digits of the SHA-256 digest of [`CONTENT`].
const TAG_OF_CONTENT: &str = "\"6bc14bdc4517a7a682c6910de2e2946e\"";

/// Directory with files, which is removed at the end.
struct Directory(PathBuf);

impl Directory {
    fn new() -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("kit-downloads-{}-{number}", std::process::id()));
        std::fs::create_dir_all(path.join("files/inner")).unwrap();
        for name in ["files/a.txt", "files/inner/b.txt", "files/.hidden", "secret.txt"] {
            std::fs::write(path.join(name), CONTENT).unwrap();
        }
        std::fs::write(path.join("files/empty"), "").unwrap();
        std::fs::write(path.join("files/large"), vec![b'x'; 300_000]).unwrap();
        #[cfg(unix)]
        {
            std::fs::write(path.join("files/a\tb.txt"), CONTENT).unwrap();
            std::os::unix::fs::symlink("../secret.txt", path.join("files/out")).unwrap();
            std::os::unix::fs::symlink("a.txt", path.join("files/in")).unwrap();
        }
        Self(path)
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[derive(Clone)]
struct App {
    dir: PathBuf,
    /// Calls of the source, and the end of its stream.
    steps: Arc<Mutex<Vec<String>>>,
}

impl Application for App {
    async fn ready(&self) -> Result<(), Error> {
        Ok(())
    }
}

impl App {
    fn note(&self, step: impl Into<String>) {
        self.steps.lock().unwrap().push(step.into());
    }
}

/// Stream of chunks, which notes when it is dropped.
struct Pieces {
    /// Chunks, the last one first.
    chunks: Vec<&'static [u8]>,
    /// Time between further chunks, which have no end. `None` if there are none.
    endless: Option<Interval>,
    app: App,
}

impl Stream for Pieces {
    type Item = Result<BodyBytes, Error>;

    fn poll_next(mut self: Pin<&mut Self>, task: &mut Task<'_>) -> Poll<Option<Self::Item>> {
        if let Some(interval) = &mut self.endless {
            ready!(interval.poll_tick(task));
            self.chunks.push(b"more");
        }
        let chunk = self.chunks.pop();
        Poll::Ready(chunk.map(|chunk| Ok(BodyBytes::from_static(chunk))))
    }
}

impl Drop for Pieces {
    fn drop(&mut self) {
        self.app.note("dropped");
    }
}

/// Returns the source that the header `x-do` names.
fn source(app: App, what: &str) -> Download {
    let what = what.to_owned();
    let size = match what.as_str() {
        "empty" => 0,
        "endless" => 1 << 40,
        _ => 20,
    };
    Download::source(size, async move |first, last| {
        app.note(format!("read {first}-{last}"));
        let endless = (what == "endless").then(|| tokio::time::interval(Duration::from_millis(5)));
        if endless.is_some() {
            return Ok(Pieces {
                chunks: Vec::new(),
                endless,
                app,
            });
        }
        let (first, last) = (usize::try_from(first)?, usize::try_from(last)?);
        let part = &CONTENT.as_bytes()[first..=last];
        let (one, rest) = part.split_at(1);
        let chunks = match what.as_str() {
            "refuse" => return Err(Error::not_found("GONE", "The object is gone")),
            "short" => vec![one],
            "long" => vec![LONGER, one],
            _ => vec![rest, one],
        };
        Ok(Pieces { chunks, endless, app })
    })
    .etag("\"7\"")
    .last_modified(UNIX_EPOCH + Duration::from_secs(784_111_777))
}

async fn get(app: App, request: Request) -> Result<Response, Error> {
    let context = request.into_context()?;
    let given = |name: &str| context.header(name).unwrap_or_default().into_owned();
    let download = match context.path() {
        "/file" => Download::file(app.dir.join("files"), given("x-name")),
        "/missing-dir" => Download::file(app.dir.join("nowhere"), "a.txt"),
        "/bytes" => Download::bytes(CONTENT),
        _ => source(app, &given("x-do")),
    };
    let download = match given("x-do").as_str() {
        "attachment" => download.attachment("Report 7.pdf").cache_control("no-store"),
        "own" => {
            context.set_header(header::CACHE_CONTROL, HeaderValue::from_static("max-age=5"));
            context.set_header(header::ETAG, HeaderValue::from_static("\"own\""));
            download
        }
        "weak" => download.etag("W/\"7\""),
        "future" => download.last_modified(SystemTime::now() + Duration::from_secs(3_600)),
        "bad tag" => download.etag("7"),
        "bad name" => download.attachment("a/"),
        "bad caching" => download.cache_control("a\nb"),
        "status" => {
            context.set_status(StatusCode::CREATED);
            download
        }
        _ => download,
    };
    respond(&context, download).await
}

async fn respond(context: &Context, download: Download) -> Result<Response, Error> {
    Response::download(context, StatusCode::OK, "text/x-test", download).await
}

/// Sends requests to an application.
struct Client {
    sender: TestClient,
    app: App,
    _directory: Directory,
}

impl Client {
    fn new() -> Self {
        const PATHS: [&[Segment]; 4] = [
            &[Segment::Static("file")],
            &[Segment::Static("missing-dir")],
            &[Segment::Static("bytes")],
            &[Segment::Static("source")],
        ];
        let directory = Directory::new();
        let app = App {
            dir: directory.0.clone(),
            steps: Arc::default(),
        };
        let [file, missing, bytes, source] = PATHS;
        let router = Routes::new(app.clone())
            .route("GET /file", file, get)
            .route("GET /missing-dir", missing, get)
            .route("GET /bytes", bytes, get)
            .route("GET /source", source, get)
            .into_router();
        Self {
            sender: TestClient::new(router),
            app,
            _directory: directory,
        }
    }

    async fn send(&self, method: &str, path: &str, headers: &[(&str, &str)]) -> Result<TestResponse, Error> {
        let mut request = self.sender.request(method, path);
        for (name, value) in headers {
            request = request.header(name, *value);
        }
        request.send().await
    }

    /// Sends GET to a path. A path that begins with `/file/` is the name of a file.
    async fn get(&self, path: &str, headers: &[(&str, &str)]) -> TestResponse {
        let (path, name) = match path.strip_prefix("/file/") {
            Some(name) => ("/file", name),
            None => (path, ""),
        };
        let mut headers = headers.to_vec();
        headers.push(("x-name", name));
        self.send("GET", path, &headers).await.unwrap()
    }

    fn steps(&self) -> Vec<String> {
        std::mem::take(&mut self.app.steps.lock().unwrap())
    }
}

#[tokio::test]
async fn sends_one_range_and_the_whole_body_for_several() {
    let client = Client::new();
    for path in ["/file/a.txt", "/bytes", "/source"] {
        for (range, status, body, content_range) in [
            ("bytes=0-0", 206, "0", "bytes 0-0/20"),
            ("bytes=10-", 206, "abcdefghij", "bytes 10-19/20"),
            ("bytes=-3", 206, "hij", "bytes 17-19/20"),
            ("bytes=15-900", 206, "fghij", "bytes 15-19/20"),
            ("bytes=1-2,2-4", 206, "1234", "bytes 1-4/20"),
            ("bytes=1-2,900-", 206, "12", "bytes 1-2/20"),
            ("bytes=5-3", 200, CONTENT, ""),
            ("items=0-1", 200, CONTENT, ""),
            ("bytes=x", 200, CONTENT, ""),
        ] {
            let answer = client.get(path, &[("range", range)]).await;
            assert_eq!((answer.status(), answer.text()), (status, body), "{path} {range}");
            assert_eq!(answer.header("content-range").unwrap_or_default(), content_range);
            let length = body.len().to_string();
            assert_eq!(
                answer.header("content-length"),
                Some(length.as_str()),
                "{path} {range}"
            );
            assert_eq!(answer.header("accept-ranges"), Some("bytes"));
            assert_eq!(answer.header("content-type"), Some("text/x-test"));
            assert_eq!(answer.header("cache-control"), Some("private, no-cache"));
        }
        let answer = client.get(path, &[("range", "bytes=20-")]).await;
        assert_eq!(answer.status(), 416, "{path}");
        assert_eq!(answer.header("content-range"), Some("bytes */20"));
        assert_eq!(answer.json()["error"]["code"], "RANGE_NOT_SATISFIABLE");
        assert_eq!(answer.header("cache-control"), None);
    }
    // Ranges that are far from each other are not joined.
    let far = [("range", "bytes=0-9,299990-299999")];
    let answer = client.get("/file/large", &far).await;
    assert_eq!((answer.status(), answer.bytes().len()), (200, 300_000));
    let answer = client.get("/file/large", &[("range", "bytes=1-200000")]).await;
    assert_eq!((answer.status(), answer.bytes().len()), (206, 200_000));
}

#[tokio::test]
async fn responds_to_head_with_the_length_and_without_calling_the_source() {
    let client = Client::new();
    for (path, name) in [("/file", "a.txt"), ("/bytes", ""), ("/source", "")] {
        let headers = [("x-name", name), ("range", "bytes=0-1")];
        let answer = client.send("HEAD", path, &headers).await.unwrap();
        assert_eq!((answer.status(), answer.text()), (200, ""), "{path}");
        assert_eq!(answer.header("content-length"), Some("20"), "{path}");
        assert_eq!(answer.header("accept-ranges"), Some("bytes"), "{path}");
    }
    for path in ["/file/empty", "/source"] {
        let answer = client
            .get(path, &[("x-do", "empty"), ("range", "bytes=0-1")])
            .await;
        assert_eq!((answer.status(), answer.text()), (200, ""), "{path}");
        assert_eq!(answer.header("content-length"), Some("0"), "{path}");
    }
    assert_eq!(client.steps(), Vec::<String>::new());
}

#[tokio::test]
async fn evaluates_preconditions_before_ranges() {
    const DATE: &str = "Sun, 06 Nov 1994 08:49:37 GMT";
    let client = Client::new();
    let partial = ("range", "bytes=0-1");
    for (given, expected) in [
        (("if-none-match", "\"7\""), 304),
        (("if-none-match", "W/\"7\""), 304),
        (("if-none-match", "\"8\""), 206),
        (("if-modified-since", DATE), 304),
        (("if-match", "\"8\""), 412),
        (("if-match", "\"7\""), 206),
        (("if-unmodified-since", "Sun, 06 Nov 1994 08:49:36 GMT"), 412),
        (("if-range", "\"7\""), 206),
        (("if-range", "\"8\""), 200),
        (("if-range", "W/\"7\""), 200),
        (("if-range", DATE), 206),
        (("if-range", "Sun, 06 Nov 1994 08:49:38 GMT"), 200),
    ] {
        let answer = client.get("/source", &[given, partial]).await;
        assert_eq!(answer.status(), expected, "{given:?}");
        if expected == 304 {
            assert_eq!(answer.header("etag"), Some("\"7\""));
            assert_eq!(answer.header("cache-control"), Some("private, no-cache"));
            for name in ["last-modified", "content-type", "accept-ranges", "content-length"] {
                assert_eq!(answer.header(name), None, "{name}");
            }
        }
    }
    let weak = [("x-do", "weak"), ("if-range", "W/\"7\""), partial];
    assert_eq!(client.get("/source", &weak).await.status(), 200);
    let future = client.get("/bytes", &[("x-do", "future")]).await;
    assert_eq!(future.header("last-modified"), None);
    let whole = client.get("/source", &[]).await;
    assert_eq!(whole.header("last-modified"), Some(DATE));
    for path in ["/file/a.txt", "/file/large", "/bytes"] {
        let whole = client.get(path, &[]).await;
        let tag = whole.header("etag").unwrap();
        let answer = client.get(path, &[("if-none-match", tag), partial]).await;
        assert_eq!((answer.status(), answer.text()), (304, ""), "{path}");
        let answer = client.get(path, &[("if-range", tag), partial]).await;
        assert_eq!(
            (answer.status(), answer.header("etag")),
            (206, Some(tag)),
            "{path}"
        );
    }
    let bytes = client.get("/bytes", &[]).await;
    assert_eq!(bytes.header("etag"), Some(TAG_OF_CONTENT));
}

#[tokio::test]
async fn no_name_leads_out_of_the_directory() {
    let client = Client::new();
    let mut served = vec!["a.txt", "inner/b.txt"];
    if cfg!(unix) {
        served.push("in");
    }
    for name in served {
        let answer = client.get(&format!("/file/{name}"), &[]).await;
        assert_eq!((answer.status(), answer.text()), (200, CONTENT), "{name}");
    }
    for name in [
        "",
        ".",
        "..",
        "../secret.txt",
        "inner/../a.txt",
        "inner/../../secret.txt",
        "/etc/passwd",
        "//a.txt",
        "a.txt/",
        "inner",
        "inner/",
        ".hidden",
        "./a.txt",
        "inner\\b.txt",
        "a\tb.txt",
        "missing",
        "a.txt/b",
        "out",
    ] {
        let answer = client.get(&format!("/file/{name}"), &[]).await;
        assert_eq!(answer.status(), 404, "{name}");
        assert_eq!(answer.json()["error"]["code"], "NOT_FOUND", "{name}");
    }
    assert_eq!(client.get("/missing-dir", &[]).await.status(), 500);
}

#[tokio::test]
async fn sends_the_headers_of_the_handler_and_of_the_download() {
    let client = Client::new();
    let answer = client.get("/bytes", &[("x-do", "attachment")]).await;
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    let disposition = answer.header("content-disposition");
    assert_eq!(disposition, Some("attachment; filename=\"Report 7.pdf\""));
    let answer = client.get("/source", &[("x-do", "own")]).await;
    assert_eq!(answer.header("cache-control"), Some("max-age=5"));
    assert_eq!(answer.header("etag"), Some("\"7\""));
    for what in ["bad tag", "bad name", "bad caching", "status"] {
        let answer = client.get("/bytes", &[("x-do", what)]).await;
        assert_eq!(answer.status(), 500, "{what}");
    }
}

#[tokio::test]
async fn a_source_with_another_number_of_bytes_closes_the_connection() {
    let client = Client::new();
    for what in ["short", "long"] {
        let result = client.send("GET", "/source", &[("x-do", what)]).await;
        assert!(
            result.is_err(),
            "{what}: {:?}",
            result.map(|answer| answer.text().to_owned())
        );
    }
    let refused = client.get("/source", &[("x-do", "refuse")]).await;
    assert_eq!(refused.status(), 404);
    assert_eq!(refused.json()["error"]["code"], "GONE");
    for name in [
        "accept-ranges",
        "etag",
        "last-modified",
        "cache-control",
        "content-disposition",
    ] {
        assert_eq!(refused.header(name), None, "{name}");
    }
}

#[tokio::test]
async fn a_client_that_leaves_drops_the_stream() {
    let client = Client::new();
    let request = client.send("GET", "/source", &[("x-do", "endless"), ("range", "bytes=4-")]);
    let left = tokio::time::timeout(Duration::from_millis(100), request).await;
    assert!(left.is_err());
    let dropped = async {
        loop {
            let steps = client.app.steps.lock().unwrap().clone();
            if steps.len() == 2 {
                return steps;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    let steps = tokio::time::timeout(Duration::from_secs(10), dropped)
        .await
        .unwrap();
    assert_eq!(steps, ["read 4-1099511627775", "dropped"]);
}
