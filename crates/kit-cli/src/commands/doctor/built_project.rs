//! Checks the project's configuration and its artifacts.

use std::path::Path;
use std::sync::Arc;

use kit_build::{BuildReport, BuildRequest, Disk, find_config_file};
use kit_diagnostics::Severity;

use super::Check;
use crate::console::quantity;
use crate::context::Context;
use crate::failure::CommandError;
use crate::plugins::Plugins;
use crate::project::{Project, build_time};

/// Returns the result for the configuration: its file, or its first warning.
pub(super) fn configuration(project: &Project) -> Check {
    let name = "configuration";
    if let Some(warning) = project.warnings.iter().next() {
        let mut check = Check::warn(name, warning.message.clone());
        check.help.clone_from(&warning.help);
        return check;
    }
    match find_config_file(&project.root) {
        Ok(Some(path)) => {
            let file = path.file_name().unwrap_or_default().to_string_lossy();
            Check::ok(name, format!("{file} is valid"))
        }
        _ => Check::ok(
            name,
            "there is no kit.config.ts; kit uses the default of each option that package.json does not set",
        ),
    }
}

/// Analyzes the sources and compares the artifacts. If that is not possible, returns the result for `kit doctor`.
pub(super) async fn report(project: &Project, context: &Context<'_>) -> Result<BuildReport, Check> {
    check_build(project, context).await.map_err(|stop| {
        let (message, help) = stop.summary();
        let mut check = Check::fail("artifacts", message);
        check.help = help;
        check
    })
}

/// Checks that the artifacts are up to date, that git ignores them, and that migrations exist for all changes of the
/// types.
pub(super) fn check(project: &Project, context: &Context<'_>, report: &BuildReport) -> Vec<Check> {
    let directory = &project.config.output_dir;
    if !report.succeeded() {
        let errors = report
            .diagnostics
            .iter()
            .filter(|diagnostic| diagnostic.severity == Severity::Error)
            .count();
        let message = format!("the sources have {}", quantity(errors, "mistake"));
        return vec![Check::fail("artifacts", message).help("run `kit build` to see the mistakes")];
    }
    let stale = report.files.written.len() + report.files.removed.len() + report.files.project.len();
    let mut checks = vec![if stale == 0 {
        Check::ok("artifacts", format!("{directory}/ is up to date"))
    } else if report.files.unchanged == 0 {
        Check::warn("artifacts", format!("there is no {directory}/ yet")).help("run `kit build`")
    } else {
        let files = quantity(stale, "file");
        Check::warn("artifacts", format!("{directory}/ is out of date: {files}")).help("run `kit build`")
    }];
    checks.extend(ignored(&project.root, directory, context));
    if report.counts.entities > 0 {
        checks.push(migrations(report));
    }
    checks
}

async fn check_build(project: &Project, context: &Context<'_>) -> Result<BuildReport, CommandError> {
    let time = build_time(context.environment)?;
    let request = BuildRequest {
        root: &project.root,
        config: &project.config,
        files: Arc::new(Disk),
        time: &time,
    };
    Ok(kit_build::check_with(&request, &Plugins(context.host), &()).await?)
}

/// Checks that git ignores the output directory; `None` if the project does not use git.
fn ignored(root: &Path, directory: &str, context: &Context<'_>) -> Option<Check> {
    // The path of a file in the directory. If the directory does not exist, git does not know that its path is a
    // directory.
    let file = format!("{directory}/routes.json");
    let args = ["check-ignore", "--quiet", &file].map(ToOwned::to_owned);
    let output = context.environment.output(Path::new("git"), &args, root).ok()?;
    match output.status.code() {
        Some(0) => Some(Check::ok("git", format!("git ignores {directory}/"))),
        Some(1) => Some(
            Check::warn("git", format!("git does not ignore {directory}/")).help(format!(
                "add `{directory}/` to .gitignore: kit writes this directory at every build"
            )),
        ),
        _ => None,
    }
}

fn migrations(report: &BuildReport) -> Check {
    let name = "migrations";
    if report.pending.problems > 0 {
        Check::warn(name, "the database needs a migration that kit cannot write")
            .help("run `kit migrate:generate` to see the reason")
    } else if report.pending.changes > 0 {
        let changes = quantity(report.pending.changes, "change");
        Check::warn(
            name,
            format!("the types have {changes} that no migration contains"),
        )
        .help("write one with `kit migrate:generate --name <name>`")
    } else {
        Check::ok(name, "migrations/ is up to date with the types")
    }
}
