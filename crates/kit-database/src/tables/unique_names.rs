//! Makes names unique that PostgreSQL keeps in one namespace: tables, indexes, and constraints that have an index.

use std::collections::{BTreeMap, BTreeSet};

use kit_diagnostics::codes;
use kit_ir::Span;

use super::Builder;
use crate::names;
use crate::sql::{beside, relation};
use crate::{Rule, Schema, Table, local_name};

/// Gives every index and constraint an unused name, and reports names from the user that are already used.
///
/// If a derived name is already used, a hash of its parts is added. Example: the column `roles_id` of `user`
/// and the column `id` of `user_roles` would result in equal names.
pub(super) fn assign(builder: &mut Builder<'_>, schema: &mut Schema) {
    // Each schema has its own names.
    let mut taken: BTreeMap<String, String> = BTreeMap::new();
    let spans: Vec<Option<Span>> = schema.tables.iter().map(|table| span(builder, table)).collect();
    for table in &schema.tables {
        taken.insert(relation(&table.name), format!("the table of `{}`", table.entity));
    }
    for (table, span) in schema.tables.iter().zip(&spans) {
        let (name, of) = (
            table.primary_key_name(),
            format!("the primary key of `{}`", table.entity),
        );
        if let Some(owner) = taken.insert(beside(&table.name, &name), of.clone()) {
            clash(builder, *span, &name, &of, &owner);
        }
    }
    // Names from the user are registered first, so that an equal derived name is changed and not theirs.
    for derived in [false, true] {
        for (table, span) in schema.tables.iter_mut().zip(&spans) {
            let (table_name, entity) = (table.name.clone(), table.entity.clone());
            let named = table
                .uniques
                .iter_mut()
                .map(|unique| (&mut unique.name, &unique.columns, "unique"))
                .chain(table.indexes.iter_mut().map(|index| {
                    let suffix = index.suffix();
                    (&mut index.name, &index.columns, suffix)
                }));
            for (name, columns, suffix) in named {
                let own = local_name(&table_name);
                let parts: Vec<&str> = std::iter::once(own.as_ref())
                    .chain(columns.iter().map(String::as_str))
                    .collect();
                if (*name == names::constraint(&parts, suffix)) != derived {
                    continue;
                }
                let of = format!("an index of `{entity}`");
                if let Some(owner) = taken.get(&beside(&table_name, name)) {
                    if derived {
                        *name = names::with_hash(name, &parts, suffix);
                    } else {
                        clash(builder, *span, name, &of, &owner.clone());
                    }
                }
                taken.insert(beside(&table_name, name), of);
            }
        }
    }
    for table in &mut schema.tables {
        constraints(table);
    }
}

/// Gives constraints without an index names that are unique within their table.
fn constraints(table: &mut Table) {
    let mut taken: BTreeSet<String> = table.uniques.iter().map(|unique| unique.name.clone()).collect();
    taken.insert(table.primary_key_name());
    let name = local_name(&table.name).into_owned();
    for check in &mut table.checks {
        let suffix = check.rule.suffix();
        if !taken.insert(check.name.clone()) {
            let condition = match &check.rule {
                Rule::Sql(condition) => condition.as_str(),
                _ => "",
            };
            let mut parts = vec![name.as_str(), check.column.as_str()];
            parts.extend(Some(condition).filter(|condition| !condition.is_empty()));
            check.name = names::with_hash(&check.name, &parts, suffix);
            taken.insert(check.name.clone());
        }
    }
    for key in &mut table.foreign_keys {
        if !taken.insert(key.name.clone()) {
            let columns = [key.columns.join(","), key.targets.join(",")];
            let parts = [&name, &columns[0], &key.table, &columns[1]].map(String::as_str);
            key.name = names::with_hash(&key.name, &parts, "fk");
            taken.insert(key.name.clone());
        }
    }
}

fn span(builder: &Builder<'_>, table: &Table) -> Option<Span> {
    let (_, declaration) = builder.declaration(&table.entity)?;
    Some(declaration.span)
}

fn clash(builder: &mut Builder<'_>, span: Option<Span>, name: &str, of: &str, owner: &str) {
    // Every table has a declaration.
    let Some(span) = span else { return };
    builder.error(
        codes::UNUSABLE_NAME,
        span,
        format!("{of} would have the name `{name}`, which {owner} already has"),
        "rename one of the two: in PostgreSQL, a table and an index must not have the same name",
    );
}
