//! Reader of `createApp({ … })` or `declareApi({ … })` in the source text. The application does not run for it.
//!
//! A name is followed to the `const` that declares it, also in other files. An expression that must run to
//! have a value is skipped with a warning.

mod app;
mod call_option;
mod calls;
mod cors;
mod declared_middleware;
mod environment;
mod errors;
mod expression;
mod groups;
mod handlers;
mod jobs;
mod listen;
mod literal;
mod middleware;
mod middleware_responses;
mod middleware_tags;
mod security_headers;

use std::collections::BTreeMap;

use kit_diagnostics::{Diagnostic, codes};
use kit_ir::CorsRules;
use oxc_ast::ast::Expression;

use crate::lower::Lowering;
use crate::modules::{Location, ModuleId};

pub(crate) use app::read;
pub(crate) use groups::Group;
pub(crate) use handlers::HandlerMap;
pub(crate) use jobs::check as check_jobs;
pub(crate) use listen::TLS;
pub(crate) use middleware::{DeclaredWrapper, Entry, chain};
pub(crate) use middleware_tags::MiddlewareTags;
pub(crate) use security_headers::Values as SecurityHeaderValues;

/// Routes and middleware that `createApp` registers or `declareApi` declares.
#[derive(Default)]
pub(crate) struct Factory {
    /// Location of the call of `createApp` or `declareApi`; `None` if there is no call.
    pub(crate) location: Option<Location>,
    /// True if the call is one of `declareApi`: a server that is not written in TypeScript has the handlers.
    pub(crate) is_declared: bool,
    pub(crate) groups: Vec<Group>,
    /// Middleware in the `middleware` option of `createApp`, in the order of the list.
    pub(crate) middleware: Vec<Entry>,
    /// Each middleware that is a constant with a call such as `defineMiddleware`, registered or not.
    pub(crate) defined: Vec<DefinedMiddleware>,
    /// True if all entries of the option `routes` could be read. If so, a group without an entry is certainly
    /// not registered.
    pub(crate) complete: bool,
    /// Location and value of the option `cors`. The value is `None` if a part of it is known only when the
    /// application runs.
    pub(crate) cors: Option<(Location, Option<CorsRules>)>,
    /// Location and value of the option `securityHeaders`, if the option is on. The value is `None` if a part
    /// of it is known only when the application runs.
    pub(crate) security_headers: Option<(Location, Option<SecurityHeaderValues>)>,
    /// The option `errors`, if it is set.
    pub(crate) errors: Option<errors::ReadErrors>,
    /// The calls of `env`, if there are any.
    pub(crate) environment: Option<environment::ReadEnvironment>,
    /// The calls of `createJobs`, if there are any.
    pub(crate) jobs: Option<jobs::ReadJobs>,
    pub(crate) compression: LiteralOption,
    pub(crate) etag: LiteralOption,
    pub(crate) static_files: LiteralOption,
    pub(crate) request_log: LiteralOption,
    pub(crate) csrf: LiteralOption,
    pub(crate) limits: LiteralOption,
    /// The option `tls` of a call of `listen`.
    pub(crate) tls: LiteralOption,
    /// Location and value of each other option, by name. In an object, a property whose value is known only when the
    /// application runs is `null`.
    pub(crate) options: BTreeMap<String, (Location, Option<serde_json::Value>)>,
    /// True if a part of the options could not be read.
    pub(crate) has_unread_options: bool,
}

/// Location and value of an option that consists of literals, if the option is on. The value is `None` if a
/// part of it is known only when the application runs.
pub(crate) type LiteralOption = Option<(Location, Option<serde_json::Value>)>;

impl Factory {
    /// Returns the name of the function that registers the routes.
    pub(crate) fn function(&self) -> &'static str {
        if self.is_declared { DECLARE_API } else { CREATE_APP }
    }
}

/// Function that makes an application with handlers in TypeScript.
pub(crate) const CREATE_APP: &str = "createApp";
/// Function that declares an application whose handlers another server has.
pub(crate) const DECLARE_API: &str = "declareApi";
/// Functions that make a middleware.
pub(crate) const MIDDLEWARE_MAKERS: [&str; 2] = ["defineMiddleware", "declareMiddleware"];
/// Functions that make a wrapper.
pub(crate) const WRAPPER_MAKERS: [&str; 2] = ["defineWrapper", "declareWrapper"];

/// A constant whose value is a call of `defineMiddleware`, `defineWrapper`, `declareMiddleware` or `declareWrapper`.
pub(crate) struct DefinedMiddleware {
    pub(crate) name: String,
    pub(crate) is_wrapper: bool,
    pub(crate) location: Location,
}

/// An expression, with the module in which its names are resolved.
#[derive(Clone, Copy)]
pub(crate) struct Located<'a> {
    pub(crate) module: ModuleId,
    pub(crate) expression: &'a Expression<'a>,
}

/// Warns that the value of an expression is known only when the application runs.
fn warn_computed(lowering: &mut Lowering<'_>, location: Location, what: &str, help: &str) {
    let diagnostic = Diagnostic::warning(
        codes::NOT_STATICALLY_KNOWN,
        format!("{what} cannot be read without running the application"),
    )
    .label(lowering.graph().label(location))
    .help(help);
    lowering.report(diagnostic);
}
