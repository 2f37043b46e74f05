//! Functions that read rows by other columns than the key.

use proc_macro2::Ident;

use super::StoredColumn;
use super::parameter::Parameter;

/// Function that reads rows by the values of some columns.
pub(super) struct Finder<'s> {
    /// Name of the function: `get_by_email`.
    pub(super) name: String,
    /// True if at most one row has the values.
    pub(super) is_unique: bool,
    pub(super) columns: Vec<&'s StoredColumn<'s>>,
    /// Name and type of the parameter for each column.
    pub(super) parameters: Vec<(Ident, Parameter)>,
}

impl<'s> Finder<'s> {
    /// Returns the columns, each with its parameter.
    pub(super) fn compared(&self) -> Vec<(&'s StoredColumn<'s>, (Ident, Parameter))> {
        let columns = self.columns.iter().copied();
        columns.zip(self.parameters.iter().cloned()).collect()
    }
}
