//! A rule of a type, with a value that satisfies or breaks it. Each rule becomes a row in a table
//! of a contract test.

use serde_json::Value;

/// One step from a value to a value inside of it: a property, or an item of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Step {
    Key(String),
    Index(usize),
}

/// Value that a test puts into a request at the path of a rule.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum RequestValue {
    /// No value: the property is missing.
    Missing,
    /// This value, which satisfies or breaks the rule.
    Value(Value),
    /// A value of a recursive type, nested to the given number of levels.
    Nested {
        sample: Value,
        steps: Vec<Step>,
        levels: usize,
    },
}

/// Expected result of a request.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Outcome {
    /// The request is accepted. If it contains no value at the path, the handler gets the default
    /// in `fills`.
    Accepted { fills: Option<Value> },
    /// The request is refused with a failure. The failure is at the path, or below it if `may_be_below`
    /// is true.
    Refused { may_be_below: bool },
}

/// A rule of a type. Its path starts at a value of the type.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Rule {
    pub(super) path: Vec<Step>,
    pub(super) description: String,
    pub(super) given: RequestValue,
    pub(super) outcome: Outcome,
    /// True if the value breaks a format or a pattern. Only the validators of the running server can check
    /// formats and patterns reliably.
    pub(super) runtime_only: bool,
}

impl Rule {
    pub(super) fn accepts(description: impl Into<String>, value: Value) -> Self {
        Self {
            path: Vec::new(),
            description: description.into(),
            given: RequestValue::Value(value),
            outcome: Outcome::Accepted { fills: None },
            runtime_only: false,
        }
    }

    pub(super) fn refuses(description: impl Into<String>, value: Value) -> Self {
        Self {
            outcome: Outcome::Refused { may_be_below: false },
            ..Self::accepts(description, value)
        }
    }

    /// Marks the rule as a rule that only the validators of the running server can check reliably.
    pub(super) fn runtime_only(mut self) -> Self {
        self.runtime_only = true;
        self
    }

    pub(super) fn is_refusal(&self) -> bool {
        matches!(self.outcome, Outcome::Refused { .. })
    }

    /// Returns the same rule with a path that starts one level higher. `step` leads from the parent to the
    /// value.
    pub(super) fn below(mut self, step: Step) -> Self {
        self.path.insert(0, step);
        self
    }
}

/// Part of a request from which a value comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ValueOrigin {
    /// JSON body.
    Body,
    /// Query string. A name may occur several times.
    Query,
    /// Path of the request, in which each parameter is one segment.
    Params,
    /// Request headers. A test can send only ASCII text without blanks around it.
    Headers,
    /// Cookies of the request, percent-encoded.
    Cookies,
}

impl ValueOrigin {
    pub(super) fn is_text(self) -> bool {
        self != Self::Body
    }
}

/// Formats a path as in validation failures: `$.items[0].quantity`.
pub(super) fn path(steps: &[Step]) -> String {
    let mut text = "$".to_owned();
    for step in steps {
        match step {
            Step::Index(index) => text.extend(["[", &index.to_string(), "]"]),
            Step::Key(key) => {
                let mut bytes = key.bytes();
                let plain = bytes
                    .next()
                    .is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
                    && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
                if plain {
                    text.push('.');
                    text.push_str(key);
                } else {
                    // Quoted and escaped like `JSON.stringify`.
                    text.extend(["[", &Value::from(key.as_str()).to_string(), "]"]);
                }
            }
        }
    }
    text
}
