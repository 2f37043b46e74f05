//! Multipart bodies with files that the handler reads while the files arrive: `Upload` and `Uploads`.
//! `packages/core/src/bodies/uploads.ts` implements the same in TypeScript.
//!
//! tidy: long because an upload and the body after it read each other's state

use std::collections::VecDeque;
use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context as Task, Poll, ready};

use axum::body::Bytes;
use axum::http::StatusCode;
use futures_core::Stream;
use serde_json::json;
use tokio::io::{AsyncWrite, AsyncWriteExt as _};

use super::chunks::{BodyChunks, BodyFailure};
use super::file_part::FilePart;
use super::part_failure::{failure, framing_failure};
use crate::check::{Failure, PathText, Rule};
use crate::file_signatures::MAX_SIGNATURE;
use crate::http::Error;
use crate::multipart::{Head, Parser, Part, Step};

/// Number of bytes that fields, and files without `@maxBytes`, may have together before the first upload.
const FIELD_BYTES: usize = 1024 * 1024;

/// A file of a multipart body that the handler reads while the file arrives. The server receives only as fast as the handler
/// reads. Reading fails if the client leaves, if the file is too large, and if the body breaks the contract after the file. The
/// end of the file proves that the whole body was valid.
///
/// ```
/// use kit_runtime::{Error, Upload};
///
/// async fn size(mut upload: Upload) -> Result<usize, Error> {
///     let mut bytes = 0;
///     while let Some(chunk) = upload.next_chunk().await? {
///         bytes += chunk.len();
///     }
///     Ok(bytes)
/// }
/// ```
pub struct Upload {
    rest: RestOfBody,
    name: String,
    media_type: String,
    /// True if the stream has returned its error.
    is_over: bool,
}

impl Upload {
    fn new(rest: RestOfBody) -> Self {
        let mut upload = Self {
            rest,
            name: String::new(),
            media_type: String::new(),
            is_over: false,
        };
        upload.describe();
        upload
    }

    /// Copies the name and the type of the file that arrives.
    fn describe(&mut self) {
        if let Some(ArrivingFile { head, .. }) = &self.rest.current {
            self.name = head.file_name.clone().unwrap_or_default();
            self.media_type = FilePart::declared_type(head.media_type.as_deref()).to_owned();
        }
    }

    /// Returns the name that the client gave the file, without a path. The name is empty if the client gave none.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the media type that the client declared, in lower case and without parameters.
    pub fn media_type(&self) -> &str {
        &self.media_type
    }

    /// Returns the next bytes of the file, at least one. Returns `None` at the end of the file.
    ///
    /// # Errors
    ///
    /// 400 if the body is incomplete, or breaks the contract in the file or after it; 413 if the body is too large. Each
    /// later call fails too.
    pub async fn next_chunk(&mut self) -> Result<Option<Bytes>, Error> {
        poll_fn(|task| self.rest.poll_read(task))
            .await
            .map_err(|failure| failure.error())
    }

    /// Writes the rest of the file to a writer, and flushes the writer. Returns the number of bytes.
    ///
    /// ```
    /// use kit_runtime::{Error, Upload};
    ///
    /// async fn read(mut upload: Upload) -> Result<Vec<u8>, Error> {
    ///     let mut bytes = Vec::new();
    ///     upload.write_to(&mut bytes).await?;
    ///     Ok(bytes)
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// The same as of [`Self::next_chunk`], and 500 if the writer fails. The writer may have a part of the file then.
    pub async fn write_to<W: AsyncWrite + Unpin + ?Sized>(&mut self, writer: &mut W) -> Result<u64, Error> {
        let mut written = 0;
        while let Some(chunk) = self.next_chunk().await? {
            writer.write_all(&chunk).await?;
            written += u64::try_from(chunk.len()).unwrap_or(u64::MAX);
        }
        writer.flush().await?;
        Ok(written)
    }
}

/// Chunks of the file. The stream ends after an error.
impl Stream for Upload {
    type Item = Result<Bytes, Error>;

    fn poll_next(self: Pin<&mut Self>, task: &mut Task<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        if this.is_over {
            return Poll::Ready(None);
        }
        let found = ready!(this.rest.poll_read(task));
        this.is_over = found.is_err();
        Poll::Ready(found.map_err(|failure| failure.error()).transpose())
    }
}

impl fmt::Debug for Upload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Upload")
            .field("name", &self.name)
            .field("media_type", &self.media_type)
            .finish_non_exhaustive()
    }
}

/// Files of a multipart body with one name, which the handler reads while the files arrive, in the order of the client.
///
/// ```
/// use kit_runtime::{Error, Uploads};
///
/// async fn names(mut uploads: Uploads) -> Result<Vec<String>, Error> {
///     let mut names = Vec::new();
///     while let Some(upload) = uploads.next().await? {
///         names.push(format!("{} ({})", upload.name(), upload.media_type()));
///     }
///     Ok(names)
/// }
/// ```
pub struct Uploads {
    /// `None` if the body has no file.
    upload: Option<Upload>,
    /// True if the first file was not returned yet.
    is_first: bool,
}

impl Uploads {
    pub(super) fn new(upload: Option<Upload>) -> Self {
        Self {
            upload,
            is_first: true,
        }
    }

    /// Returns the next file, and skips what was not read of the file before. Returns `None` after the last file: the whole
    /// body was valid then.
    ///
    /// # Errors
    ///
    /// The same as of [`Upload::next_chunk`].
    pub async fn next(&mut self) -> Result<Option<&mut Upload>, Error> {
        let Some(upload) = &mut self.upload else {
            return Ok(None);
        };
        if std::mem::take(&mut self.is_first) {
            return Ok(Some(upload));
        }
        let found = poll_fn(|task| upload.rest.poll_skip_to_next(task)).await;
        if !found.map_err(|failure| failure.error())? {
            return Ok(None);
        }
        upload.describe();
        upload.is_over = false;
        Ok(Some(upload))
    }
}

impl fmt::Debug for Uploads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Uploads").finish_non_exhaustive()
    }
}

/// Body from its first part on.
pub(super) struct RestOfBody {
    chunks: BodyChunks,
    parser: Parser,
    /// Declaration of the upload.
    file: FilePart,
    /// Names of the other declared parts.
    names: Vec<&'static str>,
    /// Name of the type of the body.
    schema: &'static str,
    /// File whose content has not been read completely.
    current: Option<ArrivingFile>,
    /// Number of uploads that have begun.
    count: usize,
    /// Failure of an earlier step.
    failure: Option<BodyFailure>,
}

/// File that arrives.
struct ArrivingFile {
    head: Head,
    path: String,
    /// Bytes that were received before the handler has asked for them.
    first: VecDeque<Bytes>,
    /// Number of received bytes.
    received: usize,
    /// True if the first bytes were checked.
    is_begun: bool,
    /// True if the server has received the whole file.
    is_complete: bool,
}

/// Result of a step that may wait for the client.
type Polled<T> = Poll<Result<T, BodyFailure>>;

impl RestOfBody {
    /// Returns the next step of the parser.
    fn poll_step(&mut self, task: &mut Task<'_>) -> Polled<Step> {
        loop {
            match self.parser.step() {
                Ok(Step::More) => match ready!(self.chunks.poll_chunk(task)).transpose()? {
                    Some(chunk) => self.parser.push(chunk),
                    None => self.parser.end(),
                },
                Ok(step) => return Poll::Ready(Ok(step)),
                Err(mistake) => return Poll::Ready(Err(self.invalid(vec![framing_failure(mistake)]))),
            }
        }
    }

    fn invalid(&self, failures: Vec<Failure>) -> BodyFailure {
        BodyFailure::Invalid(self.schema, failures)
    }

    fn arrive(&mut self, head: Head) {
        self.current = Some(ArrivingFile {
            head,
            path: self.file.path_of(self.count),
            first: VecDeque::new(),
            received: 0,
            is_begun: false,
            is_complete: false,
        });
    }

    /// Returns the bytes of the current file that arrive next, or `None` at its end.
    fn poll_receive(&mut self, task: &mut Task<'_>) -> Polled<Option<Bytes>> {
        if self.current.as_ref().is_none_or(|current| current.is_complete) {
            return Poll::Ready(Ok(None));
        }
        let step = ready!(self.poll_step(task))?;
        let Some(current) = &mut self.current else {
            return Poll::Ready(Ok(None));
        };
        Poll::Ready(Ok(if let Step::Content(bytes) = step {
            current.received += bytes.len();
            Some(bytes)
        } else {
            current.is_complete = true;
            None
        }))
    }

    /// Receives the first bytes of the current file, which show its type. Adds the broken rules to `failures`. Returns false
    /// for the empty part that browsers send if no file was chosen.
    fn poll_begin(&mut self, task: &mut Task<'_>, failures: &mut Vec<Failure>) -> Polled<bool> {
        let needed = if self.file.has_media_types() {
            MAX_SIGNATURE
        } else {
            1
        };
        while let Some(current) = self.current.as_ref().filter(|current| current.received < needed) {
            if current.is_complete {
                break;
            }
            if let Some(bytes) = ready!(self.poll_receive(task))? {
                if let Some(current) = &mut self.current {
                    current.first.push_back(bytes);
                }
            }
        }
        let file = self.file;
        let Some(current) = &mut self.current else {
            return Poll::Ready(Ok(false));
        };
        let ArrivingFile { head, received, .. } = current;
        if FilePart::is_unchosen(head.file_name.as_deref(), *received) {
            self.current = None;
            return Poll::Ready(Ok(false));
        }
        current.is_begun = true;
        self.count += 1;
        let start: Vec<u8> = current
            .first
            .iter()
            .flatten()
            .copied()
            .take(MAX_SIGNATURE)
            .collect();
        failures.extend(file.excess(self.count));
        failures.extend(file.too_large(*received, &current.path, "a larger file"));
        let (name, media_type) = (head.file_name.as_deref(), head.media_type.as_deref());
        failures.extend(file.check_start(name, media_type, &start, &current.path));
        Poll::Ready(Ok(true))
    }

    /// Returns the next bytes of the current file, or `None` at the end of the file. After a failure, every call
    /// returns the failure.
    fn poll_read(&mut self, task: &mut Task<'_>) -> Polled<Option<Bytes>> {
        self.poll_sticky(|rest| rest.poll_read_once(task))
    }

    fn poll_read_once(&mut self, task: &mut Task<'_>) -> Polled<Option<Bytes>> {
        if self.current.as_ref().is_some_and(|current| current.is_begun) {
            let first = self
                .current
                .as_mut()
                .and_then(|current| current.first.pop_front());
            if first.is_some() {
                return Poll::Ready(Ok(first));
            }
            if let Some(bytes) = ready!(self.poll_receive(task))? {
                let large = self.current.as_ref().and_then(|current| {
                    self.file
                        .too_large(current.received, &current.path, "a larger file")
                });
                return Poll::Ready(
                    large.map_or(Ok(Some(bytes)), |failure| Err(self.invalid(vec![failure]))),
                );
            }
        }
        // The end of the only file tells the handler that the whole body was valid.
        if !self.file.is_list() {
            ready!(self.poll_to_next(task))?;
        }
        Poll::Ready(Ok(None))
    }

    /// Skips the rest of the current file. Returns true if another file begins, and false at the end of the body.
    /// After a failure, every call returns the failure.
    fn poll_skip_to_next(&mut self, task: &mut Task<'_>) -> Polled<bool> {
        self.poll_sticky(|rest| rest.poll_to_next(task))
    }

    fn poll_to_next(&mut self, task: &mut Task<'_>) -> Polled<bool> {
        loop {
            if self.current.as_ref().is_some_and(|current| !current.is_begun) {
                let mut failures = Vec::new();
                let is_begun = ready!(self.poll_begin(task, &mut failures))?;
                if !failures.is_empty() {
                    return Poll::Ready(Err(self.invalid(failures)));
                }
                if is_begun {
                    return Poll::Ready(Ok(true));
                }
            }
            self.current = None;
            match ready!(self.poll_step(task))? {
                Step::End => break,
                Step::Part(head) if self.declares(&head.name) => {
                    let failure = late(&head.name, self.file.name());
                    return Poll::Ready(Err(self.invalid(vec![failure])));
                }
                Step::Part(head) if head.name == self.file.name() => self.arrive(head),
                _ => {}
            }
        }
        let few = Some(&self.file).filter(|file| file.is_list());
        let few = few.and_then(|file| file.wrong_number(self.count));
        Poll::Ready(few.map_or(Ok(false), |failure| Err(self.invalid(vec![failure]))))
    }

    /// Runs a step of the handler's reading. After a failure, every later step has the same failure.
    fn poll_sticky<T>(&mut self, poll: impl FnOnce(&mut Self) -> Polled<T>) -> Polled<T> {
        if let Some(failure) = &self.failure {
            return Poll::Ready(Err(failure.clone()));
        }
        let result = ready!(poll(self));
        self.failure = result.as_ref().err().cloned();
        Poll::Ready(result)
    }

    /// Returns true if the contract declares a part, which is not the upload.
    fn declares(&self, name: &str) -> bool {
        self.names.contains(&name)
    }

    /// Reads the content of a part. Fails if the part needs more than `limit` bytes of memory.
    async fn read_part(&mut self, head: Head, limit: usize) -> Result<Option<Part>, BodyFailure> {
        let mut bytes = Vec::new();
        let others = size_of_names(&head);
        while others + bytes.len() <= limit {
            match poll_fn(|task| self.poll_step(task)).await? {
                // A copy, because a view of few bytes would keep the whole chunk.
                Step::Content(content) => bytes.extend_from_slice(&content),
                _ => {
                    return Ok(Some(Part {
                        name: head.name,
                        file_name: head.file_name,
                        media_type: head.media_type,
                        bytes: bytes.into(),
                    }));
                }
            }
        }
        Ok(None)
    }
}

fn size_of_names(head: &Head) -> usize {
    head.name.len() + head.file_name.as_ref().map_or(0, String::len)
}

/// Parts before the first upload, and the upload.
pub(super) struct Opened {
    pub(super) parts: Vec<Part>,
    /// Broken rules of the upload.
    pub(super) failures: Vec<Failure>,
    /// `None` if the body has no upload.
    pub(super) upload: Option<Upload>,
}

/// Reads all parts before the first upload. The handler then reads the upload and the rest of the body. All other parts must
/// come before, because the handler starts with their values. `names` are the names of the parts that are no files.
pub(super) async fn open(
    chunks: BodyChunks,
    boundary: &str,
    files: &[FilePart],
    mut names: Vec<&'static str>,
    schema: &'static str,
) -> Result<Opened, Error> {
    let Some(file) = files.iter().find(|file| file.is_streamed()) else {
        return Err(Error::internal("The contract declares no upload"));
    };
    let others = files.iter().filter(|file| !file.is_streamed());
    names.extend(others.map(FilePart::name));
    let mut rest = RestOfBody {
        chunks,
        parser: Parser::new(boundary),
        file: *file,
        names,
        schema,
        current: None,
        count: 0,
        failure: None,
    };
    let limit = files
        .iter()
        .fold(FIELD_BYTES, |sum, file| sum.saturating_add(file.memory()));
    let (mut parts, mut failures, mut length) = (Vec::new(), Vec::new(), 0);
    let mut has_upload = false;
    while !has_upload {
        let step = poll_fn(|task| rest.poll_step(task)).await;
        match step.map_err(|failure| failure.error())? {
            Step::End => break,
            Step::Part(head) if head.name == file.name() => {
                rest.arrive(head);
                let begun = poll_fn(|task| rest.poll_begin(task, &mut failures)).await;
                has_upload = begun.map_err(|failure| failure.error())?;
            }
            Step::Part(head) if rest.declares(&head.name) => {
                let names = size_of_names(&head);
                let part = rest.read_part(head, limit - length).await;
                let part = part.map_err(|failure| failure.error())?;
                let part = part.ok_or_else(|| parts_too_large(limit))?;
                length += names + part.bytes.len();
                parts.push(part);
            }
            // The content of a part that the contract does not declare, and its end.
            _ => {}
        }
    }
    if !has_upload && !file.is_optional() {
        failures.extend(file.wrong_number(0));
    }
    Ok(Opened {
        parts,
        failures,
        upload: has_upload.then(|| Upload::new(rest)),
    })
}

/// Returns the error for fields and files that are too large to wait in memory for the upload after them.
fn parts_too_large(limit: usize) -> Error {
    let message = format!("The parts before the upload are larger than {limit} bytes");
    Error::new(StatusCode::PAYLOAD_TOO_LARGE, "PAYLOAD_TOO_LARGE", message)
        .with_details(json!({ "limit": limit }))
}

fn late(name: &str, upload: &str) -> Failure {
    let mut path = PathText::root();
    path.member(name);
    Failure {
        suggestion: Some(format!("Send {upload} as the last part")),
        ..failure(
            path.into_text(),
            format!("a part before {upload}"),
            format!("a part after {upload}"),
            Rule::Multipart,
            None,
        )
    }
}
