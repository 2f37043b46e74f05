//! Reader of the option `cors` of `createApp`.
//!
//! The reader reports nothing: only a generated Rust server needs a value that the compiler can read. The origins may be
//! in a variable of `env`, whose value the Rust server reads when it starts.

use kit_ir::CorsRules;
use oxc_ast::ast::{ArrayExpressionElement, Expression, ObjectPropertyKind};

use super::Located;
use super::calls::kit_function;
use super::expression::{MAX_CHAIN, Resolved, boolean, follow, number, string};
use crate::lower::Lowering;

/// Returns the value of the option `cors`. Returns `None` if a part of the value is known only when the
/// application runs.
pub(super) fn read<'a>(lowering: &mut Lowering<'a>, option: Located<'a>) -> Option<CorsRules> {
    let Resolved::Expression(found, _) = follow(lowering, option) else {
        return None;
    };
    let Expression::ObjectExpression(object) = found.expression else {
        return None;
    };
    let mut rules = CorsRules::default();
    let mut has_origins = false;
    for property in &object.properties {
        let ObjectPropertyKind::ObjectProperty(property) = property else {
            return None;
        };
        let name = property.key.static_name()?;
        let value = found.with(&property.value);
        match name.as_ref() {
            "origins" => {
                has_origins = true;
                rules.origins = match string(lowering, value) {
                    Some(any) if any == "*" => None,
                    Some(_) => return None,
                    None => {
                        let listed = strings(lowering, value, 0);
                        if listed.is_none() {
                            rules.origins_variable = Some(variable(lowering, value)?);
                        }
                        Some(listed.unwrap_or_default())
                    }
                };
            }
            "credentials" => rules.credentials = boolean(lowering, value)?,
            "allowedHeaders" => rules.allowed_headers = Some(strings(lowering, value, 0)?),
            "exposedHeaders" => rules.exposed_headers = strings(lowering, value, 0)?,
            "maxAgeSeconds" => {
                let seconds = number(lowering, value)?;
                let is_whole = (0.0..=f64::from(u32::MAX)).contains(&seconds) && seconds.fract() == 0.0;
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "the number is whole and in the range"
                )]
                let seconds = is_whole.then_some(seconds as u32)?;
                rules.max_age_seconds = Some(seconds);
            }
            _ => return None,
        }
    }
    has_origins.then_some(rules)
}

/// Returns the name of an environment variable: `WEB_ORIGINS` for `environment.WEB_ORIGINS`, if `environment` is the result of
/// `await env<…>()`.
fn variable<'a>(lowering: &mut Lowering<'a>, located: Located<'a>) -> Option<String> {
    let Resolved::Expression(found, _) = follow(lowering, located) else {
        return None;
    };
    let Expression::StaticMemberExpression(member) = found.expression else {
        return None;
    };
    let Resolved::Expression(object, _) = follow(lowering, found.with(&member.object)) else {
        return None;
    };
    let Expression::AwaitExpression(awaited) = object.expression else {
        return None;
    };
    let Expression::CallExpression(call) = awaited.argument.get_inner_expression() else {
        return None;
    };
    let is_env = kit_function(lowering, object.module, call) == Some("env");
    is_env.then(|| member.property.name.to_string())
}

/// Returns the strings of an array literal, including the strings of arrays that are spread into it. `depth`
/// is the number of arrays that enclose the literal. It has a maximum, because an array may spread itself.
fn strings<'a>(lowering: &mut Lowering<'a>, located: Located<'a>, depth: usize) -> Option<Vec<String>> {
    if depth >= MAX_CHAIN {
        return None;
    }
    let Resolved::Expression(found, _) = follow(lowering, located) else {
        return None;
    };
    let Expression::ArrayExpression(array) = found.expression else {
        return None;
    };
    let mut list = Vec::new();
    for element in &array.elements {
        if let ArrayExpressionElement::SpreadElement(spread) = element {
            list.extend(strings(lowering, found.with(&spread.argument), depth + 1)?);
        } else {
            let text = string(lowering, found.with(element.as_expression()?))?;
            list.push(text.into_owned());
        }
    }
    Some(list)
}
