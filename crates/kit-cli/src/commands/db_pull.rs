//! The command `kit db pull`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use clap::Args;
use kit_build::{MIGRATIONS, TargetState, check_target, create_tree, pull_entities, write_migration};
use kit_database::{LeftOut, Migration, ObjectKind, Pulled, Snapshot, on_one_line};
use kit_migrate::{Difference, ExistingDatabase, server_version};
use serde::Serialize;

use crate::commands::hand_written::scratch_server;
use crate::commands::migrate_apply::{database_url, migrations_of, problem};
use crate::commands::migrate_generate::next_timestamp;
use crate::common_args::Common;
use crate::console::quantity;
use crate::context::Context;
use crate::env_file;
use crate::failure::{CommandError, Problem, Reason};
use crate::project::{build_time, root};

/// Write entities and a baseline migration for an existing database.
///
/// Reads the database in `MIGRATE_URL`, or else in `DATABASE_URL`, or else the embedded database, and changes nothing in the database.
///
/// Writes an interface with doc tags for each table, and a migration that creates all objects of the database. Then run
/// `kit migrate:baseline`, which records the migration as applied. Objects that TypeScript cannot express, such as views and
/// triggers, stay SQL; the command lists them with the reason.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  DATABASE_URL=postgres://localhost/shop kit db pull
  kit db pull --out src/tables
  kit db pull --schema billing,sales
  kit db pull --single-file --name existing_tables")]
pub(crate) struct Arguments {
    /// Directory for the entities.
    #[arg(long, value_name = "DIR", default_value = "src/entities")]
    out: String,
    /// Write all entities into one file instead of a file for each table.
    #[arg(long)]
    single_file: bool,
    /// Schemas to read in addition to the first schema of the `search_path`. The entities of their tables have `@table schema.name`.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    schema: Vec<String>,
    /// Name of the migration.
    #[arg(long, default_value = "baseline")]
    name: String,
    #[command(flatten)]
    pub(crate) common: Common,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Report<'a> {
    /// `pulled`.
    status: &'static str,
    migration: &'a str,
    files: Vec<&'a str>,
    entities: usize,
    /// Tables and columns without an entity or property.
    left_out: Vec<JsonLeftOut<'a>>,
    /// Objects that entities do not describe, or that differ from the description.
    kept_as_sql: Vec<String>,
    /// Objects that the SQL of the migration does not create as they are in the database.
    not_reproduced: &'a [String],
    /// Possible reason why the SQL does not create these objects as they are, and what to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<&'a str>,
    /// Reason why the SQL was not tried in an empty database.
    #[serde(skip_serializing_if = "Option::is_none")]
    not_tried: Option<&'a str>,
}

#[derive(Serialize)]
struct JsonLeftOut<'a> {
    object: &'a str,
    reason: &'a str,
}

pub(crate) async fn run(arguments: &Arguments, context: &Context<'_>) -> Result<(), CommandError> {
    env_file::load_and_print(&arguments.common, context).await?;
    let root = root(&arguments.common, context.environment)?;
    let migrations = migrations_of(&root)?;
    if let Some(first) = migrations.first() {
        let message = format!("the project has migrations already, such as {}", first.name);
        return Err(Problem::migration(vec![Reason::new(message)])
            .help("`kit db pull` begins a project; to take over a table later, write its entity, and `kit migrate:generate` compares both")
            .into());
    }
    let url = database_url(&root, context).await?;
    let database = ExistingDatabase::read(&url, &arguments.schema).map_err(|error| problem(&error))?;
    let objects = database.objects();
    if !objects.iter().any(|object| object.kind == ObjectKind::Table) {
        return Err(Problem::migration(vec![Reason::new(if arguments.schema.is_empty() {
            "the database has no tables in its first schema"
        } else {
            "the database has no tables in its first schema and in those of --schema"
        })])
            .help("check MIGRATE_URL and DATABASE_URL; if the tables are in another schema, name it with --schema, or add `?options=-csearch_path%3Dname` to the URL")
            .into());
    }
    let (pulled, schema) = pull_entities(&objects, BTreeMap::new());
    let timestamp = next_timestamp(&build_time(context.environment)?, &migrations)?;
    let sql = format!(
        "-- {}: objects of the database before its first migration. `kit migrate:baseline` records this migration as applied\n\
         -- to a database that has the objects; `kit migrate:apply` creates them in an empty database.\n\n\
         SET LOCAL check_function_bodies = off;\n{}",
        arguments.name,
        database.sql()
    );
    let mut baseline = Migration::by_hand(&timestamp, &arguments.name, Some(sql), None)
        .map_err(|error| Problem::migration(vec![Reason::new(error.to_string())]))?;
    let snapshot = database
        .snapshot(&schema, baseline.checksum())
        .map_err(|error| problem(&error))?;
    baseline.snapshot = Some(snapshot.clone());
    let tried = try_baseline(&root, (&database, &url), &baseline, context).await;
    let files = files(&pulled, arguments);
    let out = arguments.out.trim_end_matches('/');
    match check_target(&root.join(out))? {
        TargetState::Free => {}
        TargetState::NotEmpty(_) | TargetState::NotADirectory => {
            let message = format!("{out} exists already; nothing was written");
            return Err(Problem::migration(vec![Reason::new(message)])
                .help("choose a new directory with --out")
                .into());
        }
    }
    create_tree(
        &root.join(out),
        files.iter().map(|(name, text)| (name.as_str(), text.as_str())),
    )?;
    write_migration(&root, &baseline)?;
    let files: Vec<String> = files
        .into_iter()
        .map(|(name, _)| format!("{out}/{name}"))
        .collect();
    let others = &database.other_schemas;
    let path = format!("{MIGRATIONS}/{}", baseline.name);
    let failed = tried.as_ref().err().cloned();
    let Tried { not_reproduced, note } = tried.unwrap_or_default();
    context.console.json(&Report {
        status: "pulled",
        migration: &path,
        files: files.iter().map(String::as_str).collect(),
        entities: pulled.entities.len(),
        left_out: pulled
            .left_out
            .iter()
            .map(|LeftOut { object, reason }| JsonLeftOut { object, reason })
            .collect(),
        kept_as_sql: kept_as_sql(&snapshot),
        not_reproduced: &not_reproduced,
        note: note.as_deref(),
        not_tried: failed.as_deref(),
    });
    let console = context.console;
    let mut text = format!(
        "{}: {}\n{path}: {}",
        arguments.out,
        match pulled.entities.len() {
            1 => "1 entity".to_owned(),
            count => format!("{count} entities"),
        },
        quantity(objects.len(), "object")
    );
    if !pulled.left_out.is_empty() {
        text.push_str("\nwithout an entity or a property, but kept in the database and in the migration:");
        for LeftOut { object, reason } in &pulled.left_out {
            let _ = write!(text, "\n  {object}: {reason}");
        }
    }
    let kept = kept_as_sql(&snapshot);
    if !kept.is_empty() {
        let _ = write!(
            text,
            "\nkept as SQL, since no doc tag describes them exactly:\n  {}",
            kept.join("\n  ")
        );
    }
    for (schema, count) in others {
        let _ = write!(
            text,
            "\nnot read: {} in the schema {schema}; `--schema {schema}` reads this schema too",
            if *count == 1 {
                "1 table or view".to_owned()
            } else {
                format!("{count} tables and views")
            }
        );
    }
    console.result(&text);
    if !not_reproduced.is_empty() {
        let note = note.unwrap_or_else(|| "complete the SQL".to_owned());
        console.warning(&format!(
            "{path}/migration.sql does not create these objects as they are in the database; {note}:\n  {}",
            not_reproduced.join("\n  ")
        ));
    }
    if let Some(reason) = failed {
        console.warning(&format!(
            "{path}/migration.sql was not tried in an empty database: {reason}"
        ));
    }
    console
        .result("next: run `kit migrate:baseline`, which records the migration as applied to this database");
    Ok(())
}

/// Result of the SQL of a baseline in a scratch database.
#[derive(Default)]
struct Tried {
    /// Objects that the SQL does not create as they are.
    not_reproduced: Vec<String>,
    /// Possible reason of the differences, and what to do.
    note: Option<String>,
}

/// Tries the SQL of the baseline in a scratch database. Returns the reason if the SQL could not be tried. `database` has the URL from
/// which it was read.
async fn try_baseline(
    root: &Path,
    (database, url): (&ExistingDatabase, &str),
    baseline: &Migration,
    context: &Context<'_>,
) -> Result<Tried, String> {
    let server = match scratch_server(root, &baseline.name, context).await {
        Ok(server) => server,
        Err(error) => return Err(error.summary().0),
    };
    let differences = database
        .try_baseline(&server, baseline)
        .map_err(|error| error.to_string())?;
    let not_reproduced: Vec<String> = differences
        .into_iter()
        .map(|Difference { object, .. }| object)
        .collect();
    if not_reproduced.is_empty() {
        return Ok(Tried::default());
    }
    let note = match (server_version(url), server_version(&server)) {
        (Ok(own), Ok(scratch)) => version_note(own.major, scratch.major),
        _ => None,
    };
    Ok(Tried { not_reproduced, note })
}

/// Returns what to do about differences if the servers have different versions: PostgreSQL 15 prints `customers.id` in a view where
/// PostgreSQL 18 prints `id`.
fn version_note(own: u32, scratch: u32) -> Option<String> {
    (own != scratch).then(|| {
        format!(
            "the database has PostgreSQL {own}, and the SQL was tried on PostgreSQL {scratch}, which can print and create objects in another \
             way. To see if the SQL is complete, set SCRATCH_DATABASE_URL to a server with PostgreSQL {own}, remove the new files, and pull again"
        )
    })
}

/// Returns the titles of the objects that remain SQL.
fn kept_as_sql(snapshot: &Snapshot) -> Vec<String> {
    let tables: BTreeSet<&str> = snapshot
        .tables()
        .iter()
        .map(|table| table.name.as_str())
        .collect();
    snapshot
        .foreign()
        .iter()
        .filter(|object| object.definition.is_some() && object.kind != ObjectKind::Waived)
        // Parts of a table without an entity are kept with the table.
        .filter(|object| object.table.as_deref().is_none_or(|table| tables.contains(table)))
        .map(|object| match (&object.kind, &object.definition) {
            (ObjectKind::Column | ObjectKind::Constraint | ObjectKind::Table, Some(definition)) => {
                format!("{}: {definition}", object.title())
            }
            _ => object.title(),
        })
        .collect()
}

/// Returns the names and texts of the files with entities.
fn files(pulled: &Pulled, arguments: &Arguments) -> Vec<(String, String)> {
    if arguments.single_file {
        return vec![("entities.types.ts".to_owned(), pulled.single_file())];
    }
    let left_out = pulled.tables_left_out();
    let list = (!left_out.is_empty()).then(|| ("README.md".to_owned(), readme(&left_out)));
    let names = file_names(pulled.entities.iter().map(|entity| entity.table.as_str()));
    let texts = pulled.entities.iter().map(|entity| entity.text.clone());
    names.into_iter().zip(texts).chain(list).collect()
}

/// Returns the text of a file that lists the tables without an entity.
fn readme(left_out: &[&LeftOut]) -> String {
    let mut text = format!(
        "# Tables without an entity\n\n\
         These tables of the database have no entity. Their SQL is in the first migration of `{MIGRATIONS}/`, and hand-written\n\
         SQL can change them: `kit migrate:generate --empty`.\n\n"
    );
    for LeftOut { object, reason } in left_out {
        let name = object.strip_prefix("table ").unwrap_or(object);
        let _ = writeln!(text, "- `{}`: {}.", on_one_line(name), on_one_line(reason));
    }
    text
}

/// Returns a name of a file for each table. Two tables can have the same letters and digits: `user_log`, `user-log` and `User_Log`,
/// or names in other scripts. The second file then ends in `-2`.
fn file_names<'t>(tables: impl Iterator<Item = &'t str>) -> Vec<String> {
    let mut used = BTreeSet::new();
    tables
        .map(|table| {
            let first: String = table
                .chars()
                .map(|letter| {
                    if letter.is_ascii_alphanumeric() {
                        letter.to_ascii_lowercase()
                    } else {
                        '-'
                    }
                })
                .collect();
            let mut stem = first.clone();
            let mut number = 2;
            while !used.insert(stem.clone()) {
                stem = format!("{first}-{number}");
                number += 1;
            }
            format!("{stem}.types.ts")
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{file_names, version_note};

    #[test]
    fn gives_each_table_a_file_of_its_own() {
        let tables = ["user_log", "user-log", "User_Log", "注文", "顧客", "user_log_2"];
        let expected = [
            "user-log",
            "user-log-2",
            "user-log-3",
            "--",
            "---2",
            "user-log-2-2",
        ];
        let names = file_names(tables.into_iter());
        assert_eq!(names, expected.map(|stem| format!("{stem}.types.ts")));
    }

    #[test]
    fn the_versions_of_the_servers_are_named_if_they_differ() {
        assert_eq!(version_note(18, 18), None);
        let note = version_note(15, 18).unwrap_or_default();
        assert!(
            note.contains("has PostgreSQL 15") && note.contains("tried on PostgreSQL 18"),
            "{note}"
        );
    }
}
