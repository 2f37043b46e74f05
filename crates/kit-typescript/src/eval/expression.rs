//! Type expressions, one construct a line.

use kit_diagnostics::codes;
use oxc_ast::ast::{TSTupleElement, TSType, TSTypeName, TSTypeOperatorOperator};
use oxc_span::GetSpan;

use super::types::Element;
use super::utility::Utility;
use super::{Evaluator, ScopeId, Ty, TyId};
use crate::modules::Place;

impl<'a> Evaluator<'a> {
    /// Evaluates a type expression. Names stay names, so recursion ends here.
    pub(crate) fn evaluate(&mut self, node: &'a TSType<'a>, scope: ScopeId) -> TyId {
        self.guarded(
            |this| this.evaluate_construct(node, scope),
            |this| {
                let place = this.place(scope, node.span());
                this.recursion(place, "the type is nested too deeply to be evaluated")
            },
        )
    }

    fn evaluate_construct(&mut self, node: &'a TSType<'a>, scope: ScopeId) -> TyId {
        let place = self.place(scope, node.span());
        self.current = place;
        let simple = match node {
            TSType::TSStringKeyword(_) => Ty::String,
            TSType::TSNumberKeyword(_) => Ty::Number,
            TSType::TSBooleanKeyword(_) => Ty::Boolean,
            TSType::TSBigIntKeyword(_) => Ty::BigInt,
            TSType::TSNullKeyword(_) => Ty::Null,
            TSType::TSUndefinedKeyword(_) | TSType::TSVoidKeyword(_) => Ty::Undefined,
            TSType::TSNeverKeyword(_) => Ty::Never,
            TSType::TSUnknownKeyword(_) => Ty::Unknown,
            TSType::TSParenthesizedType(inner) => return self.evaluate(&inner.type_annotation, scope),
            TSType::TSLiteralType(literal) => return self.literal(&literal.literal, place),
            TSType::TSTemplateLiteralType(template) => return self.template(template, scope),
            TSType::TSArrayType(array) => Ty::Array(self.element_type(&array.element_type, scope)),
            TSType::TSTupleType(tuple) => {
                let elements = tuple.element_types.iter();
                Ty::Tuple(
                    elements
                        .map(|element| self.element(element, scope, None))
                        .collect(),
                )
            }
            TSType::TSTypeLiteral(literal) => return self.type_literal(literal, scope),
            TSType::TSTypeReference(reference) => return self.reference(reference, scope),
            TSType::TSImportType(import) => return self.import_type(import, scope),
            TSType::TSUnionType(union) => {
                let members: Vec<TyId> = union
                    .types
                    .iter()
                    .map(|member| self.evaluate(member, scope))
                    .collect();
                return self.union(members);
            }
            TSType::TSIntersectionType(intersection) => {
                let members = intersection.types.iter();
                Ty::Intersection(members.map(|member| self.evaluate(member, scope)).collect())
            }
            TSType::TSTypeOperatorType(operator) => match operator.operator {
                TSTypeOperatorOperator::Readonly => return self.evaluate(&operator.type_annotation, scope),
                TSTypeOperatorOperator::Keyof => {
                    let object = self.evaluate(&operator.type_annotation, scope);
                    return self.keys_of(object, place);
                }
                TSTypeOperatorOperator::Unique => return self.without_json(place, "`unique symbol`"),
            },
            TSType::TSIndexedAccessType(access) => {
                let object = self.evaluate(&access.object_type, scope);
                let index = self.evaluate(&access.index_type, scope);
                return self.indexed_access(object, index, place);
            }
            TSType::TSFunctionType(_) | TSType::TSConstructorType(_) => {
                return self.without_json(place, "a function type");
            }
            TSType::TSSymbolKeyword(_) => return self.without_json(place, "`symbol`"),
            TSType::TSAnyKeyword(_) => {
                return self.unsupported(
                    place,
                    "`any` says nothing about the value",
                    "write `unknown` for any JSON value",
                );
            }
            TSType::TSObjectKeyword(_) => {
                return self.unsupported(
                    place,
                    "`object` says nothing about the properties",
                    "write the properties, or `Record<string, unknown>`",
                );
            }
            other => {
                let (what, instead) = unsupported_construct(other);
                return self.unsupported(place, &format!("kit does not evaluate {what} yet"), instead);
            }
        };
        self.store.add(simple)
    }

    /// The type of an array's elements. What may look into the type that is being evaluated waits; everything else is
    /// evaluated at once, so that equal arrays are one type and instances for them are one instance.
    fn element_type(&mut self, node: &'a TSType<'a>, scope: ScopeId) -> TyId {
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
            TSType::TSArrayType(_)
            | TSType::TSStringKeyword(_)
            | TSType::TSNumberKeyword(_)
            | TSType::TSBooleanKeyword(_)
            | TSType::TSBigIntKeyword(_)
            | TSType::TSNullKeyword(_)
            | TSType::TSUnknownKeyword(_)
            | TSType::TSLiteralType(_) => false,
            _ => true,
        };
        if waits {
            self.store.lazy(node, scope)
        } else {
            self.evaluate(node, scope)
        }
    }

    fn element(&mut self, element: &'a TSTupleElement<'a>, scope: ScopeId, label: Option<String>) -> Element {
        match element {
            TSTupleElement::TSOptionalType(optional) => {
                let ty = self.store.lazy(&optional.type_annotation, scope);
                Element {
                    ty,
                    optional: true,
                    rest: false,
                    label,
                }
            }
            TSTupleElement::TSRestType(rest) => match &rest.type_annotation {
                TSType::TSNamedTupleMember(member) => {
                    let label = Some(member.label.name.to_string());
                    self.rest_element(&member.element_type, scope, label)
                }
                TSType::TSArrayType(array) => {
                    let ty = self.store.lazy(&array.element_type, scope);
                    Element {
                        ty,
                        optional: false,
                        rest: true,
                        label,
                    }
                }
                other => self.rest_type(other, scope, label),
            },
            TSTupleElement::TSNamedTupleMember(member) => {
                let label = Some(member.label.name.to_string());
                let mut element = self.element(&member.element_type, scope, label);
                element.optional |= member.optional;
                element
            }
            other => {
                // Every variant but the two above is a type.
                let ty = match other.as_ts_type() {
                    Some(node) => self.store.lazy(node, scope),
                    None => self.store.add(Ty::Never),
                };
                Element {
                    ty,
                    optional: false,
                    rest: false,
                    label,
                }
            }
        }
    }

    fn rest_element(
        &mut self,
        element: &'a TSTupleElement<'a>,
        scope: ScopeId,
        label: Option<String>,
    ) -> Element {
        match element.as_ts_type() {
            Some(TSType::TSArrayType(array)) => {
                let ty = self.store.lazy(&array.element_type, scope);
                Element {
                    ty,
                    optional: false,
                    rest: true,
                    label,
                }
            }
            Some(other) => self.rest_type(other, scope, label),
            None => {
                let ty = self.store.add(Ty::Never);
                Element {
                    ty,
                    optional: false,
                    rest: true,
                    label,
                }
            }
        }
    }

    fn rest_type(&mut self, node: &'a TSType<'a>, scope: ScopeId, label: Option<String>) -> Element {
        let place = self.place(scope, node.span());
        let ty = self.evaluate(node, scope);
        let shape = self.shape(ty);
        let ty = match *self.store.get(shape) {
            Ty::Array(element) => element,
            Ty::Invalid(_) => shape,
            _ => self.unsupported(
                place,
                "kit evaluates rest elements of arrays only",
                "write `...string[]`",
            ),
        };
        Element {
            ty,
            optional: false,
            rest: true,
            label,
        }
    }

    /// What kit cannot evaluate, and what to write instead.
    pub(super) fn unsupported(&mut self, place: Place, message: &str, instead: &str) -> TyId {
        self.reject(codes::UNSUPPORTED_TYPE, place, message, instead)
    }

    /// What no JSON value can be.
    pub(super) fn without_json(&mut self, place: Place, what: &str) -> TyId {
        self.reject(
            codes::NO_JSON_FORM,
            place,
            format!("{what} has no JSON form"),
            "describe the value as it is on the wire: with properties, arrays, strings, numbers, booleans, `Date` or null",
        )
    }
}

fn unsupported_construct(node: &TSType<'_>) -> (&'static str, &'static str) {
    match node {
        TSType::TSConditionalType(_) => ("conditional types", "write the type that the condition chooses"),
        TSType::TSMappedType(_) => (
            "mapped types",
            "use `Record`, `Pick`, `Omit`, `Partial` or `Required`, or write the properties",
        ),
        TSType::TSTypeQuery(_) => ("`typeof`", "write the type of the value"),
        TSType::TSInferType(_) => ("`infer`", "write the type that it infers"),
        TSType::TSThisType(_) => ("`this` types", "write the name of the interface"),
        TSType::TSTypePredicate(_) => ("type predicates", "write `boolean`"),
        _ => (
            "this type",
            "write it with interfaces, unions, arrays and primitives",
        ),
    }
}
