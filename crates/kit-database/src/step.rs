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

/// Effect of a change for which a pipeline can stop. A change can have several.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Risk {
    /// Stored values are lost for good.
    Destructive,
    /// The change fails if existing rows do not satisfy the change.
    NeedsData,
    /// Other sessions wait for a time that grows with the table.
    Locks,
    /// An application that was built before the change can fail after the change.
    BreaksRunningApp,
}

impl Risk {
    /// All risks, in the order in which they are listed.
    pub const ALL: [Self; 4] = [
        Self::Destructive,
        Self::NeedsData,
        Self::Locks,
        Self::BreaksRunningApp,
    ];

    /// Returns the name of the risk in JSON and on the command line: `needsData`.
    pub fn id(self) -> &'static str {
        match self {
            Self::Destructive => "destructive",
            Self::NeedsData => "needsData",
            Self::Locks => "locks",
            Self::BreaksRunningApp => "breaksRunningApp",
        }
    }

    /// Returns the name of the risk in words: `needs data`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Destructive => "destructive",
            Self::NeedsData => "needs data",
            Self::Locks => "locks",
            Self::BreaksRunningApp => "breaks the running application",
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

    /// Returns true if an application that was built before the change can fail after the change: its queries are wrong, or it
    /// writes rows that the database then refuses.
    pub fn breaks_running_app(&self) -> bool {
        // Rows that make the change fail are rows that this application wrote.
        self.class == ChangeClass::NeedsData || self.change.breaks_running_app()
    }

    /// Returns true if a release from before the change may not work with rows of a later release: the release
    /// [fails](Self::breaks_running_app), or it may read null or values that it does not know.
    pub fn breaks_older_releases(&self) -> bool {
        self.breaks_running_app() || self.change.allows_unknown_values()
    }

    /// Returns the risks of the change; empty if the change is safe.
    pub fn risks(&self) -> Vec<Risk> {
        let class = match self.class {
            ChangeClass::Safe => None,
            ChangeClass::Locks => Some(Risk::Locks),
            ChangeClass::NeedsData => Some(Risk::NeedsData),
            ChangeClass::Destructive => Some(Risk::Destructive),
        };
        let mut risks: Vec<Risk> = self
            .change
            .is_destructive()
            .then_some(Risk::Destructive)
            .into_iter()
            .collect();
        risks.extend(class.filter(|class| !risks.contains(class)));
        risks.extend(self.breaks_running_app().then_some(Risk::BreaksRunningApp));
        risks
    }

    /// Returns a short description of the change, with its risks.
    pub fn summary(&self) -> String {
        let risks: Vec<&str> = self.risks().into_iter().map(Risk::name).collect();
        if risks.is_empty() {
            self.change.summary()
        } else {
            format!("{} ({})", self.change.summary(), risks.join(", "))
        }
    }
}

/// Returns the alternative for a change that two halves can make; `None` for other changes.
fn two_halves(change: &Change) -> Option<Alternative> {
    // The two builds cannot have different policies or defaults.
    let is_possible = change.breaks_running_app()
        && !matches!(change, Change::DropTenant { .. } | Change::DropDefault { .. });
    // One column cannot have a type for each build.
    let first = match change {
        Change::SetType { column, .. } => Some(format!(
            "write `@column {column}_next @renamedFrom {column}` on the property, so that each build has a column of its type"
        )),
        _ => None,
    };
    let command = "kit migrate:generate --expand --name <name>".to_owned();
    is_possible.then(|| Alternative {
        summary: "the running application and the next one work side by side".to_owned(),
        steps: first.into_iter().chain([command]).collect(),
    })
}

/// Risk class, reason and alternative, which become a [`PlannedChange`] together with a change.
pub(crate) struct Classification {
    class: ChangeClass,
    reason: String,
    alternative: Option<Alternative>,
    /// True if two halves cannot make the change.
    is_undivided: bool,
}

impl Classification {
    pub(crate) fn new(class: ChangeClass, reason: impl Into<String>) -> Self {
        Self {
            class,
            reason: reason.into(),
            alternative: None,
            is_undivided: false,
        }
    }

    /// Marks a change that two halves cannot make, if `is_undivided` is true.
    pub(crate) fn undivided(self, is_undivided: bool) -> Self {
        Self { is_undivided, ..self }
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
        let halves = if self.is_undivided {
            None
        } else {
            two_halves(&change)
        };
        let alternative = self.alternative.or(halves);
        PlannedChange {
            change,
            class: self.class,
            reason: self.reason,
            alternative,
        }
    }
}
