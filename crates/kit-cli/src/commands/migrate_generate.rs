//! The command `kit migrate:generate`.

use std::fmt::Write as _;
use std::path::Path;

use clap::Args;
use kit_build::{Analysis, BuildTime, MIGRATIONS, analyze_with, write_migration};
use kit_database::{
    Alternative, ChangeClass, Latest, Migration, Plan, PlanError, PlannedChange, Risk, Using, expand, latest,
    plan,
};
use kit_migrate::{record, with_structure};
use serde::Serialize;

use crate::commands::build_steps::request;
use crate::commands::change_lines::describe;
use crate::commands::hand_written::{record_snapshots, refuse_outdated_snapshot, scratch_server};
use crate::commands::migrate_apply::{migrations_of, problem};
use crate::commands::stored_tables::{StoredTable, migration_sql, role};
use crate::common_args::Common;
use crate::console::quantity;
use crate::context::Context;
use crate::failure::{CommandError, Problem, Reason};
use crate::plugins::Plugins;
use crate::project::{Project, build_time, root};

/// Write a migration for the changes of the types since the last migration.
///
/// Compares the tables of the types with the snapshot of the latest migration. If they differ, writes the directory
/// migrations/<timestamp>_<name>/ with the SQL, the list of changes and the new snapshot.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  kit migrate:generate --name create_notes
  kit migrate:generate --check
  kit migrate:generate --name add_archived --json
  kit migrate:generate --name add_search --empty
  kit migrate:generate --name rename_title --expand
  kit migrate:generate --name stores --with sessions,idempotency,rate-limits
  kit migrate:generate --name tenants --tenant-role tenant_user
  kit migrate:generate --name times --convert-timestamps
  kit migrate:generate --name book_times --convert-timestamps books.added_at")]
pub(crate) struct Arguments {
    /// Name of the migration: its purpose in a few words, such as `create_notes`.
    #[arg(long, required_unless_present = "check")]
    name: Option<String>,
    /// Write nothing, and exit with 1 if the types have changes that no migration contains.
    #[arg(long, conflicts_with_all = ["name", "convert_timestamps", "empty"])]
    check: bool,
    /// Also convert columns of the type `timestamp` to `timestamptz(3)`: the given columns, or all.
    ///
    /// Earlier versions of kit created such columns. Values are read as UTC, and lose their digits below a millisecond. Columns that
    /// are connected by foreign keys are converted together.
    #[arg(long, value_name = "TABLE.COLUMN", num_args = 0.., value_delimiter = ',')]
    convert_timestamps: Option<Vec<String>>,
    /// Write a migration without statements, for SQL that you write by hand.
    ///
    /// Write your statements into migration.sql, then run `kit migrate:apply`. kit runs the migrations in an empty scratch
    /// database, and lists the objects that your statements create in snapshot.json. Later migrations and `kit migrate:status`
    /// accept these objects.
    #[arg(long, conflicts_with = "convert_timestamps")]
    empty: bool,
    /// Write a migration with the tables of packages: `sessions` of @kit/auth, `idempotency` of @kit/idempotency, `rate-limits` of
    /// @kit/rate-limit.
    #[arg(
        long,
        value_name = "TABLES",
        value_delimiter = ',',
        value_parser = StoredTable::parse,
        conflicts_with_all = ["check", "empty", "expand", "convert_timestamps"]
    )]
    with: Vec<StoredTable>,
    /// Write a migration that creates a role for the transactions of tenants, and gives it rights on the tables with `@tenant`.
    ///
    /// The migration grants only rights that no earlier migration grants. Run the command again after a migration with new tables.
    #[arg(
        long,
        value_name = "ROLE",
        value_parser = role,
        conflicts_with_all = ["check", "empty", "expand", "convert_timestamps"]
    )]
    tenant_role: Option<String>,
    /// Write a migration in two halves. Between the halves, the old and the new build can run at the same time.
    ///
    /// `kit migrate:expand` runs the first half: new columns beside the old ones, and a trigger that keeps both up to date.
    /// `kit migrate:contract` runs the second half, which removes the trigger and the old columns.
    #[arg(long, conflicts_with_all = ["check", "empty", "convert_timestamps"])]
    expand: bool,
    /// For `--expand`: SQL that computes a column of one build from the columns of the other build. Columns with
    /// `@renamedFrom` do not need this option.
    #[arg(long, value_name = "TABLE.COLUMN=SQL", requires = "expand", value_parser = Using::parse)]
    using: Vec<Using>,
    #[command(flatten)]
    pub(crate) common: Common,
}

pub(crate) async fn run(arguments: &Arguments, context: &Context<'_>) -> Result<(), CommandError> {
    let console = context.console;
    if arguments.empty || !arguments.with.is_empty() || arguments.tenant_role.is_some() {
        return write_by_hand(arguments, context);
    }
    let project = Project::open(&arguments.common, context).await?;
    let time = build_time(context.environment)?;
    let mut analysis = analyze_with(&request(&project, &time), &Plugins(context.host), &()).await?;
    let mut diagnostics = project.warnings;
    diagnostics.extend(std::mem::take(&mut analysis.diagnostics));
    if diagnostics.has_errors() {
        return Err(CommandError::Diagnostics(diagnostics, Box::new(analysis.sources)));
    }
    if !console.is_json() {
        console.diagnostics(&diagnostics, &analysis.sources);
    }
    if arguments.check {
        refuse_outdated_snapshot(&analysis.migrations)?;
        return check(&analysis, context);
    }
    record_snapshots(&project.root, &mut analysis.migrations, context).await?;
    if let Some(columns) = &arguments.convert_timestamps {
        analysis.schema.convert_timestamps(columns).map_err(refuse)?;
    }
    let name = arguments.name.as_deref().unwrap_or_default();
    let using = arguments.expand.then_some(arguments.using.as_slice());
    let written = write_halves(&project.root, &time, &analysis, name, using, context).await?;
    let Some(Written { migration, merges }) = written else {
        console.json(&Report {
            status: "unchanged",
            path: None,
            destructive: false,
            merges: &[],
            changes: Vec::new(),
        });
        console.result(&format!(
            "no new migration: {MIGRATIONS}/ is up to date with the types"
        ));
        return Ok(());
    };
    let path = format!("{MIGRATIONS}/{}", migration.name);
    console.json(&Report {
        status: "generated",
        path: Some(&path),
        destructive: migration.destructive,
        merges: &merges,
        changes: migration.changes.iter().map(Line::new).collect(),
    });
    let mut text = format!("{path}: {}", quantity(migration.changes.len(), "change"));
    if !merges.is_empty() {
        let _ = write!(
            text,
            "\n  joins the migrations of merged branches: {}",
            merges.join(" and ")
        );
    }
    for change in &migration.changes {
        describe(change, &mut text);
    }
    console.result(&text);
    Ok(())
}

/// Reports the changes that no migration contains.
fn check(analysis: &Analysis, context: &Context<'_>) -> Result<(), CommandError> {
    let console = context.console;
    let (latest, plan) = compare(analysis).map_err(refuse)?;
    let is_current = plan.is_empty() && latest.side_by_side.is_empty();
    console.json(&Report {
        status: if is_current { "unchanged" } else { "missing" },
        path: None,
        destructive: plan.is_destructive(),
        merges: &latest.side_by_side,
        changes: plan.changes.iter().map(Line::new).collect(),
    });
    if is_current {
        console.result(&format!("{MIGRATIONS}/ is up to date with the types"));
        return Ok(());
    }
    let mut text = format!(
        "{MIGRATIONS}/ lacks {}; `kit migrate:generate --name <name>` writes a migration",
        if plan.is_empty() {
            "a migration that joins merged branches".to_owned()
        } else {
            quantity(plan.changes.len(), "change")
        }
    );
    for change in &plan.changes {
        describe(change, &mut text);
    }
    console.result(&text);
    Err(CommandError::Reported)
}

/// Returns the changes of the types that no migration contains yet.
pub(crate) fn pending_plan(analysis: &Analysis) -> Result<Plan, PlanError> {
    Ok(compare(analysis)?.1)
}

fn compare(analysis: &Analysis) -> Result<(Latest, Plan), PlanError> {
    let latest = latest(&analysis.migrations)?;
    let plan = plan(latest.snapshot.as_ref(), &analysis.schema)?;
    Ok((latest, plan))
}

/// Converts the problems of a plan to an error of the command.
pub(crate) fn refuse(error: PlanError) -> CommandError {
    let reasons = error.problems.into_iter().map(|problem| Reason {
        help: Some(problem.help),
        ..Reason::new(format!("{}: {}", problem.place, problem.message))
    });
    Problem::migration(reasons.collect()).into()
}

/// A migration that was written.
pub(crate) struct Written {
    pub(crate) migration: Migration,
    /// Names of the migrations of merged git branches that this migration combines.
    merges: Vec<String>,
}

/// Writes a migration with the changes. Returns `None` if there are no changes, and no migrations of merged branches to
/// combine.
pub(crate) async fn write(
    root: &Path,
    time: &BuildTime,
    analysis: &Analysis,
    name: &str,
    context: &Context<'_>,
) -> Result<Option<Written>, CommandError> {
    write_halves(root, time, analysis, name, None, context).await
}

/// Writes a migration as [`write`] does. If `using` is given, the migration has two halves.
async fn write_halves(
    root: &Path,
    time: &BuildTime,
    analysis: &Analysis,
    name: &str,
    using: Option<&[Using]>,
    context: &Context<'_>,
) -> Result<Option<Written>, CommandError> {
    let (latest, plan) = compare(analysis).map_err(refuse)?;
    if plan.is_empty() && latest.side_by_side.is_empty() {
        return Ok(None);
    }
    let timestamp = next_timestamp(time, &analysis.migrations)?;
    let previous = latest.snapshot.as_ref();
    let (plan, created) = match using {
        None => {
            let created = Migration::create(&timestamp, name, &plan, previous);
            (plan, created)
        }
        Some(using) => {
            let (plan, expansion) = expand(previous, &analysis.schema, using).map_err(refuse)?;
            let created = Migration::in_two_halves(&timestamp, name, &plan, expansion, previous);
            (plan, created)
        }
    };
    let created = created.map_err(|error| Problem::migration(vec![Reason::new(error.to_string())]))?;
    let mut migration = with_structure(created);
    if plan.changes_foreign() {
        // Only PostgreSQL knows the new definitions of hand-written objects, for example after a rename.
        let server = scratch_server(root, &migration.name, context).await?;
        let mut all = analysis.migrations.clone();
        all.push(migration);
        let last = all.len() - 1;
        record(&server, &mut all, last).map_err(|error| problem(&error))?;
        migration = all.remove(last);
    }
    write_migration(root, &migration)?;
    Ok(Some(Written {
        migration,
        merges: latest.side_by_side,
    }))
}

/// Writes a migration for SQL that the user writes, or with the tables of packages and rights. Does not read the types.
fn write_by_hand(arguments: &Arguments, context: &Context<'_>) -> Result<(), CommandError> {
    let root = root(&arguments.common, context.environment)?;
    let migrations = migrations_of(&root)?;
    let previous = latest(&migrations).map_err(refuse)?.snapshot;
    let stored = if arguments.empty {
        None
    } else {
        let role = arguments.tenant_role.as_deref();
        let sql = migration_sql(&arguments.with, role, &migrations, previous.as_ref())
            .map_err(|message| Problem::migration(vec![Reason::new(message)]))?;
        if sql.is_none() {
            report(context, "unchanged", None);
            context
                .console
                .result("no new migration: the migrations have all rights of the role");
            return Ok(());
        }
        sql
    };
    let timestamp = next_timestamp(&build_time(context.environment)?, &migrations)?;
    let mut migration = Migration::by_hand(
        &timestamp,
        arguments.name.as_deref().unwrap_or_default(),
        None,
        previous.as_ref(),
    )
    .map_err(|error| Problem::migration(vec![Reason::new(error.to_string())]))?;
    // kit records the result of the SQL before it applies the migration, because the SQL differs from that of `by_hand`.
    if let Some(sql) = &stored {
        migration.sql = format!(
            "-- Tables of packages, and rights of roles. You may edit the SQL before it is applied.\n{sql}"
        );
    }
    write_migration(&root, &migration)?;
    let path = format!("{MIGRATIONS}/{}", migration.name);
    report(context, "generated", Some(&path));
    context.console.result(&if stored.is_some() {
        format!("{path}: read migration.sql, then run `kit migrate:apply`")
    } else {
        format!("{path}: write your SQL into migration.sql, then run `kit migrate:apply`")
    });
    Ok(())
}

/// Reports a migration without changes of the types.
fn report(context: &Context<'_>, status: &'static str, path: Option<&str>) {
    context.console.json(&Report {
        status,
        path,
        destructive: false,
        merges: &[],
        changes: Vec::new(),
    });
}

/// Returns a timestamp later than the timestamp of every existing migration, because migrations run in the order of
/// their names.
pub(crate) fn next_timestamp(time: &BuildTime, migrations: &[Migration]) -> Result<String, CommandError> {
    let Some(last) = migrations.last() else {
        return Ok(time.compact());
    };
    let stamp = last.name.split('_').next().unwrap_or_default();
    time.compact_after(stamp).ok_or_else(|| {
        let message = format!("the newest migration, {}, has a name that does not begin with a timestamp", last.name);
        Problem::migration(vec![Reason::new(message)])
            .help("rename the directory of the migration to `<yyyymmddhhmmss>_<name>`, if the migration was not applied to any database yet")
            .into()
    })
}

#[derive(Serialize)]
struct Report<'a> {
    /// `generated`, `unchanged`, or with `--check` also `missing`.
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<&'a str>,
    destructive: bool,
    /// Names of the migrations of merged git branches that this migration combines.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    merges: &'a [String],
    changes: Vec<Line>,
}

#[derive(Serialize)]
struct Line {
    summary: String,
    /// `safe`, `locks`, `needsData` or `destructive`.
    class: ChangeClass,
    /// `destructive`, `needsData`, `locks` and `breaksRunningApp`, as far as they apply.
    risks: Vec<Risk>,
    destructive: bool,
    reason: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    alternative: Option<Alternative>,
}

impl Line {
    fn new(step: &PlannedChange) -> Self {
        Self {
            summary: step.change.summary(),
            class: step.class,
            risks: step.risks(),
            destructive: step.is_destructive(),
            reason: step.reason.clone(),
            alternative: step.alternative.clone(),
        }
    }
}
