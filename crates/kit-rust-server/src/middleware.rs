//! Names of middleware in Rust, the values that middleware adds to the context, and the replies of wrappers.

use std::collections::BTreeSet;

use kit_ir::{DeclaredReply, MiddlewareKind, Program, Route};

use crate::names;
use crate::names_by_status::ReplyNames;

/// Middleware that routes use.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Middleware {
    /// Name of the middleware in the contracts: `requireAuth`.
    pub(crate) name: String,
    /// Name of the generated Rust module: `require_auth`.
    pub(crate) module: String,
    /// Name of the generated Rust type: `RequireAuth`.
    pub(crate) r#type: String,
    /// Values that the middleware adds below `ctx` and that `@owner` of an entity names.
    pub(crate) adds: Vec<ContextValue>,
    /// Replies of the middleware. `None` if the middleware is not a wrapper.
    pub(crate) wrapper: Option<WrapperReplies>,
}

/// Replies of a wrapper. A wrapper may declare no replies.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct WrapperReplies {
    /// Replies that the wrapper declares. They are equal in all routes that the wrapper is part of.
    pub(crate) declared: Vec<DeclaredReply>,
    /// Name of the generated Rust enum for the replies: `TimedReply`. `None` if the wrapper declares no
    /// replies.
    pub(crate) name: Option<String>,
    /// Names of the Rust enums for the events of the replies.
    pub(crate) bodies: ReplyNames,
}

/// A value that a middleware adds below `ctx`.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct ContextValue {
    /// Path of the value below `ctx`: `user.id`.
    pub(crate) context: String,
    /// Field of the value in the middleware's type: `user_id`.
    pub(crate) field: String,
}

impl Middleware {
    /// Creates a middleware. Chooses names for its module and its type that no other part of a request and no
    /// import has.
    pub(crate) fn new(
        program: &Program,
        route: &Route,
        name: &str,
        taken: &mut BTreeSet<String>,
        modules: &mut BTreeSet<String>,
    ) -> Self {
        const PARTS: [&str; 11] = [
            "answer",
            "app",
            "body",
            "context",
            "handler_context",
            "input",
            "middleware",
            "params",
            "query",
            "request",
            "socket",
        ];
        let plain = names::plain_field(name);
        let wanted = if PARTS.contains(&plain.as_str()) {
            format!("{plain}_middleware")
        } else {
            plain
        };
        let module = names::unique_field(&wanted, modules);
        let r#type = names::unique_type(names::type_name(&names::variant(name)), taken);
        let wrapper = declared_by_wrapper(route, name).map(|declared| WrapperReplies {
            declared: declared.to_owned(),
            name: (!declared.is_empty()).then(|| names::unique_type(format!("{type}Reply"), taken)),
            bodies: ReplyNames::new(declared, &r#type, taken),
        });
        Self {
            name: name.to_owned(),
            module,
            r#type,
            adds: context_values(program, name),
            wrapper,
        }
    }

    /// Returns true if the route's middleware of this name is a wrapper with the same replies, or if both are
    /// plain middleware. One Rust type can implement both only in this case.
    pub(crate) fn is_that_of(&self, route: &Route) -> bool {
        let own = self.wrapper.as_ref().map(|wrapper| wrapper.declared.as_slice());
        own == declared_by_wrapper(route, &self.name)
    }
}

/// Returns the replies of a wrapper in the contract of a route. Returns `None` if the middleware is not a wrapper.
fn declared_by_wrapper<'r>(route: &'r Route, name: &str) -> Option<&'r [DeclaredReply]> {
    let wrapper = route.wrappers.iter().find(|wrapper| wrapper.name == name);
    wrapper.map(|wrapper| wrapper.replies.as_slice())
}

/// Returns the values that middleware with this name adds below `ctx`. If several middleware have this name,
/// returns only the values that all of them add.
fn context_values(program: &Program, name: &str) -> Vec<ContextValue> {
    let known = program.application.middleware.iter();
    let mut known = known.filter(|source| source.name == name && source.kind != MiddlewareKind::BuiltIn);
    let mut paths = known
        .next()
        .map(|source| source.added_context.clone())
        .unwrap_or_default();
    for source in known {
        paths.retain(|path| source.added_context.contains(path));
    }
    let mut found: Vec<ContextValue> = Vec::new();
    for context in paths {
        let wanted = names::field(&context.replace('.', "_"));
        let field = names::unique(wanted, |taken| found.iter().any(|known| known.field == taken));
        found.push(ContextValue { context, field });
    }
    found
}
