//! Middleware: its names in Rust, and the values that it adds to the context.

use std::collections::BTreeSet;

use kit_ir::{MiddlewareKind, Program};

use crate::names;
use crate::router::{unique, unique_field};

/// A middleware that routes name.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Middleware {
    /// As the contracts' application names it.
    pub(crate) name: String,
    /// `require_auth`
    pub(crate) module: String,
    /// `RequireAuth`
    pub(crate) r#type: String,
    /// Values below `ctx` that entities have as owners.
    pub(crate) adds: Vec<Added>,
}

/// A value that a middleware adds to the context.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Added {
    /// Its path below `ctx`: `user.id`.
    pub(crate) context: String,
    /// Its field in the middleware's type: `user_id`.
    pub(crate) field: String,
}

impl Middleware {
    /// A middleware whose names are none of those of a request's other parts, or of what is imported.
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

/// The values that every middleware of a name adds.
fn added(program: &Program, name: &str) -> Vec<Added> {
    let known = program.application.middleware.iter();
    let mut known = known.filter(|source| source.name == name && source.kind != MiddlewareKind::BuiltIn);
    let mut paths = known.next().map(|source| source.adds.clone()).unwrap_or_default();
    for source in known {
        paths.retain(|path| source.adds.contains(path));
    }
    let mut found: Vec<Added> = Vec::new();
    for context in paths {
        let wanted = names::field(&context.replace('.', "_"));
        let field = names::unique(wanted, |taken| found.iter().any(|known| known.field == taken));
        found.push(Added { context, field });
    }
    found
}
