//! References of entities to rows of other entities (foreign keys), from `@references`.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A reference by several properties, from `@references (a, b) Entity (c, d)` on an interface.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EntityReference {
    /// Names of the referring properties.
    pub properties: Vec<String>,
    /// Name of the entity that the properties refer to.
    pub entity: String,
    /// Names of the properties of that entity, in the order of `properties`.
    pub targets: Vec<String>,
    /// Effects of changes of the row to which the properties refer.
    #[serde(flatten)]
    pub actions: ReferentialActions,
}

/// Effects of changes of a row on the rows that refer to the row.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReferentialActions {
    /// Effect if the row is deleted.
    #[serde(default)]
    pub on_delete: ReferentialAction,
    /// Effect if the values to which the rows refer change.
    #[serde(default, skip_serializing_if = "ReferentialAction::is_default")]
    pub on_update: ReferentialAction,
}

impl fmt::Display for ReferentialActions {
    /// Writes the actions as in the tag, with a space before each: ` cascade on update restrict`. Omits the default.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.on_delete.is_default() {
            write!(f, " {}", self.on_delete.name())?;
        }
        if !self.on_update.is_default() {
            write!(f, " on update {}", self.on_update.name())?;
        }
        Ok(())
    }
}

/// Effect of a change of a row on the rows that refer to the row, as in SQL (a referential action).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ReferentialAction {
    /// The database refuses the change if rows still refer to the old row at the end of the statement or transaction.
    #[default]
    NoAction,
    /// The database also deletes or updates the rows that refer to the row.
    Cascade,
    /// The database sets the columns that refer to the row to null.
    SetNull,
    /// The database refuses the change at once if rows refer to the row.
    Restrict,
}

impl ReferentialAction {
    /// All actions, in the order of the documentation.
    pub const ALL: [Self; 4] = [Self::Cascade, Self::SetNull, Self::Restrict, Self::NoAction];

    /// Returns the name of the action in a tag, which is also the name in SQL.
    ///
    /// ```
    /// use kit_ir::ReferentialAction;
    ///
    /// assert_eq!(ReferentialAction::SetNull.name(), "set null");
    /// ```
    pub fn name(self) -> &'static str {
        match self {
            Self::NoAction => "no action",
            Self::Cascade => "cascade",
            Self::SetNull => "set null",
            Self::Restrict => "restrict",
        }
    }

    /// Returns the action with the given name; `None` if there is no such action.
    ///
    /// ```
    /// use kit_ir::ReferentialAction;
    ///
    /// assert_eq!(ReferentialAction::from_name("cascade"), Some(ReferentialAction::Cascade));
    /// ```
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|action| action.name() == name)
    }

    /// Returns true for `no action`, which tags and SQL may omit.
    ///
    /// ```
    /// assert!(kit_ir::ReferentialAction::NoAction.is_default());
    /// ```
    #[allow(clippy::trivially_copy_pass_by_ref)] // the type of `skip_serializing_if`
    pub fn is_default(&self) -> bool {
        *self == Self::NoAction
    }
}
