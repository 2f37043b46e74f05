//! Names of the Rust code that is generated for a route.

use std::collections::BTreeSet;

use kit_ir::{BodyFormat, Route};

use crate::middleware::Middleware;
use crate::names;
use crate::names_by_status::ReplyNames;

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
    /// Enum with the formats of the request body: `PostOrdersBody`. `None` if the body has one format.
    pub(crate) union: Option<String>,
    /// Struct with the formats of the response: `GetReportContents`. `None` if the response has one format.
    pub(crate) contents: Option<String>,
    /// Types of the bodies of replies.
    pub(crate) replies: ReplyNames,
}

impl BodyNames {
    pub(crate) fn new(route: &Route, input: &str, taken: &mut BTreeSet<String>) -> Self {
        let choices = route.body_format.choices(None);
        let is_multipart = |format: &BodyFormat| matches!(format, BodyFormat::Multipart { .. });
        let has_parts = choices.iter().any(|choice| is_multipart(&choice.format));
        let has_events = route.response_format.events().is_some();
        let mut unique = |wanted: String| names::unique_type(wanted, taken);
        Self {
            parts: has_parts.then(|| unique(format!("{input}Parts"))),
            event: has_events.then(|| unique(format!("{input}Event"))),
            union: (route.body_format.is_union()).then(|| unique(format!("{input}Body"))),
            contents: (route.response_format.is_union()).then(|| unique(format!("{input}Contents"))),
            replies: ReplyNames::new(&route.replies, input, taken),
        }
    }
}
