//! What `createApp({ … })` says, read without running it.
//!
//! Names are followed to `const`s across files. What is computed cannot be seen: it is a warning that names it, and
//! everything else is still read.

mod about;
mod answers;
mod app;
mod calls;
mod expression;
mod handlers;
mod middleware;

use kit_diagnostics::{Diagnostic, codes};
use oxc_ast::ast::Expression;

use crate::eval::TyId;
use crate::lower::Lowering;
use crate::modules::{ModuleId, Place};

pub(crate) use about::About;
pub(crate) use app::read;
pub(crate) use handlers::HandlerMap;
pub(crate) use middleware::{Entry, chain};

/// The application as registered.
#[derive(Default)]
pub(crate) struct Factory {
    /// Where `createApp` is called.
    pub(crate) place: Option<Place>,
    pub(crate) groups: Vec<Group>,
    /// Global middleware in order of registration.
    pub(crate) middleware: Vec<Entry>,
    /// Middleware that is defined, by name and place.
    pub(crate) defined: Vec<(String, Place)>,
    /// Whether every route group was seen, so that what is missing is missing.
    pub(crate) complete: bool,
}

/// An element of the `routes` option.
pub(crate) struct Group {
    /// The entry in the list of `createApp`.
    pub(crate) place: Place,
    pub(crate) prefix: Option<(String, Place)>,
    /// The type argument of `defineHandlers`.
    pub(crate) contracts: TyId,
    pub(crate) handlers: HandlerMap,
    pub(crate) middleware: Vec<Entry>,
}

/// An expression with the module whose names it uses.
#[derive(Clone, Copy)]
pub(crate) struct Located<'a> {
    pub(crate) module: ModuleId,
    pub(crate) expression: &'a Expression<'a>,
}

/// A warning that something cannot be read without running it.
fn computed(lowering: &mut Lowering<'_>, place: Place, what: &str, help: &str) {
    let diagnostic = Diagnostic::warning(
        codes::NOT_STATICALLY_KNOWN,
        format!("{what} cannot be read without running the application"),
    )
    .label(lowering.graph().label(place))
    .help(help);
    lowering.report(diagnostic);
}
