//! Filters of lists by columns of other tables: the products that have a tag.

use kit_database::{ColumnType, sql};

use super::{Database, Stored, StoredColumn};

/// Column of another table by which lists filter rows: the tag in the rows `(productId, tag)`.
pub(crate) struct RelatedFilter<'a> {
    /// Column with the value of the filter.
    column: StoredColumn<'a>,
    /// Name of the other table.
    table: String,
    /// Column of the other table that refers to the rows of the list.
    reference: String,
    /// Column of the list's table to which `reference` refers.
    target: String,
}

/// Names of a filter by a column of another table.
#[derive(Clone)]
pub(crate) struct RelatedColumn {
    /// Other table.
    pub(crate) table: String,
    /// Column of the other table with the value of the filter.
    pub(crate) value: String,
    /// Column of the other table that refers to the rows of the list.
    pub(crate) reference: String,
    /// Column of the list's table to which `reference` refers.
    pub(crate) target: String,
}

impl StoredColumn<'_> {
    /// Returns true if a list of another table can filter by this column.
    pub(crate) fn can_filter_others(&self) -> bool {
        let has_parts = matches!(self.column.r#type, ColumnType::Array { .. } | ColumnType::Jsonb);
        !has_parts && self.can_filter()
    }
}

impl Database<'_> {
    /// Adds a column of another table to the columns by which lists of a table can filter.
    pub(crate) fn filter_by_related(&mut self, table: &str, related: RelatedColumn) {
        let RelatedColumn {
            table: other,
            value,
            reference,
            target,
        } = related;
        let column = self.table(&other).and_then(|stored| {
            let mut columns = stored.columns.iter();
            columns.find(|stored| stored.column.name == value)
        });
        let Some(column) = column.map(StoredColumn::as_filter) else {
            return;
        };
        let Some(stored) = self.table_mut(table) else {
            return;
        };
        let property = &column.field.property;
        let is_known = |known: &RelatedFilter<'_>| known.column.field.property == *property;
        if !stored.related_filters.iter().any(is_known) {
            stored.related_filters.push(RelatedFilter {
                column,
                table: other,
                reference,
                target,
            });
        }
    }
}

impl Stored<'_> {
    /// Returns true if a list of the table has a filter.
    pub(super) fn has_filters(&self) -> bool {
        !self.filters.is_empty() || !self.related_filters.is_empty()
    }

    /// Returns the columns of other tables by which lists filter.
    pub(super) fn related_filters(&self) -> impl Iterator<Item = &StoredColumn<'_>> {
        self.related_filters.iter().map(|related| &related.column)
    }

    /// Returns the conditions of all filters, in the order of [`Self::filters`]. `first` is the number of the first parameter.
    pub(super) fn filter_conditions(&self, first: usize) -> Vec<String> {
        let own = self.filters.len();
        let conditions = self.filters().enumerate().map(|(number, column)| {
            let related = number
                .checked_sub(own)
                .and_then(|place| self.related_filters.get(place));
            match related {
                None => column.filter_condition(first + number),
                Some(related) => self.related_condition(related, first + number),
            }
        });
        conditions.collect()
    }

    /// Returns the condition that a row of another table has the value and refers to the row, in several lines.
    fn related_condition(&self, related: &RelatedFilter<'_>, number: usize) -> String {
        let column = &related.column;
        let (own, other) = (sql::relation(&self.table.name), sql::relation(&related.table));
        let (reference, target) = (
            sql::identifier(&related.reference),
            sql::identifier(&related.target),
        );
        let (value, parameter) = (sql::identifier(&column.column.name), column.compared(number));
        [
            format!("({} OR EXISTS (", column.is_absent(number)),
            format!("    SELECT 1 FROM {other} AS kit_related"),
            format!(
                "    WHERE kit_related.{reference} = {own}.{target} AND kit_related.{value} = {parameter}"
            ),
            "  ))".to_owned(),
        ]
        .join("\n")
    }
}
