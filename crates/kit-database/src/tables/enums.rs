//! Checks the names of enum types.

use std::collections::BTreeMap;

use kit_diagnostics::codes;

use super::Builder;
use crate::sql::identifier;
use crate::type_names::is_own_type;
use crate::{ColumnType, Schema};

/// Reports enum types whose name another type has: a table, a type of PostgreSQL, or an enum type with other values.
pub(super) fn check_names(builder: &mut Builder<'_>, schema: &Schema) {
    let mut known: BTreeMap<String, (&[String], String)> = BTreeMap::new();
    for table in &schema.tables {
        for column in &table.columns {
            let ColumnType::Enum { name } = column.r#type else {
                continue;
            };
            let name = name.as_str();
            let place = format!("`{}.{}`", table.entity, column.source.property);
            let other = known.get(name).filter(|(labels, _)| *labels != column.labels);
            let owner = if is_own_type(name) {
                Some("a type of PostgreSQL has this name".to_owned())
            } else if identifier(name) != name {
                Some("PostgreSQL would need quotes around this name".to_owned())
            } else if schema.table(name).is_some() {
                Some("a table has this name, and each table has a type of its name".to_owned())
            } else {
                other.map(|(_, first)| format!("the enum type of {first} has this name and other values"))
            };
            if let Some(owner) = owner
                && let Some((_, declaration)) = builder.declaration(&table.entity)
            {
                let properties = builder.program.properties(declaration.r#type);
                let property = properties
                    .iter()
                    .find(|property| property.name == column.source.property);
                let span = property.map_or(declaration.span, |property| property.span);
                builder.error(
                    codes::UNUSABLE_NAME,
                    span,
                    format!("{place} cannot be stored in the enum type `{name}`: {owner}"),
                    "write another name, such as `@storedAs enum order_state`; properties with the same name need the same values in the same order",
                );
            }
            known.entry(name.to_owned()).or_insert((&column.labels, place));
        }
    }
}
