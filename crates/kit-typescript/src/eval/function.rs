//! Function types. JSON has no functions, but conditional types, `ReturnType` and `Parameters` use their
//! types.

use std::rc::Rc;

use oxc_ast::ast::{
    BindingPattern, FormalParameters, TSConstructorType, TSFunctionType, TSThisParameter, TSTypeAnnotation,
    TSTypeParameterDeclaration,
};

use super::types::{Element, Function, Generic};
use super::{Evaluator, Object, ScopeId, Ty, TyId};
use oxc_span::GetSpan;

/// Parts of a function's signature, from a type, a method or a declaration.
#[derive(Clone, Copy)]
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
        let mut function = self.signature(
            &Signature {
                type_parameters: node.type_parameters.as_deref(),
                this: None,
                parameters: &node.params,
                result: Some(&node.return_type),
                method: false,
            },
            scope,
        );
        function.is_abstract = node.r#abstract;
        self.function_object(Vec::new(), vec![function])
    }

    fn function_object(&mut self, calls: Vec<Function>, constructs: Vec<Function>) -> TyId {
        self.store.object(Object {
            calls,
            constructs,
            ..Object::default()
        })
    }

    /// Evaluates a signature. Its type parameters become [`Ty::Parameter`].
    pub(super) fn signature(&mut self, signature: &Signature<'a>, scope: ScopeId) -> Function {
        let own = signature
            .type_parameters
            .map_or(&[][..], |parameters| parameters.params.as_slice());
        let outer = scope;
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
        let mut function = self.signature_in(signature, scope);
        self.parameters -= count;
        if !own.is_empty() {
            function.generic = Generic(u32::try_from(self.generics.len()).ok());
            self.generics.push((*signature, outer));
        }
        function
    }

    /// Evaluates a generic signature with type arguments. Returns `None` if there are too many or too few
    /// type arguments.
    pub(super) fn instantiate_signature(&mut self, generic: Generic, arguments: &[TyId]) -> Option<Function> {
        let (signature, outer) = *self.generics.get(generic.0? as usize)?;
        let own = signature.type_parameters?.params.as_slice();
        if arguments.len() > own.len() {
            return None;
        }
        let mut scope = outer;
        for (index, parameter) in own.iter().enumerate() {
            let ty = match (arguments.get(index), &parameter.default) {
                (Some(argument), _) => *argument,
                (None, Some(default)) => self.evaluate(default, scope),
                (None, None) => return None,
            };
            scope = self
                .store
                .inner_scope(scope, vec![(parameter.name.name.as_str(), ty)]);
        }
        Some(self.signature_in(&signature, scope))
    }

    /// Returns a generic signature without its type parameters: each is replaced by its constraint, or by
    /// `unknown`.
    pub(super) fn base_signature(&mut self, function: &Function) -> Function {
        let Some((signature, outer)) = function
            .generic
            .0
            .and_then(|number| self.generics.get(number as usize))
            .copied()
        else {
            return function.clone();
        };
        let scope = self.constraint_scope(signature.type_parameters, outer);
        let base = self.signature_in(&signature, scope);
        Function {
            result: if signature.result.is_some() {
                base.result
            } else {
                function.result
            },
            ..base
        }
    }

    /// Returns a scope in which each type parameter of a function stands for its constraint, or for `unknown`.
    pub(crate) fn constraint_scope(
        &mut self,
        parameters: Option<&'a TSTypeParameterDeclaration<'a>>,
        outer: ScopeId,
    ) -> ScopeId {
        let own = parameters.map_or(&[][..], |parameters| parameters.params.as_slice());
        // A constraint may refer to later parameters.
        let unknown = self.store.add(Ty::Unknown);
        let names = own
            .iter()
            .map(|parameter| (parameter.name.name.as_str(), unknown));
        let names = names.collect();
        let mut scope = self.store.inner_scope(outer, names);
        for parameter in own {
            if let Some(constraint) = &parameter.constraint {
                let ty = self.evaluate(constraint, scope);
                scope = self
                    .store
                    .inner_scope(scope, vec![(parameter.name.name.as_str(), ty)]);
            }
        }
        scope
    }

    /// Returns the result type of a generic signature as the source writes it. Returns `None` if the
    /// signature has no annotation.
    pub(super) fn written_result(&self, generic: Generic) -> Option<&'a str> {
        let (signature, scope) = self.generics.get(generic.0? as usize)?;
        let span = signature.result?.type_annotation.span();
        let text = self.graph.module(self.store.module_of(*scope)).text;
        text.get(span.start as usize..span.end as usize)
    }

    /// Evaluates a signature in a scope that gives types to its type parameters.
    fn signature_in(&mut self, signature: &Signature<'a>, scope: ScopeId) -> Function {
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
        Function {
            this,
            parameters: parameters.into(),
            result,
            generic: Generic::default(),
            method: signature.method,
            is_abstract: false,
        }
    }

    /// Returns the parameters of a function as a tuple type. A rest parameter such as `...args: [A, B]`
    /// becomes the elements of its type.
    pub(super) fn parameter_tuple(&mut self, function: &Function) -> TyId {
        let mut elements = Vec::with_capacity(function.parameters.len());
        for parameter in function.parameters.iter() {
            if !parameter.rest {
                elements.push(parameter.clone());
                continue;
            }
            match self.shape_of(parameter.ty) {
                Ty::Array { element, .. } => elements.push(Element {
                    label: parameter.label.clone(),
                    ..Element::rest(element)
                }),
                Ty::Tuple { elements: rest, .. } => elements.extend(rest.iter().cloned()),
                Ty::Union(_) if elements.is_empty() => return parameter.ty,
                _ => {
                    // `(...args: any)`, or a rest parameter whose type is not inferred yet.
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
