//! Takes account of objects that no entity describes: hand-written SQL created them, or an adopted database has them.

use crate::definitions::{
    check_definition, column_definition, foreign_key_definition, index_definition, primary_key_definition,
    stands_for, unique_definition,
};
use crate::sql::{condition, identifier};
use crate::{Check, Column, ForeignObject, ObjectKind, Problem, Rule, Table, Unique};

/// Result of [`adopt`].
pub(super) struct Adopted {
    /// The tables that the types describe, with the names that the database uses.
    pub(super) tables: Vec<Table>,
    pub(super) problems: Vec<Problem>,
}

/// Compares the types with the foreign objects. An object that the types now describe exactly moves from `foreign` to
/// `before`, so that no migration creates it again. Constraints and indexes keep the names that hand-written SQL or the
/// adopted database chose. Checks that the adopted database does not have are left out.
pub(super) fn adopt(before: &mut Vec<Table>, foreign: &mut Vec<ForeignObject>, after: &[Table]) -> Adopted {
    let mut problems = Vec::new();
    let mut tables = after.to_vec();
    for table in &mut tables {
        problems.extend(changed_enums(table, foreign));
        foreign.retain(|object| {
            let outdated = object.kind == ObjectKind::Waived && object.belongs_to(&table.name) && {
                !table
                    .checks
                    .iter()
                    .any(|check| is_waived(object, &table.name, check))
            };
            !outdated
        });
        table
            .checks
            .retain(|check| !foreign.iter().any(|object| is_waived(object, &table.name, check)));
        if let Some(was) = before.iter_mut().find(|was| was.name == table.name) {
            adopt_parts(was, foreign, table, &mut problems);
        } else if let Some(mut was) = whole_table(foreign, table) {
            adopt_parts(&mut was, foreign, table, &mut problems);
            before.push(was);
        }
        if let Some(was) = before.iter().find(|was| was.name == table.name) {
            keep_unique_indexes(was, table);
            keep_names(was, table);
        }
    }
    Adopted { tables, problems }
}

/// Returns a problem for each changed list of values whose column has a type of the database, such as an enum. Only
/// hand-written SQL can change that type.
fn changed_enums(table: &Table, foreign: &[ForeignObject]) -> Vec<Problem> {
    let of_table = |object: &&ForeignObject| object.table.as_deref() == Some(&table.name);
    let mut problems = Vec::new();
    for check in table
        .checks
        .iter()
        .filter(|check| matches!(check.rule, Rule::Values(_)))
    {
        let has_changed = foreign.iter().filter(of_table).any(|object| {
            object.kind == ObjectKind::Waived
                && object.name == check.name
                && !is_waived(object, &table.name, check)
        });
        let stored = foreign
            .iter()
            .filter(of_table)
            .find(|object| object.kind == ObjectKind::Column && object.name == check.column)
            .and_then(|object| object.definition.as_deref())
            .filter(|definition| !definition.starts_with("text") && !definition.starts_with("character"));
        if let Some(definition) = stored
            && has_changed
        {
            problems.push(Problem {
                place: format!("{}.{}", table.name, check.column),
                message: format!("the values of the property changed, but the column is stored as `{definition}`"),
                help: "change the type with `kit migrate:generate --empty`, for example `ALTER TYPE … ADD VALUE`"
                    .to_owned(),
            });
        }
    }
    problems
}

fn is_waived(object: &ForeignObject, table: &str, check: &Check) -> bool {
    object.kind == ObjectKind::Waived
        && object.table.as_deref() == Some(table)
        && object.name == check.name
        && object.definition.as_deref() == Some(&condition(&check.rule, &identifier(&check.column)))
}

/// Returns the table that hand-written SQL created, without its columns and constraints; `None` if there is no such
/// table.
fn whole_table(foreign: &mut Vec<ForeignObject>, table: &Table) -> Option<Table> {
    let at = foreign
        .iter()
        .position(|object| object.kind == ObjectKind::Table && object.name == table.name)?;
    foreign.remove(at);
    let mut was = Table {
        comment: take(
            foreign,
            ObjectKind::Comment,
            None,
            &format!("table {}", table.name),
        ),
        columns: Vec::new(),
        primary_key: Vec::new(),
        uniques: Vec::new(),
        checks: Vec::new(),
        foreign_keys: Vec::new(),
        indexes: Vec::new(),
        tenant: None,
        ..table.clone()
    };
    let wanted = primary_key_definition(&table.primary_key);
    let key = foreign.iter().position(|object| {
        object.kind == ObjectKind::Constraint
            && object.belongs_to(&table.name)
            && object.definition.as_deref() == Some(&wanted)
    });
    if let Some(at) = key {
        let key = foreign.remove(at);
        was.primary_key.clone_from(&table.primary_key);
        was.key_name = (key.name != table.primary_key_name()).then_some(key.name);
    }
    Some(was)
}

/// Removes an object from the list and returns its definition.
fn take(
    foreign: &mut Vec<ForeignObject>,
    kind: ObjectKind,
    table: Option<&str>,
    name: &str,
) -> Option<String> {
    let at = foreign
        .iter()
        .position(|object| object.kind == kind && object.table.as_deref() == table && object.name == name)?;
    foreign.remove(at).definition
}

fn adopt_parts(
    was: &mut Table,
    foreign: &mut Vec<ForeignObject>,
    table: &Table,
    problems: &mut Vec<Problem>,
) {
    for column in &table.columns {
        if was.column(&column.name).is_some() {
            continue;
        }
        let found = foreign.iter().position(|object| {
            object.kind == ObjectKind::Column
                && object.belongs_to(&table.name)
                && object.name == column.name
                && object.definition.is_some()
        });
        let Some(at) = found else { continue };
        let wanted = column_definition(column);
        if foreign[at].definition.as_deref() == Some(&wanted) {
            foreign.remove(at);
            let mut own = column.clone();
            let comment = format!("column {}.{}", table.name, column.name);
            own.comment = take(foreign, ObjectKind::Comment, Some(&table.name), &comment);
            was.columns.push(own);
        } else if foreign[at]
            .definition
            .as_deref()
            .is_some_and(|definition| stands_for(column, definition))
        {
            // The column remains a foreign object with its own definition.
            was.columns.push(Column {
                comment: None,
                ..column.clone()
            });
        } else {
            problems.push(Problem {
                place: format!("{}.{}", table.name, column.name),
                message: format!(
                    "hand-written SQL or the adopted database has this column as `{}`, but the property needs `{wanted}`",
                    foreign[at].definition.as_deref().unwrap_or_default()
                ),
                help: "change the property so that it fits the column, or change the column with `kit migrate:generate --empty`"
                    .to_owned(),
            });
        }
    }
    for unique in &table.uniques {
        let is_equal = |object: &ForeignObject| {
            object.kind == ObjectKind::Index
                && object.belongs_to(&table.name)
                && object.definition.as_ref() == Some(&unique.as_index("").definition(&table.name))
        };
        if !has_unique(was, unique)
            && let Some(at) = foreign.iter().position(is_equal)
        {
            was.indexes.push(unique.as_index(&foreign.remove(at).name));
        }
    }
    let mut find = |kind: ObjectKind, name: &str, wanted: &str| -> Option<String> {
        let of_table = |object: &ForeignObject| object.kind == kind && object.belongs_to(&table.name);
        let equal = foreign
            .iter()
            .position(|object| of_table(object) && object.definition.as_deref() == Some(wanted));
        if let Some(at) = equal {
            return Some(foreign.remove(at).name);
        }
        if let Some(other) = foreign
            .iter()
            .find(|object| of_table(object) && object.name == name && object.definition.is_some())
        {
            problems.push(Problem {
                place: table.name.clone(),
                message: format!(
                    "hand-written SQL or the adopted database has `{}` as `{}`, but the types need `{wanted}`",
                    other.title(),
                    other.definition.as_deref().unwrap_or_default()
                ),
                help: "give the constraint or index of the types another name, or drop the other one with `kit migrate:generate --empty`"
                    .to_owned(),
            });
        }
        None
    };
    for unique in &table.uniques {
        if has_unique(was, unique) {
            continue;
        }
        if let Some(name) = find(ObjectKind::Constraint, &unique.name, &unique_definition(unique)) {
            let mut own = unique.clone();
            own.name = name;
            was.uniques.push(own);
        }
    }
    for key in &table.foreign_keys {
        let definition = foreign_key_definition(key);
        if was
            .foreign_keys
            .iter()
            .any(|known| foreign_key_definition(known) == definition)
        {
            continue;
        }
        if let Some(name) = find(ObjectKind::Constraint, &key.name, &definition) {
            let mut own = key.clone();
            own.name = name;
            was.foreign_keys.push(own);
        }
    }
    for index in &table.indexes {
        let definition = index_definition(&table.name, index);
        if was
            .indexes
            .iter()
            .any(|known| index_definition(&table.name, known) == definition)
        {
            continue;
        }
        if let Some(name) = find(ObjectKind::Index, &index.name, &definition) {
            let mut own = index.clone();
            own.name = name;
            was.indexes.push(own);
        }
    }
    for check in &table.checks {
        let same = |known: &Check| (&known.column, &known.rule) == (&check.column, &check.rule);
        if was.checks.iter().any(same) {
            continue;
        }
        let r#type = table.column(&check.column).map(|column| column.r#type);
        let definition = r#type
            .and_then(|r#type| check_definition(check, r#type))
            .unwrap_or_else(|| format!("CHECK ({})", condition(&check.rule, &identifier(&check.column))));
        if let Some(name) = find(ObjectKind::Constraint, &check.name, &definition) {
            let mut own = check.clone();
            own.name = name;
            was.checks.push(own);
        }
    }
}

/// Returns true if a table has the rule as a constraint or as an index.
fn has_unique(table: &Table, unique: &Unique) -> bool {
    table.uniques.iter().any(|known| known.columns == unique.columns)
        || table.indexes.iter().any(|index| index.is_same_rule(unique))
}

/// Replaces unique constraints by the unique indexes with which hand-written SQL or the adopted database keeps the same
/// rule.
pub(crate) fn keep_unique_indexes(was: &Table, table: &mut Table) {
    let Table { uniques, indexes, .. } = table;
    uniques.retain(|unique| {
        let is_constraint = was.uniques.iter().any(|known| known.columns == unique.columns);
        let known = was.indexes.iter().find(|index| index.is_same_rule(unique));
        let known = known.filter(|_| !is_constraint);
        indexes.extend(known.cloned());
        known.is_none()
    });
}

/// Gives the constraints and indexes of a table the names that they have in the database, if kit must keep these names.
pub(crate) fn keep_names(was: &Table, table: &mut Table) {
    if was.primary_key == table.primary_key {
        table.key_name.clone_from(&was.key_name);
    }
    let mut kept = std::mem::take(&mut table.kept_names);
    let mut keep = |name: &mut String, known: Option<&String>| {
        if let Some(known) = known.filter(|known| was.kept_names.contains(*known)) {
            name.clone_from(known);
            kept.insert(known.clone());
        }
    };
    for unique in &mut table.uniques {
        let known = was.uniques.iter().find(|known| known.columns == unique.columns);
        keep(&mut unique.name, known.map(|known| &known.name));
    }
    for check in &mut table.checks {
        let known = was
            .checks
            .iter()
            .find(|known| (&known.column, &known.rule) == (&check.column, &check.rule));
        keep(&mut check.name, known.map(|known| &known.name));
    }
    for key in &mut table.foreign_keys {
        let known = was
            .foreign_keys
            .iter()
            .find(|known| foreign_key_definition(known) == foreign_key_definition(key));
        keep(&mut key.name, known.map(|known| &known.name));
    }
    for index in &mut table.indexes {
        let known = was
            .indexes
            .iter()
            .find(|known| index_definition("", known) == index_definition("", index));
        keep(&mut index.name, known.map(|known| &known.name));
    }
    table.kept_names = kept;
}
