//! Analyzes a project: runs all steps of a build before the emitters.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use kit_database::{Migration, Schema};
use kit_diagnostics::Diagnostics;
use kit_ir::Program;
use kit_router::RouteTree;
use kit_typescript::{Input, SourceTexts};

use crate::imported_validators::ImportedValidators;
use crate::inferred::{Inference, InferredTypes};
use crate::plugins::{Mode, NoPlugins, PluginReports, TapHost, Taps, run_without_host};
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
    analyze_in(&mut Compiler::default(), &taps, Inference::Run, progress).await
}

/// The compiler, with results of earlier builds in the same process.
#[derive(Debug, Default)]
pub(crate) struct Compiler {
    pub(crate) session: kit_typescript::Session,
    inferred: InferredTypes,
    imported_validators: ImportedValidators,
}

/// Analyzes a project like [`analyze_with`]. The compiler may reuse results of an earlier build.
pub(crate) async fn analyze_in(
    compiler: &mut Compiler,
    taps: &Taps<'_>,
    inference: Inference,
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
    // Stop here: the failed plugin did not add its types, so each use of them would be reported as an unknown
    // type.
    let Some(added) = taps.before_transform(&mut sources, &mut reports).await else {
        return Ok(Analysis::failed(reports, diagnostics, steps.taken));
    };
    let compiled = steps.run(Step::Types, || {
        let input = Input {
            root,
            type_files: sources.types,
            route_files: sources.routes,
            entry_files: sources.entries,
            files: added.with_virtual_files(&request.files),
        };
        match inference {
            Inference::Run => compiler.inferred.compile(&mut compiler.session, &input),
            Inference::Keep => compiler
                .inferred
                .compile_without_typescript(&mut compiler.session, &input),
        }
    });
    diagnostics.extend(compiled.diagnostics);
    let (mut program, mut texts) = (compiled.program, compiled.sources);
    let mut dependencies = compiled.dependencies;
    dependencies.retain(|path| !added.is_virtual(path));
    // Plugins only run on a program without errors.
    if !diagnostics.has_errors() {
        reports.sources = paths(&program);
        taps.after_type_parse(&mut program, &mut reports).await;
    }
    reports.move_into(&mut diagnostics, &mut texts, &mut dependencies);
    unions::check(&program, &mut diagnostics);
    if !diagnostics.has_errors() {
        contract_tests::check(&program, config, &mut diagnostics);
    }
    let tree = steps.run(Step::Routes, || {
        let tree = routes::compile(&program, &mut diagnostics);
        if let Some(tree) = &tree {
            let files = request.files.as_ref();
            dependencies.extend(related_tests::name_tests(
                root,
                config,
                files,
                &mut program,
                tree,
            )?);
        }
        Ok::<_, BuildError>(tree)
    })?;
    let (imported_validators, modules) = compiler.imported_validators.find(root, config, &program)?;
    dependencies.extend(modules);
    let (schema, migrations) = steps.run(Step::Database, || {
        let migrations = read_migrations(root, &mut diagnostics)?;
        let schema = database::schema(&program, &migrations, &mut diagnostics);
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
