//! Response bodies of text and of bytes.

use std::fmt;
use std::future::poll_fn;
use std::marker::PhantomData;
use std::pin::pin;

use axum::body::Bytes;
use axum::http::StatusCode;
use futures_core::Stream;

use super::events::{EventData, Events};
use super::lines::Lines;
use crate::Contract;
use crate::http::{ChunkSender, Context, DeclaredReply, Error, Reply, Response};

/// Response of text (`Content<String>`) or of bytes (`Content<BodyBytes>`): a value in memory, or a stream that is sent as
/// fast as the client reads. The work of a stream ends when the client leaves. If the work fails, the connection is closed
/// before the end of the body, and the log has the error.
///
/// ```
/// use kit_runtime::Content;
///
/// let whole = Content::<String>::from("number\n1\n");
/// let stream = Content::<String>::write(async |mut chunks| {
///     for number in 1..=3 {
///         chunks.send(format!("{number}\n")).await?;
///     }
///     Ok(())
/// });
/// # drop((whole, stream));
/// ```
pub struct Content<T> {
    reply: Reply,
    kind: PhantomData<fn(T)>,
}

impl<T: Into<Bytes> + Send + 'static> Content<T> {
    fn new_reply(reply: Reply) -> Self {
        Self {
            reply,
            kind: PhantomData,
        }
    }

    /// Creates a response whose chunks a function sends. The function is dropped when the client leaves.
    pub fn write<W, F>(write: W) -> Self
    where
        W: FnOnce(ContentSender<T>) -> F + Send + 'static,
        F: Future<Output = Result<(), Error>> + Send + 'static,
    {
        Self::new_reply(Reply::stream(move |chunks| {
            write(ContentSender {
                chunks,
                kind: PhantomData,
            })
        }))
    }

    /// Creates a response from a stream. An error of the stream cuts the response.
    ///
    /// ```
    /// use kit_runtime::{BodyBytes, Content, Upload};
    ///
    /// fn echo(upload: Upload) -> Content<BodyBytes> {
    ///     Content::new(upload)
    /// }
    /// ```
    pub fn new<S, I, E>(stream: S) -> Self
    where
        S: Stream<Item = Result<I, E>> + Send + 'static,
        I: Into<T>,
        E: Into<Error>,
    {
        Self::write(async move |mut content: ContentSender<T>| {
            let mut stream = pin!(stream);
            while let Some(chunk) = poll_fn(|task| {
                let next = stream.as_mut().poll_next(task);
                next.map(|next| next.map(|chunk| chunk.map(Into::into).map_err(Into::into)))
            })
            .await
            {
                content.send::<T>(chunk?).await?;
            }
            Ok(())
        })
    }
}

impl<T: Into<Bytes> + Send + 'static> From<T> for Content<T> {
    fn from(content: T) -> Self {
        Self::new_reply(Reply::bytes(content))
    }
}

impl From<&str> for Content<String> {
    fn from(text: &str) -> Self {
        Self::from(text.to_owned())
    }
}

impl<T> fmt::Debug for Content<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Content").finish_non_exhaustive()
    }
}

/// Sends the chunks of a response of text or of bytes.
pub struct ContentSender<T> {
    chunks: ChunkSender,
    kind: PhantomData<fn(T)>,
}

impl<T: Into<Bytes>> ContentSender<T> {
    /// Sends a chunk. Waits until the queue has room.
    ///
    /// # Errors
    ///
    /// If the client has disconnected.
    pub async fn send<I: Into<T>>(&mut self, chunk: I) -> Result<(), Error> {
        let chunk: Bytes = chunk.into().into();
        self.chunks.send(chunk).await
    }
}

impl<T> fmt::Debug for ContentSender<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ContentSender").finish_non_exhaustive()
    }
}

impl Response {
    /// Creates a response of text with a media type, such as `text/csv`.
    ///
    /// # Errors
    ///
    /// 500 if the media type is invalid, which generated code never has.
    #[doc(hidden)] // Called only by generated code.
    pub fn text(
        context: &Context,
        status: StatusCode,
        media_type: &str,
        text: Content<String>,
    ) -> Result<Self, Error> {
        let content_type = format!("{media_type}; charset=utf-8");
        Self::reply(context, status, text.reply.content_type(&content_type))
    }

    /// Creates a response of bytes with a media type, such as `image/png`.
    ///
    /// # Errors
    ///
    /// 500 if the media type is invalid, which generated code never has.
    #[doc(hidden)] // Called only by generated code.
    pub fn bytes(
        context: &Context,
        status: StatusCode,
        media_type: &str,
        bytes: Content<Bytes>,
    ) -> Result<Self, Error> {
        Self::reply(context, status, bytes.reply.content_type(media_type))
    }
}

impl DeclaredReply<'_> {
    /// Completes the reply with text in a media type, such as `text/csv`.
    ///
    /// # Errors
    ///
    /// The same as of [`Response::text`].
    #[doc(hidden)] // Called only by generated code.
    pub fn text(self, media_type: &str, text: Content<String>) -> Result<Response, Error> {
        let Response(response) = Response::text(self.context, self.status, media_type, text)?;
        Ok(self.complete(response))
    }

    /// Completes the reply with bytes in a media type, such as `image/png`.
    ///
    /// # Errors
    ///
    /// The same as of [`Response::bytes`].
    #[doc(hidden)] // Called only by generated code.
    pub fn bytes(self, media_type: &str, bytes: Content<Bytes>) -> Result<Response, Error> {
        let Response(response) = Response::bytes(self.context, self.status, media_type, bytes)?;
        Ok(self.complete(response))
    }

    /// Completes the reply with JSON Lines.
    ///
    /// # Errors
    ///
    /// The same as of [`Response::reply`].
    #[doc(hidden)] // Called only by generated code.
    pub fn lines<T: Contract + 'static>(self, lines: Lines<T>) -> Result<Response, Error> {
        let Response(response) = Response::lines(self.context, self.status, lines)?;
        Ok(self.complete(response))
    }

    /// Completes the reply with Server-Sent Events.
    ///
    /// # Errors
    ///
    /// The same as of [`Response::reply`].
    #[doc(hidden)] // Called only by generated code.
    pub fn events<E: EventData + 'static>(self, events: Events<E>) -> Result<Response, Error> {
        let Response(response) = Response::events(self.context, self.status, events)?;
        Ok(self.complete(response))
    }
}
