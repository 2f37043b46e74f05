//! Functions that read rows by other columns than the key.

use proc_macro2::Ident;

use super::StoredColumn;
use super::parameter::Parameter;

/// A column, and the name and the type of the parameter for its value.
pub(crate) type ColumnParameter<'s> = (&'s StoredColumn<'s>, (Ident, Parameter));

/// Function that reads rows by the values of some columns.
pub(super) struct Finder<'s> {
    /// Name of the function: `get_by_email`.
    pub(super) name: String,
    /// True if at most one row has the values.
    pub(super) is_unique: bool,
    pub(super) columns: Vec<ColumnParameter<'s>>,
}
