//! Properties of object types, and what their doc comments say beyond constraints.

use serde::{Deserialize, Serialize};

use crate::{LiteralValue, Span, TypeId};

/// A property of an object type. It keeps its tags through `Pick`, `Omit`, `Partial` and other homomorphic mappings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Property {
    /// The key, exactly as in JSON.
    pub name: String,
    /// Its type, constraints included.
    pub r#type: TypeId,
    /// `?`: the property may be absent. An explicit `undefined` in TypeScript is the same as absent here.
    pub optional: bool,
    /// What the doc comment says.
    #[serde(default)]
    pub documentation: Documentation,
    /// What the tags say about the property's role.
    #[serde(default)]
    pub tags: PropertyTags,
    /// Where it was written.
    pub span: Span,
}

impl Property {
    /// Whether a request may leave it out: it is optional, has a default that is filled in, or is made by the system.
    pub fn optional_in_input(&self) -> bool {
        self.optional || self.tags.default.is_some() || self.tags.generated.is_some()
    }
}

/// Text and hints for people.
#[derive(Debug, Clone, Default, PartialEq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Documentation {
    /// The comment's free text, as Markdown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// `@deprecated`, with its reason or an empty text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deprecated: Option<String>,
    /// `@example`s in wire form: JSON text where it parses as JSON, else a JSON string of the text.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<String>,
}

/// What a property is for.
#[derive(Debug, Clone, Default, PartialEq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PropertyTags {
    /// `@id`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub id: bool,
    /// `@generated [kind]`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub generated: Option<GeneratedKind>,
    /// `@onUpdate now`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub on_update_now: bool,
    /// `@default value`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<DefaultValue>,
    /// `@unique`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unique: bool,
    /// `@index`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub index: bool,
    /// `@sensitive`: its values never appear in logs, spans or error bodies.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub sensitive: bool,
    /// `@references Entity.field`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub references: Option<ReferenceTarget>,
    /// `@column name`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<String>,
    /// `@renamedFrom name`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub renamed_from: Option<String>,
}

/// What makes a generated value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum GeneratedKind {
    /// A random UUID (version 4).
    Uuid,
    /// The current time.
    Now,
    /// The tag had no argument: the database's own default for the column.
    Unspecified,
}

/// The value of `@default`.
#[derive(Debug, Clone, PartialEq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "kind", content = "value")]
pub enum DefaultValue {
    /// A JSON scalar that fits the type.
    Literal(LiteralValue),
    /// `null`, for a nullable property.
    Null,
    /// An array or object: its JSON text, normalized.
    Json(String),
    /// `now`, for a `Date`: the time of the request or the insert.
    Now,
}

/// The argument of `@references`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReferenceTarget {
    /// The entity's name.
    pub entity: String,
    /// The property of that entity.
    pub property: String,
    /// What deleting the target does.
    pub on_delete: Relation,
}

/// What happens to rows that refer to a deleted row (SQL's referential actions).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Relation {
    /// The delete is refused.
    #[default]
    NoAction,
    /// They are deleted too.
    Cascade,
    /// Their column becomes null.
    SetNull,
    /// The delete is refused at once.
    Restrict,
}
