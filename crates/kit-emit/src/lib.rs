//! Emitters: pure functions from the IR to the TypeScript and JSON files of `.kit/`.
//!
//! Where it stands: `kit-build` hands over a [`Program`] without errors and its [`RouteTree`], gets a list of [`Artifact`]s
//! and writes them. One module an artifact; what several share is in `text` (writing TypeScript) and `analysis` (facts about
//! the program).
//!
//! Invariants:
//! - Same input, same bytes. Nothing here reads a clock, a file or the environment.
//! - No emitter parses anything: names, patterns and literals are printed by typed escaping (`text::literal`), and every
//!   [`TypeKind`](kit_ir::TypeKind) is handled by an exhaustive match.
//! - Generated TypeScript passes `tsc --strict` with the strictest options kit itself uses, imports nothing of the
//!   user's files, and names `@kit/core/codec`, `@kit/types` and, in `client/`, `@kit/client`, in `tests/` and `testing/`, `@kit/testing` as its only packages.
//! - `is`, `failures` and `decode` of a type come from the same IR node; `conformance/validation.json` holds what they
//!   must agree on.
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
//!     client: true,
//!     replaced: Default::default(),
//!     tests: None,
//! };
//! let artifacts = emit(&Program::default(), &RouteTree::compile([]).unwrap(), &options);
//! assert!(artifacts.iter().any(|artifact| artifact.path == "routes/index.ts"));
//! ```

mod analysis;
mod client;
mod coercer;
mod contract_tests;
mod fingerprint;
mod groups;
mod job;
mod json_schema;
mod openapi;
mod registry;
mod routes;
mod runtime;
mod samples;
mod serializer;
mod testing;
mod text;
mod types;
mod validator;

use std::collections::BTreeSet;
use std::sync::Arc;

use kit_ir::{DeclarationId, Program};
use kit_router::RouteTree;
use serde::Serialize;

use analysis::Analysis;
use fingerprint::{Fingerprint, Fingerprints, fingerprint};
use job::{Made, Parts};
use json_schema::{DeclaredSchemas, Direction, Schemas};
use openapi::KeptDocuments;

pub use contract_tests::{CONTRACTS, ContractTests, RouteTests, TestRunner, contract_test_path};

/// A file to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Artifact {
    /// Relative to the output directory, with `/` on every platform.
    pub path: String,
    /// The whole content; ends with a line break. Shared with the [`Emitter`], which may hand it out again.
    pub text: Arc<String>,
    /// Whether the content names [`EmitOptions::generated_at`], so that it is another one at another time.
    pub dated: bool,
}

/// What emitters need to know beyond the program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmitOptions {
    /// Time that the artifacts carry, ISO 8601.
    pub generated_at: String,
    /// The way from the output directory to the project's root: `..`. Paths of sources in generated modules stay relative to
    /// the root; generated modules that must reach a source go this way.
    pub output_dir_to_root: String,
    /// `info.title` of the OpenAPI document: the project's name.
    pub title: String,
    /// `info.version` of the OpenAPI document: the project's version.
    pub version: String,
    /// What else the OpenAPI document says of the project.
    pub about: ApiInfo,
    /// Whether `client/` is made: where the project has `@kit/client`.
    pub client: bool,
    /// Paths of validators whose text will be another one than is made here: what needs them imports them.
    pub replaced: BTreeSet<String>,
    /// What contract tests need; none are made where nothing is said.
    pub tests: Option<ContractTests>,
}

/// What the OpenAPI document says of the project besides its name and version; nothing where nothing is known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ApiInfo {
    /// `info.description`.
    pub description: Option<String>,
    /// `info.license.name`: an SPDX expression, or another text.
    pub license: Option<String>,
    /// `info.contact`.
    pub contact: Option<Contact>,
}

/// Who answers questions about the interface.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Contact {
    /// A person or a team.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Where to look.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Where to write.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
}

/// What the emitters share while they run.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    pub(crate) program: &'a Program,
    pub(crate) tree: &'a RouteTree,
    pub(crate) options: &'a EmitOptions,
    pub(crate) analysis: &'a Analysis,
    pub(crate) declared: &'a DeclaredSchemas<'a>,
    pub(crate) fingerprints: &'a Fingerprints,
}

impl<'a> Context<'a> {
    /// Makes JSON Schemas of one direction.
    pub(crate) fn schemas(self, direction: Direction) -> Schemas<'a> {
        Schemas {
            program: self.program,
            direction,
            names: self.analysis.components(),
            implied: true,
        }
    }
}

impl Context<'_> {
    /// What the modules of a declaration depend on.
    pub(crate) fn module_key(self, declaration: DeclarationId) -> Fingerprint {
        fingerprint((self.fingerprints.of(declaration), self.fingerprints.names))
    }
}

/// Makes every artifact of this crate, in a fixed order.
///
/// The tree must be compiled from the routes of the same program, and the program must be free of errors; the arena ids of
/// another program panic as any index out of bounds does.
pub fn emit(program: &Program, tree: &RouteTree, options: &EmitOptions) -> Vec<Artifact> {
    Emitter::default().emit(program, tree, options)
}

/// Makes artifacts again and again, and only those anew that an edit can have changed.
#[derive(Debug, Default)]
pub struct Emitter {
    made: Made,
    parts: KeptParts,
}

/// Parts of artifacts that are long and of which an edit changes little.
#[derive(Debug, Default)]
struct KeptParts {
    /// Of `types.ts`.
    types: Parts,
    /// Of `schemas.json`.
    entries: Parts,
    documents: KeptDocuments,
}

impl Emitter {
    /// The same as [`emit`], whatever was emitted before.
    pub fn emit(&mut self, program: &Program, tree: &RouteTree, options: &EmitOptions) -> Vec<Artifact> {
        let analysis = Analysis::new(program);
        let fingerprints = Fingerprints::new(program, &analysis);
        let declared = DeclaredSchemas::new(program, analysis.components());
        let context = Context {
            program,
            tree,
            options,
            analysis: &analysis,
            declared: &declared,
            fingerprints: &fingerprints,
        };
        let types = types::parts(context, &mut self.parts.types);
        let entries = registry::entries(context, &mut self.parts.entries);
        let shared = openapi::Shared::new(context, &mut self.parts.documents);
        let mut jobs = vec![types::emit(&types)];
        jobs.extend(validator::emit(context));
        jobs.extend(coercer::emit(context));
        jobs.extend(serializer::emit(context));
        jobs.extend(routes::emit(context));
        jobs.extend(registry::emit(context, &entries));
        jobs.extend(openapi::emit(context, &shared));
        jobs.extend(client::emit(context));
        jobs.extend(contract_tests::emit(context));
        jobs.extend(testing::emit(context));
        let made = job::run(jobs, &mut self.made);
        let runtime = runtime::emit(context, &made, &options.replaced);
        let made = made.into_iter().map(|ready| ready.artifact);
        made.chain(runtime).collect()
    }
}

/// Makes those artifacts of [`emit`] that are dated. Asking what they were at another time needs nothing else made anew.
pub fn emit_dated(tree: &RouteTree, options: &EmitOptions) -> Vec<Artifact> {
    let jobs = vec![routes::compiled_router(tree, options)];
    let made = job::run(jobs, &mut Made::default());
    made.into_iter().map(|ready| ready.artifact).collect()
}
