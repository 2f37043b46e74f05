//! Warns about foreign keys without an index.
//!
//! PostgreSQL creates no index for the referring columns. Without one, each deletion of the other row reads the whole
//! table, and so does each query for the rows that refer to a row.

use kit_diagnostics::{Diagnostic, codes};
use kit_ir::{Property, Span};

use super::Builder;
use crate::{ForeignKey, Schema, Table};

/// Warns about each foreign key without an index, unless a property has `@index none`.
pub(super) fn warn(builder: &mut Builder<'_>, schema: &Schema) {
    for table in &schema.tables {
        let Some((_, declaration)) = builder.declaration(&table.entity) else {
            continue;
        };
        let properties = builder.program.properties(declaration.r#type);
        let property = |column: &str| -> Option<&Property> {
            let stored = table.column(column)?;
            let mut properties = properties.iter();
            properties.find(|property| property.name == stored.source.property)
        };
        let mut found = Vec::new();
        for key in &table.foreign_keys {
            let of_key: Vec<&Property> = key.columns.iter().filter_map(|column| property(column)).collect();
            let is_intended = of_key.iter().any(|property| property.tags.no_index);
            if !is_intended && !is_indexed(table, &key.columns) {
                found.push(without_index(builder, table, key, &of_key, declaration.span));
            }
        }
        for property in properties.iter().filter(|property| property.tags.no_index) {
            let column = table.column_of(&property.name).map(|column| &column.name);
            let mut keys = table.foreign_keys.iter();
            if !column.is_some_and(|column| keys.any(|key| key.columns.contains(column))) {
                let message = format!(
                    "`@index none` has no effect on `{}.{}`, which is not a part of a foreign key",
                    table.entity, property.name
                );
                found.push(
                    warning(builder, property.span, message)
                        .help("remove `@index none`, or add `@references`"),
                );
            }
        }
        for diagnostic in found {
            builder.diagnostics.push(diagnostic);
        }
    }
}

fn without_index(
    builder: &Builder<'_>,
    table: &Table,
    key: &ForeignKey,
    properties: &[&Property],
    declaration: Span,
) -> Diagnostic {
    let entity = &table.entity;
    let names: Vec<&str> = properties.iter().map(|property| property.name.as_str()).collect();
    let names = names.join(", ");
    let (place, span, tag) = match properties {
        [only] => (
            format!("{entity}.{names}"),
            only.span,
            format!("`@index` on `{names}`"),
        ),
        _ => (
            format!("{entity} ({names})"),
            declaration,
            format!("`@index {}_by_{} ({names})`", table.name, key.table),
        ),
    };
    let message = format!(
        "the foreign key `{place}` has no index, so each deletion of a row of `{}` reads all rows of `{}`",
        key.table, table.name
    );
    warning(builder, span, message).help(format!(
        "write {tag}; if the table stays small or such rows are never deleted, write `@index none` on `{}`",
        properties
            .first()
            .map_or(names.as_str(), |property| property.name.as_str())
    ))
}

fn warning(builder: &Builder<'_>, span: Span, message: String) -> Diagnostic {
    let located = builder.diagnostic(codes::MISSING_INDEX, span, "");
    Diagnostic::warning(codes::MISSING_INDEX, message).labels(located.labels)
}

/// Returns true if an index begins with the columns, in any order. A partial index counts if it leaves out only rows that
/// refer to no row.
fn is_indexed(table: &Table, columns: &[String]) -> bool {
    let begins = |indexed: &[String]| {
        indexed
            .get(..columns.len())
            .is_some_and(|first| first.iter().all(|column| columns.contains(column)))
    };
    let is_complete = |condition: &str| {
        let condition = condition.to_ascii_lowercase();
        let is_not_null =
            |column: &String| condition == format!("{} is not null", crate::sql::identifier(column));
        columns.len() == 1 && columns.iter().any(is_not_null)
    };
    begins(&table.primary_key)
        || table.uniques.iter().any(|unique| begins(&unique.columns))
        || table.indexes.iter().any(|index| {
            // The other access methods find ranges of rows at best.
            let is_exact = matches!(index.method, None | Some(kit_ir::IndexMethod::Hash));
            is_exact && begins(&index.columns) && index.condition.as_deref().is_none_or(is_complete)
        })
}
