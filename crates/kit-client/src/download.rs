//! Downloads: bodies of which a call may ask for a part.

use reqwest::StatusCode;
use reqwest::header::{CONTENT_LENGTH, CONTENT_RANGE, ETAG, HeaderName};

use crate::{Answer, Bytes, Error, Undeclared};

/// Part of a download that a call asks for. The server may send the whole body in place of the part, so read
/// [`Download::first`] before you append the bytes to earlier ones.
///
/// ```
/// use kit_client::ByteRange;
///
/// let rest = ByteRange { first: 1_000, ..ByteRange::default() };
/// # drop(rest);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ByteRange {
    /// Position of the first byte, from 0.
    pub first: u64,
    /// Position of the last byte. `None` for the end of the body.
    pub last: Option<u64>,
    /// [`Download::etag`] of an earlier response. If the body has changed since then, the server sends the whole body.
    pub tag: Option<String>,
}

impl ByteRange {
    /// Returns the value of the header `range`.
    pub(crate) fn header(&self) -> String {
        let last = self.last.map(|last| last.to_string()).unwrap_or_default();
        format!("bytes={}-{last}", self.first)
    }
}

impl Answer {
    /// Returns the response as a download.
    ///
    /// # Errors
    ///
    /// If the response has a part of the body, and does not tell which part.
    pub fn download<E>(self) -> Result<Download, Error<E>> {
        Download::new(self)
    }
}

/// Response of a download: the whole body, or the part that the call has asked for.
#[derive(Debug)]
pub struct Download {
    answer: Answer,
    first: u64,
    size: Option<u64>,
}

impl Download {
    /// Creates the download of a response.
    ///
    /// # Errors
    ///
    /// If the response has a part of the body, and does not tell which part.
    fn new<E>(answer: Answer) -> Result<Self, Error<E>> {
        if answer.response.status() != StatusCode::PARTIAL_CONTENT {
            let size = text_of(&answer, &CONTENT_LENGTH).and_then(|text| text.parse().ok());
            return Ok(Self {
                answer,
                first: 0,
                size,
            });
        }
        let range = text_of(&answer, &CONTENT_RANGE).unwrap_or_default();
        let Some((first, size)) = range_of(range) else {
            return Err(Error::Response(format!(
                "the header `content-range` of a response with the status 206 is {range:?}"
            )));
        };
        Ok(Self { answer, first, size })
    }

    /// Returns the status: 206 if the response has a part of the body.
    pub fn status(&self) -> u16 {
        self.answer.status()
    }

    /// Returns the position of the first byte of this response in the whole body. 0 if the response has the whole body.
    pub fn first(&self) -> u64 {
        self.first
    }

    /// Returns the number of bytes of the whole body. Returns `None` if the server does not tell it.
    pub fn size(&self) -> Option<u64> {
        self.size
    }

    /// Returns the entity tag, for [`ByteRange::tag`] of a later call. Returns `None` if the response has none.
    pub fn etag(&self) -> Option<&str> {
        text_of(&self.answer, &ETAG)
    }

    /// Returns all bytes of the response.
    ///
    /// # Errors
    ///
    /// If the body does not arrive, or not in the time of [`Client::with_timeout`](crate::Client::with_timeout).
    pub async fn bytes(self) -> Result<Bytes, Error<Undeclared>> {
        self.answer.bytes().await
    }

    /// Returns the next bytes, which arrive one after the other. Returns `None` at the end. No timeout applies.
    ///
    /// # Errors
    ///
    /// If the response breaks off.
    pub async fn chunk(&mut self) -> Result<Option<Bytes>, Error<Undeclared>> {
        Ok(self.answer.response.chunk().await?)
    }

    /// Returns the response of `reqwest`, with all its headers.
    pub fn into_inner(self) -> reqwest::Response {
        self.answer.into_inner()
    }
}

fn text_of<'a>(answer: &'a Answer, name: &HeaderName) -> Option<&'a str> {
    answer.response.headers().get(name)?.to_str().ok()
}

/// Returns the position of the first byte, and the number of bytes of the whole body, from a header such as `bytes 0-99/1000`.
/// The number is `None` if the header has `*` in its place.
fn range_of(header: &str) -> Option<(u64, Option<u64>)> {
    let (range, size) = header.strip_prefix("bytes ")?.split_once('/')?;
    let (first, last) = range.split_once('-')?;
    let (first, last): (u64, u64) = (first.parse().ok()?, last.parse().ok()?);
    let size = match size {
        "*" => None,
        size => Some(size.parse().ok()?),
    };
    (first <= last && size.is_none_or(|size| last < size)).then_some((first, size))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use reqwest::Method;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpListener;

    use super::range_of;
    use crate::{ByteRange, Client, Download, Error, ErrorPlaces, Undeclared};

    /// Sends a request for a range to a server with one response. Returns the head of the request, and the result.
    async fn ask(range: ByteRange, response: &'static str) -> (String, Result<Download, Error>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let head = tokio::spawn(async move {
            let (mut socket, _) = listener.accept().await.unwrap();
            let mut head = Vec::new();
            while !head.ends_with(b"\r\n\r\n") {
                head.push(socket.read_u8().await.unwrap());
            }
            socket.write_all(response.as_bytes()).await.unwrap();
            String::from_utf8(head).unwrap()
        });
        let client = Client::new(&url, ErrorPlaces::ENVELOPE)
            .unwrap()
            .with_timeout(Duration::from_secs(10));
        let call = client.call::<Undeclared>(Method::GET, &[]).range(Some(&range));
        let result = match call.accept("video/mp4", true).send().await {
            Ok(answer) => answer.download(),
            Err(error) => Err(error),
        };
        (head.await.unwrap(), result)
    }

    #[tokio::test]
    async fn asks_for_a_range_and_tells_which_part_the_response_has() {
        let range = ByteRange {
            first: 2,
            last: Some(4),
            tag: Some("\"7\"".to_owned()),
        };
        let response = "HTTP/1.1 206 Partial Content\r\ncontent-range: bytes 2-4/10\r\netag: \"7\"\r\ncontent-length: 3\r\n\r\ncde";
        let (head, download) = ask(range, response).await;
        assert!(head.contains("\r\nrange: bytes=2-4\r\n"), "{head}");
        assert!(head.contains("\r\nif-range: \"7\"\r\n"), "{head}");
        let mut download = download.unwrap();
        assert_eq!((download.status(), download.first()), (206, 2));
        assert_eq!((download.size(), download.etag()), (Some(10), Some("\"7\"")));
        assert_eq!(download.chunk().await.unwrap().unwrap(), "cde");
        assert_eq!(download.chunk().await.unwrap(), None);
    }

    #[tokio::test]
    async fn a_server_that_ignores_the_range_sends_the_whole_body() {
        let range = ByteRange {
            first: 2,
            ..ByteRange::default()
        };
        let (head, download) = ask(range, "HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nabc").await;
        assert!(head.contains("\r\nrange: bytes=2-\r\n"), "{head}");
        assert!(!head.contains("if-range"), "{head}");
        let download = download.unwrap();
        assert_eq!((download.first(), download.size()), (0, Some(3)));
        assert_eq!(download.bytes().await.unwrap(), "abc");
    }

    #[tokio::test]
    async fn a_part_without_its_place_is_an_error() {
        let response = "HTTP/1.1 206 Partial Content\r\ncontent-length: 1\r\n\r\na";
        let (_, download) = ask(ByteRange::default(), response).await;
        let error = download.unwrap_err().to_string();
        assert!(error.contains("content-range"), "{error}");
    }

    #[test]
    fn reads_the_place_of_a_part() {
        assert_eq!(range_of("bytes 0-99/1000"), Some((0, Some(1000))));
        assert_eq!(range_of("bytes 5-5/*"), Some((5, None)));
        for wrong in [
            "",
            "bytes */10",
            "bytes 5-4/10",
            "bytes 5-10/10",
            "items 0-1/2",
            "bytes 0-1",
        ] {
            assert_eq!(range_of(wrong), None, "{wrong}");
        }
    }
}
