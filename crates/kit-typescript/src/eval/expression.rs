//! Evaluation of type expressions: one match arm for each syntax of TypeScript.

use oxc_ast::ast::{TSType, TSTypeName, TSTypeOperatorOperator};
use oxc_span::GetSpan;

use super::{Evaluator, ScopeId, Ty, TyId};
use crate::known_types::Utility;
use crate::modules::Location;

impl<'a> Evaluator<'a> {
    /// Evaluates a type expression. A name becomes [`Ty::Named`], which is evaluated later, so that recursive
    /// types end.
    pub(crate) fn evaluate(&mut self, node: &'a TSType<'a>, scope: ScopeId) -> TyId {
        // Most type expressions are keywords such as `string`. They do not count for the maximum depth.
        if let Some(keyword) = keyword(node) {
            return self.store.add(keyword);
        }
        self.guarded(
            |this| this.evaluate_construct(node, scope),
            |this| {
                let location = this.location(scope, node.span());
                this.too_deep(location)
            },
        )
    }

    fn evaluate_construct(&mut self, node: &'a TSType<'a>, scope: ScopeId) -> TyId {
        let location = self.location(scope, node.span());
        self.current = location;
        match node {
            TSType::TSParenthesizedType(inner) => self.evaluate(&inner.type_annotation, scope),
            TSType::TSLiteralType(literal) => self.literal(&literal.literal, location),
            TSType::TSTemplateLiteralType(template) => self.template(template, scope),
            TSType::TSArrayType(array) => {
                let element = self.element_type(&array.element_type, scope);
                self.store.add(Ty::Array {
                    element,
                    readonly: false,
                })
            }
            TSType::TSTupleType(tuple) => self.tuple(tuple, scope),
            TSType::TSTypeLiteral(literal) => self.type_literal(literal, scope),
            TSType::TSTypeReference(reference) => self.reference(reference, scope),
            TSType::TSUnionType(union) => {
                let members: Vec<TyId> = union
                    .types
                    .iter()
                    .map(|member| self.evaluate(member, scope))
                    .collect();
                self.union(members)
            }
            TSType::TSIntersectionType(intersection) => {
                let members: Vec<TyId> = intersection
                    .types
                    .iter()
                    .map(|member| self.evaluate(member, scope))
                    .collect();
                self.store.intersection(members)
            }
            TSType::TSTypeOperatorType(operator) => match operator.operator {
                TSTypeOperatorOperator::Readonly => {
                    let inner = self.evaluate(&operator.type_annotation, scope);
                    self.readonly_list(inner)
                }
                TSTypeOperatorOperator::Keyof => {
                    let object = self.evaluate(&operator.type_annotation, scope);
                    self.keys_of(object, location)
                }
                TSTypeOperatorOperator::Unique => self.store.add(Ty::UniqueSymbol(location)),
            },
            TSType::TSIndexedAccessType(access) => {
                let object = self.evaluate(&access.object_type, scope);
                let index = self.evaluate(&access.index_type, scope);
                let ty = self.indexed_access(object, index, location);
                if self.is_key_of_constraint(ty, access, scope) {
                    return self.store.add(Ty::Unknown);
                }
                self.with_indexed_rules(ty, object, access, scope)
            }
            TSType::TSConditionalType(conditional) => self.conditional(conditional, scope),
            TSType::TSMappedType(mapped) => self.mapped(mapped, scope),
            TSType::TSInferType(infer) => {
                let name = infer.type_parameter.name.name.as_str();
                match self.store.binding(scope, name) {
                    Some((bound, _)) => bound,
                    None => self.unsupported(
                        location,
                        "`infer` is only allowed in the `extends` of a conditional type",
                        "move it there",
                    ),
                }
            }
            TSType::TSThisType(_) => self.this_type(scope, location),
            TSType::TSFunctionType(function) => self.function_type(function, scope),
            TSType::TSConstructorType(constructor) => self.constructor_type(constructor, scope),
            TSType::TSTypeQuery(query) => self.type_query(query, scope),
            // A type predicate such as `x is string` is a boolean for the caller of the function.
            TSType::TSTypePredicate(predicate) => self.store.add(if predicate.asserts {
                Ty::Undefined
            } else {
                Ty::Boolean
            }),
            TSType::TSImportType(import) => self.import_type(import, scope),
            _ => self.unsupported(
                location,
                "kit does not evaluate this type",
                "write the type with interfaces, unions, arrays and primitives",
            ),
        }
    }

    /// Returns the type of an array's items. If the type could refer to the type that is being evaluated, it
    /// is evaluated later. Otherwise it is evaluated at once, so that equal arrays are the same type.
    pub(super) fn element_type(&mut self, node: &'a TSType<'a>, scope: ScopeId) -> TyId {
        let waits = match node {
            TSType::TSParenthesizedType(inner) => return self.element_type(&inner.type_annotation, scope),
            TSType::TSTypeReference(reference) => match &reference.type_name {
                TSTypeName::IdentifierReference(name) => {
                    reference.type_arguments.is_some()
                        && !matches!(name.name.as_str(), "Array" | "ReadonlyArray")
                        && Utility::from_name(name.name.as_str()).is_some()
                }
                _ => false,
            },
            TSType::TSArrayType(_) | TSType::TSLiteralType(_) | TSType::TSInferType(_) => false,
            _ => keyword(node).is_none(),
        };
        if waits {
            self.store.lazy(node, scope)
        } else {
            self.evaluate(node, scope)
        }
    }

    /// Returns the type of `this`: the interface or class that contains the expression, or a type that
    /// extends this interface or class.
    fn this_type(&mut self, scope: ScopeId, location: Location) -> TyId {
        match self.store.binding(scope, super::object::THIS) {
            Some((this, _)) => this,
            None => self.unsupported(
                location,
                "`this` is only allowed in an interface or a class",
                "write a name",
            ),
        }
    }
}

fn keyword(node: &TSType<'_>) -> Option<Ty> {
    Some(match node {
        TSType::TSStringKeyword(_) => Ty::String,
        TSType::TSNumberKeyword(_) => Ty::Number,
        TSType::TSBooleanKeyword(_) => Ty::Boolean,
        TSType::TSBigIntKeyword(_) => Ty::BigInt,
        TSType::TSNullKeyword(_) => Ty::Null,
        TSType::TSUndefinedKeyword(_) | TSType::TSVoidKeyword(_) => Ty::Undefined,
        TSType::TSNeverKeyword(_) => Ty::Never,
        TSType::TSUnknownKeyword(_) => Ty::Unknown,
        TSType::TSAnyKeyword(_) => Ty::Any,
        TSType::TSSymbolKeyword(_) => Ty::Symbol,
        TSType::TSObjectKeyword(_) => Ty::NonPrimitive,
        _ => return None,
    })
}
