//! Names of middleware in Rust, and the values that middleware adds to the context.

use std::collections::BTreeSet;

use kit_ir::{MiddlewareKind, Program};

use crate::names;

/// Middleware that routes use.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Middleware {
    /// Name of the middleware in the contracts: `requireAuth`.
    pub(crate) name: String,
    /// Name of its Rust module: `require_auth`.
    pub(crate) module: String,
    /// Name of its Rust type: `RequireAuth`.
    pub(crate) r#type: String,
    /// Values that it adds below `ctx` and that entities use as owners.
    pub(crate) adds: Vec<ContextValue>,
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
    /// Creates a middleware. Its module and type get names that no other part of a request and no import has.
    pub(crate) fn new(
        program: &Program,
        name: &str,
        taken: &mut BTreeSet<String>,
        modules: &mut BTreeSet<String>,
    ) -> Self {
        const PARTS: [&str; 9] = [
            "answer",
            "app",
            "body",
            "context",
            "input",
            "middleware",
            "params",
            "query",
            "request",
        ];
        let plain = names::plain_field(name);
        let wanted = if PARTS.contains(&plain.as_str()) {
            format!("{plain}_middleware")
        } else {
            plain
        };
        let module = names::unique_field(&wanted, modules);
        Self {
            name: name.to_owned(),
            module,
            r#type: names::unique_type(names::type_name(&names::variant(name)), taken),
            adds: context_values(program, name),
        }
    }
}

/// Returns the values that middleware with this name adds. If several have the name, only values that all of them
/// add.
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
