//! Analyzes a project: runs all steps of a build before the emitters.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use kit_analysis::AmbiguitySearch;
use kit_database::{Migration, Schema};
use kit_diagnostics::Diagnostics;
use kit_ir::Program;
use kit_router::RouteTree;
use kit_typescript::{Input, MissingHandler, SourceTexts};

use crate::config::Plugin;
use crate::directories::Directories;
use crate::globs::SourceFiles;
use crate::imported_validators::ImportedValidators;
use crate::inferred::InferredTypes;
use crate::plugins::{AddedSources, Mode, NoPlugins, PluginReports, TapHost, Taps, run_without_host};
use crate::{
    BuildError, BuildRequest, Progress, Step, contract_tests, database, globs, read_migrations,
    related_tests, routes, unions,
};

/// Result of the analysis of a project. No file was written yet.
#[derive(Debug, Clone)]
pub struct Analysis {
    /// Errors and warnings, sorted. If there is an error, the caller must not write files.
    pub diagnostics: Diagnostics,
    /// Texts of the source files, for excerpts in messages.
    pub sources: SourceTexts,
    /// Every file that was read. A change to any of these files can change the output.
    pub dependencies: Vec<PathBuf>,
    /// The compiled program.
    pub program: Program,
    /// Routes as a radix tree; `None` if two routes conflict.
    pub tree: Option<RouteTree>,
    /// Tables of the database.
    pub schema: Schema,
    /// Committed migrations, sorted by name.
    pub migrations: Vec<Migration>,
    /// Duration of each step, in order.
    pub steps: Vec<(Step, Duration)>,
    /// Contracts without handlers in TypeScript.
    pub missing_handlers: Vec<MissingHandler>,
    /// True if plugins may change the result, and did not run: the analysis used their last results.
    pub is_provisional: bool,
    /// Files in `validators/` that the project imports, if the program is large.
    pub(crate) imported_validators: BTreeSet<String>,
}

impl Analysis {
    /// Returns the analysis for a project in which a plugin failed before any file was parsed.
    fn failed(reports: PluginReports, diagnostics: Diagnostics, steps: Vec<(Step, Duration)>) -> Self {
        let mut analysis = Self {
            diagnostics,
            sources: SourceTexts::default(),
            dependencies: Vec::new(),
            program: Program::default(),
            tree: None,
            schema: Schema::default(),
            migrations: Vec::new(),
            steps,
            missing_handlers: Vec::new(),
            is_provisional: false,
            imported_validators: BTreeSet::new(),
        };
        reports.move_into(
            &mut analysis.diagnostics,
            &mut analysis.sources,
            &mut analysis.dependencies,
        );
        analysis
    }
}

/// Analyzes a project without plugins: runs all steps of a build before the emitters.
///
/// # Errors
/// Returns an error if the environment fails, for example if a file cannot be read.
pub fn analyze(request: &BuildRequest<'_>, progress: &dyn Progress) -> Result<Analysis, BuildError> {
    run_without_host(analyze_with(request, &NoPlugins, progress))
}

/// Analyzes a project like [`analyze`], and runs the plugins that change sources and types.
///
/// # Errors
/// Returns an error if the environment fails, for example if a file cannot be read.
pub async fn analyze_with(
    request: &BuildRequest<'_>,
    host: &dyn TapHost,
    progress: &dyn Progress,
) -> Result<Analysis, BuildError> {
    let taps = Taps {
        request,
        host,
        mode: Mode::Check,
    };
    analyze_in(&mut Compiler::default(), &taps, Rerun::Everything, progress).await
}

/// The compiler, with results of earlier builds in the same process.
#[derive(Debug, Default)]
pub(crate) struct Compiler {
    pub(crate) session: kit_typescript::Session,
    pub(crate) inferred: InferredTypes,
    /// Results of the last run of the plugins.
    plugins: Option<PluginResults>,
    imported_validators: ImportedValidators,
    directories: Directories,
    ambiguities: AmbiguitySearch,
}

/// Results of the plugins of a project.
#[derive(Debug)]
struct PluginResults {
    /// Plugins that were run.
    plugins: Vec<Plugin>,
    added: AddedSources,
    /// Source files that the plugins added.
    sources: SourceFiles,
    reports: PluginReports,
}

/// Programs outside of the compiler that an analysis runs: the plugins, and TypeScript.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Rerun {
    /// Run the plugins, and TypeScript if types of its last run are missing or out of date.
    #[default]
    Everything,
    /// Run the plugins. Use the types of the last run of TypeScript, even if they are out of date. For text that is not saved,
    /// which TypeScript cannot read.
    Plugins,
    /// Run nothing: also use the sources that the plugins added in their last run, and what they reported. Runs plugins that
    /// have not run yet.
    Nothing,
}

/// Analyzes a project like [`analyze_with`]. The compiler may reuse results of an earlier build.
pub(crate) async fn analyze_in(
    compiler: &mut Compiler,
    taps: &Taps<'_>,
    rerun: Rerun,
    progress: &dyn Progress,
) -> Result<Analysis, BuildError> {
    let request = taps.request;
    let (root, config) = (request.root, request.config);
    let mut steps = Steps {
        progress,
        taken: Vec::new(),
    };
    let mut diagnostics = Diagnostics::default();
    let mut sources = steps.run(Step::Sources, || {
        globs::find_sources(root, config, &mut diagnostics)
    })?;
    let mut reports = PluginReports::default();
    let kept = compiler
        .plugins
        .as_ref()
        .filter(|kept| rerun == Rerun::Nothing && kept.plugins == config.plugins);
    let is_provisional = kept.is_some() && taps.change_types();
    let (added, added_sources) = if let Some(kept) = kept {
        sources.add(&kept.sources);
        reports = kept.reports.clone();
        (kept.added.clone(), kept.sources.clone())
    } else {
        let before = sources.clone();
        let added = taps.before_transform(&mut sources, &mut reports).await;
        if taps.host.is_interrupted() {
            return Err(BuildError::Interrupted);
        }
        // Stop here: the failed plugin did not add its types, so each use of them would be reported as an unknown
        // type.
        let Some(added) = added else {
            compiler.plugins = None;
            return Ok(Analysis::failed(reports, diagnostics, steps.taken));
        };
        (added, sources.without(&before))
    };
    let compiled = steps.run(Step::Types, || {
        let input = Input {
            root,
            type_files: sources.types,
            route_files: sources.routes,
            any: config.any,
            entry_files: sources.entries,
            files: added.with_virtual_files(&request.files),
        };
        if compiler.directories.have_changed() {
            compiler.session.forget_results();
        }
        match rerun {
            Rerun::Everything => compiler.inferred.compile(&mut compiler.session, &input),
            Rerun::Plugins | Rerun::Nothing => compiler
                .inferred
                .compile_without_typescript(&mut compiler.session, &input),
        }
    });
    if compiled.program.routes.is_empty() {
        // With routes, the application names all files with types, and the default globs need not match.
        diagnostics.extend(sources.unmatched_defaults);
    }
    diagnostics.extend(compiled.diagnostics);
    let (mut program, mut texts) = (compiled.program, compiled.sources);
    let mut dependencies = compiled.dependencies;
    compiler.directories.update(root, &dependencies);
    dependencies.retain(|path| !added.is_virtual(path));
    // Plugins only run on a program without errors.
    if !is_provisional && !diagnostics.has_errors() {
        reports.sources = paths(&program);
        taps.after_type_parse(&mut program, &mut reports).await;
        if taps.host.is_interrupted() {
            return Err(BuildError::Interrupted);
        }
    }
    if !is_provisional && !config.plugins.is_empty() {
        compiler.plugins = Some(PluginResults {
            plugins: config.plugins.clone(),
            added: added.clone(),
            sources: added_sources,
            reports: reports.clone(),
        });
    }
    reports.move_into(&mut diagnostics, &mut texts, &mut dependencies);
    if !diagnostics.has_errors() {
        contract_tests::check(&program, config, &mut diagnostics);
    }
    let (tree, imported_validators) = steps.run(Step::Routes, || {
        let tree = routes::compile(&program, &mut diagnostics);
        let code = globs::find_code(root, config)?;
        if let Some(tree) = &tree {
            let files = request.files.as_ref();
            related_tests::name_tests(&code.tests, config, files, &mut program, tree);
            // A change to any test can change the output.
            dependencies.extend(code.tests.into_iter().map(|(path, _)| path));
        }
        let mut imported = BTreeSet::new();
        // All types of a smaller program have a file.
        if kit_emit::is_large(&program) {
            imported = compiler.imported_validators.find(&code.modules);
            dependencies.extend(code.modules);
        }
        Ok::<_, BuildError>((tree, imported))
    })?;
    let (schema, migrations) = steps.run(Step::Database, || {
        let migrations = read_migrations(root, &mut diagnostics)?;
        let (ambiguous, (schema, found)) = kit_parallel::join(
            || {
                let mut found = Diagnostics::default();
                unions::check(&mut compiler.ambiguities, &program, &mut found);
                found
            },
            || {
                let mut found = Diagnostics::default();
                let schema = database::schema(&program, &migrations, &mut found);
                (schema, found)
            },
        );
        diagnostics.extend(ambiguous);
        diagnostics.extend(found);
        Ok::<_, BuildError>((schema, migrations))
    })?;
    diagnostics.sort();
    Ok(Analysis {
        diagnostics,
        sources: texts,
        dependencies,
        program,
        tree,
        schema,
        migrations,
        steps: steps.taken,
        missing_handlers: compiled.missing_handlers,
        is_provisional,
        imported_validators,
    })
}

/// Steps of a build that were run, with their durations.
pub(crate) struct Steps<'a> {
    pub(crate) progress: &'a dyn Progress,
    pub(crate) taken: Vec<(Step, Duration)>,
}

impl Steps<'_> {
    pub(crate) fn run<T>(&mut self, step: Step, work: impl FnOnce() -> T) -> T {
        self.progress.started(step);
        let start = Instant::now();
        let result = work();
        let took = start.elapsed();
        self.taken.push((step, took));
        self.progress.finished(step, took);
        result
    }
}

/// Returns the paths of the source files, in the order of the program.
pub(crate) fn paths(program: &Program) -> Vec<String> {
    program.sources.iter().map(|source| source.path.clone()).collect()
}
