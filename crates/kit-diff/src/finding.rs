//! Places at which values of one type do not fit another.

use kit_ir::Span;
use serde_json::Value;

use crate::graph::State;

/// A place at which a value does not fit.
#[derive(Debug, Clone)]
pub(crate) struct Finding {
    pub(crate) rule: &'static str,
    /// Place in the slot, such as `.items[].price`.
    pub(crate) place: String,
    pub(crate) message: String,
    pub(crate) certain: bool,
    /// Value at the place; `None` if the property is absent.
    pub(crate) value: Option<Value>,
    /// Complete value of the slot.
    pub(crate) whole: Option<Value>,
    pub(crate) spans: Spans,
}

/// Locations of a place in the two states.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Spans {
    pub(crate) old: Option<Span>,
    pub(crate) new: Option<Span>,
}

impl Spans {
    /// Replaces the location in one state.
    pub(crate) fn with(mut self, state: State, span: Option<Span>) -> Self {
        let place = match state {
            State::Old => &mut self.old,
            State::New => &mut self.new,
        };
        *place = span.or(*place);
        self
    }
}

/// Returns the path of a property after the path of its object: `.title` or `["a b"]`.
pub(crate) fn property_path(name: &str) -> String {
    if kit_analysis::is_identifier(name) {
        format!(".{name}")
    } else {
        format!("[{}]", kit_analysis::string_literal(name))
    }
}
