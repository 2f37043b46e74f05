//! The command `kit build --watch`.

use anstyle::Style;
use kit_build::Mode;

use super::build_steps::{BuildKind, BuildSteps, PrintedLines, build_and_compile};
use crate::Stream;
use crate::common_args::Common;
use crate::context::Context;
use crate::failure::CommandError;
use crate::host::Event;
use crate::project::{self, Project, build_time};
use crate::repeated_build::RepeatedBuild;

/// Builds, and builds again after each saved file until the user quits. If a build fails, waits for the next edit.
pub(crate) async fn run(
    common: &Common,
    context: &Context<'_>,
    steps: BuildSteps,
) -> Result<(), CommandError> {
    let console = context.console;
    console.use_lines();
    // These errors end the command, because no edit of a source file can correct them.
    let root = project::root(common, context.environment)?;
    build_time(context.environment)?;
    let mut again = RepeatedBuild::start(root, Mode::Watch, context.host).await?;
    let mut printed = PrintedLines::default();
    let mut is_first = true;
    loop {
        if let Err(stop) = once(common, context, steps, &mut again, &mut printed).await {
            stop.print(console);
        }
        if is_first && console.is_terminal() && !console.is_json() {
            let text = "waiting for changes; press Ctrl-C to stop";
            console.note(&console.paint(Stream::Err, Style::new().dimmed(), text));
        }
        is_first = false;
        // End the command if nobody reads its output any more.
        if console.is_closed() || context.host.wait().await? == Event::Quit {
            return Ok(());
        }
    }
}

async fn once(
    common: &Common,
    context: &Context<'_>,
    steps: BuildSteps,
    again: &mut RepeatedBuild<'_>,
    printed: &mut PrintedLines,
) -> Result<(), CommandError> {
    let project = Project::open(common, context).await?;
    again.apply_config(&project.config).await?;
    build_and_compile(
        &project,
        context,
        steps,
        &mut BuildKind::Incremental(again),
        printed,
    )
    .await
}
