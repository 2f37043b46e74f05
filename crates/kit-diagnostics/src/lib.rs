//! What kit tells a person who made a mistake: a stable code, a message, labelled places in their source, notes, help.
//!
//! Where it stands: at the bottom. Every phase of the compiler is `input -> (output, Diagnostics)`, never stops at its
//! first error, and knows nothing of terminals. Only the command line renders, by [`render`] for people and
//! [`BuildFailure`] for programs.
//!
//! Invariants:
//! - Every diagnostic has a [`Code`] of the one registry in `codes.rs`; a code never changes its meaning.
//! - A message says what was found, help says what to do. Help shows the code to write wherever it can.
//! - Order is deterministic: [`Diagnostics::sort`] orders by file, position and code, causes first.
//!
//! ```
//! use kit_diagnostics::{codes, Diagnostic, Diagnostics, Label};
//!
//! let mut diagnostics = Diagnostics::default();
//! diagnostics.push(
//!     Diagnostic::new(codes::UNKNOWN_FORMAT, "`@format emial` names no known format")
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
pub use render::{Finding, Sources, Style, draw, render};
pub use suggest::closest;
