//! Literal and template literal types.

use oxc_ast::ast::{Expression, TSLiteral, TSTemplateLiteralType, UnaryOperator};
use oxc_span::GetSpan;

use super::types::{Literal, Part};
use super::{Evaluator, ScopeId, Ty, TyId};
use crate::modules::Place;

impl<'a> Evaluator<'a> {
    pub(super) fn literal(&mut self, literal: &TSLiteral<'a>, place: Place) -> TyId {
        let value = match literal {
            TSLiteral::BooleanLiteral(literal) => Literal::Boolean(literal.value),
            TSLiteral::NumericLiteral(literal) if literal.value.is_finite() => Literal::number(literal.value),
            TSLiteral::NumericLiteral(_) => {
                return self.without_json(place, "a number beyond the range of doubles");
            }
            TSLiteral::BigIntLiteral(literal) => Literal::BigInt(literal.value.to_string()),
            TSLiteral::StringLiteral(literal) if literal.lone_surrogates => {
                return self.without_json(place, "a string with half a surrogate pair");
            }
            TSLiteral::StringLiteral(literal) => Literal::String(literal.value.to_string()),
            TSLiteral::TemplateLiteral(template) => match template.single_quasi() {
                Some(text) => Literal::String(text.to_string()),
                None => {
                    return self.unsupported(
                        place,
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
                    Literal::BigInt(format!("-{}", literal.value))
                }
                _ => return self.unsupported(place, "kit cannot read this literal", "write a plain literal"),
            },
        };
        self.store.add(Ty::Literal(value))
    }

    /// `` `user-${number}` ``. A template of literals alone is one literal, as in TypeScript.
    pub(super) fn template(&mut self, template: &'a TSTemplateLiteralType<'a>, scope: ScopeId) -> TyId {
        let mut parts: Vec<Part> = Vec::new();
        let push_text = |parts: &mut Vec<Part>, text: &str| match parts.last_mut() {
            Some(Part::Text(last)) => last.push_str(text),
            _ => parts.push(Part::Text(text.to_owned())),
        };
        for (index, quasi) in template.quasis.iter().enumerate() {
            push_text(
                &mut parts,
                quasi.value.cooked.as_ref().map_or("", |text| text.as_str()),
            );
            let Some(hole) = template.types.get(index) else {
                continue;
            };
            let place = self.place(scope, hole.span());
            let ty = self.evaluate(hole, scope);
            let shape = self.shape(ty);
            match self.store.get(shape).clone() {
                Ty::Literal(literal) => push_text(&mut parts, &literal.name()),
                Ty::String | Ty::Number | Ty::BigInt | Ty::Boolean | Ty::Union(_) => {
                    parts.push(Part::Hole(shape));
                }
                Ty::Invalid(_) => return shape,
                _ => {
                    return self.unsupported(
                        place,
                        "a template may hold strings, numbers, booleans and literals",
                        "use one of these",
                    );
                }
            }
        }
        parts.retain(|part| !matches!(part, Part::Text(text) if text.is_empty()));
        match parts.as_slice() {
            [] => self.store.add(Ty::Literal(Literal::String(String::new()))),
            [Part::Text(text)] => {
                let literal = Literal::String(text.clone());
                self.store.add(Ty::Literal(literal))
            }
            _ => self.store.add(Ty::Template(parts)),
        }
    }
}
