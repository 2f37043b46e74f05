//! Request bodies that are sent in parts, while the caller creates them.

use std::fmt;
use std::io;
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::{Mutex, PoisonError};
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http_body::Frame;
use kit_runtime::Contract;
use kit_runtime::json::to_text;
use reqwest::Body;
use tokio::io::{AsyncRead, ReadBuf};
use tokio::sync::mpsc;

use crate::{Error, Undeclared};

/// Number of bytes that are read at once.
const CHUNK: usize = 64 * 1024;

/// Call of the function that creates a body.
type Work = Pin<Box<dyn Future<Output = Result<(), Failure>> + Send>>;

/// Error of the code that creates a body.
type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Returns a body with the bytes of a reader, such as a `File` of tokio. The bytes are read as fast as the server takes them. The
/// request breaks off if the reader fails. Such a request is sent once, without repetitions. It must end in the timeout of the
/// client, however long the body is.
///
/// ```
/// let body = kit_client::body_from_reader(&b"PNG"[..]);
/// ```
pub fn body_from_reader(reader: impl AsyncRead + Send + 'static) -> Body {
    Body::wrap(ReaderBody {
        reader: Mutex::new(Some(Box::pin(reader))),
        buffer: Vec::new(),
    })
}

/// Returns a body whose chunks a function sends. The function runs while the request is sent, and waits while the server does not
/// read. The body ends when the function returns, and the request breaks off if it returns an error. Such a request is sent once,
/// without repetitions. It must end in the timeout of the client, however long the function runs.
///
/// ```
/// let body = kit_client::body_from_writer(async |mut chunks| {
///     chunks.send("first ").await?;
///     chunks.send("second").await?;
///     Ok(())
/// });
/// ```
pub fn body_from_writer<W, F>(write: W) -> Body
where
    W: FnOnce(ChunkSender) -> F,
    F: Future<Output = Result<(), Failure>> + Send + 'static,
{
    let (sender, receiver) = mpsc::channel(1);
    let work = write(ChunkSender(sender));
    Body::wrap(WrittenBody(Mutex::new(Written {
        work: Some(Box::pin(work)),
        receiver,
    })))
}

/// Sends the chunks of a request body.
#[derive(Debug)]
pub struct ChunkSender(mpsc::Sender<Bytes>);

impl ChunkSender {
    /// Sends a chunk. Waits until the chunk before it is sent.
    ///
    /// # Errors
    ///
    /// If the request has ended, for example because the server has responded already.
    pub async fn send(&mut self, chunk: impl Into<Bytes>) -> Result<(), Error<Undeclared>> {
        let sent = self.0.send(chunk.into()).await;
        sent.map_err(|_| Error::Request("the request has ended before its body".to_owned()))
    }
}

/// Body of a request in lines of JSON.
pub struct RequestLines<T> {
    body: Body,
    lines: PhantomData<fn(T)>,
}

impl<T: Contract> RequestLines<T> {
    /// Creates a body from values that already exist, such as a vector.
    ///
    /// # Errors
    ///
    /// If a value has no form in JSON.
    pub fn of<'v>(values: impl IntoIterator<Item = &'v T>) -> Result<Self, Error<Undeclared>>
    where
        T: 'v,
    {
        let mut text = String::new();
        for value in values {
            text.push_str(&line(value)?);
        }
        Ok(Self {
            body: text.into(),
            lines: PhantomData,
        })
    }

    /// Creates a body whose lines a function sends while the request is sent, as with [`body_from_writer`].
    pub fn write<W, F>(write: W) -> Self
    where
        W: FnOnce(LineSender<T>) -> F,
        F: Future<Output = Result<(), Failure>> + Send + 'static,
    {
        let body = body_from_writer(|chunks| {
            write(LineSender {
                chunks,
                lines: PhantomData,
            })
        });
        Self {
            body,
            lines: PhantomData,
        }
    }
}

impl<T> From<RequestLines<T>> for Body {
    fn from(lines: RequestLines<T>) -> Self {
        lines.body
    }
}

impl<T> fmt::Debug for RequestLines<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RequestLines").finish_non_exhaustive()
    }
}

/// Sends the lines of a request body.
pub struct LineSender<T> {
    chunks: ChunkSender,
    lines: PhantomData<fn(T)>,
}

impl<T: Contract> LineSender<T> {
    /// Sends a value as a line. Waits until the line before it is sent.
    ///
    /// # Errors
    ///
    /// If the value has no form in JSON, or if the request has ended.
    pub fn send<'s>(
        &'s mut self,
        value: &T,
    ) -> impl Future<Output = Result<(), Error<Undeclared>>> + Send + use<'s, T> {
        // The future does not borrow the value, so the value need not be `Sync`.
        let line = line(value);
        let chunks = &mut self.chunks;
        async move { chunks.send(line?).await }
    }
}

impl<T> fmt::Debug for LineSender<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LineSender").finish_non_exhaustive()
    }
}

fn line<T: Contract>(value: &T) -> Result<String, Error<Undeclared>> {
    let mut text =
        to_text(value).map_err(|error| Error::Request(format!("{} cannot be sent: {error}", T::NAME)))?;
    text.push('\n');
    Ok(text)
}

/// Body that is read. The mutex is never locked: it lets threads share the body. `None` after the end.
struct ReaderBody<R> {
    reader: Mutex<Option<Pin<Box<R>>>>,
    buffer: Vec<u8>,
}

impl<R: AsyncRead> http_body::Body for ReaderBody<R> {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        task: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        let Self { reader, buffer } = &mut *self;
        let reader = reader.get_mut().unwrap_or_else(PoisonError::into_inner);
        let Some(open) = reader else {
            return Poll::Ready(None);
        };
        buffer.resize(CHUNK, 0);
        let mut part = ReadBuf::new(buffer);
        let result = ready!(open.as_mut().poll_read(task, &mut part));
        let chunk = Bytes::copy_from_slice(part.filled());
        if result.is_err() || chunk.is_empty() {
            *reader = None;
        }
        match result {
            Err(error) => Poll::Ready(Some(Err(error))),
            Ok(()) if chunk.is_empty() => Poll::Ready(None),
            Ok(()) => Poll::Ready(Some(Ok(Frame::data(chunk)))),
        }
    }
}

/// Body whose chunks a function sends. The mutex is never locked: it lets threads share the body.
struct WrittenBody(Mutex<Written>);

struct Written {
    /// Call of the function. `None` after its end.
    work: Option<Work>,
    receiver: mpsc::Receiver<Bytes>,
}

impl http_body::Body for WrittenBody {
    type Data = Bytes;
    type Error = Failure;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        task: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Failure>>> {
        let Written { work, receiver } = self.0.get_mut().unwrap_or_else(PoisonError::into_inner);
        let result = work.as_mut().map(|work| work.as_mut().poll(task));
        if let Some(Poll::Ready(result)) = result {
            *work = None;
            if let Err(error) = result {
                receiver.close();
                return Poll::Ready(Some(Err(error)));
            }
        }
        // The work may have moved its sender to a task, so the end of the work is not the end of the body.
        let chunk = ready!(receiver.poll_recv(task));
        Poll::Ready(chunk.map(|chunk| Ok(Frame::data(chunk))))
    }
}

#[cfg(test)]
mod tests {
    use std::pin::{Pin, pin};

    use reqwest::Body;

    use super::{body_from_reader, body_from_writer};

    /// Returns the bytes of a body, or its error.
    async fn collect(body: Body) -> Result<Vec<u8>, String> {
        let mut body = pin!(body);
        let mut bytes = Vec::new();
        while let Some(frame) =
            std::future::poll_fn(|task| http_body::Body::poll_frame(Pin::new(&mut *body), task)).await
        {
            let frame = frame.map_err(|error| format!("{error:?}"))?;
            bytes.extend_from_slice(&frame.into_data().unwrap());
        }
        Ok(bytes)
    }

    #[tokio::test]
    async fn a_reader_is_sent_completely() {
        let content: Vec<u8> = (0..200_000_u32).map(|number| number.to_le_bytes()[0]).collect();
        let sent = collect(body_from_reader(std::io::Cursor::new(content.clone())));
        assert_eq!(sent.await.unwrap(), content);
    }

    #[tokio::test]
    async fn a_body_ends_with_the_function_that_writes_it() {
        let body = body_from_writer(async |mut chunks| {
            for _ in 0..3 {
                chunks.send("ab").await?;
            }
            Ok(())
        });
        assert_eq!(collect(body).await.unwrap(), b"ababab");
    }

    #[tokio::test]
    async fn an_error_of_the_function_is_the_error_of_the_body() {
        let body = body_from_writer(async |mut chunks| {
            chunks.send("ab").await?;
            Err("no more rows".into())
        });
        let error = collect(body).await.unwrap_err();
        assert!(error.contains("no more rows"), "{error}");
    }
}
