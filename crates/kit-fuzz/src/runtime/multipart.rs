//! Fuzz target for multipart bodies.

use kit_runtime::BodyBytes;
use kit_runtime::multipart::{boundary, parse};

/// Parses any bytes as a multipart body, and writes the parts of a valid body again. The first line is the content type, and
/// the rest is the body.
///
/// # Panics
///
/// Panics if a part has bytes of the framing, if the parts are larger than the body, or if the parts that are written again
/// have other contents.
pub fn multipart(data: &[u8]) {
    let end = data.iter().position(|byte| *byte == b'\n').unwrap_or(data.len());
    let content_type = String::from_utf8_lossy(&data[..end]);
    let body = BodyBytes::copy_from_slice(data.get(end + 1..).unwrap_or_default());
    let Ok(boundary) = boundary(&content_type) else {
        return;
    };
    let Ok(parts) = parse(&body, &boundary) else {
        return;
    };
    let delimiter = format!("\r\n--{boundary}");
    let mut written = Vec::new();
    let mut total = 0;
    for part in &parts {
        let has_delimiter = part
            .bytes
            .windows(delimiter.len())
            .any(|bytes| bytes == delimiter.as_bytes());
        assert!(!has_delimiter, "{part:?} has a boundary");
        total += part.bytes.len() + delimiter.len();
        written.extend(format!("--{boundary}\r\ncontent-disposition: form-data; name=a\r\n\r\n").bytes());
        written.extend(&part.bytes);
        written.extend(b"\r\n");
    }
    assert!(
        total <= body.len() + 2,
        "the parts have {total} of {} bytes",
        body.len()
    );
    written.extend(format!("--{boundary}--").bytes());
    let again = parse(&BodyBytes::from(written), &boundary).expect("the parts that are written again");
    let contents = again.iter().map(|part| &part.bytes);
    assert!(
        contents.eq(parts.iter().map(|part| &part.bytes)),
        "{parts:?} became {again:?}"
    );
}
