//! The command `kit mcp`.

mod agent;
mod runtime;
mod service;
mod tools;

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use kit_build::project_advice;
use serde_json::{Map, Value};

use self::agent::{Agent, CancellableHost};
use self::runtime::Runtime;
use self::service::{Answer, Call};
use self::tools::{Permission, Tool};
use crate::captured::Captured;
use crate::commands::inspect::{BuildStatus, Built};
use crate::common_args::Common;
use crate::context::Context;
use crate::database_url;
use crate::failure::{CommandError, Problem};
use crate::project::{self, Project};
use crate::{Host, Stream};

/// Maximum length of an answer in bytes. A longer answer would fill the context of a model.
const MAX_ANSWER: usize = 512 * 1024;

/// Run a server for agents, with routes, types, errors and migrations of a project as tools
///
/// A program such as Claude Code or Cursor starts this command, and talks to it on standard input and output (Model Context
/// Protocol). Without --allow-run, no tool builds the project, runs plugins or tests, or starts a database. The tools load
/// kit.config.ts, as all commands of kit do.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  kit mcp                 in the configuration of an agent, as the command of a server
  kit mcp --allow-run     also with tools that build the project and run its tests")]
pub(crate) struct Arguments {
    /// Root of the project.
    #[arg(long, value_name = "DIR", default_value = ".")]
    root: PathBuf,
    /// Port of the debug sidecar, for errors and traces of a running application.
    #[arg(long, value_name = "PORT", default_value_t = 9800, value_parser = clap::value_parser!(u16).range(1..))]
    debug_port: u16,
    /// Also offer the tools that run code of the project: builds with plugins, and tests.
    #[arg(long)]
    allow_run: bool,
}

/// Serves an agent until its stream ends.
pub(crate) async fn run(arguments: &Arguments, context: &Context<'_>) -> Result<(), CommandError> {
    let common = Common {
        root: arguments.root.clone(),
        json: false,
    };
    let root = project::root(&common, context.environment)?;
    if !root.join("package.json").is_file() && !root.join("src").is_dir() {
        let message = format!(
            "{} is not a project: it has neither a package.json nor the directory src/",
            root.display()
        );
        return Err(Problem::build("configuration", message)
            .help(&project_advice(&root))
            .into());
    }
    if context.environment.is_terminal(Stream::Out) {
        context
            .console
            .note("kit mcp waits for an agent on standard input; press Ctrl-C to stop");
    }
    let runtime = Runtime::new(arguments.allow_run).map_err(|error| {
        let message = format!("the server cannot be started: {error}");
        CommandError::from(Problem::build("configuration", message))
    })?;
    let agent = Agent::new(context, runtime);
    let server = Server {
        context,
        arguments,
        root,
        agent: &agent,
    };
    loop {
        let is_open = agent.read(Duration::MAX).await?;
        // Calls that came with the last bytes are answered too.
        while let Some(call) = agent.next_call() {
            server.answer(call).await;
        }
        if !is_open {
            agent.end();
            return Ok(());
        }
    }
}

/// Returns true if a command that failed printed a result all the same, such as the list of files that are out of date.
fn is_result(text: &str) -> bool {
    serde_json::from_str::<Value>(text).is_ok_and(|result| result.is_object() && result["code"].is_null())
}

struct Server<'a> {
    context: &'a Context<'a>,
    arguments: &'a Arguments,
    root: PathBuf,
    agent: &'a Agent<'a>,
}

impl Server<'_> {
    /// Runs a tool, and answers the call.
    async fn answer(&self, call: Call) {
        if call.reply.is_closed() {
            // The agent has cancelled the call.
            return;
        }
        let host = CancellableHost::new(self.context.host, self.agent, &call.reply);
        let mut answer = match self.command_of(call.tool, &call.arguments).await {
            Ok(args) => self.kit(args, &host).await,
            Err(message) => Answer::failed(message),
        };
        if call.tool.describes_build && !answer.is_error {
            answer.note = self.state_of_build().await;
        }
        let _ = call.reply.send(answer);
    }

    /// Returns a sentence about a build that is out of date, so that an agent does not believe old facts.
    async fn state_of_build(&self) -> Option<String> {
        let common = self.common();
        let built = Built::open(&common, self.context).await.ok()?;
        if !built.project.config.plugins.is_empty() && !self.arguments.allow_run {
            return Some(
                "It is not known if this answer is up to date, because the build runs plugins, for which the server needs --allow-run."
                    .to_owned(),
            );
        }
        match BuildStatus::of(&built, self.context).await.ok()? {
            BuildStatus::Cached | BuildStatus::None => None,
            BuildStatus::Built(_) => Some(
                "This answer is out of date: the sources changed after the last build. Build the project, and call the tool again."
                    .to_owned(),
            ),
            BuildStatus::Failed(_) => Some(
                "This answer is from the last build, and the sources have mistakes now. The tool `check` lists them.".to_owned(),
            ),
        }
    }

    fn common(&self) -> Common {
        Common {
            root: self.root.clone(),
            json: false,
        }
    }

    /// Returns the command line of a tool.
    async fn command_of(&self, tool: &Tool, arguments: &Map<String, Value>) -> Result<Vec<String>, String> {
        let mut args: Vec<String> = tool.command.iter().map(|word| (*word).to_owned()).collect();
        if tool.uses_sidecar {
            args.extend(["--debug-port".to_owned(), self.arguments.debug_port.to_string()]);
        }
        if tool.uses_project {
            args.extend(["--root".to_owned(), self.root.to_string_lossy().into_owned()]);
        }
        args.push("--json".to_owned());
        args.extend(tool.words(arguments)?);
        if let Some(reason) = self.refusal(tool).await? {
            return Err(format!(
                "{reason} start the server with `kit mcp --allow-run` to allow this"
            ));
        }
        Ok(args)
    }

    /// Returns the reason why a tool needs `--allow-run`. Returns `None` if the tool may run.
    async fn refusal(&self, tool: &Tool) -> Result<Option<String>, String> {
        if self.arguments.allow_run {
            return Ok(None);
        }
        Ok(match tool.needs_permission {
            Permission::Never => None,
            Permission::Always => Some(format!("the tool `{}` runs code of the project;", tool.name)),
            Permission::WithPlugins => {
                let project = Project::open(&self.common(), self.context).await;
                // If the configuration has mistakes, the command reports them.
                let has_plugins = project.is_ok_and(|project| !project.config.plugins.is_empty());
                has_plugins.then(|| "the project has plugins, and this tool runs them;".to_owned())
            }
            Permission::WithoutDatabase => {
                // `.env` may contain the URL.
                let loaded = self.context.host.load_env(&self.root).await;
                let from_file = loaded.map_err(|error| error.message)?.set;
                // If the URL is missing where it must be set, the command reports this, and starts no database.
                let needs_embedded = matches!(
                    database_url::for_migrations(self.context.environment, &from_file),
                    Ok(None)
                );
                let reason = "neither DATABASE_URL nor MIGRATE_URL has a value, and this tool would start the embedded database; set one of the variables, or";
                needs_embedded.then(|| reason.to_owned())
            }
        })
    }

    /// Runs a command of kit in this process, and returns its output.
    async fn kit(&self, args: Vec<String>, host: &dyn Host) -> Answer {
        let environment = Captured::new(self.context.environment);
        let args = args.into_iter().map(Into::into).collect();
        let exit = Box::pin(crate::run(args, &environment, host)).await;
        let (out, err) = environment.into_texts();
        let text = if out.trim().is_empty() { err } else { out };
        if text.len() > MAX_ANSWER {
            return Answer::failed(format!(
                "the answer has {} bytes, more than {MAX_ANSWER}; ask for one route, for one type or for fewer items",
                text.len()
            ));
        }
        Answer {
            is_error: exit.code() != 0 && !is_result(&text),
            text,
            note: None,
        }
    }
}
