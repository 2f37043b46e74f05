//! Schemas of validation libraries such as zod. Only TypeScript can infer types from them. If TypeScript cannot
//! run, the error suggests to declare the type.

use kit_diagnostics::codes;

use crate::eval::schema_rules::Library;
use crate::eval::{Evaluator, TyId};
use crate::modules::Location;

impl Evaluator<'_> {
    /// Returns an invalid type, with an error about a type that is inferred from a schema of a validation
    /// library.
    pub(super) fn schema_value(&mut self, library: Library, location: Location) -> TyId {
        let message = format!(
            "kit does not infer the type of this schema of `{}`",
            library.name()
        );
        let mut help = String::from(
            "declare the type, and use it instead of the type of the schema: \
             `export interface User { /** @format email */ email: string }`",
        );
        if let Some(example) = library.annotation_example() {
            help.push_str("; TypeScript checks the schema against the type: `");
            help.push_str(example);
            help.push('`');
        }
        let diagnostic = self
            .diagnostic(codes::UNINFERRED_TYPE, location, message)
            .help(help);
        self.needs_typescript(diagnostic, location)
    }
}
