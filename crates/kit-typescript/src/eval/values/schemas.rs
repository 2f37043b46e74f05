//! Schemas of validation libraries such as zod. Only TypeScript can infer types from them. If TypeScript cannot
//! run, the error suggests to declare the type.

use kit_diagnostics::codes;
use oxc_ast::ast::Expression;

use crate::eval::{Evaluator, ScopeId, TyId};
use crate::modules::Location;

/// A validation library.
#[derive(Clone, Copy)]
pub(super) struct Library {
    package: &'static str,
    /// Example of code that checks a schema against a declared type. Empty if the library cannot check this.
    annotation_example: &'static str,
}

/// Validation libraries that kit recognizes. A subpath such as `zod/v4` belongs to its package.
const LIBRARIES: [Library; 8] = [
    Library::new("zod", "const user: z.ZodType<User> = z.object({ … })"),
    Library::new("valibot", "const user: v.GenericSchema<User> = v.object({ … })"),
    Library::new("yup", "const user: yup.ObjectSchema<User> = yup.object({ … })"),
    Library::new("effect", "const user: Schema.Schema<User> = Schema.Struct({ … })"),
    Library::new("arktype", ""),
    Library::new("io-ts", ""),
    Library::new("@sinclair/typebox", ""),
    Library::new("typebox", ""),
];

impl Library {
    const fn new(package: &'static str, annotation_example: &'static str) -> Self {
        Self {
            package,
            annotation_example,
        }
    }

    fn of(specifier: &str) -> Option<Self> {
        LIBRARIES.into_iter().find(|library| {
            let rest = specifier.strip_prefix(library.package);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    }
}

impl<'a> Evaluator<'a> {
    /// Returns the validation library of a called function, such as zod for `z.object(…).strict`. Returns
    /// `None` for any other function.
    pub(super) fn schema_library(&self, callee: &'a Expression<'a>, scope: ScopeId) -> Option<Library> {
        let mut current = callee;
        loop {
            match current.get_inner_expression() {
                Expression::StaticMemberExpression(member) => current = &member.object,
                Expression::CallExpression(call) => current = &call.callee,
                Expression::Identifier(name) => {
                    let module = self.graph.module(self.store.module_of(scope));
                    return Library::of(module.imported_from(name.name.as_str())?);
                }
                _ => return None,
            }
        }
    }

    /// Returns an invalid type, with an error about a type that is inferred from a schema of a validation
    /// library.
    pub(super) fn schema_value(&mut self, library: Library, location: Location) -> TyId {
        let Library {
            package,
            annotation_example,
        } = library;
        let message = format!("kit does not infer the type of this schema of `{package}`");
        let mut help = String::from(
            "declare the type, and use it instead of the type of the schema: \
             `export interface User { /** @format email */ email: string }`",
        );
        if !annotation_example.is_empty() {
            help.push_str("; TypeScript checks the schema against the type: `");
            help.push_str(annotation_example);
            help.push('`');
        }
        let diagnostic = self
            .diagnostic(codes::UNINFERRED_TYPE, location, message)
            .help(help);
        self.needs_typescript(diagnostic, location)
    }
}
