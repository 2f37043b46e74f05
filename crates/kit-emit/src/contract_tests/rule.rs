//! A rule of a type, with a value for a row of a contract test.

use serde_json::Value;

/// Step from a value to one of its parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Step {
    Key(String),
    Index(usize),
}

/// Value of a request at the path of a rule.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum RequestValue {
    /// No value: the property is missing.
    Missing,
    /// The given value.
    Value(Value),
    /// A value that contains itself, with the given number of levels.
    Nested {
        sample: Value,
        way: Vec<Step>,
        levels: usize,
    },
}

/// Expected result of a request.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Outcome {
    /// The request is accepted. If the path has no value, the handler gets `fills` instead.
    Accepted { fills: Option<Value> },
    /// The request is refused with a failure at the path, or, if `within` is true, below the path.
    Refused { within: bool },
}

/// A rule of a type. The path is relative to a value of the type.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Rule {
    pub(super) path: Vec<Step>,
    pub(super) what: String,
    pub(super) given: RequestValue,
    pub(super) outcome: Outcome,
    /// True if the value breaks a format or a pattern, which only the runtime can check reliably.
    pub(super) runtime_only: bool,
}

impl Rule {
    pub(super) fn takes(what: impl Into<String>, value: Value) -> Self {
        Self {
            path: Vec::new(),
            what: what.into(),
            given: RequestValue::Value(value),
            outcome: Outcome::Accepted { fills: None },
            runtime_only: false,
        }
    }

    pub(super) fn refuses(what: impl Into<String>, value: Value) -> Self {
        Self {
            outcome: Outcome::Refused { within: false },
            ..Self::takes(what, value)
        }
    }

    /// Marks the rule as one that only the runtime can check reliably.
    pub(super) fn runtime_only(mut self) -> Self {
        self.runtime_only = true;
        self
    }

    pub(super) fn is_refusal(&self) -> bool {
        matches!(self.outcome, Outcome::Refused { .. })
    }

    pub(super) fn below(mut self, step: Step) -> Self {
        self.path.insert(0, step);
        self
    }
}

/// Origin of a value in a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ValueOrigin {
    /// JSON body.
    Body,
    /// Query string, in which a name may be repeated.
    Query,
    /// Segment of a path.
    Params,
}

impl ValueOrigin {
    pub(super) fn is_text(self) -> bool {
        self != Self::Body
    }
}
