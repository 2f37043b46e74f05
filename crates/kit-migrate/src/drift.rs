//! Finds differences between the live tables and the migrations.
//!
//! The same server also provides the expected definitions: kit creates the tables of the snapshot as temporary tables
//! in a transaction that is rolled back, and PostgreSQL describes both sides. Therefore kit does not need to know how
//! PostgreSQL rewrites a default or a check, and the application's tables are only read.

use kit_database::sql::{identifier, string_literal};
use kit_database::{Schema, Snapshot, plan};
use tokio_postgres::Client;

use crate::catalog::{CatalogColumn, CatalogObject, CatalogTable, Scope};
use crate::connect::{block_on, connect};
use crate::{Catalog, DatabaseError, MigrateError};

/// Differences between live tables and a snapshot.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Drift {
    /// Differences in tables that the snapshot contains.
    pub differences: Vec<Difference>,
    /// Names of tables that the snapshot does not contain: another program or a user created them.
    pub unknown: Vec<String>,
}

/// Difference between the live tables and the snapshot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// Name of the differing object: `table notes`, `column notes.title`, `constraint notes_email_key of notes`.
    pub object: String,
    /// Expected definition, from the snapshot; `None` if the snapshot does not contain the object.
    pub expected: Option<String>,
    /// Definition in the database; `None` if the object does not exist there.
    pub found: Option<String>,
    /// Advice: a statement for a migration written by hand, or a description.
    pub repair: String,
}

/// Compares the live tables with a snapshot. Blocks until done and changes nothing. Needs the right to create temporary
/// tables, which every user has by default.
///
/// # Errors
/// Returns a [`MigrateError`] if the database cannot be reached or read, or if the tables of the snapshot cannot be
/// created.
pub fn drift(url: &str, snapshot: &Snapshot) -> Result<Drift, MigrateError> {
    block_on(async {
        let client = connect(url).await?;
        compare(&client, snapshot).await
    })
}

/// Compares like [`drift`], on an existing connection.
pub(crate) async fn compare(client: &Client, snapshot: &Snapshot) -> Result<Drift, MigrateError> {
    let found = read_live(client).await?;
    let expected = read_expected(client, snapshot).await?;
    let mut drift = Drift::default();
    for table in &expected.tables {
        match found.table(&table.name) {
            None => drift.differences.push(Difference {
                object: format!("table {}", table.name),
                expected: Some(format!("{} columns", table.columns.len())),
                found: None,
                repair: format!(
                    "it was dropped or renamed outside of migrations: rename it back, or take its statements from migrations/ \
                     into a migration written by hand ({})",
                    table.name
                ),
            }),
            Some(live) => between(table, live, &mut drift.differences),
        }
    }
    drift.unknown = found
        .tables
        .into_iter()
        .map(|table| table.name)
        .filter(|name| expected.table(name).is_none())
        .collect();
    Ok(drift)
}

async fn read_live(client: &Client) -> Result<Catalog, MigrateError> {
    run(client, "BEGIN READ ONLY").await?;
    let found = Catalog::read(client, Scope::Current).await;
    run(client, "ROLLBACK").await?;
    found
}

async fn read_expected(client: &Client, snapshot: &Snapshot) -> Result<Catalog, MigrateError> {
    let schema = Schema {
        tables: snapshot.tables().to_vec(),
    };
    let sql = plan(None, &schema)
        .map_err(|error| MigrateError::Snapshot(error.to_string()))?
        .sql();
    // With this `search_path`, names refer to temporary tables even if the application has tables of the same names.
    run(client, "BEGIN; SET LOCAL search_path = pg_temp").await?;
    let expected = match run(client, &sql).await {
        Ok(()) => Catalog::read(client, Scope::Temporary).await,
        Err(error) => Err(error),
    };
    run(client, "ROLLBACK").await?;
    expected
}

async fn run(client: &Client, sql: &str) -> Result<(), MigrateError> {
    client
        .batch_execute(sql)
        .await
        .map_err(|error| MigrateError::Database {
            doing: "cannot compare the tables with the snapshot",
            source: DatabaseError::of(error, Some(sql)),
        })
}

fn between(expected: &CatalogTable, found: &CatalogTable, differences: &mut Vec<Difference>) {
    let table = identifier(&expected.name);
    let mut note = |object: String, expected: Option<String>, found: Option<String>, repair: String| {
        if expected != found {
            differences.push(Difference {
                object,
                expected,
                found,
                repair,
            });
        }
    };
    let quoted = |comment: &Option<String>| {
        comment
            .as_deref()
            .map_or_else(|| "NULL".to_owned(), string_literal)
    };
    note(
        format!("comment of table {}", expected.name),
        expected.comment.clone(),
        found.comment.clone(),
        format!("COMMENT ON TABLE {table} IS {}", quoted(&expected.comment)),
    );
    for (name, expected_column, found_column) in
        pairs(&expected.columns, &found.columns, |column| &column.name)
    {
        let quoted_name = identifier(name);
        let repair = match (expected_column, found_column) {
            (Some(expected_column), None) => format!("ALTER TABLE {table} ADD COLUMN {quoted_name} {}", expected_column.definition),
            (None, _) => "declare the column in the entity, or write a migration by hand that drops the column and its values".to_owned(),
            _ => "bring the column to what it should be by a migration written by hand (ALTER TABLE … ALTER COLUMN …), or the type \
                  to what the column is"
                .to_owned(),
        };
        let definition = |column: &CatalogColumn| column.definition.clone();
        note(
            format!("column {}.{name}", expected.name),
            expected_column.map(definition),
            found_column.map(definition),
            repair,
        );
        if let (Some(expected_column), Some(found_column)) = (expected_column, found_column) {
            note(
                format!("comment of column {}.{name}", expected.name),
                expected_column.comment.clone(),
                found_column.comment.clone(),
                format!(
                    "COMMENT ON COLUMN {table}.{quoted_name} IS {}",
                    quoted(&expected_column.comment)
                ),
            );
        }
    }
    for (kind, expected_objects, found_objects) in [
        ("constraint", &expected.constraints, &found.constraints),
        ("index", &expected.indexes, &found.indexes),
    ] {
        for (name, expected_object, found_object) in
            pairs(expected_objects, found_objects, |object| &object.name)
        {
            let name_in_sql = identifier(name);
            let drop = if kind == "index" {
                format!("DROP INDEX CONCURRENTLY {name_in_sql}")
            } else {
                format!("ALTER TABLE {table} DROP CONSTRAINT {name_in_sql}")
            };
            let add = |object: &CatalogObject| {
                if kind == "index" {
                    object
                        .definition
                        .replacen(" ON ", &format!(" {name_in_sql} ON "), 1)
                } else {
                    format!(
                        "ALTER TABLE {table} ADD CONSTRAINT {name_in_sql} {}",
                        object.definition
                    )
                }
            };
            let repair = match (expected_object, found_object) {
                (Some(expected_object), None) => add(expected_object),
                (Some(expected_object), Some(_)) => format!("{drop}; {}", add(expected_object)),
                (None, _) => drop,
            };
            note(
                format!("{kind} {name} of {}", expected.name),
                expected_object.map(definition),
                found_object.map(definition),
                repair,
            );
        }
    }
}

fn definition(object: &CatalogObject) -> String {
    // The definition of a constraint that is not valid already ends with NOT VALID; the definition of an invalid index
    // does not show it.
    if object.valid || object.definition.ends_with("NOT VALID") {
        object.definition.clone()
    } else {
        format!("{} (invalid: its creation was interrupted)", object.definition)
    }
}

/// Pairs items of two lists by name: first in the order of the first list, then the items that only the second list
/// has.
fn pairs<'a, T>(
    expected: &'a [T],
    found: &'a [T],
    name: impl Fn(&T) -> &String,
) -> Vec<(&'a str, Option<&'a T>, Option<&'a T>)>
where
    T: 'a,
{
    let find = |list: &'a [T], wanted: &str| list.iter().find(|item| name(item) == wanted);
    let mut all = Vec::new();
    for item in expected {
        let item_name = item_name(item, &name);
        all.push((item_name, Some(item), find(found, item_name)));
    }
    for item in found {
        let item_name = item_name(item, &name);
        if find(expected, item_name).is_none() {
            all.push((item_name, None, Some(item)));
        }
    }
    all
}

fn item_name<'a, T>(item: &'a T, name: &impl Fn(&T) -> &String) -> &'a str {
    name(item)
}
