//! How a change is judged before it runs.

use serde::{Deserialize, Serialize};

use crate::Change;

/// A change, and what it means for rows that are there and for programs that run meanwhile.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Step {
    /// What changes.
    #[serde(flatten)]
    pub change: Change,
    /// How it is judged. A file of an earlier kit has no judgement.
    #[serde(default)]
    pub class: Class,
    /// Why, in a sentence.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// How to come to the same end with less risk, where there is a way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alternative: Option<Alternative>,
}

/// How a change is judged: by the worst that it can do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Class {
    /// It cannot fail for what rows hold, loses nothing, and is done at once.
    #[default]
    Safe,
    /// It loses nothing and cannot fail for what rows hold, but keeps others waiting for a time that grows with the table.
    Locks,
    /// It fails, and changes nothing, where rows that are there do not fit.
    NeedsData,
    /// It loses stored values for good.
    Destructive,
}

impl Class {
    /// In words: `needs data`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Safe => "safe",
            Self::Locks => "locks",
            Self::NeedsData => "needs data",
            Self::Destructive => "destructive",
        }
    }
}

/// Another way to the same end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Alternative {
    /// What it is better for, in a sentence.
    pub summary: String,
    /// Statements, or what to do between them, in order. Each runs in a transaction of its own, or in none where PostgreSQL
    /// wants none (`CONCURRENTLY`).
    pub steps: Vec<String>,
}

impl Step {
    /// Whether stored values are lost for good.
    pub fn is_destructive(&self) -> bool {
        self.class == Class::Destructive || self.change.is_destructive()
    }

    /// The change in a few words, with its class where that is not `safe`.
    pub fn summary(&self) -> String {
        match self.class {
            Class::Safe => self.change.summary(),
            class => format!("{} ({})", self.change.summary(), class.name()),
        }
    }
}

/// What is known of a change apart from what it is.
pub(crate) struct Verdict {
    class: Class,
    reason: String,
    alternative: Option<Alternative>,
}

impl Verdict {
    pub(crate) fn new(class: Class, reason: impl Into<String>) -> Self {
        Self {
            class,
            reason: reason.into(),
            alternative: None,
        }
    }

    /// With another way.
    pub(crate) fn or<const N: usize>(self, summary: &str, steps: [String; N]) -> Self {
        Self {
            alternative: Some(Alternative {
                summary: summary.to_owned(),
                steps: steps.into(),
            }),
            ..self
        }
    }

    pub(crate) fn of(self, change: Change) -> Step {
        Step {
            change,
            class: self.class,
            reason: self.reason,
            alternative: self.alternative,
        }
    }
}
