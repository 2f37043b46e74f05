//! TypeScript to IR.
//!
//! Where it stands: first. `kit-build` hands over paths and a [`FileSystem`]; what comes back is a [`kit_ir::Program`]
//! and diagnostics. No other crate sees oxc, and no syntax tree leaves this one.
//!
//! The passes: `modules` parses files and follows names between them, `eval` evaluates type expressions, `docs` reads doc
//! comments, `factory` reads `createApp({ … })` without running it, `routes` turns contract groups into routes, and
//! `lower` makes the IR of whatever is needed. `compile` is their order.
//!
//! Invariants:
//! - A mistake is a type until somebody needs it (`Ty::Invalid`). Entities, routes and what they reach need it. An exported
//!   type that nothing needs and that has no JSON form (a function's type, say) is left out without a word: type files
//!   may hold more than what goes over the wire.
//! - A named composite type is a declaration; a name of a primitive is inlined, so that a property may constrain it.
//! - Imports of `@kit/*` are known by name and never read.
//! - Whatever the input, there is no panic, and expansion without end is a diagnostic.
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
mod tables_elsewhere;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use kit_diagnostics::Diagnostics;
use kit_ir::Program;

use crate::modules::ParsedFiles;

pub use exports::{exports, syntax_error};
pub use files::{FileSystem, MemoryFiles};
pub use options::OptionPlaces;
pub use print::program_text;
pub use register::{Registration, imports, register};
pub use source::SourceTexts;

/// The table of an interface whose `@table` names none.
///
/// ```
/// assert_eq!(kit_typescript::default_table("OrderItem"), "order_items");
/// ```
pub fn default_table(interface: &str) -> String {
    lower::plural_snake(interface)
}

/// What to compile.
#[derive(Clone)]
pub struct Input<'a> {
    /// The project's root, absolute. Paths in the output are relative to it.
    pub root: &'a Path,
    /// Files whose exported types become declarations and entities; absolute.
    pub type_files: Vec<PathBuf>,
    /// Files that hold contract groups; absolute.
    pub route_files: Vec<PathBuf>,
    /// Every other source file of the project: where the application factory, handlers and middleware are looked for.
    pub entry_files: Vec<PathBuf>,
    /// Where texts come from.
    pub files: Arc<dyn FileSystem>,
}

/// What the compiler learned.
#[derive(Debug, Clone, Default)]
pub struct Output {
    /// The program. Where there are errors it holds what could be understood.
    pub program: Program,
    /// Errors and warnings, sorted.
    pub diagnostics: Diagnostics,
    /// Texts for code frames.
    pub sources: SourceTexts,
    /// Every file that was read, sorted: what to watch, and what a cache depends on.
    pub dependencies: Vec<PathBuf>,
}

/// Compiles an application's types, contracts and factory. Never panics, whatever the input.
pub fn compile(input: &Input<'_>) -> Output {
    compile::compile(input, &ParsedFiles::default())
}

/// Compiles the same application again and again, and parses only files whose text changed.
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
    /// What the last compilation read.
    dependencies: Vec<PathBuf>,
}

impl Session {
    /// The same as [`compile`], whatever was compiled before. Files are compared by their text, so nobody has to say which
    /// ones changed.
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
