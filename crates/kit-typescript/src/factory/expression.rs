//! Values of expressions that can be read without running the application: literals, and the constants that
//! contain them.

use std::borrow::Cow;

use oxc_ast::ast::{
    ArrayExpressionElement, BinaryOperator, Expression, Function, ObjectProperty, ObjectPropertyKind,
    UnaryOperator,
};
use oxc_span::GetSpan;

use super::{Located, warn_computed};
use crate::lower::Lowering;
use crate::modules::{Location, ModuleId, Symbol, Value};

/// Maximum number of constants that refer to each other in a chain. A longer chain is a cycle.
pub(super) const MAX_CHAIN: usize = 100;

/// Result of following an expression through constants.
pub(super) enum Resolved<'a> {
    /// An expression other than a name, with the name of the last constant that led to it, if any.
    Expression(Located<'a>, Option<&'a str>),
    /// A function declaration, with its module.
    Function(ModuleId, &'a Function<'a>),
    /// An expression whose value is known only when the application runs, with the name of the last constant
    /// that led to it.
    Unknown(Option<&'a str>),
}

impl<'a> Located<'a> {
    pub(super) fn location(&self) -> Location {
        Location {
            module: self.module,
            span: self.expression.span(),
        }
    }

    pub(super) fn with(&self, expression: &'a Expression<'a>) -> Self {
        Self {
            module: self.module,
            expression,
        }
    }
}

/// Replaces the name of a constant by the value of the constant, repeatedly. Ignores parentheses and type
/// assertions.
pub(super) fn follow<'a>(lowering: &mut Lowering<'a>, located: Located<'a>) -> Resolved<'a> {
    let mut current = located;
    let mut name = None;
    for _ in 0..MAX_CHAIN {
        current.expression = current.expression.get_inner_expression();
        let Expression::Identifier(identifier) = current.expression else {
            return Resolved::Expression(current, name);
        };
        match lowering
            .eval
            .graph
            .value_symbol(current.module, identifier.name.as_str())
        {
            Symbol::Value(module, declared, Value::Const(declarator)) => {
                let Some(init) = &declarator.init else {
                    return Resolved::Unknown(Some(declared));
                };
                name = Some(declared);
                current = Located {
                    module,
                    expression: init,
                };
            }
            Symbol::Value(module, _, Value::Default(expression)) => {
                current = Located { module, expression };
            }
            Symbol::Value(module, _, Value::Function(function)) => {
                return Resolved::Function(module, function);
            }
            _ => return Resolved::Unknown(Some(identifier.name.as_str())),
        }
    }
    Resolved::Unknown(name)
}

/// Returns the value of a string literal. Returns `None` if the expression is not a string literal.
pub(super) fn string<'a>(lowering: &mut Lowering<'a>, located: Located<'a>) -> Option<Cow<'a, str>> {
    match follow(lowering, located) {
        Resolved::Expression(found, _) => match found.expression {
            Expression::StringLiteral(literal) => Some(Cow::Borrowed(literal.value.as_str())),
            Expression::TemplateLiteral(template) => {
                template.single_quasi().map(|text| Cow::Owned(text.to_string()))
            }
            _ => None,
        },
        _ => None,
    }
}

/// Returns the value of a boolean literal. Returns `None` if the expression is not a boolean literal.
pub(super) fn boolean<'a>(lowering: &mut Lowering<'a>, located: Located<'a>) -> Option<bool> {
    let Resolved::Expression(found, _) = follow(lowering, located) else {
        return None;
    };
    match found.expression {
        Expression::BooleanLiteral(literal) => Some(literal.value),
        _ => None,
    }
}

/// Returns the value of a number such as `5 * 1024`. Returns `None` if the expression has parts other than
/// numeric literals, constants and arithmetic.
pub(super) fn number<'a>(lowering: &mut Lowering<'a>, located: Located<'a>) -> Option<f64> {
    nested_number(lowering, located, 0).filter(|number| number.is_finite())
}

fn nested_number<'a>(lowering: &mut Lowering<'a>, located: Located<'a>, depth: usize) -> Option<f64> {
    let Resolved::Expression(found, _) = follow(lowering, located) else {
        return None;
    };
    match found.expression {
        Expression::NumericLiteral(literal) => Some(literal.value),
        Expression::UnaryExpression(unary)
            if depth < MAX_CHAIN && unary.operator == UnaryOperator::UnaryNegation =>
        {
            nested_number(lowering, found.with(&unary.argument), depth + 1).map(|number| -number)
        }
        Expression::BinaryExpression(binary) if depth < MAX_CHAIN => {
            let left = nested_number(lowering, found.with(&binary.left), depth + 1)?;
            let right = nested_number(lowering, found.with(&binary.right), depth + 1)?;
            match binary.operator {
                BinaryOperator::Addition => Some(left + right),
                BinaryOperator::Subtraction => Some(left - right),
                BinaryOperator::Multiplication => Some(left * right),
                BinaryOperator::Division => Some(left / right),
                BinaryOperator::Exponential => Some(left.powf(right)),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Returns the elements of an array literal, including the elements of arrays that are spread into it. The
/// flag is true if all elements could be read. `what` names the list in warnings about the elements that
/// could not be read.
pub(super) fn elements<'a>(
    lowering: &mut Lowering<'a>,
    located: Located<'a>,
    what: &str,
) -> (Vec<Located<'a>>, bool) {
    nested_elements(lowering, located, what, 0)
}

fn nested_elements<'a>(
    lowering: &mut Lowering<'a>,
    located: Located<'a>,
    what: &str,
    depth: usize,
) -> (Vec<Located<'a>>, bool) {
    let help = "write the elements in an array literal, or in a constant with an array literal";
    let array = match follow(lowering, located) {
        Resolved::Expression(found, _) if depth < MAX_CHAIN => match found.expression {
            Expression::ArrayExpression(array) => Some((found, array)),
            _ => None,
        },
        _ => None,
    };
    let Some((found, array)) = array else {
        warn_computed(lowering, located.location(), what, help);
        return (Vec::new(), false);
    };
    let (mut all, mut complete) = (Vec::new(), true);
    for element in &array.elements {
        match element {
            ArrayExpressionElement::SpreadElement(spread) => {
                let (inner, seen) = nested_elements(lowering, found.with(&spread.argument), what, depth + 1);
                all.extend(inner);
                complete &= seen;
            }
            element => all.extend(element.as_expression().map(|expression| found.with(expression))),
        }
    }
    (all, complete)
}

/// Returns the properties of an object literal, including the properties of objects that are spread into it.
/// If two properties have the same name, returns the later one. The flag is true if all properties could be
/// read.
pub(super) fn properties<'a>(
    lowering: &mut Lowering<'a>,
    located: Located<'a>,
    what: &str,
) -> Option<(Vec<Member<'a>>, bool)> {
    nested_properties(lowering, located, what, 0)
}

/// A property of an object literal.
pub(super) struct Member<'a> {
    pub(super) name: String,
    pub(super) property: &'a ObjectProperty<'a>,
    pub(super) value: Located<'a>,
}

impl Member<'_> {
    /// Returns the location of the key.
    pub(super) fn location(&self) -> Location {
        Location {
            module: self.value.module,
            span: self.property.key.span(),
        }
    }
}

fn nested_properties<'a>(
    lowering: &mut Lowering<'a>,
    located: Located<'a>,
    what: &str,
    depth: usize,
) -> Option<(Vec<Member<'a>>, bool)> {
    let Resolved::Expression(found, _) = follow(lowering, located) else {
        return None;
    };
    let Expression::ObjectExpression(object) = found.expression else {
        return None;
    };
    let help = "write each property in the object literal by its name, without `[…]` and `...`";
    let (mut members, mut complete): (Vec<Member<'a>>, bool) = (Vec::new(), true);
    for property in &object.properties {
        match property {
            ObjectPropertyKind::ObjectProperty(property) => {
                let Some(name) = property.key.static_name() else {
                    let location = Location {
                        module: found.module,
                        span: property.key.span(),
                    };
                    warn_computed(lowering, location, &format!("a property name of {what}"), help);
                    complete = false;
                    continue;
                };
                let member = Member {
                    name: name.into_owned(),
                    property,
                    value: found.with(&property.value),
                };
                replace(&mut members, member);
            }
            ObjectPropertyKind::SpreadProperty(spread) => {
                let inner = found.with(&spread.argument);
                let nested = if depth < MAX_CHAIN {
                    nested_properties(lowering, inner, what, depth + 1)
                } else {
                    None
                };
                if let Some((nested, seen)) = nested {
                    for member in nested {
                        replace(&mut members, member);
                    }
                    complete &= seen;
                } else {
                    warn_computed(lowering, inner.location(), &format!("a part of {what}"), help);
                    complete = false;
                }
            }
        }
    }
    Some((members, complete))
}

fn replace<'a>(members: &mut Vec<Member<'a>>, member: Member<'a>) {
    match members.iter_mut().find(|known| known.name == member.name) {
        Some(known) => *known = member,
        None => members.push(member),
    }
}
