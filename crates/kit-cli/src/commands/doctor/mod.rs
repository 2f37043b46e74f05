//! The command `kit doctor`.

mod built_project;
mod database;
mod machine;
mod packages;
mod tls;
mod variables;

use anstyle::{AnsiColor, Style};
use clap::Args;
use serde::Serialize;

use crate::common_args::Common;
use crate::console::Console;
use crate::context::Context;
use crate::failure::CommandError;
use crate::project::{Project, root};
use crate::{Stream, env_file};

/// Check the project and the machine for problems.
///
/// Checks Node and npm, the platform and its HTTP engine, the packages of kit and their addons, the configuration, the files in
/// .kit/, the environment variables, the files of TLS, the ports of the application and of the debug sidecar, and the database.
///
/// The result of each check is ok, warn or fail. A check that is not ok says what to do. Changes nothing. Exits with 1 if a
/// check fails.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  kit doctor
  kit doctor --json | jq '.checks[] | select(.status != \"ok\")'")]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) common: Common,
}

/// Result of a check, from the least to the most severe.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
enum Status {
    Ok,
    Warn,
    Fail,
}

/// Result of one check, with its text.
#[derive(Debug, Serialize)]
struct Check {
    name: &'static str,
    status: Status,
    message: String,
    /// Text that tells the user how to correct the problem.
    help: Option<String>,
}

impl Check {
    fn new(name: &'static str, status: Status, message: impl Into<String>) -> Self {
        Self {
            name,
            status,
            message: message.into(),
            help: None,
        }
    }

    fn ok(name: &'static str, message: impl Into<String>) -> Self {
        Self::new(name, Status::Ok, message)
    }

    fn warn(name: &'static str, message: impl Into<String>) -> Self {
        Self::new(name, Status::Warn, message)
    }

    fn fail(name: &'static str, message: impl Into<String>) -> Self {
        Self::new(name, Status::Fail, message)
    }

    fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

pub(crate) async fn run(arguments: &Arguments, context: &Context<'_>) -> Result<(), CommandError> {
    env_file::load_and_print(&arguments.common, context).await?;
    let root = root(&arguments.common, context.environment)?;
    let mut checks = machine::programs(&root, context).await;
    checks.extend(packages::check(&root));
    match Project::open(&arguments.common, context).await {
        Err(stop) => {
            let (message, help) = stop.summary();
            let mut check = Check::fail("configuration", message);
            check.help = help;
            checks.push(check);
            checks.push(database::check(&root, context));
        }
        Ok(project) => {
            checks.push(built_project::configuration(&project));
            let tls = match built_project::report(&project, context).await {
                Ok(report) => {
                    checks.extend(built_project::check(&project, context, &report));
                    report.tls
                }
                Err(check) => {
                    checks.push(check);
                    None
                }
            };
            checks.extend(variables::check(&project, context).await);
            checks.extend(tls::check(&project, context, tls));
            checks.push(database::check(&root, context));
        }
    }
    checks.extend(machine::ports(context));
    print_checks(&checks, context.console);
    if worst(&checks) == Status::Fail {
        Err(CommandError::Reported)
    } else {
        Ok(())
    }
}

fn worst(checks: &[Check]) -> Status {
    checks
        .iter()
        .map(|check| check.status)
        .max()
        .unwrap_or(Status::Ok)
}

#[derive(Serialize)]
struct JsonReport<'a> {
    status: Status,
    checks: &'a [Check],
}

fn print_checks(checks: &[Check], console: &Console<'_>) {
    console.json(&JsonReport {
        status: worst(checks),
        checks,
    });
    let wide = checks
        .iter()
        .map(|check| check.name.len())
        .max()
        .unwrap_or_default();
    let mut lines = Vec::new();
    for check in checks {
        let (word, color) = match check.status {
            Status::Ok => ("ok  ", AnsiColor::Green),
            Status::Warn => ("warn", AnsiColor::Yellow),
            Status::Fail => ("fail", AnsiColor::Red),
        };
        let word = console.paint(Stream::Out, color.on_default().bold(), word);
        lines.push(format!("{word}  {:wide$}  {}", check.name, check.message));
        if let Some(help) = &check.help {
            let help = console.paint(Stream::Out, Style::new().dimmed(), help);
            lines.push(format!("      {:wide$}  {help}", ""));
        }
    }
    console.result(&lines.join("\n"));
}
