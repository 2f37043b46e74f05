//! Emitters: pure functions from the IR to the TypeScript and JSON files of `.kit/`.
//!
//! Place in the workspace: `kit-build` passes a [`Program`] without errors and its [`RouteTree`], gets a list of
//! [`Artifact`]s, and writes them. Each artifact has its own module. Shared code is in `text` (printing TypeScript) and
//! `analysis` (facts about the program).
//!
//! Invariants:
//! - The same input gives the same bytes. The crate reads no clock, no file and no environment variable.
//! - Emitters do not parse: names, patterns and literals are printed with typed escaping (`text::literal`), and an exhaustive
//!   match handles every [`TypeKind`](kit_ir::TypeKind).
//! - Generated TypeScript passes `tsc --strict` with the strictest options that kit itself uses. It imports no files of the
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

/// A file to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Artifact {
    /// Path, relative to the output directory, with `/` on every platform.
    pub path: String,
    /// Complete content, with a line break at the end. Shared with the [`Emitter`], which may return it again.
    pub text: Arc<String>,
    /// True if the content contains [`EmitOptions::generated_at`], so it changes with the time.
    pub dated: bool,
}

/// Options of the emitters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmitOptions {
    /// Time to write into artifacts, in ISO 8601.
    pub generated_at: String,
    /// Path from the output directory to the project's root, such as `..`. Generated modules use this path to import a source.
    /// All other paths of sources in generated modules are relative to the root.
    pub output_dir_to_root: String,
    /// `info.title` of the OpenAPI document: the project's name.
    pub title: String,
    /// `info.version` of the OpenAPI document: the project's version.
    pub version: String,
    /// Other information on the project for the OpenAPI document.
    pub about: ApiInfo,
    /// True to generate `client/`, which needs the package `@kit/client`.
    pub client: bool,
    /// Paths of validators whose text a plugin replaces. Other modules import these files instead of copying their content.
    pub replaced: BTreeSet<String>,
    /// Options of contract tests; `None` to generate none.
    pub tests: Option<ContractTests>,
}

/// Information about the project for the OpenAPI document, without name and version. A member is `None` if the project does
/// not specify its value.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ApiInfo {
    /// `info.description`.
    pub description: Option<String>,
    /// `info.license.name`: an SPDX expression or other text.
    pub license: Option<String>,
    /// `info.contact`.
    pub contact: Option<Contact>,
}

/// Contact for questions about the API.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Contact {
    /// Name of a person or a team.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// URL of a page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Email address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
}

/// Shared data of the emitters.
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
    /// Returns the creator of JSON Schemas for one direction.
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
    /// Returns the fingerprint of everything that a declaration's modules depend on.
    pub(crate) fn module_key(self, declaration: DeclarationId) -> Fingerprint {
        fingerprint((self.fingerprints.of(declaration), self.fingerprints.names))
    }
}

/// Generates every artifact of this crate, in a fixed order.
///
/// # Panics
/// Panics if `tree` was compiled from the routes of another program, or if the program has errors: its arena ids can be out
/// of bounds then.
pub fn emit(program: &Program, tree: &RouteTree, options: &EmitOptions) -> Vec<Artifact> {
    Emitter::default().emit(program, tree, options)
}

/// Generates artifacts repeatedly, and reuses those that cannot have changed.
#[derive(Debug, Default)]
pub struct Emitter {
    made: Made,
    parts: KeptParts,
}

/// Cached parts of long artifacts, of which an edit changes only a few.
#[derive(Debug, Default)]
struct KeptParts {
    /// Parts of `types.ts`.
    types: Parts,
    /// Parts of `schemas.json`.
    entries: Parts,
    documents: KeptDocuments,
}

impl Emitter {
    /// Returns the same artifacts as [`emit`], regardless of earlier calls.
    ///
    /// # Panics
    /// Panics in the same cases as [`emit`].
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

/// Generates only the dated artifacts of [`emit`], to compare them with existing files that contain another time.
pub fn emit_dated(tree: &RouteTree, options: &EmitOptions) -> Vec<Artifact> {
    let jobs = vec![routes::compiled_router(tree, options)];
    let made = job::run(jobs, &mut Made::default());
    made.into_iter().map(|ready| ready.artifact).collect()
}
