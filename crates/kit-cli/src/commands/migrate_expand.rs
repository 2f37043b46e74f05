//! The command `kit migrate:expand`.

use clap::Args;
use kit_migrate::Half;

use crate::commands::migrate_apply::run_with;
use crate::commands::migrate_limits::Limits;
use crate::common_args::Common;
use crate::context::Context;
use crate::failure::CommandError;

/// Run the first half of a migration, after which the old and the new build of the application can run side by side.
///
/// Applies the pending migrations up to the first one in two halves (`kit migrate:generate --expand`), and the first half of
/// that one. Deploy the new build afterwards. If no process of the old build is left, `kit migrate:contract` runs the second half.
/// Refuses a migration without halves that breaks the running application. In a database without migrations, applies all
/// migrations completely, because no application uses the database yet.
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
