//! The command `kit migrate:expand`.

use clap::Args;
use kit_migrate::Half;

use crate::commands::migrate_apply::run_with;
use crate::commands::migrate_limits::Limits;
use crate::common_args::Common;
use crate::context::Context;
use crate::failure::CommandError;

/// Run the first half of a migration, so that the old and the new build can run at the same time.
///
/// Looks for the first pending migration in two halves, which `kit migrate:generate --expand` wrote. Applies all migrations
/// before this migration, and the first half of this migration. Then deploy the new build. When no process of the old build is left, run
/// `kit migrate:contract` for the second half.
///
/// A migration that breaks the running application and has no halves is refused. If the database has no migrations yet, all
/// migrations are applied completely, because no application uses the database.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  kit migrate:expand
  kit migrate:expand --dry-run
  kit migrate:expand --check --json")]
pub(crate) struct Arguments {
    /// Only show the migrations that would be applied.
    #[arg(long)]
    dry_run: bool,
    /// Like --dry-run, and exit with 1 if there is something to apply.
    #[arg(long)]
    check: bool,
    #[command(flatten)]
    limits: Limits,
    #[command(flatten)]
    pub(crate) common: Common,
}

pub(crate) async fn run(arguments: &Arguments, context: &Context<'_>) -> Result<(), CommandError> {
    let options = kit_migrate::Options {
        half: Half::First,
        dry_run: arguments.dry_run || arguments.check,
        ..arguments.limits.options()
    };
    let report = run_with(&options, &arguments.common, context).await?;
    let is_expanded = report.applied.iter().any(|applied| applied.half == Half::First);
    if is_expanded && !context.console.is_json() {
        context.console.note(
            "the old and the new build can run now; `kit migrate:contract` completes the migration when no process of the old build is left",
        );
    }
    if arguments.check && !report.pending.is_empty() {
        return Err(CommandError::Reported);
    }
    Ok(())
}
