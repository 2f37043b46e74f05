//! Response body of JSON Lines.

use std::fmt;
use std::future::poll_fn;
use std::marker::PhantomData;
use std::pin::{Pin, pin};

use axum::http::StatusCode;
use futures_core::Stream;

use crate::debug::{RecordedStream, StreamKind};
use crate::http::response::check;
use crate::http::{ChunkSender, Context, Error, Reply, Response};
use crate::json::to_text;
use crate::{Contract, is_development};

/// Number of bytes that the lines of [`Lines::of`] have in one chunk, at least.
const CHUNK: usize = 16 * 1024;

pub(super) type Work = Pin<Box<dyn Future<Output = Result<(), Error>> + Send>>;

/// Response of JSON Lines: values that are sent as fast as the client reads. The work ends when the client leaves. If
/// the work fails, the connection is closed before the end of the body, and the log has the error.
///
/// ```
/// use kit_runtime::{Contract, Error, Lines};
///
/// fn twice<T: Contract + Clone + Send + 'static>(value: T) -> Lines<T> {
///     Lines::write(async move |mut lines| {
///         lines.send(&value).await?;
///         lines.send(&value).await
///     })
/// }
/// ```
pub struct Lines<T> {
    write: Box<dyn FnOnce(LineSender<T>) -> Work + Send>,
}

impl<T: Contract + Send + 'static> Lines<T> {
    /// Creates a response whose lines a function sends. The function is dropped when the client leaves.
    pub fn write<W, F>(write: W) -> Self
    where
        W: FnOnce(LineSender<T>) -> F + Send + 'static,
        F: Future<Output = Result<(), Error>> + Send + 'static,
    {
        Self {
            write: Box::new(move |lines| Box::pin(write(lines))),
        }
    }

    /// Creates a response from a stream. An error of the stream cuts the response.
    ///
    /// ```
    /// use kit_runtime::{Contract, Error, Lines};
    ///
    /// fn export<T, S>(rows: S) -> Lines<T>
    /// where
    ///     T: Contract + Send + 'static,
    ///     S: futures_core::Stream<Item = Result<T, Error>> + Send + 'static,
    /// {
    ///     Lines::new(rows)
    /// }
    /// ```
    pub fn new<S, E>(stream: S) -> Self
    where
        S: Stream<Item = Result<T, E>> + Send + 'static,
        E: Into<Error>,
    {
        Self::write(async move |mut lines: LineSender<T>| {
            let mut stream = pin!(stream);
            while let Some(line) = poll_fn(|task| {
                let next = stream.as_mut().poll_next(task);
                next.map(|next| next.map(|value| lines.line(&value.map_err(Into::into)?)))
            })
            .await
            {
                lines.chunks.send(line?).await?;
            }
            Ok(())
        })
    }

    /// Creates a response from values that already exist, such as a vector.
    ///
    /// ```
    /// use kit_runtime::{Contract, Lines};
    ///
    /// fn export<T: Contract + Send + 'static>(rows: Vec<T>) -> Lines<T> {
    ///     Lines::of(rows)
    /// }
    /// ```
    pub fn of<I>(values: I) -> Self
    where
        I: IntoIterator<Item = T> + Send + 'static,
        I::IntoIter: Send,
    {
        Self::write(async move |mut lines: LineSender<T>| {
            // A chunk for each line would cost more than the line.
            let mut chunk = String::new();
            for value in values {
                chunk.push_str(&lines.line(&value)?);
                if chunk.len() >= CHUNK {
                    lines.chunks.send(std::mem::take(&mut chunk)).await?;
                }
            }
            lines.chunks.send(chunk).await
        })
    }
}

impl<T> fmt::Debug for Lines<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lines").finish_non_exhaustive()
    }
}

/// Sends the lines of a response.
pub struct LineSender<T> {
    chunks: ChunkSender,
    context: Context,
    stream: RecordedStream,
    line: PhantomData<fn(T)>,
}

impl<T: Contract> LineSender<T> {
    /// Sends a value as a line. Waits until the queue has room. In development, the value is first checked against its
    /// contract.
    ///
    /// # Errors
    ///
    /// If the client has disconnected, if the value has no JSON form, or, in development, if it does not fit its
    /// contract.
    pub fn send<'s>(&'s mut self, value: &T) -> impl Future<Output = Result<(), Error>> + Send + use<'s, T> {
        // The future does not borrow the value, so the value need not be `Sync`.
        let line = self.line(value);
        let chunks = &mut self.chunks;
        async move { chunks.send(line?).await }
    }

    fn line(&self, value: &T) -> Result<String, Error> {
        let mut text = to_text(value)?;
        if is_development() {
            check::<T>(&self.context, None, &text, "a line that is not a valid")?;
        }
        self.stream.sent(&text, None, text.len());
        text.push('\n');
        Ok(text)
    }
}

impl<T> fmt::Debug for LineSender<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LineSender").finish_non_exhaustive()
    }
}

impl Response {
    /// Creates a response of JSON Lines.
    ///
    /// # Errors
    ///
    /// The same as of [`Response::reply`].
    #[doc(hidden)] // Called only by generated code.
    pub fn lines<T: Contract + 'static>(
        context: &Context,
        status: StatusCode,
        lines: Lines<T>,
    ) -> Result<Self, Error> {
        let owned = context.clone();
        let reply = Reply::stream(move |chunks| {
            let stream = owned.recorded().stream(StreamKind::Lines, None);
            let work = (lines.write)(LineSender {
                chunks,
                context: owned,
                stream: stream.clone(),
                line: PhantomData,
            });
            stream.watch(work)
        });
        Self::reply(context, status, reply.content_type("application/jsonl"))
    }
}
