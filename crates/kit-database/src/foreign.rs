//! Objects of a database that no entity describes: views, triggers, partial indexes, columns of other types.
//!
//! Hand-written SQL creates these objects, or an adopted database has them. A snapshot lists them in the form in which
//! PostgreSQL describes them, so that a comparison with a live database accepts them, and so that a plan does not break
//! them.

use std::fmt::{self, Write as _};

use kit_ir::{LiteralValue, ReferentialAction};
use serde::{Deserialize, Serialize};

use crate::sql::{identifier, string_literal};
use crate::{
    Check, Column, ColumnDefault, ColumnSource, ColumnType, ForeignKey, Index, Rule, Unique, ValueType,
};

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

    /// Returns true if the object belongs to the table.
    pub(crate) fn belongs_to(&self, table: &str) -> bool {
        self.table.as_deref() == Some(table) || (self.kind == ObjectKind::Table && self.name == table)
    }
}

/// Returns the definition of a column as PostgreSQL describes the column:
/// `character varying(200) DEFAULT 'x'::character varying NOT NULL`.
pub(crate) fn column_definition(column: &Column) -> String {
    let mut text = type_name(column.r#type);
    match &column.default {
        None => {}
        Some(ColumnDefault::Identity) => text.push_str(" GENERATED BY DEFAULT AS IDENTITY"),
        Some(default) => {
            text.push_str(" DEFAULT ");
            text.push_str(&default_expression(default, column.r#type));
        }
    }
    if !column.nullable {
        text.push_str(" NOT NULL");
    }
    text
}

impl Column {
    /// Returns the column with the type, default and nullability of a definition as PostgreSQL describes columns.
    /// Returns `None` if kit has no such type or default.
    ///
    /// ```
    /// use kit_database::{Column, ColumnType};
    ///
    /// let column = Column::of_definition("title", "character varying(200) NOT NULL").unwrap();
    /// assert_eq!(column.r#type, ColumnType::Varchar { length: 200 });
    /// assert!(!column.nullable && column.default.is_none());
    /// assert!(Column::of_definition("place", "point").is_none());
    /// ```
    pub fn of_definition(name: &str, definition: &str) -> Option<Self> {
        let (rest, nullable) = match definition.strip_suffix(" NOT NULL") {
            Some(rest) => (rest, false),
            None => (definition, true),
        };
        let (r#type, default) = match rest.split_once(" DEFAULT ") {
            Some((r#type, default)) => (r#type, Some(default)),
            None => match rest.strip_suffix(" GENERATED BY DEFAULT AS IDENTITY") {
                Some(r#type) => (r#type, Some("")),
                None => (rest, None),
            },
        };
        let r#type = column_type(r#type)?;
        let default = match default {
            None => None,
            Some("") => Some(ColumnDefault::Identity),
            Some(text) => Some(default_of(text, r#type)?),
        };
        let column = Self {
            name: name.to_owned(),
            r#type,
            nullable,
            default,
            comment: None,
            source: ColumnSource::default(),
        };
        (column_definition(&column) == definition).then_some(column)
    }

    /// Returns the column with the type, default and nullability of a definition as PostgreSQL describes columns. Keeps
    /// the rest of the column. Returns `None` if kit has no such type or default.
    ///
    /// ```
    /// use kit_database::Column;
    ///
    /// let column = Column::of_definition("title", "text NOT NULL").unwrap();
    /// assert!(column.with_definition("text").unwrap().nullable);
    /// ```
    #[must_use]
    pub fn with_definition(&self, definition: &str) -> Option<Self> {
        let found = Self::of_definition(&self.name, definition)?;
        // `bigint` has two types in TypeScript.
        let r#type = if found.r#type.is_stored_as(self.r#type) {
            self.r#type
        } else {
            found.r#type
        };
        Some(Self {
            r#type,
            nullable: found.nullable,
            default: found.default,
            ..self.clone()
        })
    }
}

/// Returns the column type with a name of PostgreSQL's `format_type`.
fn column_type(name: &str) -> Option<ColumnType> {
    if let Some(length) = name
        .strip_prefix("character varying(")
        .and_then(|rest| rest.strip_suffix(')'))
    {
        return Some(ColumnType::Varchar {
            length: length.parse().ok()?,
        });
    }
    [
        ColumnType::Uuid,
        ColumnType::Text,
        ColumnType::Boolean,
        ColumnType::Integer,
        ColumnType::BigInt,
        ColumnType::DoublePrecision,
        ColumnType::Timestamp,
        ColumnType::Timestamptz,
        ColumnType::Jsonb,
        ColumnType::Bytes,
    ]
    .into_iter()
    .find(|candidate| type_name(*candidate) == name)
}

/// Returns the default with an expression as PostgreSQL prints it. The caller compares the printed default with the
/// expression.
fn default_of(text: &str, r#type: ColumnType) -> Option<ColumnDefault> {
    if text == "gen_random_uuid()" {
        return Some(ColumnDefault::RandomUuid);
    }
    if text == "now()" || text == "CURRENT_TIMESTAMP" {
        return Some(ColumnDefault::Now);
    }
    if text == "true" || text == "false" {
        return Some(ColumnDefault::Literal(LiteralValue::Boolean(text == "true")));
    }
    let quoted = text
        .strip_prefix('\'')
        .and_then(|rest| rest.rsplit_once("'::"))
        .map(|(value, _)| value.replace("''", "'"));
    let plain = quoted.clone().unwrap_or_else(|| text.to_owned());
    match r#type {
        ColumnType::Jsonb => quoted.map(ColumnDefault::Json),
        ColumnType::BigIntExact => Some(ColumnDefault::Literal(LiteralValue::BigInt(plain))),
        ColumnType::Integer | ColumnType::BigInt | ColumnType::DoublePrecision => {
            let number = serde_json::from_str(&plain).ok()?;
            Some(ColumnDefault::Literal(LiteralValue::Number(number)))
        }
        _ => quoted.map(|value| ColumnDefault::Literal(LiteralValue::String(value))),
    }
}

/// Returns the name that PostgreSQL's `format_type` gives a type.
fn type_name(r#type: ColumnType) -> String {
    match r#type {
        ColumnType::Varchar { length } => format!("character varying({length})"),
        ColumnType::Timestamp => "timestamp without time zone".to_owned(),
        ColumnType::Timestamptz => "timestamp(3) with time zone".to_owned(),
        other => other.to_string(),
    }
}

fn default_expression(default: &ColumnDefault, r#type: ColumnType) -> String {
    let base = type_name(r#type);
    let base = base.split('(').next().unwrap_or_default();
    match default {
        ColumnDefault::Literal(LiteralValue::String(text)) | ColumnDefault::Json(text) => {
            format!("{}::{base}", string_literal(text))
        }
        ColumnDefault::Literal(value) => {
            let text = crate::sql::literal(value);
            if text.starts_with('-') {
                format!("'{text}'::{base}")
            } else {
                text
            }
        }
        other => crate::sql::default(other),
    }
}

/// Returns the definition of a unique constraint as PostgreSQL describes the constraint.
pub(crate) fn unique_definition(unique: &Unique) -> String {
    let Unique { name: _, columns } = unique;
    format!("UNIQUE ({})", list(columns))
}

/// Returns the definition of a primary key as PostgreSQL describes the key.
pub(crate) fn primary_key_definition(columns: &[String]) -> String {
    format!("PRIMARY KEY ({})", list(columns))
}

/// Returns the definition of a foreign key as PostgreSQL describes the key.
pub(crate) fn foreign_key_definition(key: &ForeignKey) -> String {
    // A new field must become part of the definition.
    let ForeignKey {
        name: _,
        column,
        table,
        target,
        on_delete,
    } = key;
    let action = match on_delete {
        ReferentialAction::NoAction => "",
        ReferentialAction::Restrict => " ON DELETE RESTRICT",
        ReferentialAction::Cascade => " ON DELETE CASCADE",
        ReferentialAction::SetNull => " ON DELETE SET NULL",
    };
    format!(
        "FOREIGN KEY ({}) REFERENCES {}({}){action}",
        identifier(column),
        identifier(table),
        identifier(target)
    )
}

/// Returns the definition of an index as PostgreSQL describes the index, without its name.
pub(crate) fn index_definition(table: &str, index: &Index) -> String {
    let method = index.method.map_or("btree", kit_ir::IndexMethod::name);
    let mut text = format!(
        "CREATE {}INDEX ON {} USING {method} ({})",
        if index.unique { "UNIQUE " } else { "" },
        identifier(table),
        crate::sql::index_columns(index)
    );
    if !index.include.is_empty() {
        let _ = write!(text, " INCLUDE ({})", list(&index.include));
    }
    // PostgreSQL may spell the condition in another way. Then the index counts as another one.
    if let Some(condition) = &index.condition {
        let _ = write!(text, " WHERE ({condition})");
    }
    text
}

fn list(columns: &[String]) -> String {
    let names: Vec<String> = columns.iter().map(|name| identifier(name)).collect();
    names.join(", ")
}

/// Returns the definition of a check as PostgreSQL describes the check, for the rules and types whose form is simple: lists
/// of texts, and ranges of integers.
pub(crate) fn check_definition(check: &Check, r#type: ColumnType) -> Option<String> {
    let name = identifier(&check.column);
    let condition = match &check.rule {
        Rule::Values(values) if r#type == ColumnType::Text => {
            let texts: Option<Vec<String>> = values
                .iter()
                .map(|value| match value {
                    LiteralValue::String(text) => Some(format!("{}::text", string_literal(text))),
                    _ => None,
                })
                .collect();
            match texts?.as_slice() {
                [one] => format!("{name} = {one}"),
                several => format!("{name} = ANY (ARRAY[{}])", several.join(", ")),
            }
        }
        Rule::Range(range) if r#type == ColumnType::Integer => {
            let bounds: Vec<String> = [
                (">=", range.minimum),
                (">", range.exclusive_minimum),
                ("<=", range.maximum),
                ("<", range.exclusive_maximum),
            ]
            .into_iter()
            .filter_map(|(sign, bound)| bound.map(|bound| (sign, bound.get())))
            .map(|(sign, bound)| {
                if bound < 0.0 {
                    format!("{name} {sign} '{bound}'::integer")
                } else {
                    format!("{name} {sign} {bound}")
                }
            })
            .collect();
            bounds.join(" AND ")
        }
        _ => return None,
    };
    Some(format!("CHECK ({condition})"))
}

/// Returns true if a column with this definition in PostgreSQL can store the values of a column of an entity, although the
/// types differ: the driver returns and accepts the same values for both.
pub(crate) fn stands_for(column: &Column, definition: &str) -> bool {
    let (rest, nullable) = match definition.strip_suffix(" NOT NULL") {
        Some(rest) => (rest, false),
        None => (definition, true),
    };
    if nullable != column.nullable || rest.contains(" GENERATED ALWAYS AS (") {
        return false;
    }
    let end = [" COLLATE ", " GENERATED ", " DEFAULT "]
        .iter()
        .filter_map(|part| rest.find(part))
        .min()
        .unwrap_or(rest.len());
    let base = &rest[..end];
    let name = base.split('(').next().unwrap_or_default();
    match column.r#type {
        ColumnType::Text | ColumnType::Varchar { .. } => {
            matches!(
                name,
                "text"
                    | "character varying"
                    | "character"
                    | "citext"
                    | "numeric"
                    | "date"
                    | "time"
                    | "inet"
                    | "cidr"
                    | "macaddr"
                    | "money"
                    | "bit"
                    | "xml"
                    | "tsvector"
                    | "ltree"
            ) || matches!(column.source.value, ValueType::OneOf(_)) && !type_is_known(name)
        }
        ColumnType::Integer | ColumnType::BigInt => matches!(name, "smallint" | "integer" | "bigint"),
        ColumnType::BigIntExact => name == "bigint",
        ColumnType::DoublePrecision => matches!(name, "real" | "double precision"),
        ColumnType::Timestamp | ColumnType::Timestamptz => {
            name == "timestamp" || base.starts_with("timestamp")
        }
        ColumnType::Jsonb => matches!(name, "json" | "jsonb"),
        other => type_name(other) == base,
    }
}

/// Returns true for the names of PostgreSQL's own scalar types, which no enum has.
fn type_is_known(name: &str) -> bool {
    matches!(
        name,
        "smallint"
            | "integer"
            | "bigint"
            | "real"
            | "double precision"
            | "boolean"
            | "uuid"
            | "json"
            | "jsonb"
            | "bytea"
            | "point"
            | "interval"
    ) || name.starts_with("timestamp")
        || name.ends_with("[]")
}
