//! Assigns a risk class to each change, with a reason and, if there is one, a safer alternative.

use kit_ir::Decimal;

use crate::sql::create_index as create_index_statement;
use crate::sql::{self, OUTSIDE_TRANSACTION, Statement, TableAction, identifier, print_one};
use crate::step::Classification;
use crate::{
    ChangeClass, Check, Column, ColumnDefault, ColumnType, Counts, ForeignKey, Index, Range, Rule, Table,
    Unique,
};

use super::types::Conversion;

/// Adds the marker line above a statement, so that it runs outside of a transaction.
fn outside_transaction(statement: &str) -> String {
    format!("{OUTSIDE_TRANSACTION}\n{statement}")
}

pub(super) fn create_table() -> Classification {
    Classification::new(ChangeClass::Safe, "the table is new")
}

pub(super) fn drop_table(table: &Table, successor: Option<&Table>) -> Classification {
    let classification = Classification::new(ChangeClass::Destructive, "all rows are lost for good");
    match successor {
        Some(successor) => classification.with_alternative(
            "a renamed table keeps its rows",
            [format!(
                "write `@renamedFrom {}` on the entity of {}",
                table.name, successor.name
            )],
        ),
        None => classification,
    }
}

pub(super) fn rename() -> Classification {
    Classification::new(
        ChangeClass::Safe,
        "rows stay; programs that use the former name fail until their new versions run",
    )
}

pub(super) fn rename_constraint() -> Classification {
    Classification::new(ChangeClass::Safe, "only the name changes")
}

pub(super) fn add_column(table: &str, column: &Column) -> Classification {
    match &column.default {
        None if column.nullable => Classification::new(ChangeClass::Safe, "existing rows have null in the column"),
        None => Classification::new(
            ChangeClass::NeedsData,
            "the column is required and has no default: existing rows need a value; write this value at the marked line in migration.sql",
        )
        .with_alternative(
            "rows get their values while the application runs",
            [
                format!("make the property optional, so that {table}.{} may be null", column.name),
                "deploy an application that writes the column, and fill the existing rows".to_owned(),
                "make the property required in a separate migration".to_owned(),
            ],
        ),
        Some(ColumnDefault::RandomUuid | ColumnDefault::UuidV7 | ColumnDefault::Identity) => Classification::new(
            ChangeClass::Locks,
            "each row gets its own value, so the table is rewritten while other sessions cannot read it",
        ),
        Some(ColumnDefault::Now | ColumnDefault::Literal(_) | ColumnDefault::Json(_)) => {
            Classification::new(ChangeClass::Safe, "existing rows get the default without a rewrite of the table")
        }
    }
}

pub(super) fn drop_column(table: &str, column: &Column, successor: Option<&Column>) -> Classification {
    let classification = Classification::new(ChangeClass::Destructive, "its values are lost for good");
    match successor {
        Some(successor) => classification.with_alternative(
            "a renamed column keeps its values",
            [format!(
                "write `@renamedFrom {}` on the property of {table}.{}",
                column.name, successor.name
            )],
        ),
        None => classification,
    }
}

/// Classifies a change of a type. `is_key` is true if no two rows may have the same value in the column.
pub(super) fn set_type(
    table: &str,
    column: &Column,
    from: ColumnType,
    conversion: Conversion,
    is_key: bool,
) -> Classification {
    let to = column.r#type;
    let classification = match conversion {
        Conversion::Free => {
            return Classification::new(
                ChangeClass::Safe,
                format!("every {from} is a valid {to}, and PostgreSQL rewrites no row"),
            );
        }
        Conversion::Rewrite => Classification::new(
            ChangeClass::Locks,
            format!(
                "every {from} is a valid {to}, but the table is rewritten while other sessions cannot read it"
            ),
        ),
        Conversion::Milliseconds => {
            if is_key {
                Classification::new(
                    ChangeClass::NeedsData,
                    "the migration stops and changes nothing if two values are equal without their digits below a millisecond; the table is \
                     rewritten while other sessions cannot read it",
                )
            } else {
                Classification::new(
                    ChangeClass::Locks,
                    "values are read as UTC and lose their digits below a millisecond; the table is rewritten while other sessions \
                     cannot read it",
                )
            }
        }
        Conversion::Guarded => Classification::new(
            ChangeClass::NeedsData,
            format!("the migration stops and changes nothing if a value is not a valid {to} or would change"),
        ),
    };
    let (table, name) = (identifier(table), identifier(&column.name));
    let next = identifier(&format!("{}_next", column.name));
    let copy = if conversion == Conversion::Milliseconds {
        format!(
            "let the application write both columns, and copy the existing rows in batches: \
             UPDATE {table} SET {next} = {} WHERE {next} IS NULL AND …",
            sql::utc_in_milliseconds(&column.name)
        )
    } else {
        "let the application write both columns, and copy the existing rows in batches".to_owned()
    };
    classification.with_alternative(
        "rows are converted in batches while the application runs",
        [
            format!("ALTER TABLE {table} ADD COLUMN {next} {to}"),
            copy,
            "let the application read only the new column".to_owned(),
            format!("ALTER TABLE {table} DROP COLUMN {name}"),
        ],
    )
}

pub(super) fn set_default(counts: bool) -> Classification {
    if counts {
        Classification::new(
            ChangeClass::Locks,
            "the highest number is searched, because the sequence continues after it",
        )
    } else {
        Classification::new(ChangeClass::Safe, "only new rows get the default")
    }
}

pub(super) fn drop_default() -> Classification {
    Classification::new(ChangeClass::Safe, "existing rows keep their values")
}

pub(super) fn drop_not_null() -> Classification {
    Classification::new(ChangeClass::Safe, "every row stays valid")
}

pub(super) fn set_not_null(table: &str, column: &Column) -> Classification {
    let (quoted, name) = (identifier(table), identifier(&column.name));
    let constraint = identifier(&crate::names::constraint(&[table, &column.name], "not_null"));
    let fill = match &column.default {
        Some(ColumnDefault::Identity) | None => "…".to_owned(),
        Some(default) => crate::sql::default(default),
    };
    Classification::new(
        ChangeClass::NeedsData,
        "the migration stops and changes nothing if a row has null; the whole table is read while other sessions cannot write to it",
    )
    .with_alternative(
        "rows are filled first, and checked while the application runs",
        [
            format!("UPDATE {quoted} SET {name} = {fill} WHERE {name} IS NULL"),
            format!("ALTER TABLE {quoted} ADD CONSTRAINT {constraint} CHECK ({name} IS NOT NULL) NOT VALID"),
            outside_transaction(&format!("ALTER TABLE {quoted} VALIDATE CONSTRAINT {constraint}")),
            format!("ALTER TABLE {quoted} ALTER COLUMN {name} SET NOT NULL"),
            format!("ALTER TABLE {quoted} DROP CONSTRAINT {constraint}"),
        ],
    )
}

pub(super) fn add_primary_key(table: &Table) -> Classification {
    let quoted = identifier(&table.name);
    let columns: Vec<String> = table.primary_key.iter().map(|name| identifier(name)).collect();
    let (columns, name) = (columns.join(", "), identifier(&table.primary_key_name()));
    Classification::new(
        ChangeClass::NeedsData,
        "the migration stops and changes nothing if two rows have the same values; the index is built while other sessions cannot use the table",
    )
    .with_alternative(
        "the index is built while the application runs",
        [
            outside_transaction(&format!("CREATE UNIQUE INDEX CONCURRENTLY {name} ON {quoted} ({columns})")),
            format!("ALTER TABLE {quoted} ADD CONSTRAINT {name} PRIMARY KEY USING INDEX {name}"),
        ],
    )
}

pub(super) fn add_unique(table: &Table, unique: &Unique, new: bool) -> Classification {
    if new
        && table.columns.iter().all(|column| {
            !unique.columns.contains(&column.name) || (column.default.is_none() && column.nullable)
        })
    {
        return Classification::new(
            ChangeClass::Locks,
            "no row has a value in the column yet, but the table is read once",
        );
    }
    let (quoted, name) = (identifier(&table.name), identifier(&unique.name));
    let columns: Vec<String> = unique.columns.iter().map(|name| identifier(name)).collect();
    Classification::new(
        ChangeClass::NeedsData,
        "the migration stops and changes nothing if two rows have the same values; the index is built while other sessions cannot use the table",
    )
    .with_alternative(
        "the index is built while the application runs",
        [
            outside_transaction(&format!("CREATE UNIQUE INDEX CONCURRENTLY {name} ON {quoted} ({})", columns.join(", "))),
            format!("ALTER TABLE {quoted} ADD CONSTRAINT {name} UNIQUE USING INDEX {name}"),
        ],
    )
}

pub(super) fn add_check(table: &Table, check: &Check, former: Option<&Check>, new: bool) -> Classification {
    let known = former.is_some_and(|former| widens(&former.rule, &check.rule));
    let classification = if known || new {
        let reason = if known {
            "every existing row is valid, but all rows are read once while other sessions cannot use the table"
        } else {
            "no existing row has its own value yet, but all rows are read once while other sessions cannot use the table"
        };
        Classification::new(ChangeClass::Locks, reason)
    } else {
        Classification::new(
            ChangeClass::NeedsData,
            "the migration stops and changes nothing if a row is not valid; all rows are read while other sessions cannot use the table",
        )
    };
    let add = Statement::AlterTable {
        name: table.name.clone(),
        action: TableAction::AddCheck(check.clone()),
    };
    classification.with_alternative(
        "rows are checked while the application runs",
        validated(&table.name, &add, &check.name),
    )
}

/// Classifies a new foreign key. `known` is true if a foreign key between the same columns existed before, so
/// that only its `ON DELETE` action or the column type differs.
pub(super) fn add_foreign_key(table: &Table, key: &ForeignKey, new: bool, known: bool) -> Classification {
    let empty = new
        && table
            .column(&key.column)
            .is_some_and(|column| column.nullable && column.default.is_none());
    let classification = if known {
        Classification::new(
            ChangeClass::Locks,
            "every existing row is valid, but all rows are read once while other sessions cannot write to either table",
        )
    } else if empty {
        Classification::new(
            ChangeClass::Locks,
            "no row has a reference yet, but all rows are read once while other sessions cannot write to either table",
        )
    } else {
        Classification::new(
            ChangeClass::NeedsData,
            "the migration stops and changes nothing if a row refers to a missing row; all rows are read while other sessions cannot write to either table",
        )
    };
    let add = Statement::AlterTable {
        name: table.name.clone(),
        action: TableAction::AddForeignKey(key.clone()),
    };
    classification.with_alternative(
        "rows are checked while the application runs",
        validated(&table.name, &add, &key.name),
    )
}

/// Returns the SQL of the two steps that add a constraint: the first makes PostgreSQL check new rows, the
/// second checks existing rows without blocking other sessions.
fn validated(table: &str, add: &Statement, name: &str) -> [String; 2] {
    [
        format!("{} NOT VALID", print_one(add)),
        outside_transaction(&format!(
            "ALTER TABLE {} VALIDATE CONSTRAINT {}",
            identifier(table),
            identifier(name)
        )),
    ]
}

/// Classifies a new index. `created` is true if the table is new, and `new` if no row has a value of its own in the
/// columns.
pub(super) fn create_index(table: &Table, index: &Index, created: bool, new: bool) -> Classification {
    if created {
        return Classification::new(ChangeClass::Safe, "the table is new");
    }
    let classification = if index.unique && !new {
        Classification::new(
            ChangeClass::NeedsData,
            "the migration stops and changes nothing if rows have equal values; other sessions cannot write to the table while the index is built",
        )
    } else {
        Classification::new(
            ChangeClass::Locks,
            "other sessions cannot write to the table while the index is built",
        )
    };
    classification.with_alternative(
        "the index is built while the application runs",
        [outside_transaction(&create_index_statement(
            &table.name,
            index,
            true,
        ))],
    )
}

pub(super) fn drop_constraint() -> Classification {
    Classification::new(ChangeClass::Safe, "every row stays valid")
}

pub(super) fn drop_index() -> Classification {
    Classification::new(
        ChangeClass::Safe,
        "rows stay; queries that use the index become slower",
    )
}

pub(super) fn comment() -> Classification {
    Classification::new(ChangeClass::Safe, "a comment for people")
}

/// Returns true if a change of a rule from `from` to `to` allows more values: every value that satisfies
/// `from` also satisfies `to`.
fn widens(from: &Rule, to: &Rule) -> bool {
    match (from, to) {
        (Rule::Values(from), Rule::Values(to)) => from.iter().all(|value| to.contains(value)),
        (Rule::Length(from), Rule::Length(to)) | (Rule::Items(from), Rule::Items(to)) => wider(*from, *to),
        (Rule::Range(from), Rule::Range(to)) => farther(from, to),
        _ => from == to,
    }
}

fn wider(from: Counts, to: Counts) -> bool {
    let least = to.min.is_none_or(|to| from.min.is_some_and(|from| to <= from));
    let most = to.max.is_none_or(|to| from.max.is_some_and(|from| to >= from));
    least && most
}

fn farther(from: &Range, to: &Range) -> bool {
    let least =
        |to: Option<Decimal>, from: Option<Decimal>| to.is_none_or(|to| from.is_some_and(|from| to <= from));
    let most =
        |to: Option<Decimal>, from: Option<Decimal>| to.is_none_or(|to| from.is_some_and(|from| to >= from));
    least(to.minimum, from.minimum)
        && least(to.exclusive_minimum, from.exclusive_minimum)
        && most(to.maximum, from.maximum)
        && most(to.exclusive_maximum, from.exclusive_maximum)
}

/// Classifies a new policy of tenants. `known` is true if the table is new or has such a policy already.
pub(super) fn set_tenant(known: bool) -> Classification {
    if known {
        return Classification::new(ChangeClass::Safe, "no query sees more or fewer rows than before");
    }
    Classification::new(
        ChangeClass::Locks,
        "queries that run outside of a transaction with a tenant find no rows from then on: deploy such transactions first",
    )
}

/// Classifies the end of a policy of tenants. `is_replaced` is true if the same migration creates it again.
pub(super) fn drop_tenant(is_replaced: bool) -> Classification {
    let reason = if is_replaced {
        "the policy is created again in the same migration"
    } else {
        "rows stay; every tenant sees the rows of all tenants"
    };
    Classification::new(ChangeClass::Safe, reason)
}
