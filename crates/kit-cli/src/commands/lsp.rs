//! The command `kit lsp`.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use kit_build::{BuildError, BuildRequest, FileSystem, Rerun, Session, TapHost};
use kit_language_server::{Analyzed, Connection, ConnectionFuture, End, Failed, Input, serve};

use crate::Stream;
use crate::common_args::Common;
use crate::context::Context;
use crate::failure::CommandError;
use crate::plugins::{InterruptiblePlugins, Plugins};
use crate::project::{Project, build_time};

/// Run the language server of an editor: mistakes while you type, rules of types and routes, renames of routes
///
/// An editor starts this command, and talks to it on standard input and output (Language Server Protocol). The server reads the
/// projects in the folders of the editor, also text that is not saved yet. The server writes no files. Like `kit build --check`,
/// it loads kit.config.ts and runs the plugins of the project.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  kit lsp   in the settings of an editor, as the command of a language server for TypeScript")]
pub(crate) struct Arguments {
    /// Use standard input and output, which is the only choice. Some editors add this option.
    #[arg(long, hide = true)]
    stdio: bool,
}

/// Serves an editor until the editor ends the server.
pub(crate) async fn run(_: &Arguments, context: &Context<'_>) -> Result<(), CommandError> {
    if context.environment.is_terminal(Stream::Out) {
        context
            .console
            .note("kit lsp waits for an editor on standard input; press Ctrl-C to stop");
    }
    match serve(&Editor { context }).await {
        End::Clean => Ok(()),
        End::Abrupt => Err(CommandError::Reported),
    }
}

/// Connection to the editor on standard input and output.
struct Editor<'a> {
    context: &'a Context<'a>,
}

impl Connection for Editor<'_> {
    fn read(&self, wait: Duration) -> ConnectionFuture<'_, Input> {
        Box::pin(async move {
            match self.context.host.read(wait).await {
                Ok(chunk) if !chunk.bytes.is_empty() => Input::Bytes(chunk.to_bytes()),
                Ok(chunk) if !chunk.ended => Input::Nothing,
                Ok(_) | Err(_) => Input::End,
            }
        })
    }

    fn end_with(&self, process: u32) -> ConnectionFuture<'_, ()> {
        Box::pin(async move {
            // The host always can do this. If it could not, the end of the stream would still end the server.
            let _ = self.context.host.end_input_with(process).await;
        })
    }

    fn write(&self, text: &str) -> bool {
        self.context.environment.write(Stream::Out, text).is_ok()
    }

    fn analyze<'a>(
        &'a self,
        root: &'a Path,
        files: Arc<dyn FileSystem>,
        rerun: Rerun,
        session: &'a mut Session,
    ) -> ConnectionFuture<'a, Result<Analyzed, Failed>> {
        Box::pin(analyze(self.context, root, files, rerun, session))
    }
}

async fn analyze(
    context: &Context<'_>,
    root: &Path,
    files: Arc<dyn FileSystem>,
    rerun: Rerun,
    session: &mut Session,
) -> Result<Analyzed, Failed> {
    let common = Common {
        root: root.to_path_buf(),
        json: false,
    };
    let project = Project::open(&common, context).await.map_err(failed)?;
    let time = build_time(context.environment).map_err(failed)?;
    let request = BuildRequest {
        root: &project.root,
        config: &project.config,
        files,
        time: &time,
    };
    let (always, until_input) = (Plugins(context.host), InterruptiblePlugins::new(context.host));
    // An analysis that runs nothing starts only plugins without results, which the answers need.
    let host: &dyn TapHost = if rerun == Rerun::Nothing {
        &always
    } else {
        &until_input
    };
    let analysis = session.analyze_with(&request, host, rerun, &()).await;
    let analysis = analysis.map_err(|error| match error {
        BuildError::Interrupted => Failed::Interrupted,
        error => failed(error.into()),
    })?;
    Ok(Analyzed {
        analysis,
        config: project.config,
        warnings: project.warnings,
    })
}

fn failed(error: CommandError) -> Failed {
    match error {
        CommandError::Diagnostics(diagnostics, sources) => Failed::Diagnostics(diagnostics, sources),
        other => {
            let (message, help) = other.summary();
            Failed::Message(help.map_or(message.clone(), |help| format!("{message}; {help}")))
        }
    }
}
