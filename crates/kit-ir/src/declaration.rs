//! Named types and entities.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{DeclarationId, Documentation, Span, TypeId};

/// A type with a name: an interface, an alias, an instance of a generic one, or the slot of a route.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Declaration {
    /// The name artifacts use: unique in the program, a valid identifier in TypeScript and Rust, `PascalCase`.
    pub name: String,
    /// What it stands for. Never a bare [`Reference`](crate::TypeKind::Reference) to another declaration.
    pub r#type: TypeId,
    /// How it came to be.
    pub origin: DeclarationOrigin,
    /// What its doc comment says.
    #[serde(default)]
    pub documentation: Documentation,
    /// Where it was written.
    pub span: Span,
}

/// How a declaration came to be.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", tag = "origin")]
pub enum DeclarationOrigin {
    /// The user exported it under this name from the file of its span.
    Named {
        /// The exported name; differs from [`Declaration::name`] only where two files export the same one.
        export: String,
    },
    /// A generic type with its arguments, such as `PaginatedResponse<NoteSummary>`, named `PaginatedResponseOfNoteSummary`.
    Instance {
        /// The type as TypeScript would print it.
        expression: String,
    },
    /// An anonymous type in a route's slot, named after the route: `GetNotesQuery`.
    Slot,
}

/// A declaration that is stored: an interface with `@table`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Entity {
    /// The interface. Its type is an object.
    pub declaration: DeclarationId,
    /// The table: the argument of `@table`, or the interface's name in `snake_case` and plural.
    pub table: String,
    /// `@renamedFrom` on the interface: the table's former name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub renamed_from: Option<String>,
    /// Composite `@index name (a, b)` on the interface: name and property names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub indexes: Vec<(String, Vec<String>)>,
    /// Composite `@unique name (a, b)` on the interface: name and property names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub uniques: Vec<(String, Vec<String>)>,
    /// `@owner`: which rows a request may read and change; `None` without the tag.
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
