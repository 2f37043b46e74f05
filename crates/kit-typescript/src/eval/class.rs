//! Classes: the type of their instances, and the type of the class itself as a value (`typeof Note`).

use std::rc::Rc;

use oxc_ast::ast::{
    Class, ClassElement, Function as FunctionNode, MethodDefinition, MethodDefinitionKind, PropertyKey,
    TSAccessibility, TSInterfaceDeclaration, TSTypeAnnotation,
};
use oxc_span::{GetSpan, Span};

use super::function::Signature;
use super::types::{Function, Generic};
use super::values::Widening;
use super::{Evaluator, KeyKind, Object, Property, ScopeId, Ty, TyId};
use crate::modules::{DeclId, Location, expression_path};

impl<'a> Evaluator<'a> {
    /// Returns the type of a class's instances, including the interfaces that are merged into the class.
    pub(super) fn class(
        &mut self,
        class: &'a Class<'a>,
        parts: &[(&'a TSInterfaceDeclaration<'a>, ScopeId)],
        scope: ScopeId,
    ) -> TyId {
        let mut object = Object {
            nominal: true,
            ..Object::default()
        };
        if let Some(heritage) = &class.heritage {
            let location = self.location(scope, heritage.expression.span());
            let Some(path) = expression_path(&heritage.expression) else {
                return self.unsupported(
                    location,
                    "kit cannot evaluate a class that is the result of an expression",
                    "extend a class by its name, or write an interface with the properties",
                );
            };
            let base = self.path_type(&path, heritage.type_arguments.as_deref(), location, scope);
            if let Err(invalid) = self.inherit(&mut object, base, scope, location) {
                return invalid;
            }
        }
        for element in &class.body.body {
            self.class_member(&mut object, class, element, false, scope);
        }
        if let Err(invalid) = self.interface_members(&mut object, parts) {
            return invalid;
        }
        self.store.object(object)
    }

    /// Returns the type of a class as a value, `typeof Note`: its static members and `new`.
    pub(super) fn class_value(&mut self, decl: DeclId, class: &'a Class<'a>, scope: ScopeId) -> TyId {
        let mut object = Object { ..Object::default() };
        for element in &class.body.body {
            self.class_member(&mut object, class, element, true, scope);
        }
        // `new` of a generic class uses the constraint of each type parameter as its argument, or `unknown`
        // if there is none.
        let arguments: Vec<TyId> = class
            .type_parameters
            .iter()
            .flat_map(|parameters| &parameters.params)
            .map(|parameter| match &parameter.constraint {
                Some(constraint) => self.evaluate(constraint, scope),
                None => self.store.add(Ty::Unknown),
            })
            .collect();
        let instance = self.store.named(decl, arguments.into());
        let constructors = class.body.body.iter().filter_map(|element| match element {
            ClassElement::MethodDefinition(method) if method.kind == MethodDefinitionKind::Constructor => {
                Some(&**method)
            }
            _ => None,
        });
        object.constructs = constructors
            .map(|constructor| {
                let mut function = self.method_signature(&constructor.value, scope);
                function.result = instance;
                function.is_abstract = class.r#abstract;
                function
            })
            .collect();
        if object.constructs.is_empty() {
            object.constructs.push(Function {
                this: None,
                parameters: Rc::from([]),
                result: instance,
                generic: Generic::default(),
                method: false,
                is_abstract: class.r#abstract,
            });
        }
        self.store.object(object)
    }

    fn class_member(
        &mut self,
        object: &mut Object,
        class: &'a Class<'a>,
        element: &'a ClassElement<'a>,
        of_class: bool,
        scope: ScopeId,
    ) {
        match element {
            ClassElement::PropertyDefinition(property) if property.r#static == of_class => {
                let hidden = property.accessibility;
                let Some((name, key)) =
                    self.member_name(object, &property.key, property.computed, hidden, of_class, scope)
                else {
                    return;
                };
                let location = self.location(scope, property.key.span());
                let widening = if property.readonly {
                    Widening::Declared
                } else {
                    Widening::Mutable
                };
                let ty = match (&property.type_annotation, &property.value) {
                    (Some(annotation), _) => self.member_type(&annotation.type_annotation, scope),
                    (None, Some(value)) => self.initializer_type(class, property, value, scope, widening),
                    (None, None) => self.unsupported(
                        location,
                        &format!("`{name}` has no type"),
                        "write a type after a colon",
                    ),
                };
                let doc = self.member_doc(property.span, scope);
                let ty = self.constrained(ty, doc);
                let (optional, readonly) = (property.optional, property.readonly);
                add_member(object, name, key, ty, location, |property| {
                    property.optional = optional;
                    property.readonly = readonly;
                    property.doc = doc;
                });
            }
            ClassElement::AccessorProperty(property) if property.r#static == of_class => {
                let Some((name, key)) = self.member_name(
                    object,
                    &property.key,
                    property.computed,
                    property.accessibility,
                    of_class,
                    scope,
                ) else {
                    return;
                };
                let location = self.location(scope, property.key.span());
                let ty = self.annotated_member(property.type_annotation.as_deref(), &name, location, scope);
                add_member(object, name, key, ty, location, |_| {});
            }
            ClassElement::MethodDefinition(method)
                if method.kind == MethodDefinitionKind::Constructor && !of_class =>
            {
                self.parameter_properties(object, &method.value, scope);
            }
            ClassElement::MethodDefinition(method)
                if method.r#static == of_class && method.kind != MethodDefinitionKind::Constructor =>
            {
                self.method(object, method, of_class, scope);
            }
            ClassElement::TSIndexSignature(signature) if signature.r#static == of_class => {
                let location = self.location(scope, signature.span);
                let key = self.evaluate(&signature.parameter.type_annotation.type_annotation, scope);
                let value = self.member_type(&signature.type_annotation.type_annotation, scope);
                self.index_signature(object, key, value, location);
            }
            _ => {}
        }
    }

    fn annotated_member(
        &mut self,
        annotation: Option<&'a TSTypeAnnotation<'a>>,
        name: &str,
        location: Location,
        scope: ScopeId,
    ) -> TyId {
        match annotation {
            Some(annotation) => self.member_type(&annotation.type_annotation, scope),
            None => self.unsupported(
                location,
                &format!("`{name}` has no type"),
                "write a type after a colon",
            ),
        }
    }

    fn method(
        &mut self,
        object: &mut Object,
        method: &'a MethodDefinition<'a>,
        of_class: bool,
        scope: ScopeId,
    ) {
        let Some((name, key)) = self.member_name(
            object,
            &method.key,
            method.computed,
            method.accessibility,
            of_class,
            scope,
        ) else {
            return;
        };
        let location = self.location(scope, method.key.span());
        let doc = self.member_doc(method.span, scope);
        let ty = match method.kind {
            MethodDefinitionKind::Get => {
                self.annotated_member(method.value.return_type.as_deref(), &name, location, scope)
            }
            MethodDefinitionKind::Set if object.property(&name).is_some() => return,
            MethodDefinitionKind::Set => {
                let annotation = method.value.params.items.first();
                let annotation = annotation.and_then(|parameter| parameter.type_annotation.as_deref());
                self.annotated_member(annotation, &name, location, scope)
            }
            MethodDefinitionKind::Method | MethodDefinitionKind::Constructor => {
                let function = self.method_signature(&method.value, scope);
                self.overloaded(object, &name, function)
            }
        };
        let optional = method.optional;
        add_member(object, name, key, ty, location, |property| {
            property.optional = optional;
            property.doc = doc;
        });
    }

    fn method_signature(&mut self, function: &'a FunctionNode<'a>, scope: ScopeId) -> Function {
        let signature = Signature {
            type_parameters: function.type_parameters.as_deref(),
            this: function.this_param.as_deref(),
            parameters: &function.params,
            result: function.return_type.as_deref(),
            method: true,
        };
        self.signature(&signature, scope)
    }

    /// Adds the properties that the parameters of a constructor declare: `id` in
    /// `constructor(readonly id: string)`.
    fn parameter_properties(
        &mut self,
        object: &mut Object,
        constructor: &'a FunctionNode<'a>,
        scope: ScopeId,
    ) {
        for parameter in &constructor.params.items {
            if parameter.accessibility.is_none() && !parameter.readonly {
                continue;
            }
            let Some(identifier) = parameter.pattern.get_binding_identifier() else {
                continue;
            };
            let location = self.location(scope, identifier.span);
            let name: Rc<str> = identifier.name.as_str().into();
            if is_hidden(parameter.accessibility) {
                self.hidden_member(object, &name, location);
                continue;
            }
            let ty = self.annotated_member(parameter.type_annotation.as_deref(), &name, location, scope);
            let readonly = parameter.readonly;
            add_member(object, name, KeyKind::Text, ty, location, |property| {
                property.readonly = readonly;
            });
        }
    }

    /// Returns the name of a public member. Returns `None` for a private or protected member, whose name in
    /// the type of the instances is hidden.
    fn member_name(
        &mut self,
        object: &mut Object,
        key: &'a PropertyKey<'a>,
        computed: bool,
        accessibility: Option<TSAccessibility>,
        of_class: bool,
        scope: ScopeId,
    ) -> Option<(Rc<str>, KeyKind)> {
        let span: Span = key.span();
        if let PropertyKey::PrivateIdentifier(name) = key {
            if !of_class {
                let location = self.location(scope, span);
                self.hidden_member(object, &format!("#{}", name.name), location);
            }
            return None;
        }
        let named = self.key(object, key, computed, scope)?;
        if is_hidden(accessibility) {
            if !of_class {
                let location = self.location(scope, span);
                self.hidden_member(object, &named.0, location);
            }
            return None;
        }
        Some(named)
    }

    /// Adds a private or protected member under a hidden name. `keyof`, `Pick` and mapped types ignore the
    /// member, but classes with different hidden members are different types. An object with such a member
    /// cannot be on the wire.
    fn hidden_member(&mut self, object: &mut Object, name: &str, location: Location) {
        let ty = self.store.add(Ty::Unknown);
        let hidden = Property::hidden_name(name, location);
        add_member(object, hidden, KeyKind::Symbol, ty, location, |_| {});
    }
}

fn add_member(
    object: &mut Object,
    name: Rc<str>,
    key: KeyKind,
    ty: TyId,
    location: Location,
    change: impl FnOnce(&mut Property),
) {
    let mut property = Property::plain(name, key, ty, location);
    change(&mut property);
    object.insert(property);
}

fn is_hidden(accessibility: Option<TSAccessibility>) -> bool {
    matches!(
        accessibility,
        Some(TSAccessibility::Private | TSAccessibility::Protected)
    )
}
