//! The command `kit scaffold init`.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use kit_build::{TargetState, check_target, create_tree, entry_names};
use kit_scaffold::{Adapter, Archives, Options, ProjectName, Server, project};
use serde::Serialize;

use crate::ProgramOutput;
use crate::context::Context;
use crate::failure::{CommandError, Problem};
use crate::project::build_time;

/// Create a project that installs, builds, runs and passes its tests without changes.
///
/// Asks for missing options on a terminal. Otherwise, the default server is the native one and the default adapter is
/// drizzle. The directory appears with all of its files or not at all. Then the command creates a git repository and
/// installs the packages with npm.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  kit scaffold init my-api
  kit scaffold init my-api --server native --db drizzle
  kit scaffold init my-api --server express --db raw --no-install --no-git
  kit scaffold init my-api --packages ../kit-packages
  kit scaffold init my-api --yes --json | jq .files")]
pub(crate) struct Arguments {
    /// Name of the project and its directory, such as `my-api`; asked for on a terminal.
    name: Option<String>,
    /// Server that the project runs on.
    #[arg(long, value_name = "SERVER")]
    server: Option<ServerName>,
    /// Library for the database.
    #[arg(long = "db", value_name = "ADAPTER")]
    database: Option<AdapterName>,
    /// Install kit's packages from the archives in this directory, not from npm's registry.
    #[arg(long, value_name = "DIR")]
    packages: Option<PathBuf>,
    /// Do not ask questions.
    #[arg(long, short)]
    yes: bool,
    /// Do not run `npm install`.
    #[arg(long)]
    no_install: bool,
    /// Do not create a git repository.
    #[arg(long)]
    no_git: bool,
    /// Print only JSON on standard output; implies --yes.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ServerName {
    /// kit's native server, the fastest.
    Native,
    /// Express 5.
    Express,
    /// Fastify 5.
    Fastify,
    /// Hono 4.
    Hono,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum AdapterName {
    /// Handwritten SQL.
    Raw,
    /// drizzle-orm.
    Drizzle,
    /// kysely.
    Kysely,
}

pub(crate) fn run(arguments: &Arguments, context: &Context<'_>) -> Result<(), CommandError> {
    let console = context.console;
    let timestamp = build_time(context.environment)?.compact();
    let (name, target) = name(arguments, context)?;
    let install = !arguments.no_install;
    if install {
        // Check for npm before anything is created.
        require_npm(context, &target)?;
    }
    let options = Options {
        name,
        server: server(arguments, context)?,
        database: database(arguments, context)?,
        timestamp,
        archives: arguments
            .packages
            .as_deref()
            .map(|directory| archives(directory, context))
            .transpose()?,
    };
    if let Some(missing) = options.missing_archives().first() {
        return Err(no_archive(arguments.packages.as_deref(), missing).into());
    }
    let files = project(&options);
    create_tree(
        &target,
        files.iter().map(|file| (file.path.as_str(), file.text.as_str())),
    )?;
    let name = options.name.as_str();
    console.result(&format!("created {name}/ with {} files", files.len()));

    let git = !arguments.no_git && start_repository(context, &target);
    if install {
        console.note("installing packages with npm …");
        let args = ["install", "--no-audit", "--no-fund"];
        let installed = context
            .environment
            .run("npm", &args, &target, ProgramOutput::Print);
        if !matches!(installed, Ok(true)) {
            let why = installed.map_or_else(|error| format!(": {error}"), |_| String::new());
            return Err(Problem::scaffold(format!(
                "{name}/ was created, but its packages could not be installed{why}"
            ))
            .at(name)
            .help(&format!(
                "see npm's output above, then run `cd {name}` and `npm install`"
            ))
            .into());
        }
    }
    console.json(&Report {
        status: "created",
        path: name,
        server: options.server.name(),
        database: options.database.name(),
        installed: install,
        git,
        files: files.iter().map(|file| file.path.as_str()).collect(),
    });
    let first = if install { "" } else { "\n  npm install" };
    console.result(&format!(
        "next:\n  cd {name}{first}\n  npm run dev      serves on http://localhost:3000 and restarts on changes\n  npm test"
    ));
    Ok(())
}

/// Returns the name of the project and the path of its directory, which must not exist or must be empty.
fn name(arguments: &Arguments, context: &Context<'_>) -> Result<(ProjectName, PathBuf), CommandError> {
    let asked;
    let text = match &arguments.name {
        Some(name) => name,
        None if may_ask(arguments, context) => {
            let answer = context.environment.ask("Name of the project?");
            asked = answer.map_err(|error| not_asked(&error))?.ok_or_else(stopped)?;
            asked.trim()
        }
        None => {
            return Err(Problem::scaffold("the project has no name")
                .help("name the project: `kit scaffold init my-api`")
                .into());
        }
    };
    let name =
        ProjectName::parse(text).map_err(|error| Problem::scaffold(error.message).help(&error.help))?;
    let target = working_directory(context)?.join(name.as_str());
    let problem = match check_target(&target)? {
        TargetState::Free => return Ok((name, target)),
        TargetState::NotEmpty(first) => format!("{name}/ exists and is not empty: it contains {first}"),
        TargetState::NotADirectory => format!("{name} exists and is not a directory"),
    };
    Err(Problem::scaffold(problem)
        .at(name.as_str())
        .help("choose another name, or move it away")
        .into())
}

/// Finds the archives of kit's packages in a directory, for `--packages`.
fn archives(directory: &Path, context: &Context<'_>) -> Result<Archives, CommandError> {
    let directory = working_directory(context)?.join(directory);
    let names = entry_names(&directory)?.ok_or_else(|| {
        Problem::scaffold(format!("there is no directory {}", directory.display()))
            .help("`--packages` takes the directory that `cargo xtask pack --out DIR` wrote")
    })?;
    let directory = directory.canonicalize().unwrap_or(directory);
    let path = directory.to_string_lossy().replace('\\', "/");
    Ok(Archives::new(&path, names.iter().map(String::as_str)))
}

fn no_archive(directory: Option<&Path>, missing: &str) -> Problem {
    let directory = directory.unwrap_or(Path::new("")).display();
    Problem::scaffold(format!(
        "{directory} does not contain kit's packages of this version: {missing} is missing"
    ))
    .help("`cargo xtask pack --out DIR` in kit's repository writes the packages; nothing was created")
}

fn working_directory(context: &Context<'_>) -> Result<PathBuf, CommandError> {
    let directory = context.environment.current_dir();
    Ok(directory
        .map_err(|error| Problem::scaffold(format!("the working directory cannot be used: {error}")))?)
}

fn server(arguments: &Arguments, context: &Context<'_>) -> Result<Server, CommandError> {
    Ok(match arguments.server {
        Some(ServerName::Native) => Server::Native,
        Some(ServerName::Express) => Server::Express,
        Some(ServerName::Fastify) => Server::Fastify,
        Some(ServerName::Hono) => Server::Hono,
        None => {
            let choices = Server::ALL.map(|server| match server {
                Server::Native => "native: kit's own, the fastest",
                Server::Express => "express: Express 5",
                Server::Fastify => "fastify: Fastify 5",
                Server::Hono => "hono: Hono 4",
            });
            Server::ALL[choose(arguments, context, "What does it run on?", &choices)?]
        }
    })
}

fn database(arguments: &Arguments, context: &Context<'_>) -> Result<Adapter, CommandError> {
    Ok(match arguments.database {
        Some(AdapterName::Raw) => Adapter::Raw,
        Some(AdapterName::Drizzle) => Adapter::Drizzle,
        Some(AdapterName::Kysely) => Adapter::Kysely,
        None => {
            let choices = Adapter::ALL.map(|adapter| match adapter {
                Adapter::Drizzle => "drizzle: its tables are generated from the types",
                Adapter::Kysely => "kysely: a typed query builder",
                Adapter::Raw => "raw: SQL by hand, with pg",
            });
            Adapter::ALL[choose(arguments, context, "Which database library?", &choices)?]
        }
    })
}

/// Asks the user to choose and returns the index of the choice. Returns 0 without asking if questions are not
/// possible or not wanted.
fn choose(
    arguments: &Arguments,
    context: &Context<'_>,
    question: &str,
    choices: &[&str],
) -> Result<usize, CommandError> {
    if !may_ask(arguments, context) {
        return Ok(0);
    }
    let answer = context.environment.choose(question, choices);
    Ok(answer.map_err(|error| not_asked(&error))?.ok_or_else(stopped)?)
}

fn may_ask(arguments: &Arguments, context: &Context<'_>) -> bool {
    !arguments.yes && !arguments.json && context.environment.can_ask()
}

fn not_asked(error: &std::io::Error) -> CommandError {
    if error.kind() == std::io::ErrorKind::Interrupted {
        return CommandError::Interrupted("stopped; nothing was created");
    }
    Problem::scaffold(format!("cannot read the answer from the terminal: {error}"))
        .help("use options instead: `kit scaffold init my-api --server native --db drizzle`")
        .into()
}

fn stopped() -> Problem {
    Problem::scaffold("stopped; nothing was created")
}

fn require_npm(context: &Context<'_>, target: &Path) -> Result<(), CommandError> {
    let parent = target.parent().unwrap_or(target);
    let found = context
        .environment
        .run("npm", &["--version"], parent, ProgramOutput::Discard);
    let problem = match found {
        Ok(true) => return Ok(()),
        Ok(false) => "npm does not work: `npm --version` failed; nothing was created".to_owned(),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            "npm is not installed; nothing was created".to_owned()
        }
        Err(error) => format!("npm cannot be started: {error}; nothing was created"),
    };
    Err(Problem::scaffold(problem)
        .help("install Node 24, which contains npm, or use `--no-install` and install the packages later")
        .into())
}

/// Creates a git repository and returns true. Returns false if the directory is already in a repository, or if git is
/// not installed.
fn start_repository(context: &Context<'_>, target: &Path) -> bool {
    let git = |args: &[&str]| {
        let ended = context
            .environment
            .run("git", args, target, ProgramOutput::Discard);
        matches!(ended, Ok(true))
    };
    !git(&["rev-parse", "--is-inside-work-tree"]) && git(&["init", "--initial-branch=main"])
}

#[derive(Serialize)]
struct Report<'a> {
    /// `created`.
    status: &'static str,
    /// Directory of the project.
    path: &'a str,
    server: &'static str,
    database: &'static str,
    /// True if the packages were installed.
    installed: bool,
    /// True if a git repository was created.
    git: bool,
    files: Vec<&'a str>,
}
