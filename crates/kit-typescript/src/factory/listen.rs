//! Reader of the option `tls` of calls such as `app.listen({ port, tls: { cert, key } })`.
//!
//! The reader reports nothing: only files for the deployment and `kit doctor` need the option.

use oxc_ast::ast::{CallExpression, Expression, ObjectPropertyKind};

use super::expression::{MAX_CHAIN, Resolved, follow};
use super::{LiteralOption, Located, literal};
use crate::lower::Lowering;
use crate::modules::ModuleId;

/// Name of the option. Each file with a call that has the option contains this text.
pub(crate) const TLS: &str = "tls";

/// Returns the option `tls` of a call of a method `listen`. Returns `None` for other calls and for calls without the option.
///
/// The object of the method does not matter, because it is often a parameter, and servers of Node do not have this option.
pub(super) fn tls<'a>(
    lowering: &mut Lowering<'a>,
    module: ModuleId,
    call: &'a CallExpression<'a>,
) -> LiteralOption {
    let Expression::StaticMemberExpression(member) = &call.callee else {
        return None;
    };
    if member.property.name != "listen" {
        return None;
    }
    let expression = call.arguments.first()?.as_expression()?;
    let option = find(lowering, Located { module, expression }, 0)?;
    let value = chosen(lowering, option, 0)?;
    let read = literal::read_members(lowering, value).filter(serde_json::Value::is_object);
    Some((option.location(), read))
}

/// Returns the value of the property `tls` of an object, or of an object that is spread into it, perhaps on a condition.
fn find<'a>(lowering: &mut Lowering<'a>, options: Located<'a>, depth: usize) -> Option<Located<'a>> {
    if depth >= MAX_CHAIN {
        return None;
    }
    let Resolved::Expression(found, _) = follow(lowering, options) else {
        return None;
    };
    match found.expression {
        Expression::ObjectExpression(object) => {
            // The last property with the name has the value.
            object
                .properties
                .iter()
                .rev()
                .find_map(|property| match property {
                    ObjectPropertyKind::ObjectProperty(property) => {
                        (property.key.static_name()? == TLS).then(|| found.with(&property.value))
                    }
                    ObjectPropertyKind::SpreadProperty(spread) => {
                        find(lowering, found.with(&spread.argument), depth + 1)
                    }
                })
        }
        Expression::ConditionalExpression(choice) => {
            find(lowering, found.with(&choice.consequent), depth + 1)
                .or_else(|| find(lowering, found.with(&choice.alternate), depth + 1))
        }
        Expression::LogicalExpression(both) => find(lowering, found.with(&both.right), depth + 1),
        _ => None,
    }
}

/// Returns the value that turns TLS on: the other branch of `production ? files : undefined`. Returns `None` if the value is
/// `undefined`.
fn chosen<'a>(lowering: &mut Lowering<'a>, value: Located<'a>, depth: usize) -> Option<Located<'a>> {
    if depth >= MAX_CHAIN {
        return None;
    }
    let found = match follow(lowering, value) {
        Resolved::Expression(found, _) => found,
        Resolved::Unknown(Some("undefined")) => return None,
        Resolved::Unknown(_) | Resolved::Function(..) => return Some(value),
    };
    match found.expression {
        Expression::ConditionalExpression(choice) => {
            chosen(lowering, found.with(&choice.consequent), depth + 1)
                .or_else(|| chosen(lowering, found.with(&choice.alternate), depth + 1))
        }
        _ => Some(found),
    }
}
