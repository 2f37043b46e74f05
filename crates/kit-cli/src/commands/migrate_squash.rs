//! The command `kit migrate:squash`.

use std::fmt::Write as _;
use std::path::Path;

use clap::{Args, ValueEnum};
use kit_build::{MIGRATIONS, other_files, remove_migration, write_migration};
use kit_database::{Migration, latest};
use kit_migrate::{Rows, Squashed, Unmodelled, squash};
use serde::Serialize;

use crate::commands::hand_written::{record_snapshots, scratch_server};
use crate::commands::migrate_apply::{load, problem};
use crate::commands::migrate_generate::refuse;
use crate::common_args::Common;
use crate::console::quantity;
use crate::context::Context;
use crate::failure::{CommandError, Problem, Reason};

/// Replace old migrations by one migration that makes the same database.
///
/// Runs the old migrations and the new one in empty scratch databases, and compares the objects of both databases. Then deletes
/// the directories of the old migrations.
///
/// A database with all old migrations runs nothing. A new database runs the new migration. A database with only some of the old
/// migrations is refused: apply the others before you deploy the new migration.
///
/// Changes of existing rows are left out, because a new database has no rows. If the old migrations insert rows into an empty
/// database, --rows is required. Statements such as GRANT are kept unchanged, at the end of the SQL.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  kit migrate:squash --dry-run
  kit migrate:squash --to 20260301101500_add_tags
  kit migrate:squash --rows keep --name base")]
pub(crate) struct Arguments {
    /// Last migration to replace. Default: the newest one.
    #[arg(long, value_name = "MIGRATION")]
    to: Option<String>,
    /// Name of the new migration, after the timestamp of the last replaced migration.
    #[arg(long, default_value = "squashed")]
    name: String,
    /// Insert the rows that the migrations insert into an empty database, or leave them out.
    #[arg(long, value_name = "CHOICE")]
    rows: Option<Choice>,
    /// Keep statements whose effect kit does not compare, such as GRANT, or leave them out.
    ///
    /// DO and CALL are left out, because the new migration contains their objects and rows. Only DO blocks that create roles, and
    /// do no other work, are kept.
    #[arg(long, value_name = "CHOICE", default_value = "keep")]
    statements: Choice,
    /// Compare the databases, and write nothing.
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    pub(crate) common: Common,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Choice {
    Keep,
    Drop,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Report<'a> {
    /// `squashed` or `dry-run`.
    status: &'static str,
    path: &'a str,
    /// Names of the replaced migrations.
    replaces: Vec<&'a str>,
    /// Tables with rows in an empty database after the migrations.
    rows: Vec<JsonRows<'a>>,
    kept_statements: Vec<JsonStatement<'a>>,
    left_out_statements: Vec<JsonStatement<'a>>,
}

#[derive(Serialize)]
struct JsonRows<'a> {
    table: &'a str,
    count: u64,
}

#[derive(Serialize)]
struct JsonStatement<'a> {
    migration: &'a str,
    line: usize,
    statement: &'a str,
}

impl<'a> JsonStatement<'a> {
    fn new(statement: &'a Unmodelled) -> Self {
        Self {
            migration: &statement.migration,
            line: statement.line,
            statement: &statement.text,
        }
    }
}

pub(crate) async fn run(arguments: &Arguments, context: &Context<'_>) -> Result<(), CommandError> {
    let (root, mut migrations) = load(&arguments.common, context).await?;
    let end = end(arguments, &migrations)?;
    record_snapshots(&root, &mut migrations, context).await?;
    let (replaced, rest) = migrations.split_at(end);
    refuse_other_files(&root, replaced)?;
    let name = name(arguments, replaced, rest)?;
    let server = scratch_server(&root, &name, context).await?;
    let rows = arguments.rows.map(|choice| match choice {
        Choice::Keep => Rows::Keep,
        Choice::Drop => Rows::Drop,
    });
    let keep_statements = arguments.statements == Choice::Keep;
    let squashed =
        squash(&server, replaced, &name, rows, keep_statements).map_err(|error| problem(&error))?;
    let mut after = vec![squashed.migration.clone()];
    after.extend_from_slice(rest);
    latest(&after).map_err(refuse)?;
    if !arguments.dry_run {
        write_migration(&root, &squashed.migration)?;
        for migration in replaced {
            remove_migration(&root, &migration.name)?;
        }
    }
    report(arguments, &squashed, replaced, context);
    Ok(())
}

/// Refuses directories with files that the squash would delete and that the new migration does not replace.
fn refuse_other_files(root: &Path, replaced: &[Migration]) -> Result<(), CommandError> {
    let mut reasons = Vec::new();
    for migration in replaced {
        for file in other_files(root, &migration.name)? {
            reasons.push(Reason::new(format!(
                "the squash would delete {MIGRATIONS}/{}/{file}, which is no part of a migration",
                migration.name
            )));
        }
    }
    if reasons.is_empty() {
        return Ok(());
    }
    Err(Problem::migration(reasons)
        .help("move or delete these files, then squash")
        .into())
}

/// Returns the number of migrations to replace.
fn end(arguments: &Arguments, migrations: &[Migration]) -> Result<usize, CommandError> {
    let end = match &arguments.to {
        None => migrations.len(),
        Some(to) => {
            let to = to.trim_end_matches('/');
            let name = to.rsplit('/').next().unwrap_or(to);
            let found = migrations.iter().position(|migration| migration.name == name);
            1 + found.ok_or_else(|| {
                let message = format!("{MIGRATIONS}/ has no migration `{name}`");
                Problem::migration(vec![Reason::new(message)])
                    .help("`--to` takes the name of a directory, such as 20260301101500_add_tags")
            })?
        }
    };
    if end < 2 {
        let message = format!(
            "nothing to squash: {MIGRATIONS}/ contains {} up to there",
            quantity(end, "migration")
        );
        return Err(Problem::migration(vec![Reason::new(message)])
            .help("a squash replaces two or more migrations")
            .into());
    }
    Ok(end)
}

/// Returns the name of the new migration, which is between the replaced ones and the rest.
fn name(arguments: &Arguments, replaced: &[Migration], rest: &[Migration]) -> Result<String, CommandError> {
    let last = replaced.last().map_or("", |migration| &migration.name);
    let timestamp = last.split('_').next().unwrap_or_default();
    let name = Migration::by_hand(timestamp, &arguments.name, None, None)
        .map_err(|error| Problem::migration(vec![Reason::new(error.to_string())]))?
        .name;
    let mut used = replaced.iter().flat_map(|migration| {
        let earlier = migration.replaces().iter().map(|one| &one.name);
        earlier.chain(std::iter::once(&migration.name))
    });
    let is_late = rest.first().is_some_and(|next| next.name <= name);
    if is_late || used.any(|used| *used == name) {
        let why = if is_late {
            "comes after the next migration"
        } else {
            "is the name of a replaced migration"
        };
        return Err(Problem::migration(vec![Reason::new(format!("`{name}` {why}"))])
            .help("choose another name with `--name`")
            .into());
    }
    Ok(name)
}

fn report(arguments: &Arguments, squashed: &Squashed, replaced: &[Migration], context: &Context<'_>) {
    let console = context.console;
    let path = format!("{MIGRATIONS}/{}", squashed.migration.name);
    console.json(&Report {
        status: if arguments.dry_run { "dry-run" } else { "squashed" },
        path: &path,
        replaces: replaced.iter().map(|migration| migration.name.as_str()).collect(),
        rows: squashed
            .rows
            .iter()
            .map(|(table, count)| JsonRows { table, count: *count })
            .collect(),
        kept_statements: squashed.kept.iter().map(JsonStatement::new).collect(),
        left_out_statements: squashed.left_out.iter().map(JsonStatement::new).collect(),
    });
    let verb = if arguments.dry_run {
        "would replace"
    } else {
        "replaces"
    };
    let mut text = format!(
        "{path} {verb} {} and makes the same database",
        quantity(replaced.len(), "migration")
    );
    let rows: Vec<String> = squashed
        .rows
        .iter()
        .map(|(table, count)| format!("{table}: {count}"))
        .collect();
    // Writing to a string cannot fail.
    if !rows.is_empty() {
        let verb = match arguments.rows {
            Some(Choice::Keep) => "inserts",
            _ => "leaves out",
        };
        let _ = write!(text, "\n  {verb} rows: {}", rows.join(", "));
    }
    for (title, statements) in [("keeps", &squashed.kept), ("leaves out", &squashed.left_out)] {
        for statement in statements {
            let first = statement.text.lines().next().unwrap_or_default();
            let _ = write!(
                text,
                "\n  {title} `{first}` ({}, line {})",
                statement.migration, statement.line
            );
        }
    }
    console.result(&text);
    if !console.is_json() {
        console.note(
            "before you deploy this: apply the other replaced migrations in each database that has only some of them",
        );
    }
}
