//! Finds differences between the live tables and the migrations.
//!
//! The same server also provides the expected definitions: kit creates the tables of the snapshot as temporary tables
//! in a transaction that is rolled back, and PostgreSQL describes both sides. Therefore kit does not need to know how
//! PostgreSQL rewrites a default or a check, and the application's tables are only read. The snapshot itself contains
//! the descriptions of objects that no entity describes.

use std::collections::BTreeSet;

use kit_database::sql::{beside, identifier, relation, string_literal};
use kit_database::{Creation, ForeignObject, ObjectKind, Snapshot, Table, schemas_of, stored_type};
use tokio_postgres::Client;

use crate::catalog::{Scope, path_without};
use crate::connect::{block_on, connect};
use crate::printed::stable;
use crate::stand_ins::StandIns;
use crate::{Catalog, DatabaseError, MigrateError};

/// Differences between live tables and a snapshot.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Drift {
    /// Differences in tables that the snapshot contains.
    pub differences: Vec<Difference>,
    /// Tables, and objects such as `view recent_notes`, that the snapshot does not contain: another program or a user
    /// created them.
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
    let schemas = snapshot.schemas();
    let found = read_live(client, &schemas).await?;
    let foreign = snapshot.foreign();
    let modelled = read_expected(client, snapshot.tables(), foreign.iter()).await?;
    let mut expected = expected_objects(&modelled, foreign);
    print_views_here(client, &mut expected, &found, &schemas).await?;
    Ok(differences(&expected, &found))
}

/// Lets the server print the expected views that differ from its own. Another release of PostgreSQL, which prints some
/// queries in another way, may have recorded them.
async fn print_views_here(
    client: &Client,
    expected: &mut [ForeignObject],
    found: &Catalog,
    schemas: &[String],
) -> Result<(), MigrateError> {
    for view in expected
        .iter_mut()
        .filter(|object| object.kind == ObjectKind::View)
    {
        let live = found.find(view).and_then(|live| live.definition.as_deref());
        let (Some(own), Some(live)) = (view.definition.as_deref(), live) else {
            continue;
        };
        let Some((start, query)) = own.split_once(" AS\n").filter(|_| own != live) else {
            continue;
        };
        // If the query is not valid here, the view has changed.
        if let Some(printed) = print_query(client, query, schemas).await? {
            let printed = format!("{start} AS\n{}", printed.trim_end_matches(';'));
            view.definition = Some(stable(ObjectKind::View, &printed));
        }
    }
    Ok(())
}

/// Returns the query of a view as the server prints it, and `None` if the server refuses the query. Changes nothing: the
/// server prints a temporary view of a transaction that is rolled back.
async fn print_query(
    client: &Client,
    query: &str,
    schemas: &[String],
) -> Result<Option<String>, MigrateError> {
    const NAME: &str = "kit_printed_view";
    run(client, &format!("BEGIN; {}", set_path("", schemas))).await?;
    // Unlike `batch_execute`, `execute` refuses several statements, which could end the transaction.
    let create = format!("CREATE TEMPORARY VIEW {NAME} AS\n{query}");
    let printed = match client.execute(&create, &[]).await {
        Ok(_) => {
            let sql = format!("SELECT pg_get_viewdef('pg_temp.{NAME}'::regclass, true)");
            client.query_one(&sql, &[]).await.ok().map(|row| row.get(0))
        }
        Err(_) => None,
    };
    run(client, "ROLLBACK").await?;
    Ok(printed)
}

/// Returns the objects that the database should have: those of the entities, changed and completed by the foreign
/// objects.
pub(crate) fn expected_objects(modelled: &Catalog, foreign: &[ForeignObject]) -> Vec<ForeignObject> {
    let mut expected: Vec<ForeignObject> = modelled.described().cloned().collect();
    for object in foreign {
        if object.kind == ObjectKind::Waived {
            continue;
        }
        // An earlier version of kit may have recorded another text of the same object.
        let object = &ForeignObject {
            definition: object.definition.as_deref().map(|text| stable(object.kind, text)),
            ..object.clone()
        };
        let known = expected.iter().position(|known| known.is_same_object(object));
        match (known, &object.definition) {
            (Some(at), Some(_)) => expected[at] = object.clone(),
            (Some(at), None) => {
                expected.remove(at);
            }
            (None, Some(_)) => expected.push(object.clone()),
            (None, None) => {}
        }
    }
    expected
}

/// Compares the objects that a database should have with those that it has.
pub(crate) fn differences(expected: &[ForeignObject], found: &Catalog) -> Drift {
    let mut drift = Drift::default();
    let missing: BTreeSet<&str> = expected
        .iter()
        .filter(|object| object.kind == ObjectKind::Table && found.find(object).is_none())
        .map(|object| object.name.as_str())
        .collect();
    let has_owner = |object: &ForeignObject| {
        let owner = object.table.as_deref();
        expected.iter().any(|known| {
            matches!(known.kind, ObjectKind::Table | ObjectKind::View)
                && (Some(known.name.as_str()) == owner
                    || object.kind == ObjectKind::Comment && owner.is_none() && object.name == known.title())
        })
    };
    for object in expected {
        let of_missing = object
            .table
            .as_deref()
            .is_some_and(|table| missing.contains(table));
        if of_missing {
            continue;
        }
        match found.find(object) {
            None if object.kind == ObjectKind::Table => {
                let columns = expected
                    .iter()
                    .filter(|part| {
                        part.kind == ObjectKind::Column && part.table.as_ref() == Some(&object.name)
                    })
                    .count();
                drift.differences.push(Difference {
                    object: object.title(),
                    expected: Some(format!("{columns} columns")),
                    found: None,
                    repair: format!(
                        "it was dropped or renamed outside of migrations: rename it back, or take its statements from migrations/ \
                         into a migration written by hand ({})",
                        object.name
                    ),
                });
            }
            live if live.map(|live| &live.definition) != Some(&object.definition) => {
                let live = live.and_then(|live| live.definition.clone());
                drift.differences.push(Difference {
                    object: object.title(),
                    repair: repair(object, live.is_some()),
                    expected: object.definition.clone(),
                    found: live,
                });
            }
            _ => {}
        }
    }
    for object in found.described() {
        if expected.iter().any(|known| known.is_same_object(object)) {
            continue;
        }
        if has_owner(object) {
            drift.differences.push(Difference {
                object: object.title(),
                expected: None,
                found: object.definition.clone(),
                repair: removal(object),
            });
        } else if object.kind == ObjectKind::Table {
            drift.unknown.push(object.name.clone());
        } else if object.table.is_none() && object.kind != ObjectKind::Comment {
            drift.unknown.push(object.title());
        }
    }
    drift.unknown.sort();
    // Differences of a table are together: its comment, its columns, its constraints, and so on.
    let table_of = |difference: &Difference| {
        let of_object = |object: &&ForeignObject| object.title() == difference.object;
        let object = expected
            .iter()
            .find(of_object)
            .or_else(|| found.described().find(of_object));
        let object = object.map(|object| object.table.as_ref().unwrap_or(&object.name));
        expected
            .iter()
            .position(|known| known.kind == ObjectKind::Table && Some(&known.name) == object)
    };
    drift
        .differences
        .sort_by_cached_key(|difference| (table_of(difference), rank(&difference.object)));
    drift
}

fn rank(title: &str) -> usize {
    const ORDER: [&str; 5] = ["table ", "comment of table ", "column ", "constraint ", "index "];
    let title = title
        .strip_prefix("comment of column ")
        .map_or(title, |_| "column ");
    ORDER
        .iter()
        .position(|prefix| title.starts_with(prefix))
        .unwrap_or(ORDER.len())
}

/// Returns the objects of the first schema of the `search_path` and of the other given schemas.
pub(crate) async fn read_live(client: &Client, schemas: &[String]) -> Result<Catalog, MigrateError> {
    refuse_first_schema(client, schemas).await?;
    let begin = format!("BEGIN READ ONLY; {}", set_path("", schemas));
    run(client, &begin).await?;
    let found = Catalog::read(client, Scope::Current(schemas)).await;
    run(client, "ROLLBACK").await?;
    found
}

/// Returns the objects like [`read_live`], and the names of the given schemas that contain objects. A snapshot names only these
/// schemas. If kit hid another schema from the `search_path`, PostgreSQL would print other names than in a comparison with the
/// snapshot.
pub(crate) async fn read_used(
    client: &Client,
    schemas: Vec<String>,
) -> Result<(Catalog, Vec<String>), MigrateError> {
    let found = read_live(client, &schemas).await?;
    let used: BTreeSet<String> = found.described().filter_map(ForeignObject::schema).collect();
    let used: Vec<String> = used.into_iter().collect();
    if used.len() == schemas.len() {
        return Ok((found, used));
    }
    Ok((read_live(client, &used).await?, used))
}

/// Refuses a first schema of the `search_path` that names of tables also contain: one table would have two names.
async fn refuse_first_schema(client: &Client, schemas: &[String]) -> Result<(), MigrateError> {
    if schemas.is_empty() {
        return Ok(());
    }
    let row = client
        .query_one("SELECT current_schema()::text", &[])
        .await
        .map_err(MigrateError::database("cannot find the schema of the database"))?;
    let first: Option<String> = row.get(0);
    match first.filter(|first| schemas.contains(first)) {
        Some(schema) => Err(MigrateError::SchemaIsFirst { schema }),
        None => Ok(()),
    }
}

/// Returns the statement that sets the `search_path` of the transaction: first `start`, then the path of the session without
/// the given schemas.
fn set_path(start: &str, schemas: &[String]) -> String {
    format!(
        "SELECT set_config('search_path', concat_ws(', ', nullif({}, ''), nullif({}, '')), true)",
        string_literal(start),
        path_without(schemas)
    )
}

/// Returns the objects of tables as PostgreSQL describes them, without their dependencies.
///
/// `live` contains descriptions of columns with other types than those of the entities. Constraints and indexes are created on
/// columns of these types, because a condition such as `state = 'open'::loan_state` fits no other type. Objects that PostgreSQL
/// cannot create, because a type or a function does not exist, are left out.
pub(crate) async fn read_expected<'o>(
    client: &Client,
    tables: &[Table],
    live: impl Iterator<Item = &'o ForeignObject>,
) -> Result<Catalog, MigrateError> {
    let stand_ins = StandIns::new(tables);
    let schemas = schemas_of(tables, &[]);
    let live = live
        .filter(|object| object.kind == ObjectKind::Column)
        .map(|object| stand_ins.names.stand_in(object))
        .collect();
    // With this `search_path`, names refer to temporary tables even if the application has tables of the same names. Types
    // and functions of extensions are found in the other schemas.
    run(client, &format!("BEGIN; {}", set_path("pg_temp", &[]))).await?;
    let expected = create_and_read(client, &stand_ins.tables, &schemas, live).await;
    run(client, "ROLLBACK").await?;
    let mut expected = expected?;
    for object in &mut expected.objects {
        stand_ins.names.restore(&mut object.described);
    }
    Ok(expected)
}

async fn create_and_read(
    client: &Client,
    tables: &[Table],
    schemas: &[String],
    live: Vec<ForeignObject>,
) -> Result<Catalog, MigrateError> {
    let creation = Creation::of(tables);
    run(
        client,
        &format!("{};\n{}", creation.tables, set_path("", schemas)),
    )
    .await?;
    let columns = if live.is_empty() {
        Catalog::default()
    } else {
        Catalog::read(client, Scope::Temporary).await?
    };
    let types: Vec<String> = live
        .iter()
        .filter_map(|object| stored_type(columns.find(object)?, object))
        .collect();
    run_possible(client, &types).await?;
    run_possible(client, &creation.rest).await?;
    let mut expected = Catalog::read(client, Scope::Temporary).await?;
    for object in &mut expected.objects {
        if object.described.kind == ObjectKind::Column
            && let Some(column) = columns.find(&object.described)
        {
            object.described = column.clone();
        }
    }
    Ok(expected)
}

/// Runs the statements that PostgreSQL accepts.
async fn run_possible(client: &Client, statements: &[String]) -> Result<(), MigrateError> {
    run(client, "SAVEPOINT kit_all").await?;
    if run(client, &statements.join(";\n")).await.is_ok() {
        return Ok(());
    }
    run(client, "ROLLBACK TO SAVEPOINT kit_all").await?;
    for statement in statements {
        run(client, "SAVEPOINT kit_one").await?;
        let end = match run(client, statement).await {
            Ok(()) => "RELEASE SAVEPOINT kit_one",
            Err(_) => "ROLLBACK TO SAVEPOINT kit_one",
        };
        run(client, end).await?;
    }
    Ok(())
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

/// Returns advice for an object that is missing (`exists` is false) or different.
fn repair(expected: &ForeignObject, exists: bool) -> String {
    let table = relation(expected.table.as_deref().unwrap_or_default());
    let name = identifier(&expected.name);
    let definition = expected.definition.as_deref().unwrap_or_default();
    match expected.kind {
        ObjectKind::Comment => comment(expected, expected.definition.as_deref()),
        ObjectKind::Column if exists => {
            "bring the column to what it should be by a migration written by hand (ALTER TABLE … ALTER COLUMN …), or the type \
             to what the column is"
                .to_owned()
        }
        ObjectKind::Column => format!("ALTER TABLE {table} ADD COLUMN {name} {definition}"),
        // A drop with CASCADE, which PostgreSQL suggests, would delete the columns that use the object, with their values.
        ObjectKind::Type if exists && definition.contains(" AS ENUM (") => {
            let name = relation(&expected.name);
            format!(
                "the type should be `{definition}`: write a migration by hand with `ALTER TYPE {name} ADD VALUE '…'` for a missing value, \
                 or `ALTER TYPE {name} RENAME VALUE '…' TO '…'`; PostgreSQL cannot remove a value, so add an additional one to the types"
            )
        }
        ObjectKind::Type | ObjectKind::Sequence | ObjectKind::Extension if exists => format!(
            "bring the {} to `{definition}` by a migration written by hand (ALTER …)",
            expected.kind
        ),
        ObjectKind::Table => format!(
            "bring the settings of the table to `{definition}` by a migration written by hand (ALTER TABLE {} …)",
            relation(&expected.name)
        ),
        _ => {
            let add = statement(expected);
            if exists {
                format!("{}; {add}", removal(expected))
            } else {
                add
            }
        }
    }
}

/// Returns the statement that creates an object.
pub(crate) fn statement(object: &ForeignObject) -> String {
    let definition = object.definition.as_deref().unwrap_or_default();
    let name = identifier(&object.name);
    match object.kind {
        ObjectKind::Index => definition.replacen(" ON ", &format!(" {name} ON "), 1),
        ObjectKind::Constraint => format!(
            "ALTER TABLE {} ADD CONSTRAINT {name} {definition}",
            relation(object.table.as_deref().unwrap_or_default())
        ),
        ObjectKind::Comment => comment(object, object.definition.as_deref()),
        _ => definition.to_owned(),
    }
}

/// Returns the statement that sets the comment that an object of this kind describes, such as the one of
/// `column notes.title`.
fn comment(object: &ForeignObject, text: Option<&str>) -> String {
    let text = text.map_or_else(|| "NULL".to_owned(), string_literal);
    let (kind, name) = object.name.split_once(' ').unwrap_or((&object.name, ""));
    let place = if kind == "column" {
        let table = object.table.as_deref().unwrap_or_default();
        let column = name.strip_prefix(table).and_then(|rest| rest.strip_prefix('.'));
        format!(
            "COLUMN {}.{}",
            relation(table),
            identifier(column.unwrap_or(name))
        )
    } else if kind == "function" {
        format!("FUNCTION {name}")
    } else if let Some((name, table)) = name.rsplit_once(" of ") {
        if kind == "index" || kind == "statistics" {
            format!("{} {}", kind.to_uppercase(), beside(table, name))
        } else {
            format!(
                "{} {} ON {}",
                kind.to_uppercase(),
                identifier(name),
                relation(table)
            )
        }
    } else {
        format!("{} {}", kind.to_uppercase(), relation(name))
    };
    format!("COMMENT ON {place} IS {text}")
}

/// Returns advice that removes an object that should not exist.
fn removal(object: &ForeignObject) -> String {
    let owner = object.table.as_deref().unwrap_or_default();
    let table = relation(owner);
    let name = identifier(&object.name);
    match object.kind {
        ObjectKind::Comment => comment(object, None),
        ObjectKind::Column => {
            "declare the column in the entity, or write a migration by hand that drops the column and its values".to_owned()
        }
        ObjectKind::Index => format!("DROP INDEX CONCURRENTLY {}", beside(owner, &object.name)),
        ObjectKind::Constraint => format!("ALTER TABLE {table} DROP CONSTRAINT {name}"),
        ObjectKind::Trigger | ObjectKind::Policy | ObjectKind::Rule => {
            format!("DROP {} {name} ON {table}", object.kind.to_string().to_uppercase())
        }
        ObjectKind::Function => format!("DROP FUNCTION {}", object.name),
        ObjectKind::View if object.definition.as_deref().is_some_and(|text| text.starts_with("CREATE MATERIALIZED")) => {
            format!("DROP MATERIALIZED VIEW {}", relation(&object.name))
        }
        ObjectKind::Statistics => format!("DROP STATISTICS {}", beside(owner, &object.name)),
        ObjectKind::Extension => format!("DROP EXTENSION {name}"),
        kind => format!("DROP {} {}", kind.to_string().to_uppercase(), relation(&object.name)),
    }
}
