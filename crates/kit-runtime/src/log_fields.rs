//! Fields of events and spans of `tracing`, with hidden values replaced.

use std::fmt;

use serde_json::{Map, Value, json};
use tracing::Metadata;
use tracing::field::{Field, Visit};

use crate::redact::redactor;

/// Fields of an event or a span: its message, and all other fields as `data`. The fields are stored with hidden
/// values already replaced.
#[derive(Default)]
pub(crate) struct Fields {
    pub(crate) message: String,
    pub(crate) data: Map<String, Value>,
    /// True if the runtime itself writes the fields.
    pub(crate) is_of_runtime: bool,
}

impl Fields {
    /// Creates the fields of an event.
    pub(crate) fn of_event(metadata: &Metadata<'_>) -> Self {
        let module = metadata.module_path().unwrap_or_default();
        Self {
            is_of_runtime: module.starts_with("kit_runtime::"),
            ..Self::default()
        }
    }

    /// Returns the fields, with the message as a field named `message`.
    pub(crate) fn into_data(mut self) -> Map<String, Value> {
        if !self.message.is_empty() {
            self.data.insert("message".to_owned(), json!(self.message));
        }
        self.data
    }

    fn insert(&mut self, field: &Field, value: Value) {
        let value = if self.is_of_runtime {
            redactor().value_of_runtime(field.name(), value)
        } else {
            redactor().value(field.name(), value)
        };
        self.data.insert(field.name().to_owned(), value);
    }
}

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        let text = format!("{value:?}");
        if field.name() == "message" {
            self.message = redactor().text(&text).into_owned();
        } else {
            let value = redactor().debug_value(field.name(), &text);
            self.data.insert(field.name().to_owned(), value);
        }
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() == "message" {
            self.message = redactor().text(value).into_owned();
        } else {
            self.insert(field, json!(value));
        }
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.insert(field, json!(value));
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.insert(field, json!(value));
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.insert(field, json!(value));
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.insert(field, json!(value));
    }
}
