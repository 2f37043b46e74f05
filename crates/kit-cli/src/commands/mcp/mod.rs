//! The command `kit mcp`.

mod runtime;
mod service;
mod tools;

use std::path::PathBuf;

use clap::Args;
use serde_json::{Map, Value};

use self::runtime::{Runtime, Turn};
use self::service::{Answer, Call};
use self::tools::Tool;
use crate::Stream;
use crate::captured::Captured;
use crate::common_args::Common;
use crate::context::Context;
use crate::failure::{CommandError, Problem};
use crate::project::{self, Project};

/// Maximum length of an answer in bytes. A longer answer would fill the context of a model.
const MAX_ANSWER: usize = 512 * 1024;

/// Serve an agent: routes, types, errors and migrations of a project as tools
///
/// The command is a server of the Model Context Protocol on standard input and output, and a program such as Claude Code or Cursor
/// starts it. Without --allow-run, no tool builds the project, runs plugins or tests, or starts a database. The tools load
/// kit.config.ts, as the commands of kit do.
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
    if context.environment.is_terminal(Stream::Out) {
        context
            .console
            .note("kit mcp waits for an agent on standard input; press Ctrl-C to stop");
    }
    let mut server = Server {
        context,
        arguments,
        root,
    };
    let mut runtime = Runtime::new(arguments.allow_run).map_err(|error| {
        let message = format!("the server cannot be started: {error}");
        CommandError::from(Problem::build("configuration", message))
    })?;
    loop {
        let chunk = context.host.read(true).await?;
        runtime.push(&chunk.to_bytes());
        server.run_until_idle(&mut runtime).await;
        if chunk.ended {
            runtime.end();
            server.run_until_idle(&mut runtime).await;
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
}

impl Server<'_> {
    /// Runs the protocol and the called tools until the next message is needed.
    async fn run_until_idle(&mut self, runtime: &mut Runtime) {
        loop {
            match runtime.turn() {
                Turn::Idle => return,
                Turn::Output(text) => {
                    // If the agent does not read any more, its stream ends soon.
                    let _ = self.context.environment.write(Stream::Out, &text);
                }
                Turn::Call(Call {
                    name,
                    arguments,
                    reply,
                }) => {
                    let answer = self.call(&name, &arguments).await;
                    // The agent may have cancelled the call.
                    let _ = reply.send(answer);
                }
            }
        }
    }

    async fn call(&self, name: &str, arguments: &Map<String, Value>) -> Answer {
        let Some(tool) = Tool::find(name) else {
            return Answer::failed(format!("there is no tool `{name}`"));
        };
        if tool.runs_code && !self.arguments.allow_run {
            return Answer::failed(format!(
                "the tool `{name}` runs code of the project; start the server with `kit mcp --allow-run` to allow this"
            ));
        }
        match self.command_of(tool, arguments).await {
            Ok(args) => self.kit(args).await,
            Err(message) => Answer::failed(message),
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
        if tool.uses_database && !self.arguments.allow_run {
            // `.env` may contain the URL.
            self.context
                .host
                .load_env(&self.root)
                .await
                .map_err(|error| error.message)?;
            if self.context.environment.var("DATABASE_URL").is_none() {
                return Err(
                    "DATABASE_URL is not set, and this tool would start the embedded database; set the variable, or start the server with `kit mcp --allow-run`"
                        .to_owned(),
                );
            }
        }
        if tool.runs_plugins && !self.arguments.allow_run {
            let common = Common {
                root: self.root.clone(),
                json: false,
            };
            let project = Project::open(&common, self.context).await;
            // If the configuration has mistakes, the command reports them.
            if project.is_ok_and(|project| !project.config.plugins.is_empty()) {
                return Err(
                    "the project has plugins, and this tool runs them; start the server with `kit mcp --allow-run` to allow this"
                        .to_owned(),
                );
            }
        }
        Ok(args)
    }

    /// Runs a command of kit in this process, and returns its output.
    async fn kit(&self, args: Vec<String>) -> Answer {
        let environment = Captured::new(self.context.environment);
        let args = args.into_iter().map(Into::into).collect();
        let exit = Box::pin(crate::run(args, &environment, self.context.host)).await;
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
        }
    }
}
