//! Function types. They have no JSON form, but conditional types look at them, and so do `ReturnType` and `Parameters`.

use std::rc::Rc;

use oxc_ast::ast::{
    BindingPattern, FormalParameters, TSConstructorType, TSFunctionType, TSThisParameter, TSTypeAnnotation,
    TSTypeParameterDeclaration,
};

use super::types::{Element, Function};
use super::{Evaluator, Object, ScopeId, Ty, TyId};

/// The parts of a signature, however it is written.
pub(super) struct Signature<'a> {
    pub(super) type_parameters: Option<&'a TSTypeParameterDeclaration<'a>>,
    pub(super) this: Option<&'a TSThisParameter<'a>>,
    pub(super) parameters: &'a FormalParameters<'a>,
    pub(super) result: Option<&'a TSTypeAnnotation<'a>>,
    pub(super) method: bool,
}

impl<'a> Evaluator<'a> {
    pub(super) fn function_type(&mut self, node: &'a TSFunctionType<'a>, scope: ScopeId) -> TyId {
        let function = self.signature(
            &Signature {
                type_parameters: node.type_parameters.as_deref(),
                this: node.this_param.as_deref(),
                parameters: &node.params,
                result: Some(&node.return_type),
                method: false,
            },
            scope,
        );
        self.function_object(vec![function], Vec::new())
    }

    pub(super) fn constructor_type(&mut self, node: &'a TSConstructorType<'a>, scope: ScopeId) -> TyId {
        let function = self.signature(
            &Signature {
                type_parameters: node.type_parameters.as_deref(),
                this: None,
                parameters: &node.params,
                result: Some(&node.return_type),
                method: false,
            },
            scope,
        );
        self.function_object(Vec::new(), vec![function])
    }

    fn function_object(&mut self, calls: Vec<Function>, constructs: Vec<Function>) -> TyId {
        self.store.object(Object {
            calls,
            constructs,
            ..Object::default()
        })
    }

    /// A signature. Its own type parameters stand for themselves.
    pub(super) fn signature(&mut self, signature: &Signature<'a>, scope: ScopeId) -> Function {
        let own = signature
            .type_parameters
            .map_or(&[][..], |parameters| parameters.params.as_slice());
        let scope = if own.is_empty() {
            scope
        } else {
            let bindings = own
                .iter()
                .zip(self.parameters..)
                .map(|(parameter, number)| {
                    (
                        parameter.name.name.as_str(),
                        self.store.add(Ty::Parameter(number)),
                    )
                })
                .collect();
            self.store.inner_scope(scope, bindings)
        };
        let count = u32::try_from(own.len()).unwrap_or(u32::MAX);
        self.parameters = self.parameters.saturating_add(count);
        let any = self.store.add(Ty::Any);
        let annotated = |this: &mut Self, annotation: Option<&'a TSTypeAnnotation<'a>>| {
            annotation.map_or(any, |annotation| {
                this.element_type(&annotation.type_annotation, scope)
            })
        };
        let mut parameters: Vec<Element> = Vec::with_capacity(signature.parameters.items.len());
        for parameter in &signature.parameters.items {
            let ty = annotated(self, parameter.type_annotation.as_deref());
            parameters.push(Element {
                optional: parameter.optional || parameter.initializer.is_some(),
                label: label(&parameter.pattern),
                ..Element::plain(ty)
            });
        }
        if let Some(rest) = &signature.parameters.rest {
            let ty = annotated(self, rest.type_annotation.as_deref());
            parameters.push(Element {
                label: label(&rest.rest.argument),
                ..Element::whole(ty)
            });
        }
        let this = signature
            .this
            .map(|this| annotated(self, this.type_annotation.as_deref()));
        let result = annotated(self, signature.result);
        self.parameters -= count;
        Function {
            this,
            parameters: parameters.into(),
            result,
            method: signature.method,
        }
    }

    /// The parameters of a function as a tuple; the rest parameter is spread.
    pub(super) fn parameter_tuple(&mut self, function: &Function) -> TyId {
        let mut elements = Vec::with_capacity(function.parameters.len());
        for parameter in function.parameters.iter() {
            if !parameter.rest {
                elements.push(parameter.clone());
                continue;
            }
            match self.look(parameter.ty) {
                Ty::Array { element, .. } => elements.push(Element {
                    label: parameter.label.clone(),
                    ..Element::rest(element)
                }),
                Ty::Tuple { elements: rest, .. } => elements.extend(rest.iter().cloned()),
                Ty::Union(_) if elements.is_empty() => return parameter.ty,
                _ => {
                    // `(...args: any)`, or a type that is still to be inferred.
                    if elements.is_empty() {
                        return parameter.ty;
                    }
                    elements.push(parameter.clone());
                }
            }
        }
        self.tuple_of(elements, false)
    }
}

fn label(pattern: &BindingPattern<'_>) -> Option<Rc<str>> {
    match pattern {
        BindingPattern::BindingIdentifier(identifier) => Some(identifier.name.as_str().into()),
        _ => None,
    }
}
