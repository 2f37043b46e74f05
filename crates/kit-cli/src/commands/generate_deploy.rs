//! The command `kit generate deploy`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use kit_build::{Analysis, analyze_with, read_text, write_text};
use kit_deploy::{
    Choices, Deployment, Format, Project as DeployedProject, ReadVariable, Runtime, State, files, state,
};
use kit_diagnostics::{Severity, Sources as _};
use serde::Serialize;

use super::build_steps::request;
use super::deploy_programs::{crate_name, program_of};
use crate::common_args::Common;
use crate::context::Context;
use crate::entry;
use crate::failure::{CommandError, Problem};
use crate::plugins::Plugins;
use crate::project::{Project, build_time, has_rust_server};

/// Write files that run the application in production: Kubernetes manifests, a compose file and systemd units.
///
/// The files express the application's own settings: port, health checks, port of the metrics, grace periods, environment
/// variables, migrations and jobs. Secrets appear by name only. The command reads the settings from the sources, and works
/// for applications on Node and for Rust servers.
///
/// Running the command again rewrites its files. A file that somebody changed stays as it is, and the command says so.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  kit generate deploy
  kit generate deploy --format kubernetes --image registry.example.com/shop:1.2.0 --replicas 3
  kit generate deploy --format compose --out ops
  kit generate deploy --dry-run --json | jq -r '.files[].path'")]
pub(crate) struct Arguments {
    /// Directory for the files; by default `deploy` in the root of the project.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Kind of the files, repeatable; by default all kinds.
    #[arg(long, value_enum, value_name = "FORMAT", value_delimiter = ',')]
    format: Vec<FormatName>,
    /// Image of the application; by default the name and the version in package.json. For kubernetes and compose.
    #[arg(long, value_name = "IMAGE", value_parser = image)]
    image: Option<String>,
    /// Image that applies the migrations; by default the image of the application with `-migrate` after its name.
    #[arg(long, value_name = "IMAGE", value_parser = image)]
    migration_image: Option<String>,
    /// Minimum number of replicas; 2 by default. For kubernetes.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    replicas: Option<u32>,
    /// Port of the application; by default the default of the variable PORT in the type of `env`, or else 3000.
    #[arg(long, value_name = "PORT", value_parser = clap::value_parser!(u16).range(1..))]
    port: Option<u16>,
    /// Program that does the jobs of `@kit/jobs`; by default the file `worker` beside the program that serves.
    #[arg(long, value_name = "FILE")]
    worker: Option<String>,
    /// Print the files that would be written, and write nothing; with `--json`, also their texts.
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    pub(crate) common: Common,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FormatName {
    /// Manifests for `kubectl apply`.
    Kubernetes,
    /// A file for `docker compose`.
    Compose,
    /// Units for systemd.
    Systemd,
}

impl FormatName {
    fn format(self) -> Format {
        match self {
            Self::Kubernetes => Format::Kubernetes,
            Self::Compose => Format::Compose,
            Self::Systemd => Format::Systemd,
        }
    }
}

/// Returns an image reference if it has only characters of image references.
fn image(text: &str) -> Result<String, String> {
    let is_valid = |letter: char| letter.is_ascii_alphanumeric() || "-._/:@".contains(letter);
    let starts_well = text.starts_with(|letter: char| letter.is_ascii_alphanumeric());
    if starts_well && text.chars().all(is_valid) {
        Ok(text.to_owned())
    } else {
        Err("write an image such as `registry.example.com/shop:1.2.0`".to_owned())
    }
}

pub(crate) async fn run(arguments: &Arguments, context: &Context<'_>) -> Result<(), CommandError> {
    let project = Project::open(&arguments.common, context).await?;
    let formats: Vec<Format> = if arguments.format.is_empty() {
        Format::ALL.to_vec()
    } else {
        arguments.format.iter().map(|name| name.format()).collect()
    };
    refuse_useless_options(arguments, &formats)?;
    let time = build_time(context.environment)?;
    let analysis = analyze_with(&request(&project, &time), &Plugins(context.host), &()).await?;
    let errors = analysis
        .diagnostics
        .iter()
        .filter(|one| one.severity == Severity::Error)
        .count();
    // A handler that is missing does not change the files.
    if errors > analysis.missing_handlers.len() {
        return Err(CommandError::Diagnostics(
            analysis.diagnostics,
            Box::new(analysis.sources),
        ));
    }
    let deployment = deployment(arguments, &project, &analysis)?;
    let directory = match &arguments.out {
        Some(path) => {
            // A relative path starts at the working directory, not at the project's root.
            let here = context.environment.current_dir().map_err(|error| {
                Problem::build("emit", format!("the working directory cannot be used: {error}"))
            })?;
            here.join(path)
        }
        None => project.root.join("deploy"),
    };
    let mut report = Report {
        status: if arguments.dry_run { "planned" } else { "generated" },
        files: Vec::new(),
        notes: &deployment.notes,
    };
    for file in files(&deployment, &formats) {
        let path = directory.join(&file.path);
        let status = match read_text(&path)?.map(|existing| state(&existing, &file.text)) {
            None => FileStatus::Created,
            Some(State::Outdated) => FileStatus::Changed,
            Some(State::Current) => FileStatus::Unchanged,
            Some(State::Edited) => FileStatus::Kept,
        };
        if !arguments.dry_run && matches!(status, FileStatus::Created | FileStatus::Changed) {
            write_text(&path, &file.text)?;
        }
        report.files.push(ReportedFile {
            path: shown(&path, &project.root),
            status,
            text: arguments.dry_run.then_some(file.text),
        });
    }
    for path in unneeded(&directory, &formats, &report.files, &project.root) {
        report.files.push(ReportedFile {
            path,
            status: FileStatus::Unneeded,
            text: None,
        });
    }
    print(&report, arguments.dry_run, context);
    Ok(())
}

/// Returns the files of earlier runs that kit does not generate any more, sorted: `kubectl apply -f kubernetes` would still start
/// the worker of an application that has no jobs any more.
fn unneeded(directory: &Path, formats: &[Format], generated: &[ReportedFile], root: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut open: Vec<PathBuf> = formats
        .iter()
        .map(|format| directory.join(format.name()))
        .collect();
    while let Some(directory) = open.pop() {
        // A missing directory has no files.
        let Ok(entries) = std::fs::read_dir(&directory) else {
            continue;
        };
        for entry in entries.flatten() {
            let path = entry.path();
            let name = shown(&path, root);
            let kind = entry.file_type();
            if kind.as_ref().is_ok_and(std::fs::FileType::is_dir) {
                open.push(path);
            } else if kind.is_ok_and(|kind| kind.is_file())
                && generated.iter().all(|file| file.path != name)
                && read_text(&path)
                    .is_ok_and(|text| text.is_some_and(|text| state(&text, "") == State::Outdated))
            {
                found.push(name);
            }
        }
    }
    found.sort();
    found
}

/// Refuses options that the chosen formats do not express.
fn refuse_useless_options(arguments: &Arguments, formats: &[Format]) -> Result<(), Problem> {
    let is_wanted = |format| formats.contains(&format);
    let images = is_wanted(Format::Kubernetes) || is_wanted(Format::Compose);
    let useless = if arguments.replicas.is_some() && !is_wanted(Format::Kubernetes) {
        Some(("--replicas", "kubernetes"))
    } else if arguments.image.is_some() && !images {
        Some(("--image", "kubernetes and compose"))
    } else if arguments.migration_image.is_some() && !images {
        Some(("--migration-image", "kubernetes and compose"))
    } else {
        None
    };
    match useless {
        Some((option, formats)) => Err(Problem::build(
            "configuration",
            format!("`{option}` is for the format {formats}, which `--format` does not name"),
        )
        .help(&format!("remove `{option}`, or add the format"))),
        None => Ok(()),
    }
}

fn deployment(
    arguments: &Arguments,
    project: &Project,
    analysis: &Analysis,
) -> Result<Deployment, CommandError> {
    let runtime = runtime(project)?;
    let worker = worker(arguments, project, analysis, &runtime)?;
    let read = read_variables(project, analysis);
    let deployed = DeployedProject {
        name: &project.config.project.name,
        version: &project.config.project.version,
        runtime,
        worker: worker.as_deref(),
        has_migrations: !analysis.migrations.is_empty(),
        read_variables: &read,
    };
    let choices = Choices {
        image: arguments.image.clone(),
        migration_image: arguments.migration_image.clone(),
        replicas: arguments.replicas,
        port: arguments.port,
    };
    Ok(Deployment::new(&analysis.program, &deployed, &choices))
}

/// Finds the program that serves: the one in the script `start` of package.json, or one of the usual programs.
fn runtime(project: &Project) -> Result<Runtime, CommandError> {
    if has_rust_server(&project.config) {
        let manifest = read_text(&project.root.join("Cargo.toml"))?;
        let name = manifest.as_deref().and_then(crate_name);
        let program = name.unwrap_or_else(|| project.config.project.name.clone());
        return Ok(Runtime::Rust { program });
    }
    let start = script(project, "start")?;
    if let Some(program) = start.as_deref().and_then(program_of) {
        return Ok(Runtime::Node {
            program: program.to_owned(),
        });
    }
    if entry::exists(&project.root) {
        let program = entry::find(&project.root, None)?;
        return Ok(Runtime::Node { program });
    }
    Err(Problem::build(
        "configuration",
        "kit found no program that serves: the script `start` of package.json runs none with `node`, and there is no src/main.ts",
    )
    .at("package.json")
    .help("add a script `start` such as `node src/server.ts` to package.json")
    .into())
}

/// Returns a script of package.json.
fn script(project: &Project, name: &str) -> Result<Option<String>, CommandError> {
    let text = read_text(&project.root.join("package.json"))?.unwrap_or_default();
    let manifest: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
    Ok(manifest["scripts"][name].as_str().map(str::to_owned))
}

/// Returns the program that does jobs: the one of `--worker`, or the file `worker` beside the program that serves, if the
/// application declares jobs.
fn worker(
    arguments: &Arguments,
    project: &Project,
    analysis: &Analysis,
    runtime: &Runtime,
) -> Result<Option<String>, CommandError> {
    let program = match (&arguments.worker, runtime) {
        (Some(_), Runtime::Rust { .. }) => {
            return Err(Problem::build(
                "configuration",
                "`--worker` is for applications on Node: a Rust server has no jobs",
            )
            .help("run the command in the project whose worker does the jobs")
            .into());
        }
        (None, Runtime::Rust { .. }) => return Ok(None),
        (Some(worker), Runtime::Node { .. }) => {
            if !program_exists(project, worker) {
                return Err(
                    Problem::build("configuration", format!("there is no file {worker}"))
                        .help("name the program with its path in the project: `--worker src/worker.ts`")
                        .into(),
                );
            }
            return Ok(Some(worker.clone()));
        }
        (None, Runtime::Node { program }) => program,
    };
    if analysis.program.application.jobs.is_none() {
        return Ok(None);
    }
    let candidate = entry::worker_beside(program);
    Ok(program_exists(project, &candidate).then_some(candidate))
}

/// Returns true if a program exists, or its source: `src/worker.ts` of `dist/src/worker.js`, which a build creates.
fn program_exists(project: &Project, program: &str) -> bool {
    let is_file = |path: &str| project.root.join(path).is_file();
    let dist = format!("{}/", project.config.dist_dir);
    let built = program
        .strip_prefix(&dist)
        .and_then(|inner| inner.strip_suffix("js"));
    is_file(program)
        || built.is_some_and(|stem| is_file(&format!("{stem}ts")) || is_file(&format!("src/{stem}ts")))
}

/// Returns the variables that the sources of the application read from `process.env`, sorted by name.
fn read_variables(project: &Project, analysis: &Analysis) -> Vec<ReadVariable> {
    let mut found: Vec<ReadVariable> = Vec::new();
    let paths: BTreeSet<String> = analysis
        .dependencies
        .iter()
        .filter_map(|path| path.strip_prefix(&project.root).ok())
        .map(|path| path.to_string_lossy().replace('\\', "/"))
        .filter(|path| is_own_source(path, &project.config.output_dir))
        .collect();
    for path in paths {
        let text = analysis.sources.text(&path).unwrap_or_default();
        for name in variables_of(text) {
            if found.iter().all(|known| known.name != name) {
                found.push(ReadVariable {
                    name: name.to_owned(),
                    path: path.clone(),
                });
            }
        }
    }
    found.sort_by(|one, other| one.name.cmp(&other.name));
    found
}

fn is_own_source(path: &str, output: &str) -> bool {
    let is_code = matches!(path.rsplit_once('.'), Some((_, "ts" | "mts")));
    let is_test = path.starts_with("tests/") || path.contains(".test.") || path.contains(".spec.");
    is_code && !is_test && !path.contains("node_modules/") && !path.starts_with(&format!("{output}/"))
}

/// Returns the names in `process.env.NAME` and `process.env["NAME"]`.
fn variables_of(text: &str) -> impl Iterator<Item = &str> {
    text.split("process.env").skip(1).filter_map(|rest| {
        let rest = rest.strip_prefix('.').or_else(|| {
            let rest = rest.strip_prefix('[')?;
            rest.strip_prefix('"').or_else(|| rest.strip_prefix('\''))
        })?;
        let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        let end = rest.find(|letter| !is_part(letter)).unwrap_or(rest.len());
        (end > 0).then_some(&rest[..end])
    })
}

/// Returns the path relative to the root of the project, if the file is inside.
fn shown(path: &Path, root: &Path) -> String {
    path.strip_prefix(root)
        .unwrap_or(path)
        .to_string_lossy()
        .replace('\\', "/")
}

fn print(report: &Report<'_>, dry_run: bool, context: &Context<'_>) {
    let console = context.console;
    console.json(report);
    for ReportedFile { path, status, .. } in &report.files {
        let words = match (status, dry_run) {
            (FileStatus::Created | FileStatus::Changed, false) => "wrote",
            (FileStatus::Created | FileStatus::Changed, true) => "would write",
            (FileStatus::Unchanged, _) => "unchanged",
            (FileStatus::Kept, _) => {
                console.warning(&format!(
                    "{path} stays as it is, because somebody changed it; remove the file if kit should write it again"
                ));
                continue;
            }
            (FileStatus::Unneeded, _) => {
                console.warning(&format!(
                    "{path} is from an earlier run, and kit does not generate the file any more; remove the file"
                ));
                continue;
            }
        };
        console.result(&format!("{words} {path}"));
    }
    for note in report.notes {
        console.warning(note);
    }
}

#[derive(Serialize)]
struct Report<'a> {
    /// `generated`, or `planned` with `--dry-run`.
    status: &'static str,
    files: Vec<ReportedFile>,
    /// Facts that the user has to check.
    notes: &'a [String],
}

#[derive(Serialize)]
struct ReportedFile {
    path: String,
    status: FileStatus,
    /// Text that would be written, with `--dry-run`.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

#[derive(Clone, Copy, Serialize)]
#[serde(rename_all = "lowercase")]
enum FileStatus {
    /// The file is new.
    Created,
    /// The file was generated before, and gets another text.
    Changed,
    /// The file has the text already.
    Unchanged,
    /// Somebody wrote or changed the file, so kit does not write it.
    Kept,
    /// An earlier run wrote the file, and the application needs it no more.
    Unneeded,
}

#[cfg(test)]
mod tests {
    use super::variables_of;

    #[test]
    fn variables_are_read_by_a_dot_or_by_brackets() {
        let text = "process.env[\"AUTH_SECRET\"]; process.env.PORT || 1; process.env[name]; process.env['A1']; process.env.npm_name; process.env;";
        let names: Vec<&str> = variables_of(text).collect();
        assert_eq!(names, ["AUTH_SECRET", "PORT", "A1", "npm_name"]);
    }
}
