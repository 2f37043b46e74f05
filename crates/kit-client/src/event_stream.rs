//! Responses with Server-Sent Events (WHATWG HTML, 9.2).

use std::marker::PhantomData;
use std::time::Duration;

use kit_runtime::Contract;
use reqwest::Response;

use crate::json::read;
use crate::lines::TextLines;
use crate::{Error, Undeclared};

/// Events that a contract declares. kit implements this trait for the enums that it generates.
pub trait ReadEvent: Sized {
    /// Returns the event with a name. Returns `None` if the contract does not declare the name.
    ///
    /// # Errors
    ///
    /// If the data does not fit its type.
    fn read(name: &str, data: &str) -> Result<Option<Self>, Error<Undeclared>>;
}

/// An event of a response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReceivedEvent<T> {
    /// The event.
    pub event: T,
    /// Position in the stream, which a new call can send in the header `last-event-id`.
    pub id: Option<String>,
    /// Time after which the server wants the client to reconnect.
    pub retry: Option<Duration>,
}

/// Events of a response, which arrive one after the other. Dropping the stream ends the response.
#[derive(Debug)]
pub struct EventStream<T> {
    lines: TextLines,
    /// Last position that the server has sent.
    id: Option<String>,
    retry: Option<Duration>,
    events: PhantomData<fn() -> T>,
}

impl<T: ReadEvent> EventStream<T> {
    pub(crate) fn new(response: Response) -> Self {
        Self {
            lines: TextLines::new(response),
            id: None,
            retry: None,
            events: PhantomData,
        }
    }

    /// Returns the next event. Skips events that the contract does not declare. Returns `None` at the end of the response.
    ///
    /// # Errors
    ///
    /// If the response breaks off, or if the data of an event does not fit its type.
    pub async fn next(&mut self) -> Result<Option<ReceivedEvent<T>>, Error<Undeclared>> {
        let (mut name, mut data) = (String::new(), None::<String>);
        while let Some(line) = self.lines.next().await? {
            if line.is_empty() {
                let event = match data.take() {
                    Some(data) => T::read(if name.is_empty() { "message" } else { &name }, &data)?,
                    None => None,
                };
                name.clear();
                if let Some(event) = event {
                    return Ok(Some(ReceivedEvent {
                        event,
                        id: self.id.clone(),
                        retry: self.retry,
                    }));
                }
                continue;
            }
            let (field, value) = line.split_once(':').unwrap_or((&line, ""));
            let value = value.strip_prefix(' ').unwrap_or(value);
            match field {
                "event" => value.clone_into(&mut name),
                "data" => match &mut data {
                    None => data = Some(value.to_owned()),
                    Some(data) => {
                        data.push('\n');
                        data.push_str(value);
                    }
                },
                "id" if !value.contains('\0') => self.id = Some(value.to_owned()),
                "retry" => {
                    if let Ok(milliseconds) = value.parse() {
                        self.retry = Some(Duration::from_millis(milliseconds));
                    }
                }
                _ => {}
            }
        }
        Ok(None)
    }
}

/// Reads the data of an event.
///
/// # Errors
///
/// If the data does not fit its type.
pub fn event_data<T: Contract>(data: &str) -> Result<T, Error<Undeclared>> {
    read(data)
}
