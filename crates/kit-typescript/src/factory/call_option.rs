//! Options of the calls that create middleware, such as `header` in `apiKeys({ header: "x-token", … })`.

use oxc_ast::ast::{Expression, ObjectPropertyKind};

use super::Located;
use super::expression::{Resolved, follow, string};
use crate::eval::Ty;
use crate::lower::Lowering;
use crate::modules::Location;

/// Maximum number of calls and spread objects between the middleware and the option.
const MAX_DEPTH: usize = 10;

/// Value of an option of a call.
#[derive(Debug, PartialEq)]
pub(super) enum CallOption {
    /// The call does not set the option.
    Absent,
    Text(String),
    /// Only the running application knows the value.
    Unknown(Location),
}

/// Returns an option of the call that creates a middleware. The first argument is an object with the option, or an object
/// that another function has made with the option: for `sessionAuth(createSessions({ cookie: "__Host-app" }))`, returns the
/// option `cookie` of `createSessions`. If the first parameter of a function has the option itself, and its argument is the
/// result of another call, as in `apiKeys(optionsOf(environment))`, only the running application knows the option.
pub(super) fn read<'a>(lowering: &mut Lowering<'a>, call: Located<'a>, name: &str) -> CallOption {
    let mut current = call;
    for depth in 0..MAX_DEPTH {
        let Expression::CallExpression(called) = current.expression.get_inner_expression() else {
            return CallOption::Unknown(current.location());
        };
        let has_option = first_parameter_has(lowering, current.with(&called.callee), name);
        let Some(argument) = called.arguments.first() else {
            return if depth == 0 || has_option {
                CallOption::Absent
            } else {
                CallOption::Unknown(current.location())
            };
        };
        let Some(argument) = argument.as_expression() else {
            return CallOption::Unknown(current.location());
        };
        let located = current.with(argument);
        current = match follow(lowering, located) {
            Resolved::Expression(found, _) => match found.expression {
                Expression::ObjectExpression(_) if depth == 0 || has_option => {
                    return in_object(lowering, found, name, 0).unwrap_or(CallOption::Absent);
                }
                _ if has_option => return CallOption::Unknown(located.location()),
                _ => found,
            },
            _ => return CallOption::Unknown(located.location()),
        };
    }
    CallOption::Unknown(call.location())
}

/// Returns true if the type of the first parameter of a function has a property with the name. Returns false for a function
/// that is not declared in a file, and for a parameter without a type.
fn first_parameter_has<'a>(lowering: &mut Lowering<'a>, callee: Located<'a>, name: &str) -> bool {
    let (module, parameters, type_parameters) = match follow(lowering, callee) {
        Resolved::Function(module, function) => {
            (module, &function.params, function.type_parameters.as_deref())
        }
        Resolved::Expression(found, _) => match found.expression {
            Expression::ArrowFunctionExpression(function) => (
                found.module,
                &function.params,
                function.type_parameters.as_deref(),
            ),
            Expression::FunctionExpression(function) => (
                found.module,
                &function.params,
                function.type_parameters.as_deref(),
            ),
            _ => return false,
        },
        Resolved::Unknown(_) => return false,
    };
    let Some(annotation) = parameters
        .items
        .first()
        .and_then(|parameter| parameter.type_annotation.as_ref())
    else {
        return false;
    };
    let eval = &mut lowering.eval;
    let outer = eval.module_scope(module);
    let scope = eval.constraint_scope(type_parameters, outer);
    let declared = eval.store.lazy(&annotation.type_annotation, scope);
    let shape = eval.shape(declared);
    let members = match eval.store.get(shape) {
        Ty::Union(members) => members.to_vec(),
        _ => vec![shape],
    };
    members.into_iter().any(|member| {
        let shape = eval.shape(member);
        matches!(*eval.store.get(shape), Ty::Object(object)
            if eval.store.object_at(object).property(name).is_some())
    })
}

/// Returns a property of an object literal, which may contain spread objects. The last property with the name counts.
/// Returns `None` if there is no such property.
fn in_object<'a>(
    lowering: &mut Lowering<'a>,
    located: Located<'a>,
    name: &str,
    depth: usize,
) -> Option<CallOption> {
    let Resolved::Expression(found, _) = follow(lowering, located) else {
        return Some(CallOption::Unknown(located.location()));
    };
    let object = match found.expression {
        Expression::ObjectExpression(object) if depth < MAX_DEPTH => object,
        _ => return Some(CallOption::Unknown(located.location())),
    };
    object
        .properties
        .iter()
        .rev()
        .find_map(|property| match property {
            ObjectPropertyKind::SpreadProperty(spread) => {
                in_object(lowering, found.with(&spread.argument), name, depth + 1)
            }
            ObjectPropertyKind::ObjectProperty(property) => {
                let value = found.with(&property.value);
                match property.key.static_name() {
                    Some(key) if key != name => None,
                    Some(_) => Some(match string(lowering, value) {
                        Some(text) => CallOption::Text(text.into_owned()),
                        None => CallOption::Unknown(value.location()),
                    }),
                    // The name of the property could be the name of the option.
                    None => Some(CallOption::Unknown(value.location())),
                }
            }
        })
}
