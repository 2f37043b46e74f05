//! Compiler from TypeScript to the IR.
//!
//! This crate is the first step of a build. `kit-build` passes paths and a [`FileSystem`], and receives a
//! [`kit_ir::Program`] and diagnostics. No other crate depends on oxc, and no syntax tree leaves this crate.
//!
//! The passes: `modules` parses files and resolves names between them, `eval` evaluates type expressions, `docs` parses doc
//! comments, `factory` reads `createApp({ … })` without running it, `routes` converts contract groups to routes, and `lower`
//! creates the IR of the types that the program needs. `compile` runs the passes in order.
//!
//! Invariants:
//! - A mistake in a type is a type of its own (`Ty::Invalid`) and is reported only if the program needs the type. Entities,
//!   routes and the types that they refer to are needed. An exported type that nothing needs and that has no JSON form (for
//!   example the type of a function) is left out without a diagnostic: type files may contain types that are never sent over
//!   the wire.
//! - A named composite type becomes a declaration. A name of a primitive type is inlined, so that a property may add
//!   constraints to it.
//! - Imports of `@kit/*` are recognized by name, and their files are never read.
//! - No input causes a panic, and an endless expansion of types is reported as a diagnostic.
//!
//! ```
//! use kit_typescript::{Input, MemoryFiles, compile};
//! use std::path::{Path, PathBuf};
//! use std::sync::Arc;
//!
//! let files = MemoryFiles::new([("/app/src/types.ts", "export interface Note { title: string }")]);
//! let output = compile(&Input {
//!     root: Path::new("/app"),
//!     type_files: vec![PathBuf::from("/app/src/types.ts")],
//!     route_files: vec![],
//!     entry_files: vec![],
//!     files: Arc::new(files),
//! });
//! assert!(output.diagnostics.is_empty());
//! ```

mod compile;
mod docs;
mod eval;
mod exports;
mod factory;
mod files;
mod lower;
mod modules;
mod options;
mod owner;
mod print;
mod register;
mod routes;
mod source;
mod stack;
mod unmatched_tables;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use kit_diagnostics::Diagnostics;
use kit_ir::Program;

use crate::modules::ParsedFiles;

pub use exports::{exports, syntax_error};
pub use files::{FileSystem, MemoryFiles};
pub use options::OptionLocations;
pub use print::program_text;
pub use register::{Registration, imports, register};
pub use source::SourceTexts;

/// Returns the table name of an interface whose `@table` has no argument.
///
/// ```
/// assert_eq!(kit_typescript::default_table("OrderItem"), "order_items");
/// ```
pub fn default_table(interface: &str) -> String {
    kit_analysis::plural_snake_case(interface)
}

/// Input of the compiler.
#[derive(Clone)]
pub struct Input<'a> {
    /// Root of the project, absolute. Paths in the output are relative to this directory.
    pub root: &'a Path,
    /// Files whose exported types become declarations and entities; absolute paths.
    pub type_files: Vec<PathBuf>,
    /// Files that contain contract groups; absolute paths.
    pub route_files: Vec<PathBuf>,
    /// All other source files of the project. The compiler searches them for the application factory, handlers and
    /// middleware.
    pub entry_files: Vec<PathBuf>,
    /// Source of file contents.
    pub files: Arc<dyn FileSystem>,
}

/// Result of the compiler.
#[derive(Debug, Clone, Default)]
pub struct Output {
    /// The program. If there are errors, the program contains the parts that the compiler understood.
    pub program: Program,
    /// Errors and warnings, sorted.
    pub diagnostics: Diagnostics,
    /// Contents of the source files, for code frames.
    pub sources: SourceTexts,
    /// All files that were read, sorted. A watch mode watches these files, and a cache depends on them.
    pub dependencies: Vec<PathBuf>,
}

/// Compiles the types, contracts and factory of an application. No input causes a panic.
pub fn compile(input: &Input<'_>) -> Output {
    compile::compile(input, &ParsedFiles::default())
}

/// Compiles the same application repeatedly, and parses only files whose contents changed.
///
/// ```
/// use kit_typescript::{Input, MemoryFiles, Session};
/// use std::path::{Path, PathBuf};
/// use std::sync::Arc;
///
/// let mut session = Session::default();
/// for name in ["title", "subject"] {
///     let text = format!("export interface Note {{ {name}: string }}");
///     let output = session.compile(&Input {
///         root: Path::new("/app"),
///         type_files: vec![PathBuf::from("/app/src/types.ts")],
///         route_files: vec![],
///         entry_files: vec![],
///         files: Arc::new(MemoryFiles::new([("/app/src/types.ts", text)])),
///     });
///     let note = &output.program.declarations.iter().next().unwrap();
///     assert_eq!(output.program.properties(note.r#type)[0].name, name);
/// }
/// ```
#[derive(Default)]
pub struct Session {
    parsed: ParsedFiles,
    /// Files that the last compilation read.
    dependencies: Vec<PathBuf>,
}

impl Session {
    /// Compiles like [`compile`]; the result does not depend on earlier compilations. The session compares the contents of
    /// files, so the caller need not know which files changed.
    pub fn compile(&mut self, input: &Input<'_>) -> Output {
        let read = self.dependencies.iter();
        let named = input.type_files.iter().chain(&input.route_files);
        self.parsed.update(input.root, read.chain(named), &*input.files);
        let output = compile::compile(input, &self.parsed);
        self.dependencies.clone_from(&output.dependencies);
        output
    }
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session")
            .field("dependencies", &self.dependencies.len())
            .finish_non_exhaustive()
    }
}
