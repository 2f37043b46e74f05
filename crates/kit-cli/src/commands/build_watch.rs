//! The command `kit build --watch`.

use anstyle::Style;
use kit_build::Mode;

use super::build::{More, Told, Work, make};
use crate::Stream;
use crate::again::Again;
use crate::args::Common;
use crate::context::Context;
use crate::failure::Stop;
use crate::host::Event;
use crate::project::{self, Project, build_time};

/// Builds, and builds again after each saved file until the user quits. After a mistake, waits for the next change.
pub(crate) async fn run(common: &Common, context: &Context<'_>, more: More) -> Result<(), Stop> {
    let console = context.console;
    console.use_lines();
    // Errors that no edit of a source file can fix end the command.
    let root = project::root(common, context.environment)?;
    build_time(context.environment)?;
    let mut again = Again::begin(root, Mode::Watch, context.host).await?;
    let mut told = Told::default();
    let mut is_first = true;
    loop {
        if let Err(stop) = once(common, context, more, &mut again, &mut told).await {
            stop.report(console);
        }
        if is_first && console.is_watched() && !console.is_json() {
            let text = "waiting for changes; Ctrl-C ends it";
            console.note(&console.paint(Stream::Err, Style::new().dimmed(), text));
        }
        is_first = false;
        // Stops if the reader of the output has closed it.
        if console.is_left() || context.host.wait().await? == Event::Quit {
            return Ok(());
        }
    }
}

async fn once(
    common: &Common,
    context: &Context<'_>,
    more: More,
    again: &mut Again<'_>,
    told: &mut Told,
) -> Result<(), Stop> {
    let project = Project::open(common, context).await?;
    again.configured(&project.config).await?;
    make(&project, context, more, &mut Work::Again(again), told).await
}
