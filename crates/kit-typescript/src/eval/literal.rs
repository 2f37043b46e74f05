//! Literal types such as `"a"`, `1` and `-1n`.

use oxc_ast::ast::{Expression, TSLiteral, UnaryOperator};

use super::template::has_half_pair;
use super::types::Literal;
use super::{Evaluator, Ty, TyId};
use crate::modules::Location;

impl<'a> Evaluator<'a> {
    pub(super) fn literal(&mut self, literal: &TSLiteral<'a>, location: Location) -> TyId {
        let value = match literal {
            TSLiteral::BooleanLiteral(literal) => Literal::Boolean(literal.value),
            // A number beyond the range of doubles, such as `1e999`, is `Infinity` in TypeScript too.
            TSLiteral::NumericLiteral(literal) => Literal::number(literal.value),
            TSLiteral::BigIntLiteral(literal) => Literal::BigInt(literal.value.as_str().into()),
            TSLiteral::StringLiteral(literal) if literal.lone_surrogates => {
                return self.half_pair(location);
            }
            TSLiteral::TemplateLiteral(template) if has_half_pair(&template.quasis) => {
                return self.half_pair(location);
            }
            TSLiteral::StringLiteral(literal) => Literal::string(literal.value.as_str()),
            TSLiteral::TemplateLiteral(template) => match template.single_quasi() {
                Some(text) => Literal::string(text.as_str()),
                None => {
                    return self.unsupported(
                        location,
                        "kit cannot read this template",
                        "write a string literal",
                    );
                }
            },
            TSLiteral::UnaryExpression(unary) => match (&unary.operator, &unary.argument) {
                (UnaryOperator::UnaryNegation, Expression::NumericLiteral(literal)) => {
                    Literal::number(-literal.value)
                }
                (UnaryOperator::UnaryPlus, Expression::NumericLiteral(literal)) => {
                    Literal::number(literal.value)
                }
                (UnaryOperator::UnaryNegation, Expression::BigIntLiteral(literal)) => {
                    // A bigint has no negative zero.
                    let sign = if literal.value == "0" { "" } else { "-" };
                    Literal::BigInt(format!("{sign}{}", literal.value).into())
                }
                _ => {
                    return self.unsupported(
                        location,
                        "kit cannot read this literal",
                        "write a plain literal",
                    );
                }
            },
        };
        self.store.add(Ty::Literal(value))
    }
}
