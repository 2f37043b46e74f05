//! Handles `@owner` of an entity: statements compare a column with a value of the request's context, so that a
//! request sees only its own rows.

use kit_ir::EntityOwner;
use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::parameter::Parameter;
use super::{Database, Stored, StoredColumn, is_uuid};
use crate::source::ident;
use crate::types::RustType;

/// Rows of a table that a request may read and change, as `@owner` of the entity declares.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rows<'a> {
    /// Unknown, because the entity has no `@owner`.
    Undeclared,
    /// All rows (`@owner none`).
    All,
    /// Rows whose column with this index equals the value at the path `context` below `ctx` (`user.id`).
    Owned { column: usize, context: &'a str },
    /// None, because `@owner` names a column that no function parameter can be compared with.
    Unsupported,
}

impl<'a> Rows<'a> {
    pub(super) fn new(owner: Option<&'a EntityOwner>, columns: &[StoredColumn<'_>]) -> Self {
        match owner {
            None => Self::Undeclared,
            Some(EntityOwner::None) => Self::All,
            Some(EntityOwner::Property { property, context }) => {
                let column = columns.iter().position(|column| {
                    column.field.property == *property && column.parameter_type().is_some()
                });
                column.map_or(Self::Unsupported, |column| Self::Owned { column, context })
            }
        }
    }
}

impl Database<'_> {
    /// Returns the Rust type of the value at a path below `ctx`. The type is the type of the owner column of the
    /// first table that has this path as owner.
    pub(crate) fn type_of_context(&self, context: &str) -> Option<&RustType> {
        let mut owners = self.tables.iter().filter_map(Stored::owner);
        let (column, _) = owners.find(|(_, path)| *path == context)?;
        Some(column.plain_type())
    }
}

impl Stored<'_> {
    /// Returns the column that stores the owner of a row, and the path of the owner below `ctx`. Returns `None` if
    /// the rows have no owner.
    pub(crate) fn owner(&self) -> Option<(&StoredColumn<'_>, &str)> {
        match self.rows {
            Rows::Owned { column, context } => Some((&self.columns[column], context)),
            Rows::Undeclared | Rows::All | Rows::Unsupported => None,
        }
    }

    /// Returns true if this column stores the row's owner.
    pub(crate) fn is_owner(&self, column: &StoredColumn<'_>) -> bool {
        self.owner()
            .is_some_and(|(owner, _)| owner.column.name == column.column.name)
    }

    /// Returns the name and type of the function parameter for the owner.
    pub(crate) fn owner_parameter(&self) -> Option<(Ident, Parameter)> {
        let (column, _) = self.owner()?;
        // The parameters of the key never have this name.
        Some((ident("owner"), column.parameter_type()?))
    }

    /// Returns the SQL condition for the owner: `owner_column = $3`. `number` is the number of the parameter.
    pub(super) fn owner_condition(&self, number: usize) -> Option<String> {
        let (column, _) = self.owner()?;
        let name = kit_database::sql::identifier(&column.column.name);
        Some(format!("{name} = {}", column.compared(number)))
    }

    /// Returns the owner as a parameter in the signature of a function: `owner: &str`.
    pub(super) fn owner_given(&self) -> Option<TokenStream> {
        let (name, r#type) = self.owner_parameter()?;
        Some(quote!(#name: #r#type))
    }

    /// Returns the call that binds the owner: `.bind(owner)`.
    pub(super) fn owner_bind(&self) -> Option<TokenStream> {
        let (name, _) = self.owner_parameter()?;
        Some(quote!(.bind(#name)))
    }

    /// Returns the end of a sentence in a doc comment: ` that belong to this owner` for several rows, or `, if the
    /// row belongs to this owner` for one row. Returns an empty text if the rows have no owner.
    pub(super) fn of_owner(&self, is_plural: bool) -> &'static str {
        match (self.owner(), is_plural) {
            (None, _) => "",
            (Some(_), false) => ", if the row belongs to this owner",
            (Some(_), true) => " that belong to this owner",
        }
    }

    /// Returns the Rust conditions under which PostgreSQL would refuse the owner with an error. The first condition
    /// is for an owner of type UUID, the second for an owner of type integer.
    pub(super) fn owner_errors(&self) -> (Option<TokenStream>, Option<TokenStream>) {
        let (Some((column, _)), Some((name, r#type))) = (self.owner(), self.owner_parameter()) else {
            return (None, None);
        };
        (
            is_uuid(column).then(|| quote!(!is_uuid(#name))),
            r#type.is_bigint().then(|| quote!(i64::try_from(#name).is_err())),
        )
    }
}
