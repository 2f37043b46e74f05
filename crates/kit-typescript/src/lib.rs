//! Compiler from TypeScript to the intermediate representation (IR).
//!
//! This crate is the first step of a build. `kit-build` gives it paths and a [`FileSystem`], and receives a
//! [`kit_ir::Program`] and diagnostics. Only this crate depends on the parser oxc and sees syntax trees.
//!
//! `compile` runs the passes: `modules` parses files and resolves names, `eval` evaluates type expressions,
//! `docs` parses doc comments, `factory` reads `createApp({ … })` without running it, `routes` converts
//! contracts to routes, and `lower` creates the IR of the types that the program needs.
//!
//! Invariants:
//! - A mistake in a type is reported only if the program needs the type. Entities, routes and the types that
//!   they refer to are needed. An exported type that is not needed and has no JSON form, such as a function
//!   type, is skipped without a diagnostic: type files may contain types that are never sent over the wire.
//! - A named type becomes a declaration, but a name of a primitive type such as `string` is replaced by that
//!   type, so that a property may add rules to it.
//! - The exports of packages `@kit/*` are known by name; their files are never read.
//! - No input causes a panic, and a type that expands without end is reported as an error.
//!
//! ```
//! use kit_typescript::{AnyMeaning, Input, MemoryFiles, compile};
//! use std::path::{Path, PathBuf};
//! use std::sync::Arc;
//!
//! let files = MemoryFiles::new([("/app/src/types.ts", "export interface Note { title: string }")]);
//! let output = compile(&Input {
//!     root: Path::new("/app"),
//!     type_files: vec![PathBuf::from("/app/src/types.ts")],
//!     route_files: vec![],
//!     entry_files: vec![],
//!     any: AnyMeaning::Error,
//!     files: Arc::new(files),
//! });
//! assert!(output.diagnostics.is_empty());
//! ```

mod add_handlers;
mod affected;
mod client_origins;
mod compile;
mod docs;
mod eval;
mod exports;
mod factory;
mod files;
mod incremental;
mod known_types;
mod lower;
mod mentions;
mod modules;
mod names;
mod options;
mod owner;
mod pattern_verdicts;
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

use crate::incremental::Previous;
use crate::modules::ParsedFiles;

pub use add_handlers::{MissingHandler, add_handlers};
pub use client_origins::ProjectModules;
pub use exports::{exports, syntax_error};
pub use files::{FileSystem, MemoryFiles};
pub use mentions::{MentionKind, RouteMention, route_mentions};
pub use names::TypeName;
pub use options::OptionLocations;
pub use print::program_text;
pub use register::{Registration, imports, register};
pub use source::{SourceTexts, display_path};

/// Returns the table name of an interface with `@table` and no argument.
///
/// ```
/// assert_eq!(kit_typescript::default_table("OrderItem"), "order_items");
/// ```
pub fn default_table(interface: &str) -> String {
    kit_analysis::plural_snake_case(interface)
}

/// Meaning of `any` in the types of a program.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum AnyMeaning {
    /// `any` is an error in types of the project. In types of installed packages, which the project cannot change, `any` is
    /// `unknown`, with a warning.
    #[default]
    Error,
    /// `any` is `unknown`, without a warning.
    Unknown,
}

impl AnyMeaning {
    /// All meanings of `any`.
    pub const ALL: [Self; 2] = [Self::Error, Self::Unknown];

    /// Returns the name as in the option `types.any`.
    ///
    /// ```
    /// assert_eq!(kit_typescript::AnyMeaning::default().name(), "error");
    /// ```
    pub fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Unknown => "unknown",
        }
    }
}

/// Input of the compiler.
#[derive(Clone)]
pub struct Input<'a> {
    /// Absolute path of the project's root. Paths in the output are relative to this directory.
    pub root: &'a Path,
    /// Absolute paths of the files whose exported types become declarations and entities.
    pub type_files: Vec<PathBuf>,
    /// Absolute paths of the files that contain groups.
    pub route_files: Vec<PathBuf>,
    /// Absolute paths of all other source files of the project, in which the compiler searches for
    /// `createApp`, handlers and middleware.
    pub entry_files: Vec<PathBuf>,
    /// Meaning of `any`.
    pub any: AnyMeaning,
    /// Provider of the contents of files.
    pub files: Arc<dyn FileSystem>,
}

/// Result of the compiler.
#[derive(Debug, Clone, Default)]
pub struct Output {
    /// Compiled program. If there are errors, it contains the parts without errors.
    pub program: Program,
    /// Errors and warnings, sorted with [`Diagnostics::sort`].
    pub diagnostics: Diagnostics,
    /// Contents of all files that were read. Code frames in messages show excerpts.
    pub sources: SourceTexts,
    /// Sorted paths of all files that were read. `kit dev` watches these files, and a cached result is valid
    /// only while they do not change.
    pub dependencies: Vec<PathBuf>,
    /// Sorted paths of source files with values whose types the program needs, and which only TypeScript can
    /// infer. The program lacks these types. The caller can run TypeScript, provide its output through
    /// [`FileSystem::declarations`], and compile again.
    pub uninferred: Vec<PathBuf>,
    /// Sorted paths of the source files from whose declaration files the compiler read types.
    pub inferred: Vec<PathBuf>,
    /// Contracts without handlers, each reported as an error, too.
    pub missing_handlers: Vec<MissingHandler>,
}

/// Compiles the types, contracts and `createApp` call of an application. No input causes a panic.
pub fn compile(input: &Input<'_>) -> Output {
    compile::compile(input, &ParsedFiles::default(), None)
}

/// Compiler for repeated builds of an application. It parses only the files whose contents changed, and after an edit of
/// interfaces and type aliases it compiles only what the edit can affect.
///
/// ```
/// use kit_typescript::{AnyMeaning, Input, MemoryFiles, Session};
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
///         any: AnyMeaning::Error,
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
    previous: Option<Previous>,
    /// Meaning of `any` in the last compilation.
    any: AnyMeaning,
    compiled: Option<usize>,
}

impl Session {
    /// Compiles an application like [`compile`]. Earlier calls do not change the result. The session compares
    /// the stamps of files, and the contents of files without a stamp or with another stamp, so the caller need not know the
    /// changed files.
    pub fn compile(&mut self, input: &Input<'_>) -> Output {
        let read = self.dependencies.iter();
        let named = input.type_files.iter().chain(&input.route_files);
        let changed = self.parsed.update(input.root, read.chain(named), &*input.files);
        if self.any != input.any {
            self.any = input.any;
            self.previous = None;
        }
        let partial = self
            .previous
            .take()
            .and_then(|previous| incremental::compile(input, &self.parsed, &changed, previous));
        self.compiled = partial.as_ref().map(|partial| partial.compiled);
        let output = match partial {
            Some(partial) => partial.output,
            None => compile::compile(input, &self.parsed, None),
        };
        self.dependencies.clone_from(&output.dependencies);
        self.previous = Previous::new(input, &output);
        output
    }

    /// Makes the next call of [`Session::compile`] compile the whole program. The caller needs this function if a file appeared
    /// or disappeared, which can change the targets of imports. Syntax trees are still reused.
    ///
    /// ```
    /// let mut session = kit_typescript::Session::default();
    /// session.forget_results();
    /// assert_eq!(session.compiled_declarations(), None);
    /// ```
    pub fn forget_results(&mut self) {
        self.previous = None;
    }

    /// Returns the number of declarations that the last call of [`Session::compile`] compiled, if the call compiled only those
    /// that an edit can affect. Returns `None` if the call compiled the whole program.
    ///
    /// ```
    /// use kit_typescript::{AnyMeaning, Input, MemoryFiles, Session};
    /// use std::path::{Path, PathBuf};
    /// use std::sync::Arc;
    ///
    /// let mut session = Session::default();
    /// for maximum in [10, 20] {
    ///     let text = format!(
    ///         "export interface Note {{ /** @maxLength {maximum} */ title: string }}\nexport interface Tag {{ name: string }}"
    ///     );
    ///     session.compile(&Input {
    ///         root: Path::new("/app"),
    ///         type_files: vec![PathBuf::from("/app/src/types.ts")],
    ///         route_files: vec![],
    ///         entry_files: vec![],
    ///         any: AnyMeaning::Error,
    ///         files: Arc::new(MemoryFiles::new([("/app/src/types.ts", text)])),
    ///     });
    /// }
    /// assert_eq!(session.compiled_declarations(), Some(1));
    /// ```
    pub fn compiled_declarations(&self) -> Option<usize> {
        self.compiled
    }

    /// Returns the type to which the name at an offset of a file refers. Returns `None` if there is no name, or the name is
    /// not the name of a type that a file declares. `offset` is in bytes.
    ///
    /// ```
    /// use kit_typescript::{MemoryFiles, Session};
    /// use std::path::Path;
    /// use std::sync::Arc;
    ///
    /// let text = "interface Note { id: string }\ntype Notes = Note[];";
    /// let files = Arc::new(MemoryFiles::new([("/app/src/types.ts", text)]));
    /// let found = Session::default()
    ///     .type_name(Path::new("/app"), files, Path::new("/app/src/types.ts"), 44)
    ///     .unwrap();
    /// assert_eq!((found.path.as_str(), found.start), ("src/types.ts", 10));
    /// assert_eq!(&text[found.range], "Note");
    /// ```
    pub fn type_name(
        &self,
        root: &Path,
        files: Arc<dyn FileSystem>,
        path: &Path,
        offset: usize,
    ) -> Option<TypeName> {
        names::type_name(&self.parsed, root, files, path, offset)
    }
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session")
            .field("dependencies", &self.dependencies.len())
            .finish_non_exhaustive()
    }
}
