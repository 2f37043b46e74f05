//! Conditional types: `T extends U ? X : Y`.

use std::rc::Rc;

use oxc_ast::ast::{TSConditionalType, TSTupleElement, TSType, TSTypeName, TSTypeParameter};

use super::infer::Inference;
use super::infer_names::infer_names;
use super::types::Literal;
use super::{Evaluator, ScopeId, Ty, TyId};

impl<'a> Evaluator<'a> {
    /// Evaluates a conditional type. If the checked type is a type parameter whose argument is a union, the
    /// result is the union of the results for the members.
    pub(super) fn conditional(&mut self, node: &'a TSConditionalType<'a>, scope: ScopeId) -> TyId {
        let Some((name, bound)) = self.naked_parameter(&node.check_type, scope) else {
            let check = self.evaluate(&node.check_type, scope);
            return self.branch(node, check, scope);
        };
        let members: Rc<[TyId]> = match self.shape_of(bound) {
            Ty::Union(members) => members,
            Ty::Boolean => self.boolean_values().into(),
            Ty::Never => return self.store.add(Ty::Never),
            _ => return self.branch(node, bound, scope),
        };
        let chosen = members
            .iter()
            .map(|member| {
                let scope = self.store.inner_scope(scope, vec![(name, *member)]);
                self.branch(node, *member, scope)
            })
            .collect();
        self.union(chosen)
    }

    /// Returns the name and the type of a type parameter if an expression consists only of this parameter.
    pub(super) fn naked_parameter(&self, node: &'a TSType<'a>, scope: ScopeId) -> Option<(&'a str, TyId)> {
        match node {
            TSType::TSParenthesizedType(inner) => self.naked_parameter(&inner.type_annotation, scope),
            TSType::TSTypeReference(reference) if reference.type_arguments.is_none() => {
                let TSTypeName::IdentifierReference(name) = &reference.type_name else {
                    return None;
                };
                let name = name.name.as_str();
                self.store.binding(scope, name).map(|(bound, _)| (name, bound))
            }
            _ => None,
        }
    }

    fn branch(&mut self, node: &'a TSConditionalType<'a>, check: TyId, scope: ScopeId) -> TyId {
        let infers = infer_names(&node.extends_type);
        let shape = self.shape(check);
        match self.store.get(shape) {
            Ty::Invalid(_) => return shape,
            Ty::Parameter(_) | Ty::Deferred(_) if infers.is_empty() => {
                let extends = self.evaluate(&node.extends_type, scope);
                let (yes, no) = (
                    self.evaluate(&node.true_type, scope),
                    self.evaluate(&node.false_type, scope),
                );
                return self.store.add(Ty::Deferred([check, extends, yes, no]));
            }
            _ => {}
        }
        let inner = if infers.is_empty() {
            scope
        } else {
            match self.inferred_scope(node, check, &infers, scope) {
                Ok(inner) => inner,
                Err(invalid) => return invalid,
            }
        };
        let extends = self.evaluate(&node.extends_type, inner);
        let extends_shape = self.shape(extends);
        if matches!(self.store.get(shape), Ty::Any)
            && !matches!(self.store.get(extends_shape), Ty::Any | Ty::Unknown)
        {
            // `any` may be assignable or not, so both branches are possible.
            let both = vec![
                self.evaluate(&node.true_type, inner),
                self.evaluate(&node.false_type, scope),
            ];
            return self.union(both);
        }
        match self.decide(check, extends) {
            Err(invalid) => invalid,
            Ok(true) => self.evaluate(&node.true_type, inner),
            Ok(false) => self.evaluate(&node.false_type, scope),
        }
    }

    /// Returns true if `from` is assignable to `to`. If one of the types contains an invalid type
    /// ([`Ty::Invalid`]), returns the invalid type as the error.
    pub(super) fn decide(&mut self, from: TyId, to: TyId) -> Result<bool, TyId> {
        let before = self.relations.broken.take();
        let answer = self.assignable(from, to);
        let broken = std::mem::replace(&mut self.relations.broken, before);
        broken.map_or(Ok(answer), Err)
    }

    /// Returns the scope in which the names after `infer` have the inferred types. Returns an invalid type as
    /// the error if kit cannot infer them.
    fn inferred_scope(
        &mut self,
        node: &'a TSConditionalType<'a>,
        check: TyId,
        infers: &[&'a TSTypeParameter<'a>],
        scope: ScopeId,
    ) -> Result<ScopeId, TyId> {
        let first = self.infers;
        let count = u32::try_from(infers.len()).unwrap_or(u32::MAX);
        let variables = infers
            .iter()
            .zip(first..)
            .map(|(infer, number)| (infer.name.name.as_str(), self.store.add(Ty::Infer(number))))
            .collect();
        let pattern_scope = self.store.inner_scope(scope, variables);
        self.infers += count;
        let pattern = self.evaluate(&node.extends_type, pattern_scope);
        let mut inference = Inference::new(first, infers.len());
        self.infer_from(check, pattern, &mut inference, false);
        self.infers -= count;
        if let Some(invalid) = inference.unknown {
            return Err(invalid);
        }

        let mut bindings: Vec<(&'a str, TyId)> = Vec::with_capacity(infers.len());
        for (index, infer) in infers.iter().enumerate() {
            let found = inference.result(self, index);
            let scope = self.store.inner_scope(scope, bindings.clone());
            let constraint = infer
                .constraint
                .as_ref()
                .map(|constraint| self.evaluate(constraint, scope));
            let ty = match (found, constraint) {
                (None, None) => {
                    let element = self.store.add(Ty::Unknown);
                    if is_spread(&node.extends_type, infer) {
                        self.store.add(Ty::Array {
                            element,
                            readonly: false,
                        })
                    } else {
                        element
                    }
                }
                (None, Some(constraint)) => constraint,
                (Some(found), None) => found,
                (Some(found), Some(constraint)) => {
                    let found = if inference.from_text[index] {
                        self.read_text(found, constraint)
                    } else {
                        found
                    };
                    // A type that does not satisfy the constraint is replaced by it. The check that follows
                    // decides the branch.
                    if self.assignable(found, constraint) {
                        found
                    } else {
                        constraint
                    }
                }
            };
            bindings.push((infer.name.name.as_str(), ty));
        }
        Ok(self.store.inner_scope(scope, bindings))
    }

    /// Converts a string that `infer` found in a template to a number, bigint, boolean or null, if the
    /// constraint of the `infer` requires it: `"1"` becomes `1`. A string such as `"01"` stays a string,
    /// because the number is printed as `1`.
    fn read_text(&mut self, found: TyId, constraint: TyId) -> TyId {
        let Ty::Literal(Literal::String(text)) = self.shape_of(found) else {
            return found;
        };
        if self.assignable(found, constraint) {
            return found;
        }
        let mut candidates = vec![];
        if let Ok(number) = text.parse::<f64>()
            && number.is_finite()
            && kit_analysis::number_text(number) == *text
        {
            candidates.push(Ty::Literal(Literal::number(number)));
        }
        let digits = text.strip_prefix('-').unwrap_or(&text);
        if !digits.is_empty()
            && digits.bytes().all(|byte| byte.is_ascii_digit())
            && (digits == "0" || !digits.starts_with('0'))
        {
            candidates.push(Ty::Literal(Literal::BigInt(Rc::clone(&text))));
        }
        candidates.extend(match &*text {
            "true" => Some(Ty::Literal(Literal::Boolean(true))),
            "false" => Some(Ty::Literal(Literal::Boolean(false))),
            "null" => Some(Ty::Null),
            "undefined" => Some(Ty::Undefined),
            _ => None,
        });
        for candidate in candidates {
            let candidate = self.store.add(candidate);
            if self.assignable(candidate, constraint) {
                return candidate;
            }
        }
        found
    }
}

/// Returns true if a pattern is a tuple that contains `...infer` with this type parameter.
fn is_spread<'a>(pattern: &'a TSType<'a>, infer: &'a TSTypeParameter<'a>) -> bool {
    let TSType::TSTupleType(tuple) = pattern else {
        return false;
    };
    tuple.element_types.iter().any(|element| match element {
        TSTupleElement::TSRestType(rest) => match &rest.type_annotation {
            TSType::TSInferType(spread) => spread.type_parameter.name.name == infer.name.name,
            _ => false,
        },
        _ => false,
    })
}
