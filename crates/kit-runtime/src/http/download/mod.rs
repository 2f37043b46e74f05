//! Downloads: bodies whose number of bytes is known, and of which clients can ask for ranges. The counterpart for Node is
//! `packages/core/src/request/download.ts`; both pass `conformance/downloads.json`.

mod disposition;
mod sending;

use std::fmt;
use std::future::poll_fn;
use std::path::PathBuf;
use std::pin::{Pin, pin};
use std::time::SystemTime;

use axum::body::{Body, Bytes};
use axum::http::{HeaderValue, StatusCode, header};
use futures_core::Stream;
use kit_static::{ByteRange, FileBelow, Validators};
use tokio::task::spawn_blocking;

use self::sending::{OpenBody, OpenDownload};
use super::refusals::no_file;
use super::reply::Streamed;
use super::representation::tag_of;
use super::{ChunkSender, Context, Error, Phase, Response};

pub(super) use sending::send;

/// Response of `Download`: a file, bytes, or a source of bytes, of which the client may ask for a range. kit evaluates the
/// preconditions and the range of the request, and sends the status 200, 206, 304, 412 or 416.
///
/// ```
/// use kit_runtime::Download;
///
/// fn report(id: u32) -> Download {
///     Download::file("reports", format!("{id}.pdf"))
///         .attachment(&format!("Report {id}.pdf"))
///         .cache_control("private, max-age=60")
/// }
/// ```
pub struct Download {
    content: Content,
    tag: Option<String>,
    modified: Option<SystemTime>,
    disposition: Option<HeaderValue>,
    cache_control: Option<HeaderValue>,
    /// Error of a builder method such as [`Download::attachment`]. It becomes the response.
    fault: Option<Error>,
}

enum Content {
    File { dir: PathBuf, name: String },
    Bytes(Bytes),
    Source { size: u64, read: Read },
}

/// Function that sends a range of a source.
type Read = Box<dyn FnOnce(ByteRange, ChunkSender) -> Sending + Send>;

type Sending = Pin<Box<dyn Future<Output = Result<(), Error>> + Send>>;

impl Download {
    fn new(content: Content) -> Self {
        Self {
            content,
            tag: None,
            modified: None,
            disposition: None,
            cache_control: None,
            fault: None,
        }
    }

    /// Creates a response with a file below a directory. `name` may come from a client: it is the name of a file, or names that
    /// slashes divide, such as `2026/report.pdf`. If there is no such file, the response is 404 `NOT_FOUND`; the same applies to
    /// a name that would leave the directory, and to a name with a part that begins with a dot.
    ///
    /// A relative `dir` begins at the working directory of the server. The entity tag and the time of the last change are those of
    /// the file, as for static files.
    pub fn file(dir: impl Into<PathBuf>, name: impl Into<String>) -> Self {
        Self::new(Content::File {
            dir: dir.into(),
            name: name.into(),
        })
    }

    /// Creates a response with bytes that are in memory. Their entity tag is made from all bytes.
    pub fn bytes(bytes: impl Into<Bytes>) -> Self {
        Self::new(Content::Bytes(bytes.into()))
    }

    /// Creates a response with `size` bytes from a source, such as an object store. `read` receives the positions of the first and
    /// of the last byte, and returns a stream of exactly these bytes. Another number of bytes, or an error of the stream, closes
    /// the connection. kit reads the stream as fast as the client reads, and drops it when the client leaves.
    ///
    /// kit does not call `read` if the response has no body, for example for HEAD.
    ///
    /// ```
    /// use kit_runtime::{Download, Error};
    /// use kit_runtime::axum::body::{Body, BodyDataStream};
    ///
    /// /// Reads a part of an object.
    /// async fn read_object(key: &str, first: u64, last: u64) -> Result<BodyDataStream, Error> {
    /// #   let _ = (key, first, last);
    /// #   Ok(Body::empty().into_data_stream())
    /// }
    ///
    /// fn film(key: String, size: u64, version: &str) -> Download {
    ///     Download::source(size, async move |first, last| read_object(&key, first, last).await)
    ///         .etag(&format!("\"{version}\""))
    /// }
    /// ```
    pub fn source<R, F, S, I, E>(size: u64, read: R) -> Self
    where
        R: FnOnce(u64, u64) -> F + Send + 'static,
        F: Future<Output = Result<S, Error>> + Send + 'static,
        S: Stream<Item = Result<I, E>> + Send + 'static,
        I: Into<Bytes>,
        E: Into<Error>,
    {
        Self::write(size, async move |first, last, mut chunks: ChunkSender| {
            let mut stream = pin!(read(first, last).await?);
            loop {
                let next = poll_fn(|task| {
                    let next = stream.as_mut().poll_next(task);
                    next.map(|next| next.map(|chunk| chunk.map(Into::into).map_err(Into::into)))
                });
                let Some(chunk): Option<Result<Bytes, Error>> = next.await else {
                    return Ok(());
                };
                chunks.send(chunk?).await?;
            }
        })
    }

    /// Creates a response with `size` bytes that a function sends. The function receives the positions of the first and of the last
    /// byte, and sends exactly these bytes. The same rules as for [`Download::source`] apply.
    ///
    /// ```
    /// use kit_runtime::Download;
    ///
    /// /// Sends a megabyte of zeros.
    /// fn zeros() -> Download {
    ///     Download::write(1_000_000, async |first, last, mut chunks| {
    ///         let mut left = last - first + 1;
    ///         while left > 0 {
    ///             let length = left.min(4096);
    ///             chunks.send(vec![0; usize::try_from(length)?]).await?;
    ///             left -= length;
    ///         }
    ///         Ok(())
    ///     })
    /// }
    /// ```
    pub fn write<W, F>(size: u64, write: W) -> Self
    where
        W: FnOnce(u64, u64, ChunkSender) -> F + Send + 'static,
        F: Future<Output = Result<(), Error>> + Send + 'static,
    {
        Self::new(Content::Source {
            size,
            read: Box::new(move |ByteRange { first, last }, chunks| Box::pin(write(first, last, chunks))),
        })
    }

    /// Sets the entity tag, with its quotes: `"7"`, or `W/"7"` for a weak tag. Clients continue a download only with a strong tag. A
    /// value that is no entity tag makes the response a 500 error.
    #[must_use]
    pub fn etag(mut self, tag: &str) -> Self {
        if is_entity_tag(tag) {
            self.tag = Some(tag.to_owned());
        } else {
            self.refuse(Error::internal(format!(
                "The entity tag {tag:?} of a download must be printable ASCII in quotes, such as {:?}",
                "\"7\""
            )));
        }
        self
    }

    /// Sets the time of the last change. A time in the future is left out.
    ///
    /// ```
    /// use std::time::SystemTime;
    ///
    /// use kit_runtime::Download;
    ///
    /// fn image(bytes: Vec<u8>, changed: SystemTime) -> Download {
    ///     Download::bytes(bytes).last_modified(changed)
    /// }
    /// ```
    #[must_use]
    pub fn last_modified(mut self, time: SystemTime) -> Self {
        self.modified = Some(time);
        self
    }

    /// Makes browsers save the response under a name, by the header `content-disposition`. Directories and control characters are
    /// removed from the name. A name of which nothing is left makes the response a 500 error.
    #[must_use]
    pub fn attachment(mut self, name: &str) -> Self {
        match disposition::attachment(name) {
            Ok(value) => self.disposition = Some(value),
            Err(error) => self.refuse(error),
        }
        self
    }

    /// Sets the header `cache-control`, which is `private, no-cache` by default: clients keep the body, but ask each time if it has
    /// changed. A value that is not printable ASCII makes the response a 500 error.
    #[must_use]
    pub fn cache_control(mut self, value: &str) -> Self {
        match HeaderValue::from_str(value) {
            Ok(value) if !value.is_empty() => self.cache_control = Some(value),
            _ => self.refuse(Error::internal(format!(
                "The value {value:?} of cache-control must be printable ASCII, such as no-cache"
            ))),
        }
        self
    }

    /// Records an error of a builder method. The first one becomes the response.
    fn refuse(&mut self, error: Error) {
        self.fault.get_or_insert(error);
    }

    /// Opens the file, or finds out the validators of other bytes.
    async fn open(self) -> Result<OpenDownload, Error> {
        if let Some(fault) = self.fault {
            return Err(fault);
        }
        let own = Validators::new(self.tag, self.modified);
        let (body, size, validators) = match self.content {
            Content::File { dir, name } => {
                let opened = spawn_blocking(move || FileBelow::open(&dir, &name)).await;
                let file = opened??.ok_or_else(no_file)?;
                let (size, validators) = (file.size(), own.or(file.validators()));
                (OpenBody::File(file), size, validators)
            }
            Content::Bytes(bytes) => {
                let of_bytes = Validators::new(Some(tag_of(&bytes)), None);
                let size = u64::try_from(bytes.len())?;
                (OpenBody::Bytes(bytes), size, own.or(&of_bytes))
            }
            Content::Source { size, read } => (OpenBody::Source(read), size, own),
        };
        Ok(OpenDownload {
            body,
            size,
            validators,
            disposition: self.disposition,
            cache_control: self.cache_control,
        })
    }
}

impl fmt::Debug for Download {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Download");
        match &self.content {
            Content::File { dir, name } => shown.field("dir", dir).field("name", name),
            Content::Bytes(bytes) => shown.field("size", &bytes.len()),
            Content::Source { size, .. } => shown.field("size", size),
        };
        shown.finish_non_exhaustive()
    }
}

impl Response {
    /// Creates the response with a download. Its range is chosen after the wrappers of the route.
    ///
    /// # Errors
    ///
    /// 404 if there is no file, and 500 if the file cannot be read or a builder method got an invalid value.
    #[doc(hidden)] // Called only by generated code.
    pub async fn download(
        context: &Context,
        status: StatusCode,
        media_type: &str,
        download: Download,
    ) -> Result<Self, Error> {
        let opened = download.open().await?;
        context.enter(Phase::Serialization);
        let mut response = axum::response::Response::new(Body::empty());
        *response.status_mut() = status;
        // For a wrapper, the body is a stream.
        response.extensions_mut().insert(Streamed);
        response.extensions_mut().insert(opened.waiting());
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_str(media_type)?);
        headers.extend(std::mem::take(&mut *context.answer_headers()));
        Ok(Self(response))
    }
}

/// Returns true for an entity tag (RFC 9110, 8.8.3) of printable ASCII.
fn is_entity_tag(text: &str) -> bool {
    let opaque = text.strip_prefix("W/").unwrap_or(text);
    let opaque = opaque.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    opaque.is_some_and(|opaque| {
        opaque
            .chars()
            .all(|character| matches!(character, '!' | '#'..='~'))
    })
}
