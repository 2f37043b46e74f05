//! Options of the calls that create middleware, such as `header` in `apiKeys({ header: "x-token", … })`.

use oxc_ast::ast::{Expression, ObjectPropertyKind};

use super::Located;
use super::expression::{Resolved, follow, string};
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

/// Returns an option of a call. The options are the first argument: an object, or the result of another call, which has the
/// option. For `sessionAuth(createSessions({ cookie: "__Host-app" }))`, returns the option `cookie` of `createSessions`.
pub(super) fn read<'a>(lowering: &mut Lowering<'a>, call: Located<'a>, name: &str) -> CallOption {
    let mut current = call;
    for _ in 0..MAX_DEPTH {
        let argument = match current.expression.get_inner_expression() {
            Expression::CallExpression(call) => call.arguments.first(),
            Expression::ObjectExpression(_) => {
                let found = in_object(lowering, current, name, 0);
                return found.unwrap_or(CallOption::Absent);
            }
            _ => return CallOption::Unknown(current.location()),
        };
        let Some(argument) = argument else {
            return CallOption::Absent;
        };
        let Some(argument) = argument.as_expression() else {
            return CallOption::Unknown(current.location());
        };
        let located = current.with(argument);
        match follow(lowering, located) {
            Resolved::Expression(found, _) => current = found,
            _ => return CallOption::Unknown(located.location()),
        }
    }
    CallOption::Unknown(call.location())
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
