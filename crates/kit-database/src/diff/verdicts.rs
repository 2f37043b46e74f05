//! Classifies each change, with a reason and an alternative.

use kit_ir::Decimal;

use crate::sql::{OUTSIDE_TRANSACTION, Statement, TableAction, identifier, print_one};
use crate::step::Verdict;
use crate::{
    Check, Class, Column, ColumnDefault, ColumnType, Counts, ForeignKey, Index, Range, Rule, Table, Unique,
};

use super::types::Way;

/// Formats a statement of `migration.sql` that runs outside of the transaction of the others.
fn alone(statement: &str) -> String {
    format!("{OUTSIDE_TRANSACTION}\n{statement}")
}

pub(super) fn create_table() -> Verdict {
    Verdict::new(Class::Safe, "the table is new")
}

pub(super) fn drop_table(table: &Table, heir: Option<&Table>) -> Verdict {
    let verdict = Verdict::new(Class::Destructive, "all rows are lost for good");
    match heir {
        Some(heir) => verdict.or(
            "a renamed table keeps its rows",
            [format!(
                "write `@renamedFrom {}` on the entity of {}",
                table.name, heir.name
            )],
        ),
        None => verdict,
    }
}

pub(super) fn rename() -> Verdict {
    Verdict::new(
        Class::Safe,
        "rows stay; programs that know only the former name fail until the new ones run",
    )
}

pub(super) fn rename_constraint() -> Verdict {
    Verdict::new(Class::Safe, "only the name changes")
}

pub(super) fn add_column(table: &str, column: &Column) -> Verdict {
    match &column.default {
        None if column.nullable => Verdict::new(Class::Safe, "rows that are there have null in it"),
        None => Verdict::new(
            Class::NeedsData,
            "it may not be null and has no default: rows that are there need a value, which migration.sql has a place for",
        )
        .or(
            "rows get their values while the application runs",
            [
                format!("make the property optional, so that {table}.{} may be null", column.name),
                "deploy an application that writes it, and fill the rows that are there".to_owned(),
                "make the property required, which is a migration of its own".to_owned(),
            ],
        ),
        Some(ColumnDefault::RandomUuid | ColumnDefault::Identity) => Verdict::new(
            Class::Locks,
            "each row gets a value of its own, so the table is written anew while nobody else can read it",
        ),
        Some(ColumnDefault::Now | ColumnDefault::Literal(_) | ColumnDefault::Json(_)) => {
            Verdict::new(Class::Safe, "rows that are there have the default without being written")
        }
    }
}

pub(super) fn drop_column(table: &str, column: &Column, heir: Option<&Column>) -> Verdict {
    let verdict = Verdict::new(Class::Destructive, "its values are lost for good");
    match heir {
        Some(heir) => verdict.or(
            "a renamed column keeps its values",
            [format!(
                "write `@renamedFrom {}` on the property of {table}.{}",
                column.name, heir.name
            )],
        ),
        None => verdict,
    }
}

pub(super) fn set_type(table: &str, column: &Column, from: ColumnType, way: Way) -> Verdict {
    let to = column.r#type;
    let verdict = match way {
        Way::Free => {
            return Verdict::new(
                Class::Safe,
                format!("every {from} is a {to}, and no row is written"),
            );
        }
        Way::Rewrite => Verdict::new(
            Class::Locks,
            format!("every {from} is a {to}, but the table is written anew while nobody else can read it"),
        ),
        Way::Guarded => Verdict::new(
            Class::NeedsData,
            format!("it stops, with nothing changed, where a value is no {to} or would change"),
        ),
    };
    let (table, name) = (identifier(table), identifier(&column.name));
    verdict.or(
        "rows are written in portions while the application runs",
        [
            format!(
                "ALTER TABLE {table} ADD COLUMN {} {to}",
                identifier(&format!("{}_next", column.name))
            ),
            "let the application write both columns, and copy the rows that are there in portions".to_owned(),
            "let the application read the new column alone".to_owned(),
            format!("ALTER TABLE {table} DROP COLUMN {name}"),
        ],
    )
}

pub(super) fn set_default(counts: bool) -> Verdict {
    if counts {
        Verdict::new(
            Class::Locks,
            "the greatest number is looked for, to count on from there",
        )
    } else {
        Verdict::new(Class::Safe, "only rows that come get it")
    }
}

pub(super) fn drop_default() -> Verdict {
    Verdict::new(Class::Safe, "rows that are there keep what they have")
}

pub(super) fn drop_not_null() -> Verdict {
    Verdict::new(Class::Safe, "every row fits as it is")
}

pub(super) fn set_not_null(table: &str, column: &Column) -> Verdict {
    let (quoted, name) = (identifier(table), identifier(&column.name));
    let constraint = identifier(&crate::names::constraint(&[table, &column.name], "not_null"));
    let fill = match &column.default {
        Some(ColumnDefault::Identity) | None => "…".to_owned(),
        Some(default) => crate::sql::default(default),
    };
    Verdict::new(
        Class::NeedsData,
        "it stops, with nothing changed, where a row has null, and reads the whole table while nobody else can write it",
    )
    .or(
        "rows are filled first, and looked through while the application runs",
        [
            format!("UPDATE {quoted} SET {name} = {fill} WHERE {name} IS NULL"),
            format!("ALTER TABLE {quoted} ADD CONSTRAINT {constraint} CHECK ({name} IS NOT NULL) NOT VALID"),
            alone(&format!("ALTER TABLE {quoted} VALIDATE CONSTRAINT {constraint}")),
            format!("ALTER TABLE {quoted} ALTER COLUMN {name} SET NOT NULL"),
            format!("ALTER TABLE {quoted} DROP CONSTRAINT {constraint}"),
        ],
    )
}

pub(super) fn add_primary_key(table: &Table) -> Verdict {
    let quoted = identifier(&table.name);
    let columns: Vec<String> = table.primary_key.iter().map(|name| identifier(name)).collect();
    let (columns, name) = (columns.join(", "), identifier(&table.primary_key_name()));
    Verdict::new(
        Class::NeedsData,
        "it stops, with nothing changed, where two rows have the same, and builds an index while nobody else can use the table",
    )
    .or(
        "the index is built while the application runs",
        [
            alone(&format!("CREATE UNIQUE INDEX CONCURRENTLY {name} ON {quoted} ({columns})")),
            format!("ALTER TABLE {quoted} ADD CONSTRAINT {name} PRIMARY KEY USING INDEX {name}"),
        ],
    )
}

pub(super) fn add_unique(table: &Table, unique: &Unique, new: bool) -> Verdict {
    if new
        && table.columns.iter().all(|column| {
            !unique.columns.contains(&column.name) || (column.default.is_none() && column.nullable)
        })
    {
        return Verdict::new(
            Class::Locks,
            "no row has a value there yet, but the table is read once",
        );
    }
    let (quoted, name) = (identifier(&table.name), identifier(&unique.name));
    let columns: Vec<String> = unique.columns.iter().map(|name| identifier(name)).collect();
    Verdict::new(
        Class::NeedsData,
        "it stops, with nothing changed, where two rows have the same, and builds an index while nobody else can use the table",
    )
    .or(
        "the index is built while the application runs",
        [
            alone(&format!("CREATE UNIQUE INDEX CONCURRENTLY {name} ON {quoted} ({})", columns.join(", "))),
            format!("ALTER TABLE {quoted} ADD CONSTRAINT {name} UNIQUE USING INDEX {name}"),
        ],
    )
}

pub(super) fn add_check(table: &Table, check: &Check, former: Option<&Check>, new: bool) -> Verdict {
    let known = former.is_some_and(|former| widens(&former.rule, &check.rule));
    let verdict = if known || new {
        let reason = if known {
            "every row that is there fits, but all are read once while nobody else can use the table"
        } else {
            "no row has a value of its own there yet, but all are read once while nobody else can use the table"
        };
        Verdict::new(Class::Locks, reason)
    } else {
        Verdict::new(
            Class::NeedsData,
            "it stops, with nothing changed, where a row does not fit, and reads all while nobody else can use the table",
        )
    };
    let add = Statement::AlterTable {
        name: table.name.clone(),
        action: TableAction::AddCheck(check.clone()),
    };
    verdict.or(
        "rows are looked through while the application runs",
        validated(&table.name, &add, &check.name),
    )
}

/// Classifies a new foreign key. `known` is true if a foreign key between the same columns existed until now, and only
/// its `ON DELETE` action or the column type differs.
pub(super) fn add_foreign_key(table: &Table, key: &ForeignKey, new: bool, known: bool) -> Verdict {
    let empty = new
        && table
            .column(&key.column)
            .is_some_and(|column| column.nullable && column.default.is_none());
    let verdict = if known {
        Verdict::new(
            Class::Locks,
            "every row that is there fits, but all are read once while nobody else can write either table",
        )
    } else if empty {
        Verdict::new(
            Class::Locks,
            "no row refers to anything yet, but all are read once while nobody else can write either table",
        )
    } else {
        Verdict::new(
            Class::NeedsData,
            "it stops, with nothing changed, where a row refers to none, and reads all while nobody else can write either table",
        )
    };
    let add = Statement::AlterTable {
        name: table.name.clone(),
        action: TableAction::AddForeignKey(key.clone()),
    };
    verdict.or(
        "rows are looked through while the application runs",
        validated(&table.name, &add, &key.name),
    )
}

/// Returns the two steps that add a constraint: the first makes it valid for new rows at once, the second checks
/// existing rows without blocking other sessions.
fn validated(table: &str, add: &Statement, name: &str) -> [String; 2] {
    [
        format!("{} NOT VALID", print_one(add)),
        alone(&format!(
            "ALTER TABLE {} VALIDATE CONSTRAINT {}",
            identifier(table),
            identifier(name)
        )),
    ]
}

pub(super) fn create_index(table: &Table, index: &Index, created: bool) -> Verdict {
    if created {
        return Verdict::new(Class::Safe, "the table is new");
    }
    let columns: Vec<String> = index.columns.iter().map(|name| identifier(name)).collect();
    Verdict::new(
        Class::Locks,
        "nobody else can write the table while the index is built",
    )
    .or(
        "the index is built while the application runs",
        [alone(&format!(
            "CREATE INDEX CONCURRENTLY {} ON {} ({})",
            identifier(&index.name),
            identifier(&table.name),
            columns.join(", ")
        ))],
    )
}

pub(super) fn drop_constraint() -> Verdict {
    Verdict::new(Class::Safe, "every row fits as it is")
}

pub(super) fn drop_index() -> Verdict {
    Verdict::new(Class::Safe, "rows stay; what it made fast gets slower")
}

pub(super) fn comment() -> Verdict {
    Verdict::new(Class::Safe, "a comment for people")
}

/// Returns true if every value that satisfies `from` also satisfies `to`.
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
