//! The command `kit diff`, which is also `kit inspect diff`.

mod accepted;
mod checkout;
mod print;
mod state;

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use kit_build::BuildTime;
use kit_database::{Schema, Snapshot, plan};
use kit_diff::{Change, Consequence, compare};
use kit_ir::Span;
use serde::Serialize;

use self::accepted::Accepted;
use self::state::State;
use crate::common_args::Common;
use crate::context::Context;
use crate::failure::CommandError;
use crate::project::root;

/// Compare two states of the types, and report changes that break clients or lose data.
///
/// A change breaks requests if clients of the old contract can send a value that the new server refuses. A change breaks answers
/// if the new server can send a value that the old type does not contain. The command shows the location of each change, and a
/// value as an example.
///
/// Exits with 1 if there is a breaking change that api-changes.json does not accept, and with 3 if kit cannot compare the states.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  kit diff origin/main
  kit diff v1.4.0 v2.0.0 --json | jq '.changes[].id'
  kit diff --save api.json
  kit diff api.json --fail-on any")]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) selection: Selection,
    #[command(flatten)]
    pub(crate) common: Common,
}

/// Arguments besides the project.
#[derive(Debug, Args)]
pub(crate) struct Selection {
    /// Old state: a commit, branch or tag of git, or a file that `--save` wrote.
    #[arg(value_name = "OLD", required_unless_present = "save")]
    old: Option<String>,
    /// New state; by default, the current files of the project.
    #[arg(value_name = "NEW")]
    new: Option<String>,
    /// Changes that make the command exit with 1.
    #[arg(long, value_enum, default_value_t = FailOn::Breaking)]
    fail_on: FailOn,
    /// File with the accepted changes and their reasons, relative to the project; by default, api-changes.json if it exists.
    #[arg(long, value_name = "FILE")]
    accepted: Option<PathBuf>,
    /// Also print the changes as annotations of GitHub Actions; on by default if `GITHUB_ACTIONS` is `true`.
    #[arg(long)]
    github: bool,
    /// Write the current types into a file, for a later comparison.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["old", "new"])]
    save: Option<PathBuf>,
}

/// Name of the state of the files as they are.
const WORKING_TREE: &str = "working tree";

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FailOn {
    /// Changes that break requests, answers or jobs, or lose data.
    Breaking,
    /// Also changes of environment variables, and of the names in generated clients.
    Any,
    /// No change.
    None,
}

impl FailOn {
    fn includes(self, consequence: Consequence) -> bool {
        match self {
            Self::Breaking => consequence.is_breaking(),
            Self::Any => consequence != Consequence::Compatible,
            Self::None => false,
        }
    }
}

pub(crate) async fn run(
    selection: &Selection,
    common: &Common,
    context: &Context<'_>,
) -> Result<(), CommandError> {
    // The exit code 1 means that a change breaks something.
    let result = compare_states(selection, common, context).await;
    result.map_err(|error| error.incomparable(None))
}

async fn compare_states(
    selection: &Selection,
    common: &Common,
    context: &Context<'_>,
) -> Result<(), CommandError> {
    let directory = root(common, context.environment)?;
    let Some(old_name) = &selection.old else {
        return save(selection, &directory, context).await;
    };
    let accepted = Accepted::read(&directory, selection.accepted.as_deref())?;
    let old = State::named(old_name, common, context).await?;
    let new = match &selection.new {
        Some(name) => State::named(name, common, context).await?,
        None => State::of_directory(&directory, context)
            .await
            .map_err(|error| error.incomparable(Some(WORKING_TREE)))?,
    };
    let now = BuildTime::new(None, context.environment.now())?.iso();
    let today = now.get(..10).unwrap_or_default();
    let mut changes = compare(&old.program, &new.program, today);
    changes.extend(lost_data(&old, &new));
    changes.sort_by_key(|change| change.consequence);
    let report = Report::new(selection, old_name, &changes, &accepted, (&old, &new));
    let console = context.console;
    console.json(&report);
    console.result(&print::text(&report, &changes, (&old, &new), context));
    if selection.github || context.environment.var("GITHUB_ACTIONS").as_deref() == Some("true") {
        let prefix = checkout::prefix(&directory, context);
        console.note(&print::annotations(&report, &prefix));
    }
    if report.failed {
        Err(CommandError::Reported)
    } else {
        Ok(())
    }
}

async fn save(
    selection: &Selection,
    directory: &std::path::Path,
    context: &Context<'_>,
) -> Result<(), CommandError> {
    let Some(file) = &selection.save else {
        return Ok(());
    };
    let state = State::of_directory(directory, context).await?;
    let path = file.display().to_string();
    state.save(&directory.join(file))?;
    context.console.json(&Saved {
        status: "saved",
        path: &path,
    });
    context
        .console
        .result(&format!("{path}: compare with `kit diff {path}`"));
    Ok(())
}

#[derive(Serialize)]
struct Saved<'a> {
    status: &'static str,
    path: &'a str,
}

/// Returns the changes of the tables that lose stored values.
fn lost_data(old: &State, new: &State) -> Vec<Change> {
    let change = |place: String, rule, message, certain, old_span| Change {
        consequence: Consequence::LosesData,
        rule,
        route: String::new(),
        place,
        message,
        certain,
        value: None,
        example: None,
        new_span: None,
        old_span,
    };
    match plan(Some(&Snapshot::of(&old.schema)), &new.schema) {
        Ok(plan) => plan
            .changes
            .iter()
            .filter(|step| step.is_destructive())
            .map(|step| {
                change(
                    format!("database, {}", step.change.summary()),
                    "data-lost",
                    step.reason.clone(),
                    true,
                    lost_span(old, &step.change),
                )
            })
            .collect(),
        // Such a change needs a decision by a person.
        Err(error) => error
            .problems
            .into_iter()
            .map(|problem| {
                change(
                    format!("database, {}", problem.place),
                    "data-undecided",
                    problem.message,
                    false,
                    None,
                )
            })
            .collect(),
    }
}

/// Returns the location of the entity or property whose values a change of the tables drops.
fn lost_span(old: &State, change: &kit_database::Change) -> Option<Span> {
    use kit_database::Change::{DropColumn, DropTable, SetType};
    let (table, column) = match change {
        DropTable { table } => (table, None),
        DropColumn { table, column } | SetType { table, column, .. } => (table, Some(column)),
        _ => return None,
    };
    let entity = old
        .program
        .entities
        .iter()
        .find(|entity| entity.table == *table)?;
    let declaration = &old.program.declarations[entity.declaration];
    let properties = old.program.properties(declaration.r#type).iter();
    // The schema of a saved state does not know the properties of its columns.
    let (schema, _) = Schema::from_program(&old.program);
    let stored = schema.tables.iter().find(|stored| stored.name == *table);
    let name = stored.zip(column).and_then(|(stored, column)| {
        let mut columns = stored.columns.iter();
        let stored = columns.find(|stored| stored.name == *column)?;
        Some(&stored.source.property)
    });
    let property = properties
        .into_iter()
        .find(|property| Some(&property.name) == name);
    Some(property.map_or(declaration.span, |property| property.span))
}

/// Result of the command.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Report<'a> {
    /// `passed` or `failed`.
    status: &'static str,
    old: &'a str,
    new: &'a str,
    /// Number of changes with each consequence, without accepted changes.
    counts: Counts,
    changes: Vec<Line<'a>>,
    /// Entries of the file of accepted changes without a change.
    unused_accepted: Vec<&'a str>,
    #[serde(skip)]
    failed: bool,
}

#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Counts {
    breaks_requests: usize,
    breaks_answers: usize,
    breaks_jobs: usize,
    loses_data: usize,
    needs_environment: usize,
    renames_client: usize,
    compatible: usize,
    accepted: usize,
}

/// A change with its location.
#[allow(clippy::struct_field_names)] // Reason: the JSON has `line`, as other reports of kit.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Line<'a> {
    /// Text for the file of accepted changes.
    id: String,
    #[serde(flatten)]
    change: &'a Change,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<u32>,
    /// Location in the new state of the place, or of what contained the place.
    #[serde(skip)]
    near: Option<(&'a str, Span)>,
    /// State of the location: `old` or `new`.
    state: &'static str,
    /// Reason from the file of accepted changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    accepted: Option<&'a str>,
}

impl<'a> Report<'a> {
    fn new(
        selection: &'a Selection,
        old_name: &'a str,
        changes: &'a [Change],
        accepted: &'a Accepted,
        (old, new): (&'a State, &'a State),
    ) -> Self {
        let lines: Vec<Line<'a>> = changes
            .iter()
            .map(|change| {
                let new_span = change.shown_new_span().map(|span| (&new.program, span));
                let place = new_span.or(change.old_span.map(|span| (&old.program, span)));
                let id = change.id();
                let reason = accepted
                    .reason(&id, &change.message)
                    .filter(|_| change.consequence != Consequence::Compatible);
                Line {
                    near: change.new_span.map(|span| (new.program.path(span), span)),
                    path: place.map(|(program, span)| program.path(span)),
                    line: place.map(|(_, span)| span.line),
                    column: place.map(|(_, span)| span.column),
                    state: if new_span.is_some() { "new" } else { "old" },
                    accepted: reason,
                    id,
                    change,
                }
            })
            .collect();
        let mut counts = Counts::default();
        for line in &lines {
            let count = match line.change.consequence {
                _ if line.accepted.is_some() => &mut counts.accepted,
                Consequence::BreaksRequests => &mut counts.breaks_requests,
                Consequence::BreaksAnswers => &mut counts.breaks_answers,
                Consequence::BreaksJobs => &mut counts.breaks_jobs,
                Consequence::LosesData => &mut counts.loses_data,
                Consequence::NeedsEnvironment => &mut counts.needs_environment,
                Consequence::RenamesClient => &mut counts.renames_client,
                Consequence::Compatible => &mut counts.compatible,
            };
            *count += 1;
        }
        let is_used = |entry: &&accepted::Entry| {
            lines
                .iter()
                .any(|line| line.accepted.is_some() && entry.is_about(&line.id, &line.change.message))
        };
        let unused: Vec<&str> = accepted
            .accepted
            .iter()
            .filter(|entry| !is_used(entry))
            .map(|entry| entry.change.as_str())
            .collect();
        let fails =
            |line: &Line<'_>| line.accepted.is_none() && selection.fail_on.includes(line.change.consequence);
        let failed = lines.iter().any(fails);
        Self {
            status: if failed { "failed" } else { "passed" },
            old: old_name,
            new: selection.new.as_deref().unwrap_or(WORKING_TREE),
            counts,
            changes: lines,
            unused_accepted: unused,
            failed,
        }
    }
}
