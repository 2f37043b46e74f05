//! Properties of object types, with the parts of their doc comments that are not constraints.

use serde::{Deserialize, Serialize};

use crate::{EntityIndex, LiteralValue, ReferentialActions, Span, TypeId};

/// A property of an object type. The property keeps its doc tags in `Pick`, `Omit`, `Partial` and other
/// homomorphic mapped types.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Property {
    /// Key of the property, exactly as in JSON.
    pub name: String,
    /// Type of the property's value, including the constraints.
    pub r#type: TypeId,
    /// True if the property may be absent (`?`). A property whose type includes `undefined` counts as
    /// optional too.
    pub optional: bool,
    /// Description and hints from the doc comment.
    #[serde(default)]
    pub documentation: Documentation,
    /// Meaning of the property for the database and for logs, from its doc tags.
    #[serde(default)]
    pub tags: PropertyTags,
    /// Location of the property.
    pub span: Span,
}

impl Property {
    /// Returns true if a request may omit the property: it is optional, it has a default, or its value is
    /// generated.
    ///
    /// ```
    /// use kit_ir::Property;
    ///
    /// # let property = |tags: &str| serde_json::from_str::<Property>(&format!(
    /// #     r#"{{ "name": "title", "type": 0, "optional": false, "tags": {tags},
    /// #           "span": {{ "source": 0, "start": 0, "end": 0, "line": 1, "column": 1 }} }}"#,
    /// # )).unwrap();
    /// assert!(!property("{}").optional_in_input());
    /// assert!(property(r#"{ "generated": "uuid" }"#).optional_in_input());
    /// ```
    pub fn optional_in_input(&self) -> bool {
        self.optional || self.tags.default.is_some() || self.tags.generated.is_some()
    }
}

/// Description and hints for readers, from a doc comment.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Documentation {
    /// Text of the comment before its tags, as Markdown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Reason after `@deprecated`; an empty string if the tag has no reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deprecated: Option<String>,
    /// Values of `@example` as JSON texts. An argument that is not valid JSON becomes a JSON string.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<String>,
}

/// Doc tags of a property that are not rules for its value.
#[derive(Debug, Clone, Default, PartialEq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PropertyTags {
    /// True with `@id`: the property is the primary key, or a part of a composite primary key.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub id: bool,
    /// Way in which a missing value is generated, from `@generated [kind]`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub generated: Option<GeneratedKind>,
    /// True with `@onUpdate now`: each update of the row sets the property to the current time.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub on_update_now: bool,
    /// Value of an omitted property, from `@default value`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<DefaultValue>,
    /// True with `@unique`: no two rows have the same value.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unique: bool,
    /// True with `@index`: the column has an index.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub index: bool,
    /// True with `@index none`: a foreign key of the column has no index on purpose.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub no_index: bool,
    /// Indexes of the column that need more than `@index` or `@unique` alone, such as `@index desc`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub indexes: Vec<EntityIndex>,
    /// Checks of the database: the SQL conditions of `@check condition`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<String>,
    /// True with `@sensitive`: values of the property never appear in logs, spans or error bodies.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub sensitive: bool,
    /// Property of another entity that this property refers to (a foreign key), from
    /// `@references Entity.field`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub references: Option<ReferenceTarget>,
    /// Name of the database column, from `@column name`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<String>,
    /// Type of the database column, from `@storedAs type`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stored_as: Option<StoredAs>,
    /// Name of the enum type of the database column, from `@storedAs enum name`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enum_type: Option<String>,
    /// Previous name of the database column, from `@renamedFrom name`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub renamed_from: Option<String>,
}

/// Type of a database column that `@storedAs` selects instead of the type that kit selects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum StoredAs {
    /// `smallint`, for a number.
    SmallInt,
    /// `integer`, for a number.
    Integer,
    /// `date`, for a string that is a calendar day.
    Date,
    /// An array of PostgreSQL, such as `text[]`, for an array of scalar values.
    Array,
    /// `citext`, for a string that PostgreSQL compares without case.
    Citext,
    /// An enum type, for a union of strings.
    Enum,
}

impl StoredAs {
    /// All types, in the order of the documentation.
    pub const ALL: [Self; 6] = [
        Self::SmallInt,
        Self::Integer,
        Self::Date,
        Self::Array,
        Self::Citext,
        Self::Enum,
    ];

    /// Returns the argument of the tag.
    ///
    /// ```
    /// use kit_ir::StoredAs;
    ///
    /// assert_eq!(StoredAs::SmallInt.name(), "smallint");
    /// ```
    pub fn name(self) -> &'static str {
        match self {
            Self::SmallInt => "smallint",
            Self::Integer => "integer",
            Self::Date => "date",
            Self::Array => "array",
            Self::Citext => "citext",
            Self::Enum => "enum",
        }
    }

    /// Returns the type with the given name; `None` if there is no such type.
    ///
    /// ```
    /// use kit_ir::StoredAs;
    ///
    /// assert_eq!(StoredAs::from_name("date"), Some(StoredAs::Date));
    /// ```
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|stored| stored.name() == name)
    }
}

/// Way in which a missing value is generated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum GeneratedKind {
    /// The value is a random UUID (version 4).
    Uuid,
    /// The value is a UUID that begins with the time (version 7), so that later values are greater.
    UuidV7,
    /// The value is the current time.
    Now,
    /// The value is the default of the database column. This is the meaning of `@generated` without an
    /// argument.
    Unspecified,
}

/// Argument of `@default`: the value of an omitted property.
#[derive(Debug, Clone, PartialEq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "kind", content = "value")]
pub enum DefaultValue {
    /// A string, a number or a boolean. It fits the type of the property.
    Literal(LiteralValue),
    /// `null`, for a property whose type includes `null`.
    Null,
    /// An array or an object as JSON text.
    Json(String),
    /// `now`, for a `Date`: the time of the request or of the insert.
    Now,
}

/// Argument of `@references` on a property: a property of another entity.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReferenceTarget {
    /// Name of the entity that the property refers to.
    pub entity: String,
    /// Name of the property in the entity that this property refers to.
    pub property: String,
    /// Effects of changes of the row to which the property refers.
    #[serde(flatten)]
    pub actions: ReferentialActions,
}
