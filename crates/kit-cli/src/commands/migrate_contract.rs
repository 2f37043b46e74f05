//! The command `kit migrate:contract`.

use clap::Args;
use kit_migrate::Half;

use crate::commands::migrate_apply::run_with;
use crate::commands::migrate_limits::Limits;
use crate::common_args::Common;
use crate::context::Context;
use crate::failure::CommandError;

/// Run the second half of a migration, which removes the columns that only the old build uses.
///
/// First checks that the new columns contain all values of the old columns. kit cannot know if a process of the old build still
/// runs. Therefore the command fails if a session of the database is older than the first half, and lists these sessions.
/// With --abort, the command removes the new columns instead, and the tables are again those of the old build.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  kit migrate:contract
  kit migrate:contract --dry-run
  kit migrate:contract --check
  kit migrate:contract --abort")]
pub(crate) struct Arguments {
    /// Undo the first half: go back to the tables of the old build.
    #[arg(long)]
    abort: bool,
    /// Also run if sessions are older than the first half, for example the sessions of a pooler or of another program.
    #[arg(long, conflicts_with = "abort")]
    ignore_sessions: bool,
    /// Also run if this loses stored data, such as a column that the new build no longer has.
    #[arg(long)]
    allow_destructive: bool,
    /// Only show the migration whose second half would run.
    #[arg(long)]
    dry_run: bool,
    /// Like --dry-run, and exit with 1 if a migration waits for its second half.
    #[arg(long)]
    check: bool,
    #[command(flatten)]
    limits: Limits,
    #[command(flatten)]
    pub(crate) common: Common,
}

pub(crate) async fn run(arguments: &Arguments, context: &Context<'_>) -> Result<(), CommandError> {
    let options = kit_migrate::Options {
        half: if arguments.abort { Half::Undo } else { Half::Second },
        ignore_sessions: arguments.ignore_sessions || arguments.check,
        allow_destructive: arguments.allow_destructive || arguments.check,
        dry_run: arguments.dry_run || arguments.check,
        ..arguments.limits.options()
    };
    let report = run_with(&options, &arguments.common, context).await?;
    if arguments.check && !report.pending.is_empty() {
        return Err(CommandError::Reported);
    }
    Ok(())
}
