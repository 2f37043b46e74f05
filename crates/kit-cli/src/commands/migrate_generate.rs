//! `kit migrate:generate`.

use std::fmt::Write as _;

use clap::Args;
use kit_build::{BuildTime, MIGRATIONS, analyze_with, write_migration};
use kit_database::{Change, Migration, plan};
use serde::Serialize;

use crate::args::Common;
use crate::commands::build::request;
use crate::console::quantity;
use crate::context::Context;
use crate::failure::{Problem, Reason, Stop};
use crate::plugins::Plugins;
use crate::project::{Project, build_time};

/// Writes a migration for what the types changed since the last one.
///
/// Compares the tables that the types describe with the snapshot of the newest migration in migrations/, and writes
/// migrations/<timestamp>_<name>/ with the SQL, the changes and the new snapshot. Writes nothing where nothing changed.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  kit migrate:generate --name create_notes
  kit migrate:generate --name add_archived --json")]
pub(crate) struct Arguments {
    /// What the migration does, in a few words.
    #[arg(long)]
    name: String,
    #[command(flatten)]
    pub(crate) common: Common,
}

pub(crate) async fn run(arguments: &Arguments, context: &Context<'_>) -> Result<(), Stop> {
    let console = context.console;
    let project = Project::open(&arguments.common, context).await?;
    let time = build_time(context.environment)?;
    let analysis = analyze_with(&request(&project, &time), &Plugins(context.host), &()).await?;
    let mut diagnostics = project.warnings;
    diagnostics.extend(analysis.diagnostics);
    if diagnostics.has_errors() {
        return Err(Stop::Diagnosed(diagnostics, Box::new(analysis.sources)));
    }
    if !console.is_json() {
        console.diagnostics(&diagnostics, &analysis.sources);
    }
    let plan = plan(Migration::latest_snapshot(&analysis.migrations), &analysis.schema).map_err(|error| {
        let reasons = error.problems.into_iter().map(|problem| Reason {
            position: None,
            path: None,
            message: format!("{}: {}", problem.place, problem.message),
            help: Some(problem.help),
        });
        Problem::migration(reasons.collect())
    })?;
    if plan.is_empty() {
        console.json(&Report {
            status: "unchanged",
            path: None,
            destructive: false,
            changes: Vec::new(),
        });
        console.result(&format!(
            "no migration: {MIGRATIONS}/ is up to date with the types"
        ));
        return Ok(());
    }
    let timestamp = next_timestamp(&time, &analysis.migrations)?;
    let migration = Migration::create(&timestamp, &arguments.name, &plan, &analysis.schema)
        .map_err(|error| Problem::migration(vec![Reason::new(error.to_string())]))?;
    write_migration(&project.root, &migration)?;

    let path = format!("{MIGRATIONS}/{}", migration.name);
    console.json(&Report {
        status: "generated",
        path: Some(&path),
        destructive: migration.destructive,
        changes: migration.changes.iter().map(Line::new).collect(),
    });
    let mut text = format!("{path}: {}", quantity(migration.changes.len(), "change"));
    for change in &migration.changes {
        let mark = if change.is_destructive() {
            " (destructive)"
        } else {
            ""
        };
        // Writing to a string cannot fail.
        let _ = write!(text, "\n  {}{mark}", change.summary());
    }
    console.result(&text);
    Ok(())
}

/// After every migration that is there: they run in the order of their names.
fn next_timestamp(time: &BuildTime, migrations: &[Migration]) -> Result<String, Stop> {
    let Some(last) = migrations.last() else {
        return Ok(time.compact());
    };
    let stamp = last.name.split('_').next().unwrap_or_default();
    time.compact_after(stamp).ok_or_else(|| {
        let message = format!("the newest migration, {}, does not begin with a time", last.name);
        Problem::migration(vec![Reason::new(message)])
            .help("rename its directory, if no database has it yet")
            .into()
    })
}

#[derive(Serialize)]
struct Report<'a> {
    /// `generated` or `unchanged`.
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<&'a str>,
    destructive: bool,
    changes: Vec<Line>,
}

#[derive(Serialize)]
struct Line {
    summary: String,
    destructive: bool,
}

impl Line {
    fn new(change: &Change) -> Self {
        Self {
            summary: change.summary(),
            destructive: change.is_destructive(),
        }
    }
}
