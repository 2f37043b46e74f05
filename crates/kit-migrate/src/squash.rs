//! Replaces migrations by one that makes the same database.

use std::collections::BTreeMap;

use kit_database::sql::create_schema;
use kit_database::{Migration, latest};

use crate::adopt::{all_differences, other_schemas};
use crate::connect::{block_on, connect};
use crate::drift::{compare, read_used};
use crate::dump::dump_with_rows;
use crate::history::breaking_changes;
use crate::squash_rows::{Contents, MOST_ROWS};
use crate::squash_statements::{Unmodelled, unmodelled};
use crate::{Catalog, MigrateError, Options, apply, with_scratch_database};

/// Handling of the rows that migrations insert into an empty database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rows {
    /// The squashed migration inserts the rows.
    Keep,
    /// New databases do not get the rows.
    Drop,
}

/// A migration that replaces others.
#[derive(Debug, Clone, PartialEq)]
pub struct Squashed {
    /// The migration.
    pub migration: Migration,
    /// Statements such as `GRANT` that the migration contains unchanged, in order.
    pub kept: Vec<Unmodelled>,
    /// Statements that the migration does not contain: blocks of code that do not only change roles, and with
    /// `keep_statements: false` all others.
    pub left_out: Vec<Unmodelled>,
    /// Names of the tables with rows, and the number of their rows.
    pub rows: Vec<(String, u64)>,
}

/// Result of migrations in an empty database.
struct Outcome {
    catalog: Catalog,
    contents: Contents,
    /// Names of the schemas, except for the first of the `search_path`.
    schemas: Vec<String>,
}

/// Writes a migration that makes the same database as `migrations`, which must be the first migrations of the project. Runs
/// the migrations and the new one in scratch databases on `server`, and compares the results.
///
/// `name` is the directory of the new migration. If the migrations insert rows, `rows` must say if these are kept.
///
/// ```no_run
/// use kit_migrate::{Rows, squash};
///
/// # let migrations = [];
/// let squashed = squash("postgres://localhost/dev", &migrations, "20260101000000_squashed", Some(Rows::Keep), true)?;
/// println!("{}", squashed.migration.sql);
/// # Ok::<(), kit_migrate::MigrateError>(())
/// ```
///
/// # Errors
/// Returns [`MigrateError::NotSquashable`] with advice if no migration can replace these, or another error if a migration
/// does not run.
pub fn squash(
    server: &str,
    migrations: &[Migration],
    name: &str,
    rows: Option<Rows>,
    keep_statements: bool,
) -> Result<Squashed, MigrateError> {
    let before = latest(migrations).map_err(|error| MigrateError::Snapshot(error.to_string()))?;
    if !before.side_by_side.is_empty() {
        return Err(refuse(
            "they end in several branches",
            before.side_by_side,
            "`kit migrate:generate --name <name>` joins the branches; squash up to the new migration",
        ));
    }
    let snapshot = before.snapshot.unwrap_or_default();
    let wanted = with_scratch_database(server, |url| {
        let wanted = outcome(url, migrations)?;
        block_on(async {
            let client = connect(url).await?;
            let drift = compare(&client, &snapshot).await?;
            let mut differing: Vec<String> = drift.differences.into_iter().map(|one| one.object).collect();
            differing.extend(drift.unknown);
            if !differing.is_empty() {
                return Err(refuse(
                    "their SQL makes other objects than the last snapshot.json describes",
                    differing,
                    "write a migration that makes the difference good (`kit migrate:generate --empty`), then squash",
                ));
            }
            Ok(())
        })?;
        Ok(wanted)
    })?;
    let inserts = kept_rows(&wanted.contents, rows)?;
    let (left_out, kept): (Vec<Unmodelled>, Vec<Unmodelled>) = unmodelled(migrations)
        .into_iter()
        .partition(|statement| statement.is_code || !keep_statements);
    // The scratch databases share the roles of their server, so the comparison below does not find a role that is missing.
    let creators: Vec<String> = left_out
        .iter()
        .filter(|statement| keep_statements && statement.creates_role)
        .map(|statement| format!("{}, line {}", statement.migration, statement.line))
        .collect();
    if !creators.is_empty() {
        return Err(refuse(
            "blocks of code (DO) create roles in a way that kit cannot separate from other work, so a new server would not get the roles",
            creators,
            "squash only the migrations before these blocks (`--to`), or squash with `--statements drop` and write a migration with the roles \
             and privileges that new databases need",
        ));
    }
    // Nobody has to act because of a block that kit wrote.
    let left_out: Vec<Unmodelled> = left_out.into_iter().filter(|one| !one.is_own).collect();
    let replaces = migrations
        .iter()
        .flat_map(|migration| migration.to_replaced(breaking_changes(migration)))
        .collect();
    let mut migration = Migration {
        name: name.to_owned(),
        sql: sql(migrations, &wanted, inserts, &kept, &left_out),
        destructive: false,
        changes: Vec::new(),
        snapshot: None,
    };
    // The proof is valid for exactly this text.
    let checksum = Some(migration.checksum());
    migration.snapshot = Some(snapshot.squashed(replaces).with_generated(checksum));
    prove(server, &migration, &wanted, inserts, keep_statements)?;
    Ok(Squashed {
        migration,
        kept,
        left_out,
        rows: wanted.contents.counts.into_iter().collect(),
    })
}

fn refuse(reason: &str, items: Vec<String>, help: &'static str) -> MigrateError {
    MigrateError::NotSquashable {
        reason: reason.to_owned(),
        items,
        help,
    }
}

fn outcome(url: &str, migrations: &[Migration]) -> Result<Outcome, MigrateError> {
    let options = Options {
        // The database is empty, so nothing is lost.
        allow_destructive: true,
        ..Options::default()
    };
    apply(url, migrations, &options)?;
    block_on(async {
        let client = connect(url).await?;
        let schemas: Vec<String> = other_schemas(&client).await?.into_keys().collect();
        let (catalog, _) = read_used(&client, schemas.clone()).await?;
        let contents = Contents::read(&client, &catalog, &schemas).await?;
        Ok(Outcome {
            catalog,
            contents,
            schemas,
        })
    })
}

/// Returns true if the squashed migration inserts the rows. Refuses if there are rows, and the user did not choose.
fn kept_rows(contents: &Contents, rows: Option<Rows>) -> Result<bool, MigrateError> {
    let tables = || {
        let counts = contents.counts.iter();
        counts.map(|(table, count)| format!("{table}: {count}")).collect()
    };
    match rows {
        _ if contents.rows() == 0 => Ok(false),
        Some(Rows::Drop) => Ok(false),
        Some(Rows::Keep) if contents.rows() > MOST_ROWS => Err(refuse(
            "they insert more than 10,000 rows into an empty database",
            tables(),
            "insert these rows with a program such as `src/seed.ts`, and squash with `--rows drop`",
        )),
        Some(Rows::Keep) => Ok(true),
        None => Err(refuse(
            "they insert rows into an empty database, so you must choose if a new database gets these rows",
            tables(),
            "`--rows keep` writes the rows into the new migration, with the values that they have now; `--rows drop` leaves them out",
        )),
    }
}

/// Writes the SQL of the squashed migration.
fn sql(
    migrations: &[Migration],
    wanted: &Outcome,
    inserts: bool,
    kept: &[Unmodelled],
    left_out: &[Unmodelled],
) -> String {
    let first = migrations.first().map_or("", |migration| &migration.name);
    let last = migrations.last().map_or("", |migration| &migration.name);
    let mut parts = vec![format!(
        "-- Written by `kit migrate:squash`: replaces the migrations from {first}\n\
         -- to {last}. A database with these migrations runs nothing of this file.\n\n\
         SET LOCAL check_function_bodies = off;\n"
    )];
    let statements = |first: bool| {
        let own = kept
            .iter()
            .filter(move |statement| statement.comes_first == first);
        own.map(|statement| {
            format!(
                "\n-- from {}, line {}\n{};\n",
                statement.migration, statement.line, statement.text
            )
        })
    };
    parts.extend(statements(true));
    let rows = if inserts {
        wanted.contents.inserts.clone()
    } else {
        BTreeMap::new()
    };
    let schemas = wanted.schemas.iter();
    parts.extend(schemas.map(|schema| format!("\n{};\n", create_schema(schema))));
    parts.push(dump_with_rows(&wanted.catalog, &rows));
    parts.extend(
        wanted
            .contents
            .sequences
            .iter()
            .map(|statement| format!("\n{statement};\n")),
    );
    parts.extend(statements(false));
    parts.extend(left_out.iter().map(|statement| {
        let text = statement.text.replace('\n', "\n--   ");
        format!(
            "\n-- left out, from {}, line {}:\n--   {text}\n",
            statement.migration, statement.line
        )
    }));
    parts.concat()
}

/// Runs the squashed migration in an empty database, and refuses if the result differs from `wanted`.
fn prove(
    server: &str,
    migration: &Migration,
    wanted: &Outcome,
    inserts: bool,
    keep_statements: bool,
) -> Result<(), MigrateError> {
    let made = with_scratch_database(server, |url| outcome(url, std::slice::from_ref(migration)));
    let made = made.map_err(|error| match error {
        MigrateError::Statement { source, .. } => refuse(
            "the SQL that kit wrote does not run in an empty database",
            vec![source.to_string()],
            "if the failing statement is a kept one, such as GRANT for a table that has another name now, squash with `--statements drop` \
             and write a migration with the correct statement; otherwise squash only migrations before the object (`--to`)",
        ),
        error => error,
    })?;
    let mut differing: Vec<String> = all_differences(&wanted.catalog, &made.catalog)
        .into_iter()
        .map(|one| one.object)
        .collect();
    if inserts && made.contents.inserts != wanted.contents.inserts {
        let tables = wanted.contents.inserts.iter();
        let tables = tables.filter(|(table, rows)| made.contents.inserts.get(*table) != Some(rows));
        differing.extend(tables.map(|(table, _)| format!("rows of {table}")));
    }
    if made.schemas != wanted.schemas {
        differing.push("schemas".to_owned());
    }
    if made.contents.sequences != wanted.contents.sequences {
        differing.push("positions of sequences".to_owned());
    }
    let (ours, theirs) = (&wanted.contents.privileges, &made.contents.privileges);
    if keep_statements && differing.is_empty() && ours != theirs {
        let objects = ours
            .keys()
            .chain(theirs.keys().filter(|object| !ours.contains_key(*object)));
        let objects = objects.filter(|object| ours.get(*object) != theirs.get(*object));
        return Err(refuse(
            "the kept statements, such as GRANT, do not give the same owners and privileges",
            objects.cloned().collect(),
            "squash with `--statements drop`, and write a migration with the privileges that new databases need",
        ));
    }
    if differing.is_empty() {
        return Ok(());
    }
    Err(refuse(
        "kit cannot write SQL that makes the same database",
        differing,
        "squash only the migrations before these objects (`--to`)",
    ))
}
