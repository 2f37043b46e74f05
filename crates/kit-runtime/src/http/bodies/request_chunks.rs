//! Request bodies of bytes that the handler reads while they arrive.

use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context as Task, Poll, ready};

use axum::body::Bytes;
use futures_core::Stream;
use tokio::io::{AsyncWrite, AsyncWriteExt as _};

use super::chunks::{BodyChunks, BodyFailure};
use crate::http::Error;

/// Bytes of a request body, which the handler reads while they arrive. The server receives only as fast as the handler reads.
/// Reading fails if the client leaves, and if the body is too large. What the handler does not read is not received.
///
/// ```
/// use kit_runtime::{Error, RequestChunks};
///
/// async fn size(mut body: RequestChunks) -> Result<usize, Error> {
///     let mut bytes = 0;
///     while let Some(chunk) = body.next_chunk().await? {
///         bytes += chunk.len();
///     }
///     Ok(bytes)
/// }
/// ```
pub struct RequestChunks {
    chunks: BodyChunks,
    media_type: String,
    /// True if the stream has returned its error.
    is_over: bool,
}

impl RequestChunks {
    pub(super) fn new(chunks: BodyChunks, media_type: String) -> Self {
        Self {
            chunks,
            media_type,
            is_over: false,
        }
    }

    /// Returns the media type of the request, in lower case and without parameters.
    ///
    /// ```
    /// use kit_runtime::RequestChunks;
    ///
    /// fn is_video(body: &RequestChunks) -> bool {
    ///     body.media_type().starts_with("video/")
    /// }
    /// ```
    pub fn media_type(&self) -> &str {
        &self.media_type
    }

    /// Returns the next bytes of the body, at least one. Returns `None` at the end of the body.
    ///
    /// # Errors
    ///
    /// 400 if the body is incomplete, and 413 if the body is too large. Each later call fails too.
    pub async fn next_chunk(&mut self) -> Result<Option<Bytes>, Error> {
        poll_fn(|task| self.chunks.poll_chunk(task))
            .await
            .transpose()
            .map_err(|failure: BodyFailure| failure.error())
    }

    /// Writes the rest of the body to a writer, and flushes the writer. Returns the number of bytes.
    ///
    /// ```
    /// use kit_runtime::{Error, RequestChunks};
    ///
    /// async fn read(mut body: RequestChunks) -> Result<Vec<u8>, Error> {
    ///     let mut bytes = Vec::new();
    ///     body.write_to(&mut bytes).await?;
    ///     Ok(bytes)
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// The same as of [`Self::next_chunk`], and 500 if the writer fails. The writer may have a part of the body then.
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

/// Chunks of the body. The stream ends after an error.
impl Stream for RequestChunks {
    type Item = Result<Bytes, Error>;

    fn poll_next(self: Pin<&mut Self>, task: &mut Task<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        if this.is_over {
            return Poll::Ready(None);
        }
        let found = ready!(this.chunks.poll_chunk(task));
        this.is_over = matches!(found, Some(Err(_)));
        Poll::Ready(found.map(|chunk| chunk.map_err(|failure| failure.error())))
    }
}

impl fmt::Debug for RequestChunks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RequestChunks")
            .field("media_type", &self.media_type)
            .finish_non_exhaustive()
    }
}
