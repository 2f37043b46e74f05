//! Response body of Server-Sent Events (WHATWG HTML, 9.2).

use std::fmt::{self, Write as _};
use std::future::poll_fn;
use std::marker::PhantomData;
use std::pin::pin;
use std::time::Duration;

use axum::http::StatusCode;
use futures_core::Stream;

use super::lines::Work;
use crate::debug::{RecordedStream, StreamKind};
use crate::http::response::check;
use crate::http::{ChunkSender, Context, Error, Reply, Response};
use crate::json::to_text;
use crate::shutdown::Shutdown;
use crate::{Contract, is_development};

/// Time between two comment lines, so that proxies keep the connection open.
const PING: Duration = Duration::from_secs(15);
/// Times between the end of the client's sending side and the comment lines after it. A client that has left looks like one
/// that only sends nothing more, until the system of the client refuses a line: the next write then fails.
const PINGS_AFTER_END: [Duration; 3] = [Duration::ZERO, Duration::from_millis(250), Duration::from_secs(1)];

/// Events that a contract declares. kit implements this trait for the enums that it generates.
pub trait EventData: Send {
    /// Returns the name of the event.
    fn name(&self) -> &'static str;

    /// Returns the data of the event as JSON in one line.
    ///
    /// # Errors
    ///
    /// If the data has no JSON form, or, in development, if it does not fit its contract.
    fn data(&self, context: &Context) -> Result<String, Error>;
}

/// An event with its position in the stream. Events without a position need no `Event`.
///
/// ```
/// use std::time::Duration;
///
/// use kit_runtime::Event;
///
/// let event = Event::new("any value").id("7").retry(Duration::from_secs(2));
/// # drop(event);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event<E> {
    data: E,
    id: Option<String>,
    retry: Option<Duration>,
}

impl<E> Event<E> {
    /// Creates an event.
    pub fn new(event: E) -> Self {
        Self {
            data: event,
            id: None,
            retry: None,
        }
    }

    /// Sets the position in the stream. A client that reconnects sends the last one in the header `last-event-id`.
    #[must_use]
    pub fn id(mut self, id: impl Into<String>) -> Self {
        self.id = Some(id.into());
        self
    }

    /// Sets the time that the client waits before it reconnects.
    #[must_use]
    pub fn retry(mut self, time: Duration) -> Self {
        self.retry = Some(time);
        self
    }
}

impl<E: EventData> From<E> for Event<E> {
    fn from(event: E) -> Self {
        Self::new(event)
    }
}

impl<E: EventData> Event<E> {
    fn text(&self, context: &Context, stream: &RecordedStream) -> Result<String, Error> {
        let mut text = format!("event: {}\n", self.data.name());
        if let Some(id) = &self.id {
            // A client ignores an id with U+0000, and a line break would end the field.
            if id.contains(['\0', '\r', '\n']) {
                return Err(Error::internal("The id of an event must have no line breaks"));
            }
            let _ = writeln!(text, "id: {id}");
        }
        if let Some(retry) = self.retry {
            let _ = writeln!(text, "retry: {}", retry.as_millis());
        }
        let data = self.data.data(context)?;
        let _ = write!(text, "data: {data}\n\n");
        stream.sent(&data, Some(self.data.name()), text.len());
        Ok(text)
    }
}

/// Response of Server-Sent Events, which are sent as fast as the client reads. The work ends when the client leaves, and
/// when the server begins to shut down. If the work fails, the connection is closed, and the log has the error. A comment
/// line every 15 seconds keeps the connection open.
///
/// ```
/// use kit_runtime::{EventData, Events};
///
/// fn once<E: EventData + 'static>(event: E) -> Events<E> {
///     Events::write(async move |mut events| events.send(event).await)
/// }
/// ```
pub struct Events<E> {
    write: Box<dyn FnOnce(EventSender<E>) -> Work + Send>,
}

impl<E: EventData + 'static> Events<E> {
    /// Creates a response whose events a function sends. The function is dropped when the client leaves, and when the
    /// server begins to shut down.
    pub fn write<W, F>(write: W) -> Self
    where
        W: FnOnce(EventSender<E>) -> F + Send + 'static,
        F: Future<Output = Result<(), Error>> + Send + 'static,
    {
        Self {
            write: Box::new(move |events| Box::pin(until_shutdown(write(events)))),
        }
    }

    /// Creates a response from a stream. An error of the stream cuts the response.
    pub fn new<S, I, F>(stream: S) -> Self
    where
        S: Stream<Item = Result<I, F>> + Send + 'static,
        I: Into<Event<E>> + Send,
        F: Into<Error>,
    {
        Self::write(async move |mut events: EventSender<E>| {
            let mut stream = pin!(stream);
            while let Some(event) = poll_fn(|task| {
                let next = stream.as_mut().poll_next(task);
                next.map(|next| next.map(|event| Ok::<Event<E>, Error>(event.map_err(Into::into)?.into())))
            })
            .await
            {
                events.send(event?).await?;
            }
            Ok(())
        })
    }
}

impl<E> fmt::Debug for Events<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Events").finish_non_exhaustive()
    }
}

/// Sends the events of a response.
pub struct EventSender<E> {
    chunks: ChunkSender,
    context: Context,
    stream: RecordedStream,
    event: PhantomData<fn(E)>,
}

impl<E: EventData> EventSender<E> {
    /// Sends an event. Waits until the queue has room. In development, the data is first checked against its contract.
    ///
    /// # Errors
    ///
    /// If the client has disconnected, if the id has a line break, if the data has no JSON form, or, in development, if
    /// it does not fit its contract.
    pub fn send<I: Into<Event<E>>>(
        &mut self,
        event: I,
    ) -> impl Future<Output = Result<(), Error>> + Send + use<'_, E, I> {
        let text = event.into().text(&self.context, &self.stream);
        let chunks = &mut self.chunks;
        async move { chunks.send(text?).await }
    }
}

impl<E> fmt::Debug for EventSender<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventSender").finish_non_exhaustive()
    }
}

impl Context {
    /// Returns the data of an event as JSON. In development, the data is first checked against its contract.
    ///
    /// # Errors
    ///
    /// If the data has no JSON form, or, in development, if it does not fit its contract.
    #[doc(hidden)] // Called only by generated code.
    pub fn event_data<T: Contract>(&self, data: &T) -> Result<String, Error> {
        let text = to_text(data)?;
        if is_development() {
            check::<T>(self, None, &text, "an event with data that is not a valid")?;
        }
        Ok(text)
    }
}

impl Response {
    /// Creates a response of Server-Sent Events.
    ///
    /// # Errors
    ///
    /// The same as of [`Response::reply`].
    #[doc(hidden)] // Called only by generated code.
    pub fn events<E: EventData + 'static>(
        context: &Context,
        status: StatusCode,
        events: Events<E>,
    ) -> Result<Self, Error> {
        let owned = context.clone();
        let reply = Reply::stream(move |chunks| {
            let pings = chunks.share();
            let context = owned.clone();
            let stream = owned.recorded().stream(StreamKind::Events, None);
            let work = (events.write)(EventSender {
                chunks,
                context: owned,
                stream: stream.clone(),
                event: PhantomData,
            });
            stream.watch(with_pings(work, pings, context))
        });
        Self::reply(context, status, reply.content_type("text/event-stream"))
    }
}

/// Runs the work of a response until the server begins to shut down. Event streams have no end, and would last until the
/// end of the grace period. The body ends completely, so that the client reconnects, to another server.
async fn until_shutdown(work: impl Future<Output = Result<(), Error>>) -> Result<(), Error> {
    let mut shutdown = Shutdown::of_server();
    tokio::select! {
        result = work => result,
        () = shutdown.begun() => Ok(()),
    }
}

/// Runs the work of a response, and sends a comment line, which clients ignore, after each period of [`PING`], and after
/// the client has closed its sending side.
async fn with_pings(mut work: Work, pings: ChunkSender, context: Context) -> Result<(), Error> {
    let half_closed = async {
        match context.connection() {
            Some(connection) => connection.half_closed().await,
            None => std::future::pending().await,
        }
    };
    let mut half_closed = pin!(half_closed);
    let mut after_end = None;
    loop {
        let pause = after_end.as_mut().and_then(Iterator::next).unwrap_or(PING);
        tokio::select! {
            biased;
            result = work.as_mut() => return result,
            () = half_closed.as_mut(), if after_end.is_none() => {
                after_end = Some(PINGS_AFTER_END.into_iter());
                continue;
            }
            () = tokio::time::sleep(pause) => {}
        }
        // If the queue is full, the client still has to read events, and needs no ping.
        pings.send_if_room(":\n\n");
    }
}
