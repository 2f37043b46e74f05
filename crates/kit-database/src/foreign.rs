//! Objects of a database that no entity describes: views, triggers, partial indexes, columns of other types.
//!
//! Hand-written SQL creates these objects, or an adopted database has them. A snapshot lists them in the form in which
//! PostgreSQL describes them, so that a comparison with a live database accepts them, and so that a plan does not break
//! them.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::qualified::schema_of;
use crate::sql::identifier;

/// Kind of an object of a database. The order is that in which a script can create objects that do not depend on each
/// other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ObjectKind {
    /// An extension.
    Extension,
    /// An enum, domain, range or composite type.
    Type,
    /// A sequence that does not belong to an identity column.
    Sequence,
    /// A function, procedure or aggregate.
    Function,
    /// A table with its settings: partitions, `UNLOGGED`, row security, storage parameters.
    Table,
    /// A comment.
    Comment,
    /// A column of a table.
    Column,
    /// A constraint of a table.
    Constraint,
    /// An index that belongs to no constraint.
    Index,
    /// A view or a materialized view.
    View,
    /// A rewrite rule of a table or view.
    Rule,
    /// A trigger.
    Trigger,
    /// A policy for row security.
    Policy,
    /// Extended statistics.
    Statistics,
    /// An object of another kind: a text search configuration, a collation, an operator, a foreign table.
    Other,
    /// A check that an entity implies and the adopted database does not have.
    Waived,
}

impl fmt::Display for ObjectKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Extension => "extension",
            Self::Type => "type",
            Self::Sequence => "sequence",
            Self::Function => "function",
            Self::Table => "table",
            Self::Comment => "comment",
            Self::Column => "column",
            Self::Constraint => "constraint",
            Self::Index => "index",
            Self::View => "view",
            Self::Rule => "rule",
            Self::Trigger => "trigger",
            Self::Policy => "policy",
            Self::Statistics => "statistics",
            Self::Other => "object",
            Self::Waived => "waived check",
        })
    }
}

/// An object of a database that no entity describes, or that differs from the description by its entity.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ForeignObject {
    /// Kind of the object.
    pub kind: ObjectKind,
    /// Name of the table or view to which the object belongs; `None` for an object of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<String>,
    /// Name of the object. For a comment, title of the described object.
    pub name: String,
    /// Definition as PostgreSQL describes the object. `None` if the object does not exist, although an entity implies
    /// the object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub definition: Option<String>,
    /// Objects on which the object depends: `table notes`, `column notes.title`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub uses: Vec<String>,
}

impl ForeignObject {
    /// Returns the extension `citext`, to which the type of `@storedAs citext` belongs.
    ///
    /// ```
    /// use kit_database::ForeignObject;
    ///
    /// assert_eq!(ForeignObject::citext().title(), "extension citext");
    /// ```
    pub fn citext() -> Self {
        Self {
            kind: ObjectKind::Extension,
            table: None,
            name: "citext".to_owned(),
            definition: Some("CREATE EXTENSION IF NOT EXISTS citext".to_owned()),
            uses: Vec::new(),
        }
    }

    /// Returns true if both values describe the same object, even if their definitions differ.
    pub fn is_same_object(&self, other: &Self) -> bool {
        (self.kind, &self.table, &self.name) == (other.kind, &other.table, &other.name)
    }

    /// Returns the kind, the name and the table: `index notes_title of notes`.
    ///
    /// ```
    /// use kit_database::{ForeignObject, ObjectKind};
    ///
    /// let index = ForeignObject {
    ///     kind: ObjectKind::Index,
    ///     table: Some("notes".to_owned()),
    ///     name: "notes_title".to_owned(),
    ///     definition: Some("CREATE INDEX ON notes USING gin (title)".to_owned()),
    ///     uses: vec!["column notes.title".to_owned()],
    /// };
    /// assert_eq!(index.title(), "index notes_title of notes");
    /// ```
    pub fn title(&self) -> String {
        let (kind, name) = (self.kind, &self.name);
        match &self.table {
            Some(table) if kind == ObjectKind::Column => format!("column {table}.{name}"),
            _ if kind == ObjectKind::Comment => format!("comment of {name}"),
            Some(table) => format!("{kind} {name} of {table}"),
            None if kind == ObjectKind::Other => name.clone(),
            None => format!("{kind} {name}"),
        }
    }

    /// Returns true for a sequence that PostgreSQL drops together with the table or column: `table notes`,
    /// `column notes.id`.
    pub(crate) fn is_owned_by(&self, owner: &str) -> bool {
        let definition = self.definition.as_deref().unwrap_or_default();
        let Some((_, column)) = definition.split_once(" OWNED BY ") else {
            return false;
        };
        let names: Vec<String> = owner
            .split_once(' ')
            .map_or("", |(_, name)| name)
            .split('.')
            .map(identifier)
            .collect();
        let name = names.join(".");
        self.kind == ObjectKind::Sequence && (column == name || column.starts_with(&format!("{name}.")))
    }

    /// Returns the schema of the object, or of its table; `None` for the first schema of the `search_path`, and for extensions.
    ///
    /// ```
    /// use kit_database::{ForeignObject, ObjectKind};
    ///
    /// let view = ForeignObject {
    ///     kind: ObjectKind::View,
    ///     table: None,
    ///     name: "billing.open_invoices".to_owned(),
    ///     definition: None,
    ///     uses: Vec::new(),
    /// };
    /// assert_eq!(view.schema().as_deref(), Some("billing"));
    /// assert_eq!(ForeignObject::citext().schema(), None);
    /// ```
    pub fn schema(&self) -> Option<String> {
        let name = match (&self.table, self.kind) {
            (Some(table), _) => table.as_str(),
            (None, ObjectKind::Extension | ObjectKind::Other | ObjectKind::Comment) => return None,
            // The types of a function's arguments have schemas too.
            (None, _) => self.name.split('(').next().unwrap_or_default(),
        };
        schema_of(name).map(Cow::into_owned)
    }

    /// Returns true if the object belongs to the table.
    pub(crate) fn belongs_to(&self, table: &str) -> bool {
        self.table.as_deref() == Some(table) || (self.kind == ObjectKind::Table && self.name == table)
    }
}

/// Returns the column if `used` names a column of the table: `title` of `column notes.title`.
pub(crate) fn column_of<'a>(used: &'a str, table: &str) -> Option<&'a str> {
    let column = used
        .strip_prefix("column ")?
        .strip_prefix(table)?
        .strip_prefix('.')?;
    // `column a.b.c` is a column of the table `a.b`, not of the table `a`.
    (schema_of(table).is_some() || !column.contains('.')).then_some(column)
}
