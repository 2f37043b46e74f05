//! The command `kit dev`.

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use kit_build::{BuildReport, Mode, ResolvedConfig, read_migrations};
use kit_diagnostics::Diagnostics;
use kit_migrate::apply;
use serde_json::Value;

use super::build_steps::{BuildKind, print_pending, run_build, summary};
use crate::captured::Captured;
use crate::common_args::Common;
use crate::console::{Console, quantity};
use crate::context::Context;
use crate::entry;
use crate::failure::{CommandError, Problem};
use crate::host::{BuildState, EnvFile, Event, Serve, TypeCheck};
use crate::project::{self, Project, build_time, has_rust_server};
use crate::repeated_build::RepeatedBuild;
use crate::type_check::{Checker, PrintedTypeErrors};
use crate::{database_url, env_file};

/// Serve the application, and restart it whenever a file is saved.
///
/// Reads `.env`, builds the project, starts the embedded database if `DATABASE_URL` is not set, lists migrations that are not applied,
/// and runs the program. While the application runs, the project's own TypeScript checks the types, and type errors are shown.
///
/// After an edit, the new process listens before the old process stops, so no connection is refused. After a mistake, the last
/// version keeps running. Keys on a terminal: r builds again, o opens the page of the API, q quits.
///
/// The application listens on 127.0.0.1 unless the program or --host names another address. Requests with unknown host names are
/// refused, so that no web page can reach the application by DNS rebinding.
///
/// If the application declares jobs with `createJobs`, the command also runs the program `worker` beside the program of the
/// application, and starts both again after an edit.
///
/// With --rust, or if the project has a server in Rust and no program in TypeScript, cargo builds the server after each edit, also of
/// Rust files. The last version serves until the new version listens. Errors of the Rust compiler name the contract of their handler.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  kit dev
  kit dev --port 4000
  kit dev --host 0.0.0.0 --allow-host my-machine.local
  kit dev --entry src/server.ts --no-db
  kit dev --rust")]
pub(crate) struct Arguments {
    /// Root of the project.
    #[arg(long, value_name = "DIR", default_value = ".")]
    root: PathBuf,
    /// Listen on this port instead of the program's own.
    #[arg(long, value_name = "PORT")]
    port: Option<u16>,
    /// Listen on this address instead of the program's own. 0.0.0.0 means all addresses; the default is 127.0.0.1.
    #[arg(long, value_name = "ADDRESS")]
    host: Option<String>,
    /// Accept requests with this name in the header `host`; may be given several times. localhost and addresses are always accepted.
    #[arg(long, value_name = "NAME")]
    allow_host: Vec<String>,
    /// File that starts the application; by default, the first of src/main.ts, src/server.ts, src/index.ts, …
    #[arg(long, value_name = "FILE")]
    entry: Option<String>,
    /// Program that does jobs; by default, the file `worker` beside the program of the application, if the application declares jobs.
    #[arg(long, value_name = "FILE", conflicts_with = "rust")]
    worker: Option<String>,
    /// Do not run the program that does jobs.
    #[arg(long, conflicts_with = "worker")]
    no_worker: bool,
    /// Run the server in Rust, also if the project has a program in TypeScript.
    #[arg(long, conflicts_with = "entry")]
    rust: bool,
    /// Do not start a database, and do not check its migrations.
    #[arg(long)]
    no_db: bool,
}

pub(crate) async fn run(arguments: &Arguments, context: &Context<'_>) -> Result<(), CommandError> {
    let common = Common {
        root: arguments.root.clone(),
        json: false,
    };
    // These errors end the command, because no edit of a source file can correct a missing project or program.
    let root = project::root(&common, context.environment)?;
    build_time(context.environment)?;
    let is_rust = runs_rust(arguments, &common, &root, context).await?;
    if !is_rust {
        entry::find(&root, arguments.entry.as_deref())?;
    }
    let again = RepeatedBuild::start(root, Mode::Dev, context.host).await?;
    let mut development = Development {
        arguments,
        is_rust,
        context,
        common,
        again,
        database: Database::default(),
        served: None,
        printed_pending: None,
        is_missing_worker_told: false,
        types: PrintedTypeErrors::default(),
        env: EnvFile::default(),
    };
    loop {
        let serve = development.build().await?;
        let mut event = context.host.serve(&serve).await?;
        while let Event::Checked { code, text } = event {
            let root = Path::new(&serve.root);
            development.types.print(code, &text, root, context.console);
            event = context.host.wait().await?;
        }
        development.served = Some(serve);
        match event {
            Event::Quit => return Ok(()),
            Event::Failed => return Err(CommandError::Reported),
            _ => {}
        }
    }
}

/// Returns true if the command runs the server in Rust: with the option, or if the project has no program in TypeScript.
async fn runs_rust(
    arguments: &Arguments,
    common: &Common,
    root: &Path,
    context: &Context<'_>,
) -> Result<bool, CommandError> {
    if !arguments.rust && (arguments.entry.is_some() || entry::exists(root)) {
        return Ok(false);
    }
    let has_server = match Project::open(common, context).await {
        Ok(project) => has_rust_server(&project.config),
        Err(error) if arguments.rust => return Err(error),
        // The missing program is reported in place of the configuration.
        Err(_) => false,
    };
    if arguments.rust && !has_server {
        return Err(Problem::build(
            "configuration",
            "`--rust` runs the server in Rust, but the project has none",
        )
        .help("add `rustServer({ db: \"sqlx\" })` of `@kit/plugin-rust-server` to `plugins` in kit.config.ts")
        .into());
    }
    Ok(has_server)
}

struct Development<'a> {
    arguments: &'a Arguments,
    /// True if the served program is in Rust.
    is_rust: bool,
    context: &'a Context<'a>,
    common: Common,
    again: RepeatedBuild<'a>,
    database: Database,
    /// Version of the application that was served last; `None` before the first version.
    served: Option<Serve>,
    /// Last printed line about database changes without a migration. The line is not repeated after every
    /// edit.
    printed_pending: Option<String>,
    /// True if the user was told that no program does the jobs.
    is_missing_worker_told: bool,
    /// Type errors that were already printed.
    types: PrintedTypeErrors,
    /// Result of loading `.env` for the last build.
    env: EnvFile,
}

/// State of the project's database.
#[derive(Default)]
struct Database {
    is_known: bool,
    /// URL of the embedded database; `None` if the project does not use it.
    embedded: Option<String>,
    /// Names of the project's migrations when they were last compared with the database.
    unapplied: Vec<String>,
}

impl Development<'_> {
    /// Builds the project, prints the result, and returns the version of the application to serve.
    async fn build(&mut self) -> Result<Serve, CommandError> {
        match self.attempt().await {
            Ok(serve) => Ok(serve),
            Err(stop) => {
                stop.print(self.context.console);
                let build = BuildState::Failed {
                    text: self.recorded(&stop, false).trim().to_owned(),
                    report: serde_json::from_str(&self.recorded(&stop, true)).unwrap_or(Value::Null),
                };
                match &self.served {
                    Some(last) => Ok(Serve {
                        build,
                        // The artifacts are those of the last successful build, so a type check would report wrong errors.
                        types: None,
                        ..last.clone()
                    }),
                    None => self.failed_first_build(build),
                }
            }
        }
    }

    async fn attempt(&mut self) -> Result<Serve, CommandError> {
        let start = Instant::now();
        let console = self.context.console;
        let env = env_file::load(&self.common, self.context).await?;
        if env.changed.iter().any(|name| name == "DATABASE_URL") {
            // `.env` now names another database, so the state of the previous one no longer applies.
            self.database = Database::default();
        }
        if (&env.set, &env.kept) != (&self.env.set, &self.env.kept) {
            env_file::print(&env, console);
        }
        self.env = env;
        let project = Project::open(&self.common, self.context).await?;
        self.again.apply_config(&project.config).await?;
        let entry = self.entry(&project.root)?;
        let mut work = BuildKind::Incremental(&mut self.again);
        let mut report = run_build(&project, self.context, &mut work).await?;
        console.result(&summary(&report, start.elapsed(), console));
        let shown = std::mem::take(&mut report.diagnostics);
        work.finish_written(&project, self.context, shown, &mut report)
            .await?;
        print_pending(&report, &mut self.printed_pending, console);
        self.look_at_database(&project, &report).await;
        Ok(Serve {
            root: project.root.to_string_lossy().into_owned(),
            worker: self.worker(&project, &entry)?,
            entry,
            rust: self.is_rust.then(|| project.config.output_dir.clone()),
            port: self.arguments.port,
            host: self.arguments.host.clone(),
            allowed_hosts: self.arguments.allow_host.clone(),
            database_url: self.database.embedded.clone(),
            build: BuildState::Built { text: String::new() },
            // The contracts have no code that TypeScript could check, and the Rust compiler checks the handlers.
            types: if self.is_rust {
                None
            } else {
                self.checker(&project.root)
            },
        })
    }

    /// Returns the application to serve after a failed build, for the case that no version was served before.
    fn failed_first_build(&self, build: BuildState) -> Result<Serve, CommandError> {
        let root = project::root(&self.common, self.context.environment)?;
        Ok(Serve {
            entry: self.entry(&root)?,
            rust: self.is_rust.then(|| ResolvedConfig::default().output_dir),
            root: root.to_string_lossy().into_owned(),
            worker: None,
            port: self.arguments.port,
            host: self.arguments.host.clone(),
            allowed_hosts: self.arguments.allow_host.clone(),
            database_url: None,
            build,
            types: None,
        })
    }

    /// Returns the path of the program that starts the application.
    fn entry(&self, root: &Path) -> Result<String, CommandError> {
        if self.is_rust {
            return Ok(entry::RUST.to_owned());
        }
        entry::find(root, self.arguments.entry.as_deref())
    }

    /// Returns the program that does the jobs of the application; `None` if there is none.
    fn worker(&mut self, project: &Project, entry: &str) -> Result<Option<String>, CommandError> {
        let root = &project.root;
        if let Some(worker) = &self.arguments.worker {
            if root.join(worker).is_file() {
                return Ok(Some(worker.clone()));
            }
            return Err(Problem::build(
                "configuration",
                format!("there is no file {worker} in {}", root.display()),
            )
            .help("`--worker` is the file that does jobs, relative to the project's root")
            .into());
        }
        let has_jobs = root.join(&project.config.output_dir).join("jobs.ts").is_file();
        if self.is_rust || self.arguments.no_worker || !has_jobs {
            return Ok(None);
        }
        let worker = entry::worker_beside(entry);
        if root.join(&worker).is_file() {
            return Ok(Some(worker));
        }
        if !self.is_missing_worker_told {
            self.is_missing_worker_told = true;
            self.context.console.warning(&format!(
                "no program does the jobs of the application: the file {worker} does not exist; write this file, or name another program with `--worker`"
            ));
        }
        Ok(None)
    }

    /// Returns the type check of the built project; `None` if the project lacks TypeScript or its configuration.
    fn checker(&mut self, root: &Path) -> Option<TypeCheck> {
        match Checker::find(root, "dev") {
            Ok(checker) => Some(checker.request()),
            Err(absent) => {
                self.types.absent(absent, self.context.console);
                None
            }
        }
    }

    /// Starts the embedded database if the project has tables and `DATABASE_URL` is not set, and reports migrations that are
    /// not applied. A failure does not end the command, because the application may work without the database.
    async fn look_at_database(&mut self, project: &Project, report: &BuildReport) {
        if self.arguments.no_db || report.counts.entities == 0 {
            return;
        }
        let Context {
            environment,
            host,
            console,
        } = self.context;
        let named = match database_url::from_environment(*environment) {
            Ok(named) => named,
            Err(refused) => {
                if !self.database.is_known {
                    console.warning(&format!("{}; {}", refused.message, refused.help));
                }
                self.database.is_known = true;
                return;
            }
        };
        if !self.database.is_known && named.is_none() {
            match host.database_url(&project.root).await {
                Ok(url) => self.database.embedded = Some(url),
                Err(error) => console.warning(&error.message),
            }
        }
        let is_first = !self.database.is_known;
        self.database.is_known = true;
        let Some(url) = named.or_else(|| self.database.embedded.clone()) else {
            return;
        };
        let Ok(migrations) = read_migrations(&project.root, &mut Diagnostics::default()) else {
            return;
        };
        // The database is only checked at the start and after the list of migrations has changed. Other edits should not wait
        // for it.
        let names: Vec<String> = migrations
            .iter()
            .map(|migration| migration.name.clone())
            .collect();
        if migrations.is_empty() || (!is_first && names == self.database.unapplied) {
            return;
        }
        let options = kit_migrate::Options {
            dry_run: true,
            ..kit_migrate::Options::default()
        };
        match apply(&url, &migrations, &options) {
            Ok(report) if report.pending.is_empty() => {}
            Ok(report) => console.warning(&format!(
                "{} not applied: {}; run `kit migrate:apply`",
                quantity(report.pending.len(), "migration"),
                report
                    .pending
                    .iter()
                    .map(|planned| planned.name.as_str())
                    .collect::<Vec<_>>()
                    .join(", ")
            )),
            Err(error) => console.warning(&format!(
                "the migrations cannot be compared with the database: {error}"
            )),
        }
        self.database.unapplied = names;
    }

    fn recorded(&self, stop: &CommandError, json: bool) -> String {
        let recorder = Captured::new(self.context.environment);
        stop.print(&Console::new(&recorder, json));
        recorder.into_text()
    }
}
