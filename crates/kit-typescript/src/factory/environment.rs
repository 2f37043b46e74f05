//! Reader of the calls `env<AppEnv>()`.

use kit_ir::EnvironmentVariables;

use super::calls::{calls, kit_function};
use crate::eval::TyId;
use crate::lower::Lowering;
use crate::modules::{Location, ModuleId};
use crate::routes::{self, environment_mistake};

/// Type argument of a call of `env`.
pub(crate) struct ReadEnvironment {
    /// Location of the call.
    location: Location,
    variables: TyId,
}

impl ReadEnvironment {
    /// Adds the declaration of the type of the variables.
    pub(crate) fn lower(self, lowering: &mut Lowering<'_>) -> EnvironmentVariables {
        let location = self.location;
        lowering
            .eval
            .start_subject("the type of `env`".to_owned(), location);
        EnvironmentVariables {
            declaration: routes::declaration(lowering, self.variables, "Environment", location),
            span: lowering.span(location),
        }
    }
}

/// Reads all calls of `env` in the modules. Reports a call without a type, and a second type.
pub(super) fn read(lowering: &mut Lowering<'_>, modules: &[ModuleId]) -> Option<ReadEnvironment> {
    let mut first: Option<ReadEnvironment> = None;
    for module in modules {
        for call in calls(lowering, *module) {
            if kit_function(lowering, *module, call) != Some("env") {
                continue;
            }
            let location = Location {
                module: *module,
                span: call.span,
            };
            let arguments = call.type_arguments.as_ref();
            let Some(written) = arguments.and_then(|arguments| arguments.params.first()) else {
                let message = "this call of `env` has no type".to_owned();
                let help = "name the type of the variables: `env<AppEnv>()`";
                environment_mistake(lowering, location, message, help);
                continue;
            };
            let scope = lowering.eval.module_scope(*module);
            lowering.eval.set_location(location);
            let variables = lowering.eval.evaluate(written, scope);
            let variables = lowering.eval.without_laziness(variables);
            match &first {
                None => first = Some(ReadEnvironment { location, variables }),
                Some(earlier) if earlier.variables == variables => {}
                Some(earlier) => {
                    let (ours, theirs) = (
                        lowering.eval.text(variables),
                        lowering.eval.text(earlier.variables),
                    );
                    let message =
                        format!("`env` is called with the type `{ours}`, and before with `{theirs}`");
                    let help = "put all variables into one interface, and share the result of one call";
                    environment_mistake(lowering, location, message, help);
                }
            }
        }
    }
    first
}
