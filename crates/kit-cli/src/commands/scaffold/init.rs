//! The command `kit scaffold init`.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use kit_build::entry_names;
use kit_scaffold::{Adapter, Archives, Options, PackageManager, Server, Template, project};
use serde::Serialize;

use super::place::{Place, working_directory};
use crate::ProgramOutput;
use crate::context::Context;
use crate::failure::{CommandError, Problem};
use crate::project::build_time;

/// Create a project that installs, builds, runs and passes its tests without changes.
///
/// On a terminal, the command asks for missing options. Otherwise, the template is `api`, the server is the native server, and the
/// adapter is drizzle.
///
/// If a file cannot be written, the command leaves no files behind. After the files are written, the command creates a git repository
/// and installs the packages, with the package manager that started the command, or else npm.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  kit scaffold init my-api
  kit scaffold init my-api --server native --db drizzle
  kit scaffold init my-api --template minimal --package-manager pnpm
  kit scaffold init my-api --server express --db raw --no-install --no-git
  kit scaffold init my-api --packages ../kit-packages
  kit scaffold init . --template minimal
  kit scaffold init my-api --yes --json | jq .files")]
pub(crate) struct Arguments {
    /// Name of the project and of its directory, such as `my-api`; `.` means the working directory.
    name: Option<String>,
    /// Kind of the project.
    #[arg(long, short, value_name = "TEMPLATE")]
    template: Option<TemplateName>,
    /// Server that the project runs on.
    #[arg(long, value_name = "SERVER")]
    server: Option<ServerName>,
    /// Library for the database; only for the template `api`.
    #[arg(long = "db", value_name = "ADAPTER")]
    database: Option<AdapterName>,
    /// Program that installs the packages [default: the package manager that started this command, or else npm].
    #[arg(long, value_name = "PROGRAM")]
    package_manager: Option<ManagerName>,
    /// Install kit's packages from the archives in this directory, not from npm's registry.
    #[arg(long, value_name = "DIR")]
    packages: Option<PathBuf>,
    /// Do not ask questions.
    #[arg(long, short)]
    yes: bool,
    /// Do not install the packages.
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
enum TemplateName {
    /// API with authentication, PostgreSQL, tests and containers.
    Api,
    /// API that keeps its data in memory.
    Minimal,
    /// API, and a page in the browser that Vite builds.
    Browser,
    /// Server in Rust from types and contracts in TypeScript.
    Rust,
    /// Routes in packages of a workspace, and an application that serves them.
    Library,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ManagerName {
    /// npm, which comes with Node.
    Npm,
    /// pnpm.
    Pnpm,
    /// Yarn 4.
    Yarn,
    /// Bun, for the packages; the application runs on Node.
    Bun,
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
    let manager = manager(arguments, context)?;
    let place = place(arguments, context)?;
    let install = !arguments.no_install;
    if install {
        // Check for the package manager before anything is created.
        require_manager(manager, context, &place.directory)?;
    }
    let template = template(arguments, context)?;
    let options = Options {
        name: place.name.clone(),
        template,
        server: server(arguments, template, context)?,
        database: database(arguments, template, context)?,
        manager,
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
    place.write(files.iter().map(|file| (file.path.as_str(), file.text.as_str())))?;
    console.result(&format!("created {} with {} files", place.shown(), files.len()));

    let git = !arguments.no_git && start_repository(context, &place.directory);
    if install {
        console.note(&format!("installing packages with {} …", manager.name()));
        let installed = context.environment.run(
            manager.name(),
            manager.install(),
            &place.directory,
            ProgramOutput::Print,
        );
        if !matches!(installed, Ok(true)) {
            let why = installed.map_or_else(|error| format!(": {error}"), |_| String::new());
            return Err(Problem::scaffold(format!(
                "{} was created, but its packages could not be installed{why}",
                place.shown()
            ))
            .at(place.path())
            .help(&format!(
                "see the output of {} above, then run {}`{}`",
                manager.name(),
                place
                    .enter()
                    .map_or_else(String::new, |enter| format!("`{enter}` and ")),
                manager.commands("npm install")
            ))
            .into());
        }
    }
    console.json(&Report {
        status: "created",
        path: place.path(),
        template: template.name(),
        server: template.has_server().then(|| options.server.name()),
        database: template.has_adapter().then(|| options.database.name()),
        package_manager: manager.name(),
        installed: install,
        git,
        files: files.iter().map(|file| file.path.as_str()).collect(),
    });
    console.result(&manager.commands(&next(&place, template, install)));
    Ok(())
}

/// Returns the commands that the user runs next.
fn next(place: &Place, template: Template, installed: bool) -> String {
    let mut lines = vec!["next:".to_owned()];
    lines.extend(place.enter());
    if !installed {
        lines.push("npm install".to_owned());
    }
    let rest = match template {
        Template::Rust => {
            "npm run dev      writes the Rust project, serves on http://localhost:3000 and builds again on changes"
        }
        Template::Browser => {
            "npm run dev          serves the API on http://localhost:3000 and restarts on changes\n  npm run dev:web      in another terminal: serves the page on http://localhost:5173\n  npm test"
        }
        Template::Api | Template::Minimal | Template::Library => {
            "npm run dev      serves on http://localhost:3000 and restarts on changes\n  npm test"
        }
    };
    lines.push(rest.to_owned());
    lines.join("\n  ")
}

/// Returns the package manager: that of the option, or the one that started this command, or else npm.
fn manager(arguments: &Arguments, context: &Context<'_>) -> Result<PackageManager, CommandError> {
    let manager = match arguments.package_manager {
        Some(ManagerName::Npm) => PackageManager::Npm,
        Some(ManagerName::Pnpm) => PackageManager::Pnpm,
        Some(ManagerName::Yarn) => PackageManager::Yarn,
        Some(ManagerName::Bun) => PackageManager::Bun,
        None => {
            let agent = context.environment.var("npm_config_user_agent");
            match agent.as_deref().and_then(PackageManager::from_user_agent) {
                Some((PackageManager::Yarn, version)) if version.starts_with("1.") => {
                    return Err(Problem::scaffold(format!(
                        "Yarn {version} is too old for a new project; nothing was created"
                    ))
                    .help("install Yarn 4 (https://yarnpkg.com), or use npm: `--package-manager npm`")
                    .into());
                }
                Some((manager, _)) => manager,
                None => PackageManager::Npm,
            }
        }
    };
    if manager != PackageManager::Npm && arguments.packages.is_some() {
        return Err(Problem::scaffold(format!(
            "`--packages` works only with npm, not with {}; nothing was created",
            manager.name()
        ))
        .help("leave out `--package-manager`, or install kit's packages from a registry")
        .into());
    }
    Ok(manager)
}

fn template(arguments: &Arguments, context: &Context<'_>) -> Result<Template, CommandError> {
    let template = match arguments.template {
        Some(TemplateName::Api) => Template::Api,
        Some(TemplateName::Minimal) => Template::Minimal,
        Some(TemplateName::Browser) => Template::Browser,
        Some(TemplateName::Rust) => Template::Rust,
        Some(TemplateName::Library) => Template::Library,
        // Only this template has a choice of the database library.
        None if arguments.database.is_some() => Template::Api,
        None => {
            let choices = Template::ALL.map(|template| match template {
                Template::Api => "api: authentication, PostgreSQL, tests, containers",
                Template::Minimal => "minimal: data in memory",
                Template::Browser => "browser: an API, and a page that Vite builds",
                Template::Rust => "rust: a server in Rust from TypeScript types",
                Template::Library => "library: routes in packages of a workspace",
            });
            Template::ALL[choose(arguments, context, "What kind of project?", &choices)?]
        }
    };
    let unused = if arguments.database.is_some() && !template.has_adapter() {
        Some(("--db", "chooses no database library"))
    } else if arguments.server.is_some() && !template.has_server() {
        Some(("--server", "does not run on Node"))
    } else {
        None
    };
    let Some((option, reason)) = unused else {
        return Ok(template);
    };
    Err(Problem::scaffold(format!(
        "the template `{}` {reason}; nothing was created",
        template.name()
    ))
    .help(&format!("leave out `{option}`, or choose another template"))
    .into())
}

/// Returns the name of the project and its directory.
fn place(arguments: &Arguments, context: &Context<'_>) -> Result<Place, CommandError> {
    if let Some(name) = &arguments.name {
        return Place::of(name, context);
    }
    if may_ask(arguments, context) {
        let answer = context.environment.ask("Name of the project?");
        let name = answer.map_err(|error| not_asked(&error))?.ok_or_else(stopped)?;
        return Place::of(name.trim(), context);
    }
    Err(Problem::scaffold("the project has no name")
        .help("write the name after the command, for example `my-api`")
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

fn server(arguments: &Arguments, template: Template, context: &Context<'_>) -> Result<Server, CommandError> {
    if !template.has_server() {
        return Ok(Server::Native);
    }
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

fn database(
    arguments: &Arguments,
    template: Template,
    context: &Context<'_>,
) -> Result<Adapter, CommandError> {
    if !template.has_adapter() {
        return Ok(Adapter::Raw);
    }
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
        .help("use options instead of questions: `my-api --yes`")
        .into()
}

fn stopped() -> Problem {
    Problem::scaffold("stopped; nothing was created")
}

fn require_manager(
    manager: PackageManager,
    context: &Context<'_>,
    target: &Path,
) -> Result<(), CommandError> {
    let parent = target.parent().unwrap_or(target);
    let name = manager.name();
    let found = context
        .environment
        .run(name, &["--version"], parent, ProgramOutput::Discard);
    let problem = match found {
        Ok(true) => return Ok(()),
        Ok(false) => format!("{name} does not work: `{name} --version` failed; nothing was created"),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            format!("{name} is not installed; nothing was created")
        }
        Err(error) => format!("{name} cannot be started: {error}; nothing was created"),
    };
    let install = if manager == PackageManager::Npm {
        "Node 24, which contains npm"
    } else {
        name
    };
    Err(Problem::scaffold(problem)
        .help(&format!(
            "install {install}, or use `--no-install` and install the packages later"
        ))
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
    template: &'static str,
    /// Missing if the template does not run on Node.
    #[serde(skip_serializing_if = "Option::is_none")]
    server: Option<&'static str>,
    /// Missing if the template has no choice of the database library.
    #[serde(skip_serializing_if = "Option::is_none")]
    database: Option<&'static str>,
    #[serde(rename = "packageManager")]
    package_manager: &'static str,
    /// True if the packages were installed.
    installed: bool,
    /// True if a git repository was created.
    git: bool,
    files: Vec<&'a str>,
}
