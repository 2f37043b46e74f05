//! The command `kit generate deploy`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use kit_build::{Analysis, analyze_with, read_text, write_text};
use kit_deploy::{
    Choices, ClientCertificates, Deployment, Format, PortConflict, Project as DeployedProject, ReadVariable,
    State, files, state,
};
use kit_diagnostics::{Severity, Sources as _};
use serde::Serialize;

use super::build_steps::request;
use super::deploy_programs::{runtime, worker};
use crate::common_args::Common;
use crate::context::Context;
use crate::failure::{CommandError, Problem};
use crate::plugins::Plugins;
use crate::project::{Project, build_time};

/// Write files that run the application in production: Kubernetes manifests, a compose file and systemd units.
///
/// The files contain the settings of the application: port, health checks, port of the metrics, grace periods, environment
/// variables, migrations and jobs. The command reads them from the sources of the application, on Node or in Rust. The files
/// contain the names of secrets, and never their values.
///
/// A later run writes the files again. The command does not overwrite a file that somebody changed, and says so.
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
    /// Kind of the files; may be given several times. By default, all kinds.
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
    /// Port of the application; by default PORT in the script `start`, or else the default of PORT in the type of `env`, or else 3000.
    #[arg(long, value_name = "PORT", value_parser = clap::value_parser!(u16).range(1..))]
    port: Option<u16>,
    /// Program that does the jobs of `@kit/jobs`; by default the file `worker` beside the program that serves.
    #[arg(long, value_name = "FILE")]
    worker: Option<String>,
    /// The application listens with TLS. This is the default if the source calls `listen` with the option `tls`.
    #[arg(long, conflicts_with = "no_tls")]
    tls: bool,
    /// The application speaks plain HTTP.
    #[arg(long)]
    no_tls: bool,
    /// Port of plain HTTP from which a server with TLS redirects its clients. Needed only if the source does not contain the port. A
    /// Rust server gets the port as `TLS_REDIRECT_PORT`.
    #[arg(long, value_name = "PORT", conflicts_with = "no_tls", value_parser = clap::value_parser!(u16).range(1..))]
    redirect_port: Option<u16>,
    /// Rule for clients without a certificate, if the server verifies certificates of clients. Needed only if the source does not
    /// contain the rule. A Rust server gets `TLS_CLIENT_CA` and `TLS_CLIENT_CERTIFICATES`.
    #[arg(long, value_enum, value_name = "RULE", conflicts_with = "no_tls")]
    client_certificates: Option<ClientRule>,
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

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ClientRule {
    /// Clients without a certificate are refused.
    Required,
    /// Clients without a certificate are accepted; clients with a wrong certificate are refused.
    Optional,
}

impl ClientRule {
    fn certificates(self) -> ClientCertificates {
        match self {
            Self::Required => ClientCertificates::Required,
            Self::Optional => ClientCertificates::Optional,
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
    let (deployment, mut notes) = deployment(arguments, &project, &analysis)?;
    notes.extend(deployment.notes.clone());
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
        notes: &notes,
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
) -> Result<(Deployment, Vec<String>), CommandError> {
    let mut notes = Vec::new();
    let runtime = runtime(project, &mut notes)?;
    let worker = worker(
        arguments.worker.as_deref(),
        project,
        analysis,
        &runtime,
        &mut notes,
    )?;
    let read = read_variables(project, analysis);
    let deployed = DeployedProject {
        name: &project.config.project.name,
        version: &project.config.project.version,
        runtime,
        worker,
        has_migrations: !analysis.migrations.is_empty(),
        read_variables: &read,
    };
    let choices = Choices {
        image: arguments.image.clone(),
        migration_image: arguments.migration_image.clone(),
        replicas: arguments.replicas,
        port: arguments.port,
        tls: (arguments.tls || arguments.no_tls).then_some(arguments.tls),
        redirect_port: arguments.redirect_port,
        client_certificates: arguments.client_certificates.map(ClientRule::certificates),
    };
    let deployment = Deployment::new(&analysis.program, &deployed, &choices);
    let of_tls = [
        ("--redirect-port", choices.redirect_port.is_some()),
        ("--client-certificates", choices.client_certificates.is_some()),
    ];
    if let Some((option, _)) = of_tls
        .iter()
        .find(|(_, is_given)| *is_given && !deployment.has_tls())
    {
        return Err(Problem::build(
            "configuration",
            format!("`{option}` is for applications that listen with TLS, and kit found no call of `listen` with the option `tls`"),
        )
        .help(&format!(
            "add `--tls` if the application listens with TLS, or remove `{option}`"
        ))
        .into());
    }
    if let Some(PortConflict { port, servers }) = deployment.port_conflict() {
        let [one, other] = servers;
        return Err(Problem::build(
            "configuration",
            format!("{one} and {other} cannot both have port {port}"),
        )
        .help("choose another port with `--port` or `--redirect-port`, or in the source")
        .into());
    }
    Ok((deployment, notes))
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

/// Returns the names in `process.env.NAME`, `process.env["NAME"]` and `{ NAME } = process.env`.
fn variables_of(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for (start, matched) in text.match_indices("process.env") {
        let rest = &text[start + matched.len()..];
        if let Some(name) = rest.strip_prefix('.').or_else(|| {
            let rest = rest.strip_prefix('[')?;
            rest.strip_prefix('"').or_else(|| rest.strip_prefix('\''))
        }) {
            found.push(leading_name(name));
            continue;
        }
        let before = text[..start].trim_end().strip_suffix('=');
        let Some(pattern) = before.and_then(|before| before.trim_end().strip_suffix('}')) else {
            continue;
        };
        // Each default is a literal in most programs. A brace in a default hides the names before it.
        let names = pattern.rsplit_once('{').map_or("", |(_, names)| names);
        found.extend(names.split(',').map(|name| leading_name(name.trim())));
    }
    found.retain(|name| !name.is_empty());
    found
}

/// Returns the name of a variable at the beginning of a text.
fn leading_name(text: &str) -> &str {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let end = text.find(|letter| !is_part(letter)).unwrap_or(text.len());
    &text[..end]
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
                    "{path} was not written, because somebody changed the file; to let kit write it again, delete the file"
                ));
                continue;
            }
            (FileStatus::Unneeded, _) => {
                console.warning(&format!(
                    "{path} is from an earlier run, and kit no longer generates this file; delete the file"
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
        assert_eq!(variables_of(text), ["AUTH_SECRET", "PORT", "A1", "npm_name"]);
    }

    #[test]
    fn finds_variables_that_sources_read() {
        let text = "const a = process.env.ONE ?? process.env['TWO'];
            const { THREE, FOUR: four = \"4\",
              FIVE = '5' } = process.env;
            const all = process.env; if (x) {} const { SIX } = other; Object.keys(process.env)";
        assert_eq!(variables_of(text), ["ONE", "TWO", "THREE", "FOUR", "FIVE"]);
    }
}
