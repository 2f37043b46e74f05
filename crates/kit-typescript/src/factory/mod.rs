//! Static reading of `createApp({ … })`, without running it.
//!
//! Names are followed to `const`s across files. A computed expression cannot be read: a warning names it, and everything
//! else is still read.

mod app;
mod calls;
mod expression;
mod handlers;
mod middleware;
mod middleware_responses;
mod middleware_tags;

use kit_diagnostics::{Diagnostic, codes};
use oxc_ast::ast::Expression;

use crate::eval::TyId;
use crate::lower::Lowering;
use crate::modules::{Location, ModuleId};

pub(crate) use app::read;
pub(crate) use handlers::HandlerMap;
pub(crate) use middleware::{Entry, chain};
pub(crate) use middleware_tags::MiddlewareTags;

/// An application as registered.
#[derive(Default)]
pub(crate) struct Factory {
    /// Location of the `createApp` call.
    pub(crate) location: Option<Location>,
    pub(crate) groups: Vec<Group>,
    /// Global middleware in the order of registration.
    pub(crate) middleware: Vec<Entry>,
    /// Middleware that is defined, by name and location.
    pub(crate) defined: Vec<(String, Location)>,
    /// True if all route groups could be read, so that a contract group that no entry registers is really not registered.
    pub(crate) complete: bool,
}

/// An element of the `routes` option.
pub(crate) struct Group {
    /// Location of the entry in the list of `createApp`.
    pub(crate) location: Location,
    pub(crate) prefix: Option<(String, Location)>,
    /// Type argument of `defineHandlers`.
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

/// Warns that an expression cannot be read without running the application.
fn warn_computed(lowering: &mut Lowering<'_>, location: Location, what: &str, help: &str) {
    let diagnostic = Diagnostic::warning(
        codes::NOT_STATICALLY_KNOWN,
        format!("{what} cannot be read without running the application"),
    )
    .label(lowering.graph().label(location))
    .help(help);
    lowering.report(diagnostic);
}
