//! Runs the phases of a build in order.

use std::time::Duration;

use indexmap::IndexSet;
use kit_emit::Emitter;
use kit_ir::Program;
use kit_router::RouteTree;

use crate::analyze::{Analysis, Compiler, Rerun, Steps, analyze_in, paths};
use crate::database::CachedDatabaseFiles;
use crate::output::{OutputCache, OutputDirectory, OutputFile};
use crate::plugins::{Additions, Mode, NoPlugins, PluginReports, TapHost, Taps, run_without_host};
use crate::{
    BuildError, BuildReport, BuildRequest, Counts, FileChanges, Progress, ResolvedConfig, Step,
    contract_tests, emit, env_example,
};

/// Maximum time that a build waits for another build that uses the same output directory.
const LOCK_TIMEOUT: Duration = Duration::from_secs(30);

impl BuildReport {
    fn start_reports(&self) -> PluginReports {
        PluginReports {
            sources: self.paths.clone(),
            ..PluginReports::default()
        }
    }

    fn add_reports(&mut self, reports: PluginReports) {
        reports.move_into(&mut self.diagnostics, &mut self.sources, &mut self.dependencies);
    }
}

/// Builds a project without plugins. Mistakes in the project are diagnostics of the report.
///
/// # Errors
/// Returns an error if the environment fails, for example if a file cannot be written.
pub fn build(request: &BuildRequest<'_>, progress: &dyn Progress) -> Result<BuildReport, BuildError> {
    run_without_host(build_with(request, &NoPlugins, progress))
}

/// Builds a project like [`build`], and runs its plugins between the phases.
///
/// # Errors
/// Returns an error if the environment fails, for example if a file cannot be written.
pub async fn build_with(
    request: &BuildRequest<'_>,
    host: &dyn TapHost,
    progress: &dyn Progress,
) -> Result<BuildReport, BuildError> {
    let taps = Taps {
        request,
        host,
        mode: Mode::Build,
    };
    let analysis = analyze_in(&mut Compiler::default(), &taps, Rerun::Everything, progress).await?;
    write(&taps, analysis, &mut BuildCache::default(), None, progress).await
}

/// Runs the plugins that tap the hook `compile`. Returns the name of the plugin that replaced the compiler; `None`
/// if no plugin replaced the compiler. Adds the diagnostics of the plugins to the report. If a plugin failed, the
/// report contains an error.
pub async fn compile_step(
    request: &BuildRequest<'_>,
    host: &dyn TapHost,
    mode: Mode,
    report: &mut BuildReport,
) -> Option<String> {
    let mut reports = report.start_reports();
    let handled = Taps { request, host, mode }.compile(&mut reports).await;
    report.add_reports(reports);
    handled
}

/// Runs the plugins that tap `done`, the last hook of a build. Their diagnostics are added to the report.
pub async fn finish(request: &BuildRequest<'_>, host: &dyn TapHost, mode: Mode, report: &mut BuildReport) {
    let mut reports = report.start_reports();
    Taps { request, host, mode }.done(report, &mut reports).await;
    report.add_reports(reports);
}

/// Results of earlier builds in the same process, which later builds reuse.
#[derive(Debug, Default)]
pub(crate) struct BuildCache {
    emitter: Emitter,
    database_files: CachedDatabaseFiles,
}

/// Writes the artifacts of an analyzed project. If the project has errors, writes nothing.
pub(crate) async fn write(
    taps: &Taps<'_>,
    mut analysis: Analysis,
    cache: &mut BuildCache,
    output_cache: Option<&mut OutputCache>,
    progress: &dyn Progress,
) -> Result<BuildReport, BuildError> {
    let request = taps.request;
    let mut steps = Steps {
        progress,
        taken: std::mem::take(&mut analysis.steps),
    };
    let additions = plugin_additions(taps, &mut analysis, cache).await?;
    let files = match &analysis.tree {
        Some(tree) if !analysis.diagnostics.has_errors() => {
            let project = additions.pending(request.root)?;
            let path = request.root.join(&request.config.output_dir);
            let output = OutputDirectory::open(path, LOCK_TIMEOUT, output_cache.as_deref())?;
            let made = steps.run(Step::Emit, || {
                artifacts(request, &analysis, tree, &output, &additions, cache)
            })?;
            steps.run(Step::Write, || {
                let mut changes = output.replace(made, output_cache)?;
                changes
                    .project
                    .extend(env_example::write(&analysis.program, request.root)?);
                for file in project {
                    file.write(request.root)?;
                    changes.project.push(file.path.clone());
                }
                Ok::<_, BuildError>(changes)
            })?
        }
        _ => FileChanges::default(),
    };
    Ok(report(analysis, request.config, files, steps.taken, cache))
}

/// Runs the plugins that add files or replace generated files, unless the project has errors. Meanwhile, the
/// output directory is not locked, so that other builds need not wait for plugins.
async fn plugin_additions(
    taps: &Taps<'_>,
    analysis: &mut Analysis,
    cache: &mut BuildCache,
) -> Result<Additions, BuildError> {
    let mut additions = Additions::default();
    let idle = ["afterValidators", "afterRouteTable", "emit"]
        .iter()
        .all(|hook| taps.is_untapped(hook));
    let Some(tree) = &analysis.tree else {
        return Ok(additions);
    };
    if idle || analysis.diagnostics.has_errors() {
        return Ok(additions);
    }
    let mut reports = PluginReports {
        sources: paths(&analysis.program),
        ..PluginReports::default()
    };
    let (config, time) = (taps.request.config, taps.request.time);
    let preview = |program: &Program, cache: &mut BuildCache| -> Vec<OutputFile> {
        let mut files = emit::preview(program, tree, config, time, &mut cache.emitter);
        files.extend(
            cache
                .database_files
                .artifacts(&analysis.schema, &analysis.migrations, config),
        );
        files
    };
    let mut files = None;
    if !taps.is_untapped("afterValidators") {
        let made = files.insert(preview(&analysis.program, cache));
        taps.after_validators(made, &mut additions, &mut reports).await;
    }
    if !reports.diagnostics.has_errors() && taps.after_route_table(&mut analysis.program, &mut reports).await
    {
        files = None;
    }
    if !reports.diagnostics.has_errors() && !taps.is_untapped("emit") {
        let files = files.unwrap_or_else(|| preview(&analysis.program, cache));
        taps.emit(&analysis.program, &files, &mut additions, &mut reports)
            .await?;
    }
    reports.move_into(
        &mut analysis.diagnostics,
        &mut analysis.sources,
        &mut analysis.dependencies,
    );
    analysis.diagnostics.sort();
    Ok(additions)
}

/// Builds a project without plugins and without writing files. [`BuildReport::files`] lists the files that a build would
/// write.
pub fn check(request: &BuildRequest<'_>, progress: &dyn Progress) -> Result<BuildReport, BuildError> {
    run_without_host(check_with(request, &NoPlugins, progress))
}

/// Checks a project like [`check`], and runs its plugins between the phases.
///
/// # Errors
/// Returns an error if the environment fails, for example if a file cannot be read.
pub async fn check_with(
    request: &BuildRequest<'_>,
    host: &dyn TapHost,
    progress: &dyn Progress,
) -> Result<BuildReport, BuildError> {
    let taps = Taps {
        request,
        host,
        mode: Mode::Check,
    };
    let mut analysis = analyze_in(&mut Compiler::default(), &taps, Rerun::Everything, progress).await?;
    let cache = &mut BuildCache::default();
    let additions = plugin_additions(&taps, &mut analysis, cache).await?;
    let mut steps = Steps {
        progress,
        taken: std::mem::take(&mut analysis.steps),
    };
    let files = match &analysis.tree {
        Some(tree) if !analysis.diagnostics.has_errors() => steps.run(Step::Emit, || {
            let path = request.root.join(&request.config.output_dir);
            let output = OutputDirectory::view(path, LOCK_TIMEOUT)?;
            let made = artifacts(request, &analysis, tree, &output, &additions, cache)?;
            let mut changes = output.compare(made)?;
            let project = additions.pending(request.root)?;
            let example = env_example::pending(&analysis.program, request.root)?;
            let project = project.into_iter().map(|file| file.path.clone());
            changes.project = example
                .map(|_| env_example::PATH.to_owned())
                .into_iter()
                .chain(project)
                .collect();
            Ok::<_, BuildError>(changes)
        })?,
        _ => FileChanges::default(),
    };
    Ok(report(analysis, request.config, files, steps.taken, cache))
}

/// Returns all files for the output directory, including files of plugins.
fn artifacts(
    request: &BuildRequest<'_>,
    analysis: &Analysis,
    tree: &RouteTree,
    output: &OutputDirectory,
    additions: &Additions,
    cache: &mut BuildCache,
) -> Result<Vec<OutputFile>, BuildError> {
    let (program, config) = (&analysis.program, request.config);
    let replaced = additions.replaced();
    let emitter = &mut cache.emitter;
    let validators = emit::UsedValidators {
        replaced: &replaced,
        imported: &analysis.imported_validators,
    };
    let database_files = &mut cache.database_files;
    let (of_database, files) = kit_parallel::join(
        || database_files.artifacts(&analysis.schema, &analysis.migrations, config),
        || emit::artifacts(program, tree, config, request.time, output, &validators, emitter),
    );
    let mut files = files?;
    files.extend(of_database);
    additions.apply(&mut files);
    Ok(files)
}

fn report(
    analysis: Analysis,
    config: &ResolvedConfig,
    files: FileChanges,
    steps: Vec<(Step, Duration)>,
    cache: &BuildCache,
) -> BuildReport {
    // The routes of a group follow each other.
    let mut groups: Vec<&str> = analysis
        .program
        .routes
        .iter()
        .map(|route| route.group.as_str())
        .collect();
    groups.dedup();
    let groups: IndexSet<&str> = groups.into_iter().collect();
    let tests = groups.into_iter().map(kit_emit::contract_test_path).collect();
    BuildReport {
        counts: Counts {
            sources: analysis.program.sources.len(),
            types: analysis.program.declarations.len(),
            entities: analysis.program.entities.len(),
            routes: analysis.program.routes.len(),
        },
        contract_tests: contract_tests::contract_tests(&analysis.program, config).map(|_| tests),
        pending: cache
            .database_files
            .pending(&analysis.schema, &analysis.migrations),
        paths: paths(&analysis.program),
        tls: analysis.program.application.tls,
        diagnostics: analysis.diagnostics,
        sources: analysis.sources,
        dependencies: analysis.dependencies,
        files,
        steps,
    }
}
