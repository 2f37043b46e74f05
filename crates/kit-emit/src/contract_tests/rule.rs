//! A rule of a type, as a row of a contract test shows it.

use serde_json::Value;

/// One step into a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Step {
    Key(String),
    Index(usize),
}

/// What a request has at the path of a rule.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Given {
    /// Nothing.
    Missing,
    /// This.
    Value(Value),
    /// A value within itself, so many times.
    Nested {
        sample: Value,
        way: Vec<Step>,
        levels: usize,
    },
}

/// What must come of it.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Outcome {
    /// It is taken; where the path has nothing, the handler gets this in its place.
    Takes { fills: Option<Value> },
    /// It is refused at its path; `within`: or at what is below it.
    Refuses { within: bool },
}

/// A rule of a type, seen from a value of it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Rule {
    pub(super) path: Vec<Step>,
    pub(super) what: String,
    pub(super) given: Given,
    pub(super) outcome: Outcome,
}

impl Rule {
    pub(super) fn takes(what: impl Into<String>, value: Value) -> Self {
        Self {
            path: Vec::new(),
            what: what.into(),
            given: Given::Value(value),
            outcome: Outcome::Takes { fills: None },
        }
    }

    pub(super) fn refuses(what: impl Into<String>, value: Value) -> Self {
        Self {
            outcome: Outcome::Refuses { within: false },
            ..Self::takes(what, value)
        }
    }

    pub(super) fn is_refusal(&self) -> bool {
        matches!(self.outcome, Outcome::Refuses { .. })
    }

    pub(super) fn below(mut self, step: Step) -> Self {
        self.path.insert(0, step);
        self
    }
}

/// Where values come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    /// JSON.
    Body,
    /// Text with names; a name may be repeated.
    Query,
    /// Text of a path's segment.
    Params,
}

impl Source {
    pub(super) fn is_text(self) -> bool {
        self != Self::Body
    }
}
