//! Names of the Rust code that is generated for a route.

use std::collections::BTreeSet;

use kit_ir::{BodyFormat, Route};

use crate::event_names::{EventNames, event_names};
use crate::middleware::Middleware;
use crate::names;

/// A route, and the names of the Rust code that is generated for it.
pub(crate) struct RouteNames<'a> {
    pub(crate) route: &'a Route,
    /// Name of the method in the trait: `get_notes_by_id`.
    pub(crate) function: String,
    /// Name of the struct that the method receives: `GetNotesById`.
    pub(crate) input: String,
    /// Name of the enum that the method returns: `GetNotesByIdReply`. `None` if the contract declares no replies.
    pub(crate) reply: Option<String>,
    /// Names of the types for bodies that are not JSON.
    pub(crate) bodies: BodyNames,
    /// Middleware that runs before the handler, in this order.
    pub(crate) middleware: Vec<Middleware>,
}

/// Names of the Rust types that a route has because its bodies are not JSON.
pub(crate) struct BodyNames {
    /// Struct with the parts of a multipart body: `PostPhotosParts`.
    pub(crate) parts: Option<String>,
    /// Enum of the events of the response: `GetWatchEvent`.
    pub(crate) event: Option<String>,
    /// Enums of the events of replies.
    pub(crate) reply_events: EventNames,
}

impl BodyNames {
    pub(crate) fn new(route: &Route, input: &str, taken: &mut BTreeSet<String>) -> Self {
        let is_multipart = matches!(route.body_format, BodyFormat::Multipart { .. });
        let has_events = matches!(route.response_format, BodyFormat::Events { .. });
        let mut unique = |wanted: String| names::unique_type(wanted, taken);
        Self {
            parts: is_multipart.then(|| unique(format!("{input}Parts"))),
            event: has_events.then(|| unique(format!("{input}Event"))),
            reply_events: event_names(&route.replies, input, taken),
        }
    }
}
