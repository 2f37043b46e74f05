//! Named types and entities.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{DeclarationId, Documentation, EntityIndex, EntityReference, Span, TypeId};

/// A named type: an interface, a type alias, an instance of a generic type, or the params, query, body or
/// response of a route.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Declaration {
    /// Name of the type in artifacts. The name is unique in the program, in `PascalCase`, and a valid
    /// identifier of TypeScript and Rust.
    pub name: String,
    /// Type that the name stands for. The type is never just a [`Reference`](crate::TypeKind::Reference) to
    /// another declaration.
    pub r#type: TypeId,
    /// Kind of source code that the declaration comes from.
    pub origin: DeclarationOrigin,
    /// Description and hints from the doc comment.
    #[serde(default)]
    pub documentation: Documentation,
    /// Location of the declaration's source code.
    pub span: Span,
}

/// Kind of source code that a declaration comes from.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", tag = "origin")]
pub enum DeclarationOrigin {
    /// A type that a source file exports. The declaration's span names the file.
    Named {
        /// Exported name. Differs from [`Declaration::name`] only if two files export the same name.
        export: String,
    },
    /// An instance of a generic type. `PaginatedResponse<NoteSummary>` has the name
    /// `PaginatedResponseOfNoteSummary`.
    Instance {
        /// The instance as TypeScript writes it: `PaginatedResponse<NoteSummary>`.
        expression: String,
    },
    /// An anonymous type that is the params, query, body or response of a route. The type is named after the
    /// route: `GetNotesQuery`.
    Slot,
}

/// An entity: an interface with `@table`, whose values are rows of a database table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Entity {
    /// Declaration of the interface. Its type is an object type.
    pub declaration: DeclarationId,
    /// Table name: the argument of `@table`, such as `billing.invoices`, otherwise the interface's name in `snake_case` and
    /// plural.
    pub table: String,
    /// Previous name of the table, from `@renamedFrom` on the interface.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub renamed_from: Option<String>,
    /// Indexes with a name, from `@index name (a, b)` on the interface, and from `@unique name (a, b) where …`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub indexes: Vec<EntityIndex>,
    /// Unique constraints on several columns, from `@unique name (a, b)` on the interface: each with its name
    /// and its properties.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub uniques: Vec<(String, Vec<String>)>,
    /// Checks of the database, from `@check name (condition)` on the interface: each with its name and its SQL condition.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<(String, String)>,
    /// References by several properties, from `@references (a, b) Entity (c, d)` on the interface.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub references: Vec<EntityReference>,
    /// Name of the property whose value is the tenant of a row, from `@tenant property`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
    /// Rows that a request may read and change, from `@owner`. `None` if the interface does not have the tag.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<EntityOwner>,
}

/// Argument of `@owner`. It says which rows of an entity a request may read and change.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", tag = "kind")]
pub enum EntityOwner {
    /// `@owner none`: every request that passes the middleware may read and change every row.
    None,
    /// `@owner userId = ctx.user.id`: a request may use only rows whose property equals this value of its
    /// context.
    Property {
        /// Name of the property: `userId`.
        property: String,
        /// Path of the value in `ctx`, with dots between its segments: `user.id`.
        context: String,
    },
}

impl fmt::Display for EntityOwner {
    /// Writes the argument as in the tag: `none` or `userId = ctx.user.id`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("none"),
            Self::Property { property, context } => write!(f, "{property} = ctx.{context}"),
        }
    }
}
