//! Named types and entities.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{DeclarationId, Documentation, Span, TypeId};

/// A named type: an interface, an alias, an instance of a generic type, or the type of a route's slot.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Declaration {
    /// Name that artifacts use: unique in the program, `PascalCase`, and a valid identifier in TypeScript and Rust.
    pub name: String,
    /// Type that the name stands for. Never a bare [`Reference`](crate::TypeKind::Reference) to another declaration.
    pub r#type: TypeId,
    /// Source construct that the declaration comes from.
    pub origin: DeclarationOrigin,
    /// Contents of the doc comment.
    #[serde(default)]
    pub documentation: Documentation,
    /// Location of the source construct.
    pub span: Span,
}

/// Source construct that a declaration comes from.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", tag = "origin")]
pub enum DeclarationOrigin {
    /// A type that the user exports under this name from the file of the declaration's span.
    Named {
        /// Exported name. Differs from [`Declaration::name`] only if two files export the same name.
        export: String,
    },
    /// An instance of a generic type. `PaginatedResponse<NoteSummary>` gets the name `PaginatedResponseOfNoteSummary`.
    Instance {
        /// Instance in the syntax of TypeScript.
        expression: String,
    },
    /// An anonymous type in a route's slot, named after the route: `GetNotesQuery`.
    Slot,
}

/// A stored declaration: an interface with `@table`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Entity {
    /// Declaration of the interface. Its type is an object.
    pub declaration: DeclarationId,
    /// Table name: the argument of `@table`, otherwise the interface's name in `snake_case` and plural.
    pub table: String,
    /// `@renamedFrom` on the interface: the previous name of the table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub renamed_from: Option<String>,
    /// Composite `@index name (a, b)` on the interface: name and property names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub indexes: Vec<(String, Vec<String>)>,
    /// Composite `@unique name (a, b)` on the interface: name and property names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub uniques: Vec<(String, Vec<String>)>,
    /// Rows that a request may read and change, from `@owner`; `None` without the tag.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<EntityOwner>,
}

/// Argument of `@owner`: the rows of an entity that a request may read and change.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", tag = "kind")]
pub enum EntityOwner {
    /// `@owner none`: every request that passes the middleware may read and change every row.
    None,
    /// `@owner userId = ctx.user.id`: only rows whose property equals a value of the request's context.
    Property {
        /// Name of the entity's property: `userId`.
        property: String,
        /// Path of the value below `ctx`, segments joined by dots: `user.id`.
        context: String,
    },
}

impl fmt::Display for EntityOwner {
    /// Writes the tag's argument: `none` or `userId = ctx.user.id`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("none"),
            Self::Property { property, context } => write!(f, "{property} = ctx.{context}"),
        }
    }
}
