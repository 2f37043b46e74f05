//! Sends requests to a generated server whose contracts have bodies that are not JSON.

#![allow(unreachable_pub)] // a module of tests has no outside

use std::io::{Read as _, Write as _};
use std::path::Path;

use serde_json::Value;

use crate::served_http::{Answer, Server};

/// Returns the text of the header in which the handlers report a received body.
fn received(answer: &Answer) -> &str {
    assert!(answer.status < 300, "{} {}", answer.status, answer.body);
    answer.header("x-received").unwrap()
}

/// Returns the status of an error with the path and the rule of each failure, or with its message.
fn refused(answer: &Answer) -> String {
    let body: Value = serde_json::from_str(&answer.body).unwrap();
    let error = &body["error"];
    let failures = error["details"]["fields"].as_array().cloned().unwrap_or_default();
    let failures: Vec<_> = failures
        .iter()
        .map(|failure| {
            format!(
                "{} {}",
                failure["path"].as_str().unwrap_or_default(),
                failure["rule"].as_str().unwrap_or_default()
            )
        })
        .collect();
    if failures.is_empty() {
        format!(
            "{} {}",
            answer.status,
            error["message"].as_str().unwrap_or_default()
        )
    } else {
        format!("{} {}", answer.status, failures.join(", "))
    }
}

fn post(server: &Server, path: &str, content_type: &str, body: impl Into<Vec<u8>>) -> Answer {
    let header = ("content-type", content_type);
    let headers = Some(header).filter(|_| !content_type.is_empty());
    server.send("POST", path, headers.as_slice(), body.into())
}

/// Tests forms.
pub fn fields(server: &Path) {
    let server = Server::start(server, "");
    let form = "application/x-www-form-urlencoded";
    let send = |content_type: &str, body: &str| post(&server, "/sessions", content_type, body);
    let full = send(
        form,
        "email=a%40b+c&count=3&remember=true&topics=news&topics=offers&other=1",
    );
    assert_eq!(
        received(&full),
        "(\"a@b c\", 3, Some(true), Some([News, Offers]))"
    );
    let charset = format!("{form};charset=UTF-8");
    assert_eq!(
        received(&send(&charset, "count=1&email=abc")),
        "(\"abc\", 1, None, None)"
    );
    assert_eq!(
        refused(&send(form, "email=ab&count=10")),
        "400 $.email minLength, $.count maximum"
    );
    assert_eq!(refused(&send("", "")), "400 $.email required, $.count required");
    assert_eq!(
        refused(&send(form, "email=a%00bc&count=1")),
        "400 $.email characters"
    );
    assert_eq!(
        refused(&send("application/json", "{}")),
        format!("415 The request has another content type; send {form}")
    );
    assert_eq!(
        refused(&send("", "email=abc&count=1")),
        format!("415 The request has no content type; send {form}")
    );
    let latin = format!("{form}; charset=latin1");
    assert_eq!(
        refused(&send(&latin, "email=abc&count=1")),
        format!("415 The body has another charset; send {form} in UTF-8")
    );
}

/// Tests bodies of text and of bytes.
pub fn unchanged(server: &Path) {
    let server = Server::start(server, "");
    for (path, content_type, body, expected) in [
        (
            "/hooks",
            "application/json",
            b"{ }\xff".as_slice(),
            "b\"{ }\\xff\"",
        ),
        ("/hooks", "", b"", "b\"\""),
        ("/blobs", "", b"\0x", "b\"\\0x\""),
        ("/blobs", "a/b", b"x", "b\"x\""),
        ("/tables", "text/csv;header=present", b"a,b\n", "\"a,b\\n\""),
        ("/tables", "Text/Tab-Separated-Values", b"a", "\"a\""),
        ("/images", "image/webp", b"RIFF", "b\"RIFF\""),
    ] {
        assert_eq!(received(&post(&server, path, content_type, body)), expected);
    }
    for (path, content_type, body, expected) in [
        (
            "/hooks",
            "text/plain",
            b"x".as_slice(),
            "415 The request has another content type; send application/json",
        ),
        (
            "/tables",
            "text/plain",
            b"x",
            "415 The request has another content type; send text/csv or text/tab-separated-values",
        ),
        (
            "/images",
            "image",
            b"x",
            "415 The request's content type is not a media type; send image/*",
        ),
        ("/tables", "text/csv", b"\xff", "400 $ encoding"),
        ("/tables", "text/csv", b"a\0", "400 $ characters"),
    ] {
        assert_eq!(refused(&post(&server, path, content_type, body)), expected);
    }
    let encoded = [("content-type", "image/png"), ("content-encoding", "gzip")];
    assert_eq!(
        refused(&server.send("POST", "/icons", &encoded, b"x".to_vec())),
        "415 Compressed bodies are not accepted; send the body without compression"
    );
}

/// Tests multipart bodies.
pub fn multipart(server: &Path) {
    const PNG: &str = "\x7fPNG";
    let server = Server::start(server, "");
    let send = |path: &str, parts: &[(&str, &str)]| {
        let mut body = Vec::new();
        for (head, content) in parts {
            body.extend(format!("--b\r\ncontent-disposition: form-data; {head}\r\n\r\n").bytes());
            // The first byte of the signature of PNG is not UTF-8.
            match content.strip_prefix(PNG) {
                Some(rest) => body.extend(b"\x89PNG\r\n\x1a\n".iter().copied().chain(rest.bytes())),
                None => body.extend(content.bytes()),
            }
            body.extend(b"\r\n");
        }
        body.extend(b"--b--\r\n");
        post(&server, path, "multipart/form-data; boundary=b", body)
    };
    let photo = ("name=photo; filename=\"a.png\"\r\ncontent-type: image/png", PNG);
    let album = ("name=album", "{\"name\":\"Summer\"}");
    let title = ("name=title", "Sea");
    let more = (
        "name=more; filename=\"dir/b.gif\"\r\ncontent-type: image/gif",
        "GIF89a",
    );
    let blob = (
        "name=album; filename=\"blob\"\r\ncontent-type: application/json",
        album.1,
    );
    let tags = [("name=tags", "x"), ("name=tags", "y")];
    let all = [
        title,
        photo,
        more,
        blob,
        tags[0],
        tags[1],
        more,
        ("name=other", "?"),
    ];
    assert_eq!(
        received(&send("/photos", &all)),
        "(File { name: \"a.png\", media_type: \"image/png\", bytes: 8 }, [\"b.gif\", \"b.gif\"], \
         Some([\"x\", \"y\"]), \"Summer\")"
    );
    let text = ("name=photo", "text");
    let wrong = ("name=more; filename=c\r\ncontent-type: image/gif", "GIF");
    for (parts, expected) in [
        (vec![title, album], "400 $.photo required"),
        (vec![title, album, photo, photo], "400 $.photo maxItems"),
        (vec![title, album, text], "400 $.photo type"),
        (
            vec![title, album, photo, more, more, more, more],
            "400 $.more maxItems",
        ),
        (
            vec![photo, more, wrong],
            "400 $.more[1] mime, $.title required, $.album required",
        ),
        (vec![title, ("name=album", "{"), photo], "400 $.album type"),
    ] {
        assert_eq!(refused(&send("/photos", &parts)), expected);
    }
    // Text fields whose bytes are not UTF-8. The missing photo is the first of 100 failures.
    let many = refused(&send("/photos", &[("name=tags", PNG); 150]));
    assert_eq!(many.matches("$.tags encoding").count(), 99, "{many}");
    assert!(many.ends_with(", $ maxFailures"), "{many}");
    let large = "x".repeat(1001);
    let file = "name=file; filename=f";
    assert_eq!(refused(&send("/files", &[(file, &large)])), "400 $.file maxBytes");
    assert_eq!(received(&send("/files", &[(file, "x")])), "b\"x\"");
    let texts = [("name=text", "Good"), ("name=stars", "5")];
    assert_eq!(received(&send("/comments", &texts)), "(\"Good\", 5)");
    assert_eq!(
        refused(&post(
            &server,
            "/files",
            "multipart/form-data; boundary=b",
            "--b\r\n"
        )),
        "400 $ multipart"
    );
    assert_eq!(
        refused(&post(&server, "/files", "multipart/form-data", "--b--")),
        "400 $ multipart"
    );
    assert_eq!(refused(&post(&server, "/files", "", "")), "400 $ required");
    let video = (
        "name=video; filename=\"a.txt\"\r\ncontent-type: text/plain",
        "film",
    );
    let cover = ("name=cover; filename=\"c.png\"\r\ncontent-type: image/png", PNG);
    assert_eq!(
        received(&send("/videos", &[title, cover, video])),
        "(\"Sea\", \"a.txt text/plain film\", Some(\"c.png\"))"
    );
    assert_eq!(
        refused(&send("/videos", &[title, video, cover])),
        "400 $.cover multipart"
    );
    let archive = ("name=archives; filename=a", "x");
    assert_eq!(
        received(&send("/archives", &[archive, archive])),
        "[\"a application/octet-stream x\", \"a application/octet-stream x\"]"
    );
    assert_eq!(refused(&send("/archives", &[archive])), "400 $.archives minItems");
    assert_eq!(received(&send("/avatars", &[title])), "None");
    assert_eq!(
        refused(&post(&server, "/files", "image/png", "x")),
        "415 The request has another content type; send multipart/form-data"
    );
}

/// Tests request bodies of JSON Lines.
pub fn lines(server: &Path) {
    let server = Server::start(server, "");
    let send = |content_type: &str, body: &str| post(&server, "/imports", content_type, body);
    let book = r#"{"title":"Milk","pages":7,"printed":"2026-01-02T03:04:05Z"}"#;
    for (content_type, body, imported) in [
        ("application/jsonl", format!("{book}\n{book}\r\n"), 2),
        (
            "application/x-ndjson; charset=utf-8",
            format!("{book}\n{book}\n{book}"),
            3,
        ),
        ("", String::new(), 0),
    ] {
        let answer = send(content_type, &body);
        assert_eq!(
            (answer.status, answer.body),
            (201, format!("{{\"imported\":{imported}}}"))
        );
    }
    let broken = format!("{book}\n{}\n", book.replace('7', "0"));
    assert_eq!(
        refused(&send("application/jsonl", &broken)),
        "400 $[1].pages minimum"
    );
    assert_eq!(
        refused(&send("application/jsonl", &format!("{book}\n\n"))),
        "400 $[1] json"
    );
    let escaped = book.replace("Milk", "\\u0000");
    assert_eq!(
        refused(&send("application/jsonl", &escaped)),
        "400 $[0].title characters"
    );
    assert_eq!(
        refused(&send("application/json", book)),
        "415 The request has another content type; send application/jsonl or application/x-ndjson or application/x-jsonlines"
    );
}

/// Tests responses.
pub fn responses(server: &Path) {
    let server = Server::start(server, "");
    let book =
        |title| format!("{{\"title\":\"{title}\",\"pages\":7,\"printed\":\"2026-01-02T03:04:05.000Z\"}}\n");
    let lines = book("Milk") + &book("Butter");
    let events = format!(
        "event: progress\ndata: {{\"percent\":12.5}}\n\nevent: done\nid: 7\nretry: 1500\ndata: {}\nevent: stopped\ndata: null\n\n",
        book("Milk")
    );
    for (path, prefer, status, content_type, body) in [
        ("/table", "", 200, "text/csv; charset=utf-8", "a,b\n1,é\n"),
        ("/image", "", 200, "image/png", "\u{fffd}PNG\r\n\u{1a}\n"),
        ("/books", "", 200, "application/jsonl", &lines),
        ("/events", "", 200, "text/event-stream", &events),
        ("/report", "", 200, "text/csv; charset=utf-8", "a,b\n"),
        ("/report", "progress", 202, "application/json", "{\"percent\":1}"),
        ("/report", "lines", 203, "application/jsonl", &book("Milk")),
        (
            "/report",
            "events",
            207,
            "text/event-stream",
            "event: stopped\ndata: null\n\n",
        ),
    ] {
        let answer = server.send("GET", path, &[("prefer", prefer)], Vec::new());
        assert_eq!((answer.status, answer.body.as_str()), (status, body), "{path}");
        assert_eq!(answer.header("content-type"), Some(content_type), "{path}");
        let is_stream = content_type == "text/event-stream";
        assert_eq!(
            answer.header("cache-control"),
            is_stream.then_some("no-store"),
            "{path}"
        );
        assert_eq!(
            answer.header("x-accel-buffering"),
            is_stream.then_some("no"),
            "{path}"
        );
        let head = server.send("HEAD", path, &[("prefer", prefer)], Vec::new());
        assert_eq!((head.status, head.body.as_str()), (status, ""), "{path}");
        assert_eq!(head.header("content-type"), Some(content_type), "{path}");
    }

    for (range, status, body) in [
        ("", 200, "0123456789"),
        ("bytes=3-4", 206, "34"),
        ("bytes=10-", 416, ""),
    ] {
        let answer = server.send("GET", "/film", &[("range", range)], Vec::new());
        assert_eq!(answer.status, status, "{range}");
        if status == 416 {
            assert_eq!(answer.header("content-range"), Some("bytes */10"));
            continue;
        }
        assert_eq!(answer.body, body, "{range}");
        assert_eq!(answer.header("content-type"), Some("video/mp4"));
        assert_eq!(answer.header("etag"), Some("\"7\""));
        let disposition = answer.header("content-disposition");
        assert_eq!(disposition, Some("attachment; filename=\"film.mp4\""));
    }

    // The first event arrives although the response does not end.
    let mut connection = server.connect();
    connection
        .write_all(b"GET /events HTTP/1.1\r\nhost: a\r\nlast-event-id: never\r\n\r\n")
        .unwrap();
    let mut read = String::new();
    while !read.contains("event: stopped\ndata: null\n\n") {
        let mut bytes = [0; 1024];
        let length = connection.read(&mut bytes).unwrap();
        assert_ne!(length, 0, "{read}");
        read.push_str(std::str::from_utf8(&bytes[..length]).unwrap());
    }
}
