//! Emitters: pure functions from the IR to the JavaScript, TypeScript and JSON files of `.kit/`.
//!
//! Place in the workspace: `kit-build` passes a [`Program`] without errors and its [`RouteTree`], gets a list of
//! [`Artifact`]s, and writes them. Each kind of code has its own module. `combined` joins the code of all types into
//! few files. Shared code is in `text` (printing code) and `analysis` (facts about the program).
//!
//! Invariants:
//! - The same input gives the same bytes. The crate reads no clock, no file and no environment variable.
//! - Emitters do not parse: names, patterns and literals are printed with typed escaping (`text::literal`), and an exhaustive
//!   match handles every [`TypeKind`](kit_ir::TypeKind).
//! - Generated TypeScript, without its comment `// @ts-nocheck`, passes `tsc --strict` with the strictest options that kit
//!   itself uses. It imports no files of the
//!   user. Its only packages are `@kit/core/codec` and `@kit/types`; in `client/` also `@kit/client`, and in `tests/` and
//!   `testing/` also `@kit/testing`.
//! - `is`, `failures` and `decode` of a type come from the same IR node; `conformance/validation.json` contains vectors on
//!   which they must agree.
//!
//! ```
//! use kit_emit::{ApiInfo, EmitOptions, emit};
//! use kit_ir::Program;
//! use kit_router::RouteTree;
//!
//! let options = EmitOptions {
//!     generated_at: "2026-01-01T00:00:00.000Z".into(),
//!     output_dir_to_root: "..".into(),
//!     title: "notes".into(),
//!     version: "1.0.0".into(),
//!     about: ApiInfo::default(),
//!     openapi: Default::default(),
//!     client: true,
//!     replaced: Default::default(),
//!     tests: None,
//! };
//! let artifacts = emit(&Program::default(), &RouteTree::compile([]).unwrap(), &options);
//! assert!(artifacts.iter().any(|artifact| artifact.path == "routes/index.ts"));
//! ```

mod analysis;
mod application_jobs;
mod artifact;
mod asyncapi;
mod client;
mod coercer;
mod combined;
mod component_names;
mod context;
mod contract_tests;
mod declared_names;
mod direction;
mod environment;
mod error_format;
mod fingerprint;
mod groups;
mod header_writer;
mod items;
mod job;
mod json_schema;
mod last_program;
mod messages;
mod openapi;
mod options;
mod origin;
mod references;
mod registry;
mod routes;
mod samples;
mod serializer;
mod shared_items;
mod subprotocols;
mod template_pattern;
mod testing;
mod text;
mod types;
mod validator;
mod validator_files;

use std::collections::BTreeSet;
use std::sync::Arc;

use kit_ir::Program;
use kit_router::RouteTree;

use analysis::Analysis;
use context::Context;
use job::{ArtifactCache, PartCache};
use json_schema::DeclaredSchemas;
use last_program::{LastProgram, ProgramFacts};
use openapi::DocumentCache;

pub use analysis::is_large;
pub use artifact::Artifact;
pub use contract_tests::{CONTRACTS, ContractDocument, contract_document, contract_test_path};
pub use environment::example as environment_example;
pub use items::ValidatorSource;
pub use options::{
    ApiInfo, Contact, ContractTests, EmitOptions, OpenApiVersion, RouteTests, TestRunner, TestValues,
};
pub use registry::written_tags;

/// Generates every artifact of this crate, in a fixed order.
///
/// # Panics
/// Panics if `tree` was compiled from the routes of another program. May panic if the program has errors,
/// because its ids can be out of the bounds of their arenas.
pub fn emit(program: &Program, tree: &RouteTree, options: &EmitOptions) -> Vec<Artifact> {
    Emitter::default().emit(program, tree, options)
}

/// Generates artifacts repeatedly, and reuses artifacts that cannot have changed.
#[derive(Debug, Default)]
pub struct Emitter {
    /// Modules of types in the last build.
    modules: combined::Modules,
    /// Texts of these modules by their fingerprints.
    made_modules: ArtifactCache,
    /// All other artifacts.
    made: ArtifactCache,
    parts: PartCaches,
    last: Option<Box<LastProgram>>,
}

/// Caches of the texts of which long artifacts consist. An edit changes only a few of these texts.
#[derive(Debug, Default)]
struct PartCaches {
    /// Declarations in `types.ts`.
    types: PartCache,
    /// Entries of `schemas.json`.
    entries: PartCache,
    documents: DocumentCache,
}

impl Emitter {
    /// Returns the same artifacts as [`emit`], but reuses artifacts whose inputs are unchanged since earlier
    /// calls.
    ///
    /// # Panics
    /// Panics in the same cases as [`emit`].
    pub fn emit(&mut self, program: &Program, tree: &RouteTree, options: &EmitOptions) -> Vec<Artifact> {
        self.emit_used(program, tree, options, None)
    }

    /// Returns the same artifacts as [`Emitter::emit`] without the files in `validators/` that a large program does not use.
    /// `used` has the paths of the files that the project imports or that plugins replace; `None` if all files are needed.
    ///
    /// # Panics
    /// Panics in the same cases as [`emit`].
    pub fn emit_used(
        &mut self,
        program: &Program,
        tree: &RouteTree,
        options: &EmitOptions,
        used: Option<&BTreeSet<String>>,
    ) -> Vec<Artifact> {
        let facts = ProgramFacts::new(program, options.openapi, self.last.take().map(|last| *last));
        let analysis = Analysis::new(program, Arc::clone(&facts.facts));
        let declared = DeclaredSchemas::new(program, analysis.components());
        let context = Context {
            program,
            tree,
            options,
            analysis: &analysis,
            declared: &declared,
            fingerprints: &facts.fingerprints,
            unchanged: &facts.unchanged,
            used,
        };
        let Self {
            modules,
            made_modules,
            made,
            parts,
            last,
        } = self;
        // The files that combine the modules are as long as all others together.
        let (combined, others) = kit_parallel::join(
            || {
                let jobs = [
                    validator::emit(context).unzip(),
                    coercer::emit(context).unzip(),
                    serializer::emit(context).unzip(),
                    header_writer::emit(context).unzip(),
                ];
                modules.update(context, jobs, |jobs| {
                    if context.has_last_build() {
                        job::run_some(jobs, made_modules)
                    } else {
                        job::run(jobs, made_modules)
                    }
                });
                combined::emit(context, modules)
            },
            || other_artifacts(context, made, parts),
        );
        *last = Some(Box::new(facts.keep(program, options.openapi)));
        others.into_iter().chain(combined).collect()
    }
}

/// Generates all artifacts apart from the modules of types and the files that combine them.
fn other_artifacts(context: Context<'_>, made: &mut ArtifactCache, known: &mut PartCaches) -> Vec<Artifact> {
    let types = types::parts(context, &mut known.types);
    let described = &openapi::facts(context).described;
    let entries = registry::entries(context, described, &mut known.entries);
    let parts = openapi::PrintedParts::new(context, &mut known.documents);
    let mut jobs = vec![types::emit(&types)];
    jobs.extend(validator_files::emit(context));
    jobs.extend(routes::emit(context));
    jobs.extend(environment::emit(context));
    jobs.extend(application_jobs::emit(context));
    jobs.extend(registry::emit(context, &entries));
    jobs.extend(openapi::emit(context, &parts));
    jobs.extend(asyncapi::emit(context));
    jobs.extend(client::emit(context));
    jobs.extend(contract_tests::emit(context));
    jobs.extend(testing::emit(context));
    let generated = job::run(jobs, made).into_iter();
    generated.map(|generated| generated.artifact).collect()
}

/// Generates only the artifacts that contain the time of the build. With these, the build finds out if
/// existing files differ in more than their time.
pub fn emit_dated(tree: &RouteTree, options: &EmitOptions) -> Vec<Artifact> {
    let jobs = vec![routes::compiled_tree(tree, options)];
    let made = job::run(jobs, &mut ArtifactCache::default());
    made.into_iter().map(|ready| ready.artifact).collect()
}
