//! Parser of bodies in the format `multipart/form-data` (RFC 7578, on the framing of RFC 2046, section 5.1). The parser
//! is strict: each body that two programs could read differently is refused. `packages/core/src/bodies/multipart.ts`
//! implements the same in TypeScript, and `conformance/multipart.json` has the cases.

mod head;
mod parser;

use axum::body::Bytes;

use crate::media_type::MediaType;

pub use self::head::Head;
pub use self::parser::{Parser, Step};

/// Part of a multipart body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Name of the form's field.
    pub name: String,
    /// Name of the file, without a path. `None` if the part is not a file.
    pub file_name: Option<String>,
    /// Type and subtype in lower case. `None` if the part has no content type.
    pub media_type: Option<String>,
    /// Content, which is a view of the body.
    pub bytes: Bytes,
}

/// Framing that the parser refuses, in the words of a validation failure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistake {
    /// Description of the framing that the parser expects.
    pub expected: String,
    /// Description of the received bytes.
    pub received: String,
}

impl Mistake {
    fn new(expected: impl Into<String>, received: impl Into<String>) -> Self {
        Self {
            expected: expected.into(),
            received: received.into(),
        }
    }
}

/// Returns the boundary in the parameters of a content type if it is valid (RFC 2046, 5.1.1).
pub(crate) fn boundary_of(media_type: &MediaType) -> Result<&str, Mistake> {
    let boundary = media_type.parameters.get("boundary");
    boundary
        .map(String::as_str)
        .filter(|text| is_boundary(text))
        .ok_or_else(|| {
            let received = if boundary.is_none() {
                "no boundary"
            } else {
                "another boundary"
            };
            Mistake::new(
                "a content type with a parameter `boundary` of 1 to 70 characters",
                received,
            )
        })
}

/// Returns the boundary of a multipart body with this content type.
///
/// # Errors
///
/// If the content type has no valid boundary.
pub fn boundary(content_type: &str) -> Result<String, Mistake> {
    let none = || Mistake::new("multipart/form-data", "another content type");
    let media_type = MediaType::parse(content_type).ok_or_else(none)?;
    boundary_of(&media_type).map(str::to_owned)
}

fn is_boundary(text: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"'()+_,-./:=? ".contains(&byte);
    (1..=70).contains(&text.len()) && text.bytes().all(is_allowed) && !text.ends_with(' ')
}

/// Returns the parts of a body in order.
///
/// # Errors
///
/// The first mistake in the framing of the body.
pub fn parse(body: &Bytes, boundary: &str) -> Result<Vec<Part>, Mistake> {
    let mut parser = Parser::new(boundary);
    parser.push(body.clone());
    parser.end();
    let mut parts: Vec<Part> = Vec::new();
    loop {
        match parser.step()? {
            Step::Part(head) => parts.push(Part {
                name: head.name,
                file_name: head.file_name,
                media_type: head.media_type,
                bytes: Bytes::new(),
            }),
            // The whole content, because the parser has the whole body.
            Step::Content(bytes) => {
                if let Some(part) = parts.last_mut() {
                    part.bytes = bytes;
                }
            }
            Step::PartEnd => {}
            Step::End | Step::More => return Ok(parts),
        }
    }
}

#[cfg(test)]
mod tests {
    use axum::body::Bytes;

    use super::parser::{MAX_HEADERS, MAX_PARTS};
    use super::{boundary, parse};

    /// Parses a body with the boundary `b`. Lines of `text` end with LF.
    fn read(text: &str) -> Result<String, String> {
        let body = Bytes::from(text.replace('\n', "\r\n"));
        let parts =
            parse(&body, "b").map_err(|mistake| format!("{} / {}", mistake.expected, mistake.received))?;
        let parts = parts.iter().map(|part| {
            format!(
                "{}|{}|{}|{};",
                part.name,
                part.file_name.as_deref().unwrap_or("-"),
                part.media_type.as_deref().unwrap_or("-"),
                String::from_utf8_lossy(&part.bytes)
            )
        });
        Ok(parts.collect())
    }

    const HEAD: &str = "content-disposition: form-data; name=a";

    #[test]
    fn reads_fields_and_files_in_order() {
        let body = "\n--b \nContent-Disposition: form-data; name=\"t%22%0d%zz%\"\n\none\ntwo\n--b\n\
             Content-Type: Image/PNG; x=y\ncontent-disposition: form-data; name=f; filename=\"C:\\dir\\a \\\"b\\\".png\"\n\n--c\n--b-- \t\n";
        let expected = "t\"\r%zz%|-|-|one\r\ntwo;f|a \"b\".png|image/png|--c;";
        assert_eq!(read(body).as_deref(), Ok(expected));
        let empty = format!("--b\n{HEAD}\nContent-Length: 0\n\n\n--b--");
        assert_eq!(read(&empty).as_deref(), Ok("a|-|-|;"));
        assert_eq!(read("--b--\n").as_deref(), Ok(""));
    }

    #[test]
    fn refuses_broken_framing() {
        for (body, expected) in [
            ("", "a line --b before the first part / none"),
            ("x--b", "a line --b before the first part / none"),
            ("--b", "a line break after a boundary / the end of the body"),
            ("--bc\n", "a line break after a boundary / other bytes"),
            (
                "--b--x",
                "the end of the body after the last boundary / other bytes",
            ),
            ("--b\nx: y\n", "an empty line after the headers of a part / none"),
            (
                "--b\n\nx\n--b--",
                "a header `content-disposition: form-data; name=\"…\"` in each part / none",
            ),
            (
                "--b\ncontent-disposition: form-data\n\nx\n--b--",
                "a header `content-disposition: form-data; name=\"…\"` in each part / another value",
            ),
            (
                "--b\ncontent-disposition: file; name=a\n\nx\n--b--",
                "a header `content-disposition: form-data; name=\"…\"` in each part / another value",
            ),
            (
                "--b\ncontent-disposition: form-data; name=a; name=b\n\nx\n--b--",
                "a header `content-disposition: form-data; name=\"…\"` in each part / another value",
            ),
            (
                "--b\nx y: z\n\n\n--b--",
                "headers of a part as `name: value` / another line",
            ),
            (
                "--b\nx: y\n folded\n\n\n--b--",
                "headers of a part as `name: value` / another line",
            ),
            ("--b\nx: 1\nX: 2\n\n\n--b--", "one header x in a part / several"),
        ] {
            assert_eq!(read(body).unwrap_err(), expected, "{body}");
        }
        for (line, expected) in [
            (
                "content-transfer-encoding: Base64",
                "parts without a content-transfer-encoding / base64",
            ),
            (
                "content-type: text",
                "a media type as the content-type of a part / another value",
            ),
            (
                "content-type: text/plain; charset=latin1",
                "text in UTF-8 in each part / another charset",
            ),
        ] {
            assert_eq!(
                read(&format!("--b\n{HEAD}\n{line}\n\nx\n--b--")).unwrap_err(),
                expected
            );
        }
        let joined = format!("--b\n{HEAD}\n\n--b--");
        assert_eq!(
            read(&joined).unwrap_err(),
            "a line break between the headers of a part and the next boundary / none"
        );
        for (length, received) in [("1", "another number"), ("x", "another value")] {
            let other = format!("--b\n{HEAD}\ncontent-length: {length}\n\nxy\n--b--");
            let expected =
                format!("a content-length that equals the number of bytes in the part / {received}");
            assert_eq!(read(&other).unwrap_err(), expected);
        }
        let cut = format!("--b\n{HEAD}\n\nx\n--");
        assert_eq!(
            read(&cut).unwrap_err(),
            "a line --b-- after the last part / the end of the body"
        );
    }

    #[test]
    fn limits_the_number_of_parts_and_the_size_of_headers() {
        let part = format!("\n{HEAD}\n\n\n--b");
        let most = format!("--b{}--", part.repeat(MAX_PARTS));
        assert!(read(&most).is_ok());
        let more = format!("--b{}--", part.repeat(MAX_PARTS + 1));
        assert_eq!(read(&more).unwrap_err(), "at most 1000 parts / more parts");
        let long = format!("--b\n{HEAD}\nx: {}\n\n\n--b--", "y".repeat(MAX_HEADERS));
        assert_eq!(
            read(&long).unwrap_err(),
            "at most 16384 bytes of headers in a part / more bytes"
        );
    }

    #[test]
    fn reads_the_boundary_of_a_content_type() {
        let of = |text: &str| boundary(text).map_err(|mistake| mistake.received);
        assert_eq!(of("multipart/form-data; boundary=\"a b\"").as_deref(), Ok("a b"));
        assert_eq!(of("multipart/form-data").unwrap_err(), "no boundary");
        for wrong in [String::new(), "é".to_owned(), "a ".to_owned(), "a".repeat(71)] {
            let content_type = format!("multipart/form-data; boundary=\"{wrong}\"");
            assert_eq!(of(&content_type).unwrap_err(), "another boundary", "{wrong}");
        }
    }
}
