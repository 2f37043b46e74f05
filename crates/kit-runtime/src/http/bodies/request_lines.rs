//! Request body of JSON Lines: one JSON value on each line, which ends with LF or CRLF.

use std::fmt;
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context as Task, Poll};

use axum::body::Bytes;
use futures_core::Stream;

use crate::check::{Failure, Rule, Secrets, explain_without};
use crate::http::Error;
use crate::http::source::Slot;
use crate::http::unstorable::find_unstorable;
use crate::json::{from_json, parse};
use crate::{Contract, is_development};

/// Maximum number of bytes of a line.
const MAX_LINE: usize = 1024 * 1024;

/// Values of the lines of a request body. A line is parsed and checked when it is read, so a broken line is an error
/// after the values before it. The error ends the lines, and a handler returns it with `?`.
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
    /// Body.
    body: Bytes,
    /// Position of the next line. It is the length of the body after an error.
    at: usize,
    /// Number of the next line.
    number: usize,
    line: PhantomData<fn() -> T>,
}

impl<T: Contract> RequestLines<T> {
    pub(super) fn new(body: Bytes) -> Self {
        Self {
            body,
            at: 0,
            number: 0,
            line: PhantomData,
        }
    }

    /// Returns the value of the next line. Returns `None` after the last line, and after an error.
    #[allow(clippy::unused_async)] // Reason: later, lines are read while the client sends them.
    pub async fn next(&mut self) -> Option<Result<T, Error>> {
        self.read()
    }

    fn read(&mut self) -> Option<Result<T, Error>> {
        let rest = self.body.get(self.at..).filter(|rest| !rest.is_empty())?;
        let (line, next) = match memchr::memchr(b'\n', rest) {
            Some(end) => (&rest[..end], self.at + end + 1),
            None => (rest, self.body.len()),
        };
        let result = read_line(line, self.number);
        self.at = if result.is_ok() { next } else { self.body.len() };
        self.number += 1;
        Some(result)
    }
}

impl<T: Contract> Stream for RequestLines<T> {
    type Item = Result<T, Error>;

    fn poll_next(self: Pin<&mut Self>, _task: &mut Task<'_>) -> Poll<Option<Self::Item>> {
        Poll::Ready(self.get_mut().read())
    }
}

impl<T> fmt::Debug for RequestLines<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RequestLines")
            .field("number", &self.number)
            .finish_non_exhaustive()
    }
}

fn read_line<T: Contract>(line: &[u8], number: usize) -> Result<T, Error> {
    let path = format!("$[{number}]");
    let refused = |failures| Error::invalid(Slot::Body, T::NAME, failures);
    let failure = |expected: String, received: &str, rule, limit| Failure {
        path: path.clone(),
        expected,
        received: received.to_owned(),
        value: None,
        rule,
        limit,
        suggestion: None,
    };
    if line.len() > MAX_LINE {
        let expected = format!("a line of at most {MAX_LINE} bytes");
        let long = failure(expected, "a longer line", Rule::MaxBytes, Some(MAX_LINE.into()));
        return Err(refused(vec![long]));
    }
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let Ok(text) = std::str::from_utf8(line) else {
        let received = "bytes that are not valid UTF-8";
        let limit = Some("utf-8".into());
        let other = failure("JSON in UTF-8".to_owned(), received, Rule::Encoding, limit);
        return Err(refused(vec![other]));
    };
    let Ok(value) = parse(text) else {
        return Err(refused(vec![Failure {
            suggestion: Some("Write one JSON value on each line".to_owned()),
            ..failure("JSON".to_owned(), "text that is not JSON", Rule::Json, None)
        }]));
    };
    let below = |failure: Failure| Failure {
        path: format!("{path}{}", failure.path.strip_prefix('$').unwrap_or_default()),
        ..failure
    };
    let failures = explain_without(Secrets::None, T::shape(), &value, !is_development());
    if !failures.is_empty() {
        return Err(refused(failures.into_iter().map(below).collect()));
    }
    let decoded: T = from_json(&value)?;
    let unstorable = if text.contains("\\u") {
        find_unstorable(&decoded)
    } else {
        None
    };
    unstorable.map_or(Ok(decoded), |failure| Err(refused(vec![below(failure)])))
}

#[cfg(test)]
mod tests {
    use axum::body::Bytes;

    use super::{MAX_LINE, RequestLines};
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
        let mut lines = RequestLines::<Title>::new(body.into());
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
