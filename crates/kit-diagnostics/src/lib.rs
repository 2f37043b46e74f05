//! Errors and warnings for users: a stable code, a message, labelled locations in the source, notes and help.
//!
//! Place in the workspace: no other crate of kit is below this one. Every phase of the compiler is a function
//! `input -> (output, Diagnostics)` that does not stop at its first error and does not depend on a terminal.
//! Only the command line prints diagnostics: with [`render`] for people and [`BuildFailure`] for programs.
//!
//! Invariants:
//! - Every diagnostic has a [`Code`] of the registry in `codes.rs`; a code never changes its meaning.
//! - A message describes the mistake, and help describes the correction. If possible, help shows the code to write.
//! - The order is deterministic: [`Diagnostics::sort`] puts causes first, then sorts by file, position and
//!   code.
//!
//! ```
//! use kit_diagnostics::{codes, Diagnostic, Diagnostics, Label};
//!
//! let mut diagnostics = Diagnostics::default();
//! diagnostics.push(
//!     Diagnostic::new(codes::UNKNOWN_FORMAT, "unknown format `emial`")
//!         .label(Label::primary("src/notes.types.ts", 120..125).at(7, 12).message("unknown format"))
//!         .help("did you mean `@format email`?"),
//! );
//! assert!(diagnostics.has_errors());
//! assert_eq!(diagnostics.iter().next().unwrap().code.name(), "KIT1302");
//! ```

pub mod codes;
mod diagnostic;
mod json;
mod render;
mod suggest;

pub use codes::{Code, Phase};
pub use diagnostic::{Diagnostic, Diagnostics, Label, Severity};
pub use json::{BuildFailure, Failure};
pub use render::{Frame, Sources, Style, render, render_frame};
pub use suggest::closest;
