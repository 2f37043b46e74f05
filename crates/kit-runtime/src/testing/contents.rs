//! Request bodies that are not JSON.

use std::borrow::Cow;

use axum::body::Bytes;
use serde_json::{Map, Value};

use super::document::{FileRules, Format};
use super::values::{escaped, pairs_of_form, text_of};

/// Line between the parts of a multipart body.
const BOUNDARY: &str = "kit-contract-tests";

/// Smallest PNG image: one pixel.
const PNG: &[u8] = &[
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44, 0x52, 0x00,
    0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x08, 0x04, 0x00, 0x00, 0x00, 0xb5, 0x1c, 0x0c, 0x02, 0x00,
    0x00, 0x00, 0x0b, 0x49, 0x44, 0x41, 0x54, 0x78, 0xda, 0x63, 0x64, 0x60, 0x00, 0x00, 0x00, 0x06, 0x00,
    0x02, 0x30, 0x81, 0xd0, 0x2f, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82,
];

/// First bytes of files. The server refuses files of these types with other bytes.
const STARTS: [(&str, &[u8]); 8] = [
    ("image/png", PNG),
    ("image/jpeg", b"\xff\xd8\xff"),
    ("image/gif", b"GIF89a"),
    ("image/webp", b"RIFF\0\0\0\0WEBP"),
    ("image/bmp", b"BM"),
    ("image/avif", b"\0\0\0\x1cftypavif"),
    ("application/pdf", b"%PDF-1.7"),
    ("video/webm", b"\x1a\x45\xdf\xa3"),
];

/// Body of a request with its media type.
#[derive(Debug, Clone)]
pub(super) struct Body {
    pub(super) media_type: String,
    pub(super) bytes: Bytes,
}

impl Body {
    pub(super) fn new(media_type: impl Into<String>, bytes: impl Into<Bytes>) -> Self {
        Self {
            media_type: media_type.into(),
            bytes: bytes.into(),
        }
    }

    pub(super) fn text(media_type: &str, text: impl Into<String>) -> Self {
        Self::new(media_type, text.into())
    }
}

/// File of a multipart body.
#[derive(Debug, Clone)]
pub(super) struct File {
    pub(super) media_type: String,
    pub(super) bytes: Vec<u8>,
}

/// Part of a multipart body.
#[derive(Debug, Clone)]
pub(super) enum Part {
    Text(String),
    File(File),
}

/// Returns the body of a request. `value` has the fields of a form, the parts of a multipart body, the list of lines, or a text. Without
/// a value, the body is a short text, or short bytes; files are short, too.
pub(super) fn body_of(format: &Format, value: Option<&Value>) -> Body {
    let fields = value.and_then(Value::as_object);
    match format.kind.as_str() {
        "form" => Body::text("application/x-www-form-urlencoded", form_of(fields)),
        "multipart" => multipart_of(format, value, &[]),
        "lines" => {
            let lines = value.and_then(Value::as_array).into_iter().flatten();
            let mut text = String::new();
            for line in lines {
                text.push_str(&line.to_string());
                text.push('\n');
            }
            Body::text("application/jsonl", text)
        }
        _ => {
            let media_type = concrete_type(&format.types);
            match value {
                Some(Value::String(text)) => Body::text(&media_type, text.as_str()),
                _ => Body::new(media_type.as_ref(), bytes_of(&media_type)),
            }
        }
    }
}

/// Returns values as the text of a form. A list is a repeated name.
pub(super) fn form_of(fields: Option<&Map<String, Value>>) -> String {
    let pairs = fields.map(pairs_of_form).unwrap_or_default();
    let pairs: Vec<_> = pairs
        .iter()
        .map(|(name, text)| format!("{}={}", escaped(name), escaped(text)))
        .collect();
    pairs.join("&")
}

/// Returns a multipart body with valid files. `replaced` has the parts of some files in place of valid ones.
pub(super) fn multipart_of(format: &Format, value: Option<&Value>, replaced: &[(&str, Vec<Part>)]) -> Body {
    let empty = Map::new();
    let fields = value.and_then(Value::as_object).unwrap_or(&empty);
    let mut parts: Vec<(String, Part)> = Vec::new();
    for (name, value) in fields.iter().filter(|(name, _)| format.json.contains(name)) {
        parts.push((name.clone(), Part::Text(value.to_string())));
    }
    let others: Map<_, _> = fields
        .iter()
        .filter(|(name, _)| !format.json.contains(name))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    parts.extend(
        pairs_of_form(&others)
            .into_iter()
            .map(|(name, text)| (name, Part::Text(text))),
    );
    // The handler reads streamed files after all other parts.
    let (streamed, whole): (Vec<_>, Vec<_>) = format.files.iter().partition(|file| file.streamed);
    for file in whole.into_iter().chain(streamed) {
        let given = replaced.iter().find(|(name, _)| *name == file.name);
        let of_file = given.map_or_else(|| valid_parts(file), |(_, parts)| parts.clone());
        parts.extend(of_file.into_iter().map(|part| (file.name.clone(), part)));
    }
    let mut bytes = Vec::new();
    for (name, part) in parts {
        bytes.extend_from_slice(
            format!("--{BOUNDARY}\r\ncontent-disposition: form-data; name=\"{name}\"").as_bytes(),
        );
        match part {
            Part::Text(text) => bytes.extend_from_slice(format!("\r\n\r\n{text}").as_bytes()),
            Part::File(File {
                media_type,
                bytes: content,
            }) => {
                let head = format!("; filename=\"file\"\r\ncontent-type: {media_type}\r\n\r\n");
                bytes.extend_from_slice(head.as_bytes());
                bytes.extend_from_slice(&content);
            }
        }
        bytes.extend_from_slice(b"\r\n");
    }
    bytes.extend_from_slice(format!("--{BOUNDARY}--\r\n").as_bytes());
    Body::new(format!("multipart/form-data; boundary={BOUNDARY}"), bytes)
}

/// Returns the files that a valid request has for a part.
fn valid_parts(file: &FileRules) -> Vec<Part> {
    if file.optional {
        return Vec::new();
    }
    let count = if file.many { file.min_items.max(1) } else { 1 };
    several(file, count)
}

/// Returns a number of valid files.
pub(super) fn several(file: &FileRules, count: usize) -> Vec<Part> {
    vec![Part::File(file_of(file)); count]
}

/// Returns a valid file for a part.
pub(super) fn file_of(file: &FileRules) -> File {
    let media_type = concrete_type(&file.types).into_owned();
    let mut bytes = bytes_of(&media_type);
    bytes.truncate(file.max_bytes.unwrap_or(usize::MAX));
    File { media_type, bytes }
}

/// Returns a media type that fits the first of the media types or ranges.
fn concrete_type(types: &[String]) -> Cow<'static, str> {
    match types.first().map_or("*/*", String::as_str) {
        "*/*" => "application/octet-stream".into(),
        "image/*" => "image/png".into(),
        other => other.replace('*', "x-test").into(),
    }
}

fn bytes_of(media_type: &str) -> Vec<u8> {
    if let Some((_, start)) = STARTS.iter().find(|(known, _)| *known == media_type) {
        return start.to_vec();
    }
    let is_json = media_type.ends_with("/json") || media_type.ends_with("+json");
    if is_json { b"{}".to_vec() } else { b"text".to_vec() }
}

/// Returns the path of a part in failures.
pub(super) fn path_of(name: &str) -> String {
    let is_plain = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if is_plain {
        format!("$.{name}")
    } else {
        format!("$[{}]", text_of(&Value::String(Value::from(name).to_string())))
    }
}
