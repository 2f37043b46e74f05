//! Recording of failed requests.

use serde_json::{Map, Value};

use super::history::history;
use super::recording::Fault;
use crate::Error;
use crate::http::Context;

/// Records the error of a request: the fields of the error body in development, with method and path.
pub(crate) fn failed(context: &Context, error: &Error) {
    let Some(history) = history() else { return };
    let recorded = context.recorded();
    if !recorded.is_kept() {
        return;
    }
    let phase = error.phase_of(context).to_string();
    recorded.set_fault(Fault {
        code: error.code().to_owned(),
        name: error.kind(),
        message: error.log_message(),
        phase,
    });
    history.failed(context.request_id(), context.segments(), || {
        description(context, error)
    });
}

/// Returns the description as JSON, in the form of `ErrorRecord` in `packages/types/src/observe.ts`.
fn description(context: &Context, error: &Error) -> String {
    let mut fields = match error.description(context) {
        Value::Object(fields) => fields,
        _ => Map::new(),
    };
    for name in ["server", "serverAdapter"] {
        fields.remove(name);
    }
    fields.insert("message".to_owned(), error.log_message().into());
    fields.insert("method".to_owned(), context.method().as_str().into());
    fields.insert("path".to_owned(), context.shown_path().into());
    if !fields.contains_key("route") {
        fields.insert("route".to_owned(), Value::Null);
    }
    if let Some(stack) = fields
        .get("details")
        .and_then(|details| details.get("stack"))
        .cloned()
    {
        fields.insert("stack".to_owned(), stack);
    }
    serde_json::to_string(&fields).unwrap_or_default()
}
