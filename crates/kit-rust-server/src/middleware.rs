//! Names of middleware in Rust, and the values that middleware adds to the context.

use std::collections::BTreeSet;

use kit_ir::{MiddlewareKind, Program};

use crate::names;
use crate::router::{unique, unique_field};

/// Middleware that routes use.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Middleware {
    /// Name in the application's contracts.
    pub(crate) name: String,
    /// Name of the module: `require_auth`.
    pub(crate) module: String,
    /// Name of the type: `RequireAuth`.
    pub(crate) r#type: String,
    /// Values below `ctx` that entities use as owners.
    pub(crate) adds: Vec<Added>,
}

/// A value that a middleware adds to the context.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Added {
    /// Path below `ctx`: `user.id`.
    pub(crate) context: String,
    /// Field in the middleware's type: `user_id`.
    pub(crate) field: String,
}

impl Middleware {
    /// Creates a middleware with names that differ from other parts of a request and from imported names.
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
        let module = unique_field(&wanted, modules);
        Self {
            name: name.to_owned(),
            module,
            r#type: unique(names::type_name(&names::variant(name)), taken),
            adds: added(program, name),
        }
    }
}

/// Returns the values that every middleware with this name adds.
fn added(program: &Program, name: &str) -> Vec<Added> {
    let known = program.application.middleware.iter();
    let mut known = known.filter(|source| source.name == name && source.kind != MiddlewareKind::BuiltIn);
    let mut paths = known
        .next()
        .map(|source| source.added_context.clone())
        .unwrap_or_default();
    for source in known {
        paths.retain(|path| source.added_context.contains(path));
    }
    let mut found: Vec<Added> = Vec::new();
    for context in paths {
        let wanted = names::field(&context.replace('.', "_"));
        let field = names::unique(wanted, |taken| found.iter().any(|known| known.field == taken));
        found.push(Added { context, field });
    }
    found
}
