//! Plans the enum types of columns.

use std::collections::BTreeMap;

use crate::online::{Group, Parts};
use crate::sql::string_literal;
use crate::{Change, ColumnType, ForeignObject, ObjectKind, Table, TypeName};

use super::{Phase, Planner, classify};

/// Values of enum types, by the names of the types.
type Enums = BTreeMap<String, Vec<String>>;

/// Returns the enum types of the columns.
pub(crate) fn enums(tables: &[Table]) -> Enums {
    let columns = tables.iter().flat_map(|table| &table.columns);
    columns
        .filter_map(|column| match column.r#type {
            ColumnType::Enum { name } => Some((name.as_str().to_owned(), column.labels.clone())),
            _ => None,
        })
        .collect()
}

/// Gives the columns the order of values that the database has, and removes types from `foreign` that columns have. A new value
/// stands behind the value that precedes it in the types. Returns the enum types that exist.
pub(super) fn adopt_enums(
    before: &[Table],
    foreign: &mut Vec<ForeignObject>,
    after: &mut [Table],
) -> BTreeMap<String, Vec<String>> {
    let mut stored = enums(before);
    let wanted = enums(after);
    foreign.retain(|object| {
        let labels = (object.kind == ObjectKind::Type && wanted.contains_key(&object.name))
            .then(|| labels_of(object))
            .flatten();
        // Hand-written SQL may have changed a type of a column.
        let is_known = labels.is_some();
        stored.extend(labels.map(|labels| (object.name.clone(), labels)));
        !is_known
    });
    for column in after.iter_mut().flat_map(|table| &mut table.columns) {
        if let ColumnType::Enum { name } = column.r#type
            && let Some(known) = stored.get(name.as_str())
            && known.iter().all(|label| column.labels.contains(label))
        {
            column.labels = merged(known, &column.labels);
        }
    }
    stored
}

/// Returns the values of an enum type; `None` for another object.
fn labels_of(object: &ForeignObject) -> Option<Vec<String>> {
    let (_, labels) = object.definition.as_deref()?.split_once(" AS ENUM (")?;
    Some(crate::pulled::strings(labels))
}

/// Returns the known values in their order, with each new value behind the value that precedes it in `wanted`.
fn merged(known: &[String], wanted: &[String]) -> Vec<String> {
    let mut merged = known.to_vec();
    let mut at = 0;
    for label in wanted {
        if let Some(found) = merged.iter().position(|one| one == label) {
            at = found + 1;
        } else {
            merged.insert(at, label.clone());
            at += 1;
        }
    }
    merged
}

impl Planner<'_> {
    /// Plans renames of enum types: all columns with a type that goes away get the same other type, which is new and has all
    /// values of the former one. Must run after the renames of tables and columns, and before the columns are compared.
    pub(super) fn rename_enums(&mut self) {
        let (stored, wanted) = (enums(&self.before), enums(self.after));
        for (from, labels) in &stored {
            let Some(name) = self.other_name(from).filter(|_| !wanted.contains_key(from)) else {
                continue;
            };
            let to = name.as_str();
            let is_taken = stored.contains_key(to)
                || self
                    .foreign
                    .iter()
                    .any(|object| object.kind == ObjectKind::Type && object.name == to);
            let has_all = wanted
                .get(to)
                .is_some_and(|new| labels.iter().all(|label| new.contains(label)));
            if is_taken || !has_all {
                continue;
            }
            for column in self.before.iter_mut().flat_map(|table| &mut table.columns) {
                if matches!(column.r#type, ColumnType::Enum { name } if name.as_str() == from) {
                    column.r#type = ColumnType::Enum { name };
                }
            }
            for object in &mut self.foreign {
                if object.kind == ObjectKind::Type && object.name == *from {
                    to.clone_into(&mut object.name);
                }
            }
            let change = Change::RenameEnum {
                from: from.clone(),
                to: to.to_owned(),
            };
            self.push(Phase::Types, classify::rename_enum(), change);
        }
    }

    /// Returns the one enum type that all columns of the type `from` get. Returns `None` if there is no such type.
    fn other_name(&self, from: &str) -> Option<TypeName> {
        let mut found: Option<TypeName> = None;
        for table in &self.before {
            for column in &table.columns {
                let after = self.after.iter().find(|after| after.name == table.name);
                match (column.r#type, after.and_then(|after| after.column(&column.name))) {
                    (ColumnType::Enum { name }, Some(after)) if name.as_str() == from => match after.r#type {
                        ColumnType::Enum { name } if found.is_none_or(|found| found == name) => {
                            found = Some(name);
                        }
                        _ => return None,
                    },
                    _ => {}
                }
            }
        }
        found
    }

    /// Plans new enum types, new values, and types that no column has any more. `stored` are the types that exist.
    pub(super) fn enums(&mut self, stored: &Enums) {
        let wanted = enums(self.after);
        for (name, labels) in &wanted {
            let Some(known) = stored.get(name) else {
                let change = Change::CreateEnum {
                    name: name.clone(),
                    labels: labels.clone(),
                };
                self.push(Phase::Types, classify::create_enum(), change);
                continue;
            };
            if let Some(gone) = known.iter().find(|label| !labels.contains(label)) {
                self.problem(
                    &format!("type {name}"),
                    format!("the value '{gone}' is missing in the types, and PostgreSQL cannot remove a value of an enum type"),
                    format!(
                        "if the value has a new name, rename it with `kit migrate:generate --empty`: `ALTER TYPE {name} RENAME VALUE '{gone}' TO …`; \
                         to remove the value, first remove `@storedAs enum` and the value, migrate, and then write the tag again"
                    ),
                );
                continue;
            }
            // Each value is added before the next one that exists then.
            for (at, value) in labels.iter().enumerate().rev() {
                if known.contains(value) {
                    continue;
                }
                let change = Change::AddEnumValue {
                    name: name.clone(),
                    value: value.clone(),
                    before: labels.get(at + 1).cloned(),
                };
                // PostgreSQL lets no statement use the value before the transaction ends.
                let groups = change.statements().into_iter().map(Group::Outside);
                let parts = Parts {
                    change: groups.collect(),
                    ..Parts::default()
                };
                self.push_parts(Phase::Types, classify::add_enum_value(), change, parts);
            }
        }
        for (name, labels) in enums(&self.before) {
            if wanted.contains_key(&name) {
                continue;
            }
            let title = format!("type {name}");
            if self.foreign.iter().any(|object| object.uses.contains(&title)) {
                // Hand-written SQL uses the type, so it stays, as an object that no entity describes.
                let labels: Vec<String> = labels.iter().map(|label| string_literal(label)).collect();
                self.foreign.push(ForeignObject {
                    kind: ObjectKind::Type,
                    table: None,
                    definition: Some(format!("CREATE TYPE {name} AS ENUM ({})", labels.join(", "))),
                    name,
                    uses: Vec::new(),
                });
                continue;
            }
            let change = Change::DropEnum { name };
            self.push(Phase::DropTypes, classify::drop_enum(), change);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::merged;

    #[test]
    fn inserts_new_values_behind_the_values_that_precede_them() {
        let list = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<String>>();
        for (known, wanted, expected) in [
            ("a c", "a b c", "a b c"),
            ("a c", "c b a d", "a d c b"),
            ("b", "a b c d", "a b c d"),
        ] {
            assert_eq!(merged(&list(known), &list(wanted)), list(expected), "{wanted}");
        }
    }
}
