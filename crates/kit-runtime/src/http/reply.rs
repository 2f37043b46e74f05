//! Responses whose content no contract declares: text, bytes and streams.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context as Task, Poll, ready};

use axum::body::{Body, Bytes};
use axum::http::{HeaderValue, StatusCode, header};
use hyper::body::{Frame, SizeHint};
use serde::Serialize;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};

use super::catch_panic::catch_panic;
use super::first_value::Beginning;
use super::{Context, Error, Phase, Response};
use crate::json::to_text;

/// Maximum number of chunks of a stream that are queued for the client.
const MAX_QUEUED_CHUNKS: usize = 4;
/// Maximum number of bytes that are queued for the client. A longer chunk is queued alone. Together with the write
/// buffer of the connection, a client that does not read costs at most 64 KiB and one chunk.
const MAX_QUEUED_BYTES: usize = 16 * 1024;
/// Maximum number of bytes that the connection receives in one piece. Longer chunks are divided, because the
/// connection copies each piece.
const MAX_FRAME: usize = 16 * 1024;

/// A response to a route whose contract declares the response as `unknown`: text, bytes, a stream, or JSON.
///
/// ```
/// use kit_runtime::Reply;
///
/// let text = Reply::text("number,square\n1,1\n").content_type("text/csv; charset=utf-8");
/// let stream = Reply::stream(async |mut chunks| {
///     for number in 1..=3 {
///         chunks.send(format!("{number},{}\n", number * number)).await?;
///     }
///     Ok(())
/// });
/// ```
pub struct Reply {
    body: Kind,
    content_type: HeaderValue,
    length: Option<u64>,
    /// Error of a builder method such as [`Reply::content_type`]. It becomes the response.
    fault: Option<Error>,
}

/// Marks a response whose body is a stream. The stream may know its length, as a body in memory does.
#[derive(Debug, Clone, Copy)]
pub(super) struct Streamed;

enum Kind {
    Full(Bytes),
    Stream(Box<dyn FnOnce(ChunkSender) -> Work + Send>),
}

type Work = Pin<Box<dyn Future<Output = Result<(), Error>> + Send>>;

impl Reply {
    fn new(body: Kind, content_type: &'static str) -> Self {
        Self {
            body,
            content_type: HeaderValue::from_static(content_type),
            length: None,
            fault: None,
        }
    }

    /// Creates a response with text in UTF-8 and the content type `text/plain`.
    ///
    /// ```
    /// use kit_runtime::Reply;
    ///
    /// let reply = Reply::text("id,title\n").content_type("text/csv; charset=utf-8");
    /// # drop(reply);
    /// ```
    pub fn text(text: impl Into<String>) -> Self {
        Self::new(Kind::Full(text.into().into()), "text/plain; charset=utf-8")
    }

    /// Creates a response with bytes and the content type `application/octet-stream`.
    ///
    /// ```
    /// use kit_runtime::Reply;
    ///
    /// let reply = Reply::bytes(vec![0x89, b'P', b'N', b'G']).content_type("image/png");
    /// # drop(reply);
    /// ```
    pub fn bytes(bytes: impl Into<Bytes>) -> Self {
        Self::new(Kind::Full(bytes.into()), "application/octet-stream")
    }

    /// Creates a response with a value as JSON.
    ///
    /// ```
    /// use kit_runtime::Reply;
    ///
    /// assert!(Reply::json(&["a", "b"]).is_ok());
    /// assert!(Reply::json(&f64::NAN).is_err());
    /// ```
    ///
    /// # Errors
    ///
    /// 500 if the value has no JSON form, for example a number that is not finite.
    pub fn json(value: &impl Serialize) -> Result<Self, Error> {
        Ok(Self::new(Kind::Full(to_text(value)?.into()), "application/json"))
    }

    /// Creates a response whose body a function sends chunk by chunk, as fast as the client reads. The function is
    /// dropped when a write to the client fails. If the function fails, the connection is closed before the end of
    /// the body, so that the client does not mistake the incomplete body for a complete body. The log contains the
    /// error.
    ///
    /// ```
    /// use kit_runtime::Reply;
    ///
    /// let reply = Reply::stream(async |mut chunks| {
    ///     chunks.send("first line\n").await?;
    ///     chunks.send("second line\n").await
    /// });
    /// # drop(reply);
    /// ```
    pub fn stream<W, F>(write: W) -> Self
    where
        W: FnOnce(ChunkSender) -> F + Send + 'static,
        F: Future<Output = Result<(), Error>> + Send + 'static,
    {
        Self::new(
            Kind::Stream(Box::new(move |chunks| Box::pin(write(chunks)))),
            "application/octet-stream",
        )
    }

    /// Sets the content type, such as `text/csv; charset=utf-8`. A value that is not printable ASCII makes the response
    /// a 500 error.
    #[must_use]
    pub fn content_type(mut self, content_type: &str) -> Self {
        match HeaderValue::from_str(content_type) {
            Ok(value) if !content_type.is_empty() && content_type.is_ascii() => self.content_type = value,
            _ => {
                let message = format!(
                    "The content type {content_type:?} must be printable ASCII text such as text/csv"
                );
                self.fault = Some(Error::internal(message));
            }
        }
        self
    }

    /// Declares the length of a stream in bytes, so that clients can show progress. If the stream has another length,
    /// the response is cut.
    ///
    /// ```
    /// use kit_runtime::Reply;
    ///
    /// let reply = Reply::stream(async |mut chunks| chunks.send("12345").await).length(5);
    /// # drop(reply);
    /// ```
    #[must_use]
    pub fn length(mut self, bytes: u64) -> Self {
        self.length = Some(bytes);
        self
    }

    /// Creates the HTTP response. The status is the value of [`Context::set_status`] if it was called, and
    /// otherwise `status`.
    pub(super) fn respond(mut self, context: &Context, status: StatusCode) -> Result<Response, Error> {
        context.enter(Phase::Serialization);
        if let Some(fault) = self.fault.take() {
            return Err(fault);
        }
        let status = context.status().unwrap_or(status);
        if matches!(status, StatusCode::NO_CONTENT | StatusCode::NOT_MODIFIED) {
            return Ok(Response::empty(context, status));
        }
        let own = std::mem::take(&mut *context.answer_headers());
        let mut response = axum::response::Response::new(Body::empty());
        *response.status_mut() = status;
        response
            .headers_mut()
            .insert(header::CONTENT_TYPE, self.content_type.clone());
        response.headers_mut().extend(own);
        self.put_body_into(context, &mut response);
        Ok(Response(response))
    }

    /// Makes the body of this reply the body of a response.
    pub(super) fn put_body_into(self, context: &Context, response: &mut axum::response::Response) {
        *response.body_mut() = match self.body {
            Kind::Full(bytes) => Body::from(bytes),
            Kind::Stream(write) => {
                let beginning = Beginning::new();
                response.extensions_mut().insert(Streamed);
                response.extensions_mut().insert(beginning.clone());
                let (sender, received) = mpsc::channel(MAX_QUEUED_CHUNKS);
                let owned = context.clone();
                let work = write(ChunkSender {
                    sender,
                    room: Arc::new(Semaphore::new(MAX_QUEUED_BYTES)),
                });
                Body::new(StreamBody {
                    context: context.clone(),
                    work: Some(Box::pin(async move { owned.scope(work).await })),
                    received,
                    rest: Bytes::new(),
                    failure: None,
                    beginning: Some(beginning),
                    left: self.length,
                })
            }
        };
    }
}

impl fmt::Debug for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reply")
            .field("content_type", &self.content_type)
            .finish_non_exhaustive()
    }
}

/// Sends the chunks of a stream.
#[derive(Debug)]
pub struct ChunkSender {
    sender: mpsc::Sender<Queued>,
    /// Semaphore with one permit for each byte that still fits into the queue.
    room: Arc<Semaphore>,
}

/// A queued chunk with one permit for each of its bytes.
type Queued = (Bytes, Option<OwnedSemaphorePermit>);

impl ChunkSender {
    /// Sends a chunk; strings are sent as UTF-8. Waits until the queue has room.
    ///
    /// # Errors
    ///
    /// If the client has disconnected.
    pub async fn send(&mut self, chunk: impl Into<Bytes>) -> Result<(), Error> {
        let chunk = chunk.into();
        let bytes = u32::try_from(chunk.len().min(MAX_QUEUED_BYTES)).unwrap_or(0);
        // No code closes the semaphore.
        let permit = Arc::clone(&self.room).acquire_many_owned(bytes).await.ok();
        let sent = self.sender.send((chunk, permit)).await;
        sent.map_err(|_| Error::internal("The client has left"))
    }

    /// Sends a chunk if the queue has room. Never waits.
    pub(super) fn send_if_room(&self, chunk: &'static str) {
        let bytes = u32::try_from(chunk.len()).unwrap_or(u32::MAX);
        if let Ok(permit) = Arc::clone(&self.room).try_acquire_many_owned(bytes) {
            // The chunk is dropped if the client has left, which the next write of the connection finds out.
            let _ = self
                .sender
                .try_send((Bytes::from_static(chunk.as_bytes()), Some(permit)));
        }
    }

    /// Returns a sender for the same queue.
    pub(super) fn share(&self) -> Self {
        Self {
            sender: self.sender.clone(),
            room: Arc::clone(&self.room),
        }
    }
}

/// Body of a stream. It runs the function that sends chunks, and passes the queued chunks to the connection.
struct StreamBody {
    context: Context,
    work: Option<Work>,
    received: mpsc::Receiver<Queued>,
    /// Part of the current chunk that was not passed to the connection yet.
    rest: Bytes,
    /// Error of the function. The error is reported after the queued chunks are sent.
    failure: Option<Error>,
    /// Beginning of the stream. `None` after the first value.
    beginning: Option<Beginning>,
    /// Number of bytes that the stream must still send to reach its declared length.
    left: Option<u64>,
}

impl StreamBody {
    /// Makes a chunk the current chunk. Fails if the chunk exceeds the declared length.
    fn take(&mut self, chunk: Bytes) -> Result<(), Error> {
        if let Some(left) = self.left {
            let length = u64::try_from(chunk.len()).unwrap_or(u64::MAX);
            self.left = Some(left.checked_sub(length).ok_or_else(|| other_length("more"))?);
        }
        self.rest = chunk;
        Ok(())
    }
}

fn other_length(what: &str) -> Error {
    Error::internal(format!("The stream has {what} bytes than its declared length"))
}

impl hyper::body::Body for StreamBody {
    type Data = Bytes;
    type Error = ResponseCut;

    fn poll_frame(
        self: Pin<&mut Self>,
        task: &mut Task<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, ResponseCut>>> {
        let this = self.get_mut();
        let found = loop {
            if !this.rest.is_empty() {
                let length = this.rest.len().min(MAX_FRAME);
                break Ok(Frame::data(this.rest.split_to(length)));
            }
            // The function may send while it is polled, and such a send wakes no task. So poll the function first, then
            // the queue.
            let is_over = match &mut this.work {
                // The connection polls the body, so a panic would end its task without an entry in the log.
                Some(work) => match catch_panic(|| work.as_mut().poll(task)) {
                    Poll::Pending => false,
                    Poll::Ready(Ok(())) => true,
                    Poll::Ready(Err(error)) => {
                        this.failure = Some(error);
                        true
                    }
                },
                None => true,
            };
            if is_over {
                this.work = None;
            }
            let received = ready!(this.received.poll_recv(task));
            if received.is_some() {
                if let Some(beginning) = this.beginning.take() {
                    beginning.begin();
                }
            }
            match received {
                // An empty chunk would end a chunked body, so it is skipped.
                Some((chunk, _)) if chunk.is_empty() => {}
                Some((chunk, _)) => {
                    if let Err(error) = this.take(chunk) {
                        break Err(error);
                    }
                }
                None => match this.failure.take() {
                    Some(error) => break Err(error),
                    None if this.left.is_none_or(|left| left == 0) => return Poll::Ready(None),
                    None => break Err(other_length("fewer")),
                },
            }
        };
        Poll::Ready(Some(found.map_err(|error| {
            let late = match &this.beginning {
                Some(beginning) => beginning.fail(error),
                None => Err(error),
            };
            if let Err(error) = late {
                this.context.scope_part(|| error.log_late("A response was cut"));
            }
            this.work = None;
            ResponseCut
        })))
    }

    fn size_hint(&self) -> SizeHint {
        let rest = u64::try_from(self.rest.len()).unwrap_or(u64::MAX);
        self.left
            .map_or_else(SizeHint::default, |left| SizeHint::with_exact(left + rest))
    }
}

/// Error that makes hyper close a connection in the middle of a response. The log contains the reason.
#[derive(Debug)]
pub(super) struct ResponseCut;

impl fmt::Display for ResponseCut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the response was cut")
    }
}

impl std::error::Error for ResponseCut {}

#[cfg(test)]
mod tests {
    use std::fmt;
    use std::pin::Pin;
    use std::sync::{Arc, Mutex};
    use std::task::{Context as Task, Poll, Waker};

    use axum::body::Bytes;
    use axum::http::{Request, StatusCode};
    use hyper::body::Body as _;
    use tracing::field::{Field, Visit};
    use tracing::span::{Attributes, Id, Record};
    use tracing::{Event, Metadata, Subscriber};

    use super::super::context::current;
    use super::{ChunkSender, Context, Error, Reply};

    /// Keeps the messages of the log, each with the path of its request.
    #[derive(Clone, Default)]
    struct Messages(Arc<Mutex<Vec<String>>>);

    impl Subscriber for Messages {
        fn enabled(&self, _: &Metadata<'_>) -> bool {
            true
        }

        fn new_span(&self, _: &Attributes<'_>) -> Id {
            Id::from_u64(1)
        }

        fn record(&self, _: &Id, _: &Record<'_>) {}

        fn record_follows_from(&self, _: &Id, _: &Id) {}

        fn event(&self, event: &Event<'_>) {
            let mut text = String::new();
            event.record(&mut Message(&mut text));
            let path = current().map(|context| context.path().to_owned());
            self.0
                .lock()
                .unwrap()
                .push(format!("{}: {text}", path.unwrap_or_default()));
        }

        fn enter(&self, _: &Id) {}

        fn exit(&self, _: &Id) {}
    }

    struct Message<'t>(&'t mut String);

    impl Visit for Message<'_> {
        fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
            if field.name() == "message" {
                *self.0 = format!("{value:?}");
            }
        }
    }

    #[test]
    fn a_panic_after_the_first_chunk_cuts_the_response_and_is_logged_with_its_request() {
        let request = Request::get("/ticks").body(()).unwrap();
        let context = Context::new(request.into_parts().0, None);
        let reply = Reply::stream(async |mut chunks: ChunkSender| -> Result<(), Error> {
            chunks.send("first").await?;
            panic!("out of ticks")
        });
        let response = reply.respond(&context, StatusCode::OK).unwrap();
        let mut body = response.0.into_body();
        let messages = Messages::default();
        tracing::subscriber::with_default(messages.clone(), || {
            let mut task = Task::from_waker(Waker::noop());
            let mut frame = || Pin::new(&mut body).poll_frame(&mut task);
            let Poll::Ready(Some(Ok(first))) = frame() else {
                panic!("the stream has a first chunk");
            };
            assert_eq!(first.into_data().unwrap(), Bytes::from_static(b"first"));
            assert!(matches!(frame(), Poll::Ready(Some(Err(_)))));
        });
        let found = messages.0.lock().unwrap().clone();
        assert_eq!(
            found,
            ["/ticks: A response was cut: The handler panicked: out of ticks"]
        );
    }
}
