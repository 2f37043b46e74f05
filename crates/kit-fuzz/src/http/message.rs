//! Generator of random HTTP requests: valid requests, for which the expected result is known, and valid
//! requests with random damage.

use std::fmt::Write as _;

use arbitrary::{Result, Unstructured};

/// Values that the handler must receive for a valid request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ExpectedRequest {
    pub(crate) method: String,
    pub(crate) target: String,
    pub(crate) body: Vec<u8>,
    /// True if the server must close the connection after the response.
    pub(crate) closes: bool,
}

/// Bytes of one request. `expected` is `None` if the request may be invalid.
#[derive(Debug)]
pub(crate) struct Message {
    pub(crate) bytes: Vec<u8>,
    pub(crate) expected: Option<ExpectedRequest>,
}

/// Bytes that are inserted at a random position to damage a request.
const FRAGMENTS: [&[u8]; 36] = [
    b"\r\n",
    b"\n",
    b"\r",
    b"\r\n\r\n",
    b"\n\n",
    b" ",
    b"\t",
    b"\0",
    b":",
    b";",
    b",",
    b"\xff\xfe",
    b"0\r\n\r\n",
    b"0\r\n",
    b"-1\r\n",
    b"fffffffffffffffff\r\n",
    b"Content-Length: 5\r\n",
    b"Content-Length: +5\r\n",
    b"Content-Length: 5, 5\r\n",
    b"Transfer-Encoding: chunked\r\n",
    b"Transfer-Encoding: gzip, chunked\r\n",
    b"Transfer-Encoding : chunked\r\n",
    b"Transfer-Encoding: chunked, gzip\r\n",
    b"Transfer-Encoding:\r\n",
    b"Transfer-Encoding: gzip,\r\n chunked\r\n",
    b"Host:\r\n",
    b"http://[::1",
    b";a=\"",
    b"\\",
    b" ;\t=",
    b" folded: x\r\n",
    b"Host: b\r\n",
    b"Connection: close\r\n",
    b"Expect: 100-continue\r\n",
    b"Upgrade: h2c\r\nConnection: upgrade\r\n",
    b"GET / HTTP/1.1\r\nHost: a\r\n\r\n",
];

/// Maximum number of bytes of all chunk extensions of a body that a server accepts.
const MOST_EXTENSION_BYTES: usize = 16 * 1024;
/// Maximum number of trailer fields that a server accepts.
const MOST_TRAILERS: usize = 100;

/// Generates one request. One of three requests is damaged, and one of eight requests consists of random
/// bytes.
pub(crate) fn message(bytes: &mut Unstructured<'_>) -> Result<Message> {
    if bytes.ratio(1, 8)? {
        let length = bytes.int_in_range(0..=64_usize)?.min(bytes.len());
        let bytes = bytes.bytes(length)?.to_vec();
        let expected = None;
        return Ok(Message { bytes, expected });
    }
    let mut message = valid(bytes)?;
    if bytes.ratio(1, 3)? {
        for _ in 0..bytes.int_in_range(1..=3_u8)? {
            damage(bytes, &mut message.bytes)?;
        }
        message.expected = None;
    }
    Ok(message)
}

/// Generates a valid request.
pub(crate) fn valid(bytes: &mut Unstructured<'_>) -> Result<Message> {
    let method = *bytes.choose(&["GET", "POST", "HEAD", "PUT", "DELETE", "OPTIONS", "BREW"])?;
    let target = *bytes.choose(&[
        "/",
        "/a/b?c=d",
        "/%2e%2e%2e//?",
        "/x?a=%00&b=[1]",
        "/a;b=c/@:!$&'()*+,=",
    ])?;
    // The target may also be a complete URL, with the same meaning.
    let origin = if bytes.ratio(1, 8)? { "http://[::1]:80" } else { "" };
    let is_http_10 = bytes.ratio(1, 8)?;
    let mut closes = is_http_10;
    let mut head = format!(
        "{method} {origin}{target} HTTP/1.{}\r\nHost: a:80\r\n",
        u8::from(!is_http_10)
    );
    for _ in 0..bytes.int_in_range(0..=3_u8)? {
        head.push_str(bytes.choose(&[
            "Accept: */*\r\n",
            "X-Empty:\r\n",
            "Cookie: a=b; c=d\r\n",
            "x-tab:\tz \t\r\n",
            "X-High: \u{e9}\r\n",
        ])?);
    }
    if bytes.ratio(1, 8)? {
        closes = bytes.ratio(1, 2)?;
        head.push_str(if closes {
            "Connection: close\r\n"
        } else {
            "Connection: keep-alive\r\n"
        });
    }
    if bytes.ratio(1, 16)? && !is_http_10 {
        head.push_str("Expect: 100-continue\r\n");
    }
    let length = match bytes.int_in_range(0..=9_u8)? {
        0..=4 => 0,
        5..=8 => bytes.int_in_range(1..=80_usize)?,
        _ => bytes.int_in_range(1..=20_000_usize)?,
    };
    let body: Vec<u8> = (0..length).map(|index| b"body\r\n0 "[index % 8]).collect();
    let mut stream;
    if is_http_10 || bytes.ratio(1, 2)? {
        if length > 0 || bytes.ratio(1, 4)? {
            // Writing to a string cannot fail.
            let _ = write!(head, "Content-Length: {length}\r\n");
        }
        stream = format!("{head}\r\n").into_bytes();
        stream.extend_from_slice(&body);
    } else {
        head.push_str("Transfer-Encoding: chunked\r\n\r\n");
        stream = head.into_bytes();
        chunks(bytes, &mut stream, &body)?;
    }
    let expected = ExpectedRequest {
        method: method.to_owned(),
        target: target.to_owned(),
        body,
        closes,
    };
    Ok(Message {
        bytes: stream,
        expected: Some(expected),
    })
}

fn chunks(bytes: &mut Unstructured<'_>, stream: &mut Vec<u8>, mut body: &[u8]) -> Result<()> {
    let long = format!(";{}", "a".repeat(200));
    let mut extension_bytes = 0;
    while !body.is_empty() {
        let size = bytes.int_in_range(1..=body.len())?;
        let line = match bytes.int_in_range(0..=4_u8)? {
            0 => {
                let extension = *bytes.choose(&[
                    ";a=\"b\"",
                    ";a",
                    " ;\ta = b",
                    ";a=\"x\\\"y;=\\\\\";b=c",
                    ";a=\"\"",
                    &long,
                ])?;
                extension_bytes += extension.len();
                let is_accepted = extension_bytes <= MOST_EXTENSION_BYTES;
                format!("{size:X}{}\r\n", if is_accepted { extension } else { "" })
            }
            1 => format!("00{size:x}\r\n"),
            _ => format!("{size:x}\r\n"),
        };
        stream.extend_from_slice(line.as_bytes());
        stream.extend_from_slice(&body[..size]);
        stream.extend_from_slice(b"\r\n");
        body = &body[size..];
    }
    let trailers = match bytes.int_in_range(0..=7_u8)? {
        0 => 1,
        1 => MOST_TRAILERS,
        _ => 0,
    };
    stream.extend_from_slice(b"0\r\n");
    stream.extend_from_slice(&b"Trailer: x\r\n".repeat(trailers));
    stream.extend_from_slice(b"\r\n");
    Ok(())
}

fn damage(bytes: &mut Unstructured<'_>, message: &mut Vec<u8>) -> Result<()> {
    let start = bytes.int_in_range(0..=message.len())?;
    let end = message.len().min(start + bytes.int_in_range(1..=8_usize)?);
    match bytes.int_in_range(0..=4_u8)? {
        0 if start < message.len() => message[start] ^= 1 << bytes.int_in_range(0..=7_u8)?,
        1 => {
            message.drain(start..end);
        }
        2 => {
            let repeated = message[start..end].to_vec();
            message.splice(start..start, repeated);
        }
        3 => message.truncate(start),
        _ => {
            let fragment = bytes.choose(&FRAGMENTS)?;
            message.splice(start..start, fragment.iter().copied());
        }
    }
    Ok(())
}
