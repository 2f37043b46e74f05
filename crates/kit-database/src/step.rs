//! Planned changes with their risk.

use serde::{Deserialize, Serialize};

use crate::Change;

/// A change with its effect on existing rows and on programs that use the database while the migration runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PlannedChange {
    /// The change.
    #[serde(flatten)]
    pub change: Change,
    /// Risk class of the change. `Safe` if the file was written by an earlier version of kit, which recorded no class.
    #[serde(default)]
    pub class: ChangeClass,
    /// Reason for the class, as a sentence.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// Another way to get the same result with less risk. `None` if kit knows no other way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alternative: Option<Alternative>,
}

/// Risk class of a change: the worst effect that the change can have.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ChangeClass {
    /// Existing values cannot make the change fail, no value is lost, and the change is done at once.
    #[default]
    Safe,
    /// Existing values cannot make the change fail and no value is lost, but other sessions wait for a time that grows
    /// with the table.
    Locks,
    /// The change fails, and changes nothing, if existing rows do not satisfy it.
    NeedsData,
    /// The change loses stored values for good.
    Destructive,
}

impl ChangeClass {
    /// Returns the name of the class in words: `needs data`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Safe => "safe",
            Self::Locks => "locks",
            Self::NeedsData => "needs data",
            Self::Destructive => "destructive",
        }
    }
}

/// A way to get the same result with less risk than the planned change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Alternative {
    /// Advantage over the planned change, as a sentence.
    pub summary: String,
    /// SQL statements and instructions for the user, in order. Each statement runs in its own transaction, or outside
    /// of a transaction if PostgreSQL requires that (`CONCURRENTLY`).
    pub steps: Vec<String>,
}

impl PlannedChange {
    /// Returns true if the step loses stored values for good.
    pub fn is_destructive(&self) -> bool {
        self.class == ChangeClass::Destructive || self.change.is_destructive()
    }

    /// Returns a short description of the change, with its class unless that is `safe`.
    pub fn summary(&self) -> String {
        match self.class {
            ChangeClass::Safe => self.change.summary(),
            class => format!("{} ({})", self.change.summary(), class.name()),
        }
    }
}

/// Risk class, reason and alternative, which become a [`PlannedChange`] together with a change.
pub(crate) struct Classification {
    class: ChangeClass,
    reason: String,
    alternative: Option<Alternative>,
}

impl Classification {
    pub(crate) fn new(class: ChangeClass, reason: impl Into<String>) -> Self {
        Self {
            class,
            reason: reason.into(),
            alternative: None,
        }
    }

    /// Adds an alternative.
    pub(crate) fn with_alternative<const N: usize>(self, summary: &str, steps: [String; N]) -> Self {
        Self {
            alternative: Some(Alternative {
                summary: summary.to_owned(),
                steps: steps.into(),
            }),
            ..self
        }
    }

    pub(crate) fn of(self, change: Change) -> PlannedChange {
        PlannedChange {
            change,
            class: self.class,
            reason: self.reason,
            alternative: self.alternative,
        }
    }
}
