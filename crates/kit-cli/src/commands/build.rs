//! The command `kit build`.

use clap::Args;

use super::build_steps::{BuildKind, BuildSteps, PrintedLines, build_and_compile, check_artifacts};
use super::build_watch;
use crate::common_args::Common;
use crate::context::Context;
use crate::failure::CommandError;
use crate::project::Project;

/// Build the artifacts in .kit/ from the project's types and contracts.
///
/// Reads the configuration (kit.config.ts, or `kit` in package.json), the types, the contracts and the call of `createApp`. Writes
/// validators, serializers, routes, the OpenAPI document and schema files. A build with an error writes nothing, and files that
/// do not change keep their modification times.
///
/// Then the project's compiler compiles the sources into `distDir`. The option `compiler` of the configuration selects the
/// compiler; by default, tsc compiles if tsconfig.json emits files.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  kit build
  kit build --root examples/notes
  kit build --check                  in CI: exit with 1 if .kit/ is out of date
  kit build --no-compile             only .kit/, as `kit generate`
  kit build --check-types            in CI: exit with 1 if the code has type errors
  kit build --watch                  again whenever a file is saved, until Ctrl-C
  kit build --watch --json           one line of JSON for each build
  kit build --json | jq .counts")]
pub(crate) struct Arguments {
    /// Write nothing, and exit with 1 if .kit/ is out of date, or if the types have changes that no migration contains.
    #[arg(long)]
    check: bool,
    /// Build again whenever a file is saved.
    #[arg(long, conflicts_with = "check")]
    watch: bool,
    /// Do not run the project's compiler.
    #[arg(long)]
    no_compile: bool,
    /// Check the types of all code with the project's own TypeScript (`tsc --noEmit`); exit with 1 if it finds type errors.
    #[arg(long)]
    check_types: bool,
    #[command(flatten)]
    pub(crate) common: Common,
}

pub(crate) async fn run(arguments: &Arguments, context: &Context<'_>) -> Result<(), CommandError> {
    let steps = BuildSteps {
        compile: !arguments.no_compile,
        check_types: arguments.check_types,
    };
    if arguments.watch {
        return build_watch::run(&arguments.common, context, steps).await;
    }
    let project = Project::open(&arguments.common, context).await?;
    if arguments.check {
        check_artifacts(&project, context, steps).await
    } else {
        build_and_compile(
            &project,
            context,
            steps,
            &mut BuildKind::Write,
            &mut PrintedLines::default(),
        )
        .await
    }
}
