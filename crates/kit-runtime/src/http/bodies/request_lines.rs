//! Request body of JSON Lines: one JSON value on each line, which ends with LF or CRLF.

use std::fmt;
use std::future::poll_fn;
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context as Task, Poll, ready};

use axum::body::Bytes;
use futures_core::Stream;
use serde_json::Value;

use super::chunks::{BodyChunks, BodyFailure};
use crate::check::{Failure, Rule, Secrets, explain_without};
use crate::http::Error;
use crate::http::unstorable::find_unstorable;
use crate::json::{from_json, parse};
use crate::{Contract, is_development};

/// Maximum number of bytes of a line.
const MAX_LINE: usize = 1024 * 1024;

/// Values of the lines of a request body, which the handler reads while the body arrives. The server receives only as fast
/// as the handler reads. A line is parsed and checked when it is read, so a broken line is an error after the values before
/// it. The error ends the lines, and a handler returns it with `?`.
///
/// ```
/// use kit_runtime::{Contract, Error, RequestLines};
///
/// async fn count<T: Contract>(mut lines: RequestLines<T>) -> Result<usize, Error> {
///     let mut number = 0;
///     while let Some(line) = lines.next().await {
///         let _value: T = line?;
///         number += 1;
///     }
///     Ok(number)
/// }
/// ```
pub struct RequestLines<T> {
    chunks: BodyChunks,
    /// Received bytes after the lines that were read.
    buffer: Bytes,
    /// Bytes before `buffer` that belong to the next line.
    begun: Vec<u8>,
    /// True after the last line, and after an error.
    is_over: bool,
    /// Number of the next line.
    number: usize,
    line: PhantomData<fn() -> T>,
}

impl<T: Contract> RequestLines<T> {
    pub(super) fn new(chunks: BodyChunks) -> Self {
        Self {
            chunks,
            buffer: Bytes::new(),
            begun: Vec::new(),
            is_over: false,
            number: 0,
            line: PhantomData,
        }
    }

    /// Returns the value of the next line. Returns `None` after the last line, and after an error.
    pub async fn next(&mut self) -> Option<Result<T, Error>> {
        poll_fn(|task| self.poll_line(task)).await
    }

    fn poll_line(&mut self, task: &mut Task<'_>) -> Poll<Option<Result<T, Error>>> {
        if self.is_over {
            return Poll::Ready(None);
        }
        let result = ready!(self.poll_result(task));
        self.is_over = !matches!(result, Some(Ok(_)));
        self.number += 1;
        Poll::Ready(result)
    }

    fn poll_result(&mut self, task: &mut Task<'_>) -> Poll<Option<Result<T, Error>>> {
        loop {
            let end = memchr::memchr(b'\n', &self.buffer);
            let length = end.unwrap_or(self.buffer.len());
            if self.begun.len() + length > MAX_LINE {
                return Poll::Ready(Some(Err(long_line::<T>(self.number))));
            }
            if let Some(end) = end {
                let rest = self.buffer.split_off(end + 1);
                let line = std::mem::replace(&mut self.buffer, rest).slice(..end);
                return Poll::Ready(Some(if self.begun.is_empty() {
                    read_line(&line, self.number)
                } else {
                    self.begun.extend_from_slice(&line);
                    read_line(&std::mem::take(&mut self.begun), self.number)
                }));
            }
            self.begun.extend_from_slice(&self.buffer);
            self.buffer = Bytes::new();
            match ready!(self.chunks.poll_chunk(task)) {
                Some(Ok(chunk)) => self.buffer = chunk,
                Some(Err(failure)) => return Poll::Ready(Some(Err(failure.error()))),
                None if self.begun.is_empty() => return Poll::Ready(None),
                None => {
                    let line = std::mem::take(&mut self.begun);
                    return Poll::Ready(Some(read_line(&line, self.number)));
                }
            }
        }
    }
}

impl<T: Contract> Stream for RequestLines<T> {
    type Item = Result<T, Error>;

    fn poll_next(self: Pin<&mut Self>, task: &mut Task<'_>) -> Poll<Option<Self::Item>> {
        self.get_mut().poll_line(task)
    }
}

impl<T> fmt::Debug for RequestLines<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RequestLines")
            .field("number", &self.number)
            .finish_non_exhaustive()
    }
}

fn refused<T: Contract>(failures: Vec<Failure>) -> Error {
    BodyFailure::Invalid(T::NAME, failures).error()
}

fn failure(path: &str, expected: String, received: &str, rule: Rule, limit: Option<Value>) -> Failure {
    Failure {
        path: path.to_owned(),
        expected: expected.into(),
        received: received.to_owned(),
        value: None,
        rule,
        limit,
        suggestion: None,
    }
}

/// Returns the error for a line that is too long.
fn long_line<T: Contract>(number: usize) -> Error {
    let (path, expected) = (
        format!("$[{number}]"),
        format!("a line of at most {MAX_LINE} bytes"),
    );
    let limit = Some(MAX_LINE.into());
    refused::<T>(vec![failure(
        &path,
        expected,
        "a longer line",
        Rule::MaxBytes,
        limit,
    )])
}

fn read_line<T: Contract>(line: &[u8], number: usize) -> Result<T, Error> {
    let path = format!("$[{number}]");
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let Ok(text) = std::str::from_utf8(line) else {
        let received = "bytes that are not valid UTF-8";
        let limit = Some("utf-8".into());
        let expected = "JSON in UTF-8".to_owned();
        let other = failure(&path, expected, received, Rule::Encoding, limit);
        return Err(refused::<T>(vec![other]));
    };
    let Ok(value) = parse(text) else {
        let (expected, received) = ("JSON".to_owned(), "text that is not JSON");
        return Err(refused::<T>(vec![Failure {
            suggestion: Some("Write one JSON value on each line".to_owned()),
            ..failure(&path, expected, received, Rule::Json, None)
        }]));
    };
    let below = |failure: Failure| Failure {
        path: format!("{path}{}", failure.path.strip_prefix('$').unwrap_or_default()),
        ..failure
    };
    let failures = explain_without(Secrets::None, T::shape(), &value, !is_development());
    if !failures.is_empty() {
        return Err(refused::<T>(failures.into_iter().map(below).collect()));
    }
    let decoded: T = from_json(&value)?;
    let unstorable = if text.contains("\\u") {
        find_unstorable(&decoded)
    } else {
        None
    };
    unstorable.map_or(Ok(decoded), |failure| Err(refused::<T>(vec![below(failure)])))
}

#[cfg(test)]
mod tests {
    use axum::body::Bytes;

    use super::{BodyChunks, MAX_LINE, RequestLines};
    use crate::Contract;
    use crate::shape::Shape;

    #[derive(serde::Deserialize, serde::Serialize)]
    struct Title(String);

    impl Contract for Title {
        const NAME: &'static str = "Title";

        fn shape() -> &'static Shape {
            static SHAPE: Shape = Shape::TEXT.min_length(1);
            &SHAPE
        }
    }

    /// Returns the values of the lines in a body, and then the first failure.
    async fn read(body: impl Into<Bytes>) -> String {
        let mut lines = RequestLines::<Title>::new(BodyChunks::whole(body.into()));
        let mut found = String::new();
        while let Some(line) = lines.next().await {
            match line {
                Ok(Title(text)) => found.extend([text.as_str(), ";"]),
                Err(error) => found += error.message(),
            }
        }
        found
    }

    #[tokio::test]
    async fn reads_lines_that_end_with_lf_or_crlf() {
        assert_eq!(read("\"a\"\n\"b\"\r\n\"c\"").await, "a;b;c;");
        assert_eq!(read("\"a\"\r\n").await, "a;");
        assert_eq!(read("").await, "");
    }

    #[tokio::test]
    async fn ends_with_the_failure_of_the_first_broken_line() {
        for (body, expected) in [
            ("\"a\"\n\n\"b\"", "a;Invalid body: $[1]"),
            ("\"a\"\n\"\"\n\"b\"", "a;Invalid body: $[1]"),
            ("{", "Invalid body: $[0]"),
            ("\"\\u0000\"", "Invalid body: $[0]"),
        ] {
            let found = read(body).await;
            assert!(found.starts_with(expected), "{body}: {found}");
        }
        let bytes = read(b"\"\xff\"\n".as_slice()).await;
        assert!(bytes.contains("JSON in UTF-8"), "{bytes}");
        let long = read(format!("\"{}\"\n", "x".repeat(MAX_LINE))).await;
        assert!(long.contains("at most 1048576 bytes"), "{long}");
    }
}
