//! Types of expressions, for `typeof` of the value that they give.

use std::rc::Rc;

use kit_diagnostics::codes;
use oxc_ast::ast::{
    ArrayExpressionElement, Expression, ObjectExpression, ObjectPropertyKind, PropertyKind, TSType,
    TSTypeName, UnaryOperator,
};
use oxc_span::GetSpan;

use super::Widening;
use crate::eval::function::Signature;
use crate::eval::library::interface_of;
use crate::eval::template::has_half_pair;
use crate::eval::types::{Element, Literal};
use crate::eval::{Evaluator, Object, Property, ScopeId, Ty, TyId};
use crate::known_types::Utility;
use crate::modules::{Location, Name, expression_path};

impl<'a> Evaluator<'a> {
    /// Returns an invalid type with an error about an expression whose type only TypeScript can infer. `what`
    /// names the expression, and `write` says what to write in its place.
    pub(super) fn uninferred(&mut self, location: Location, what: &str, write: &str) -> TyId {
        let message = format!("kit does not infer the type of {what}");
        let help = format!("write {write}");
        let diagnostic = self
            .diagnostic(codes::UNINFERRED_TYPE, location, message)
            .help(help);
        self.needs_typescript(diagnostic, location)
    }

    /// Returns the type of an expression.
    pub(in crate::eval) fn expression_type(
        &mut self,
        expression: &'a Expression<'a>,
        scope: ScopeId,
        widening: Widening,
    ) -> TyId {
        self.guarded(
            |this| this.read_expression(expression, scope, widening),
            |this| {
                let location = this.location(scope, expression.span());
                this.too_deep(location)
            },
        )
    }

    fn read_expression(
        &mut self,
        expression: &'a Expression<'a>,
        scope: ScopeId,
        widening: Widening,
    ) -> TyId {
        let location = self.location(scope, expression.span());
        let inside = match widening {
            Widening::Const => Widening::Const,
            Widening::Declared | Widening::Mutable => Widening::Mutable,
            Widening::For(_) => widening,
        };
        let literal = match expression {
            Expression::ParenthesizedExpression(inner) => {
                return self.expression_type(&inner.expression, scope, widening);
            }
            Expression::TSAsExpression(cast) => {
                return if is_const(&cast.type_annotation) {
                    self.expression_type(&cast.expression, scope, Widening::Const)
                } else {
                    self.evaluate(&cast.type_annotation, scope)
                };
            }
            Expression::TSTypeAssertion(cast) => {
                return if is_const(&cast.type_annotation) {
                    self.expression_type(&cast.expression, scope, Widening::Const)
                } else {
                    self.evaluate(&cast.type_annotation, scope)
                };
            }
            Expression::TSSatisfiesExpression(satisfies) => {
                let wanted = self.evaluate(&satisfies.type_annotation, scope);
                let widening = match widening {
                    Widening::Const => Widening::Const,
                    _ => Widening::For(wanted),
                };
                return self.expression_type(&satisfies.expression, scope, widening);
            }
            Expression::TSNonNullExpression(inner) => {
                let ty = self.expression_type(&inner.expression, scope, widening);
                return self.defined(ty);
            }
            Expression::StringLiteral(text) if text.lone_surrogates => {
                return self.half_pair_value(widening, location);
            }
            Expression::TemplateLiteral(template)
                if template.expressions.is_empty() && has_half_pair(&template.quasis) =>
            {
                return self.half_pair_value(widening, location);
            }
            Expression::StringLiteral(text) => Literal::string(text.value.as_str()),
            Expression::NumericLiteral(number) => Literal::number(number.value),
            Expression::BooleanLiteral(value) => Literal::Boolean(value.value),
            Expression::BigIntLiteral(digits) => Literal::BigInt(digits.value.as_str().into()),
            Expression::TemplateLiteral(template) => match template.single_quasi() {
                Some(text) => Literal::string(text.as_str()),
                None if widening != Widening::Const => return self.store.add(Ty::String),
                None => return self.uninferred(location, "this template", "the text, or a type"),
            },
            Expression::UnaryExpression(unary) => match (unary.operator, &unary.argument) {
                (UnaryOperator::UnaryNegation, Expression::NumericLiteral(number)) => {
                    Literal::number(-number.value)
                }
                (UnaryOperator::UnaryPlus, Expression::NumericLiteral(number)) => {
                    Literal::number(number.value)
                }
                (UnaryOperator::UnaryNegation, Expression::BigIntLiteral(digits)) => {
                    Literal::BigInt(format!("-{}", digits.value).into())
                }
                (UnaryOperator::LogicalNot, _) => return self.store.add(Ty::Boolean),
                (UnaryOperator::Typeof, _) => return self.store.add(Ty::String),
                (UnaryOperator::Void, _) => return self.store.add(Ty::Undefined),
                _ => return self.store.add(Ty::Number),
            },
            Expression::NullLiteral(_) => return self.store.add(Ty::Null),
            Expression::RegExpLiteral(_) => return self.store.add(Ty::Builtin("RegExp", [].into())),
            Expression::ArrayExpression(array) => {
                return self.array_value(&array.elements, scope, inside, location);
            }
            Expression::ObjectExpression(object) => return self.object_value(object, scope, inside),
            Expression::Identifier(name) => {
                let module = self.store.module_of(scope);
                let path = [Name {
                    text: name.name.as_str(),
                    span: name.span,
                }];
                let ty = self.path_value(module, &path, location);
                return if widening == Widening::Mutable {
                    self.widened(ty)
                } else {
                    ty
                };
            }
            Expression::StaticMemberExpression(member) => {
                if let Some(path) = expression_path(expression) {
                    let module = self.store.module_of(scope);
                    let ty = self.path_value(module, &path, location);
                    return if widening == Widening::Mutable {
                        self.widened(ty)
                    } else {
                        ty
                    };
                }
                let object = self.expression_type(&member.object, scope, Widening::Declared);
                let key = self.store.text(member.property.name.as_str());
                return self.value_member(object, key, location);
            }
            Expression::ComputedMemberExpression(member) => {
                let object = self.expression_type(&member.object, scope, Widening::Declared);
                let key = self.expression_type(&member.expression, scope, Widening::Const);
                return self.value_member(object, key, location);
            }
            Expression::ConditionalExpression(conditional) => {
                let both = vec![
                    self.expression_type(&conditional.consequent, scope, widening),
                    self.expression_type(&conditional.alternate, scope, widening),
                ];
                return self.union(both);
            }
            Expression::ArrowFunctionExpression(arrow) => {
                let signature = Signature {
                    type_parameters: arrow.type_parameters.as_deref(),
                    this: None,
                    parameters: &arrow.params,
                    result: arrow.return_type.as_deref(),
                    method: false,
                };
                let mut signature = self.signature(&signature, scope);
                if arrow.return_type.is_none() {
                    signature.result = self.uninferred(
                        location,
                        "the result of this function",
                        "a result type: `(): Note =>`",
                    );
                }
                return self.store.object(Object {
                    calls: vec![signature],
                    ..Object::default()
                });
            }
            Expression::FunctionExpression(function) => return self.function_value(function, scope),
            Expression::CallExpression(call) => {
                if is_freeze(&call.callee)
                    && let Some(argument) = call
                        .arguments
                        .first()
                        .and_then(|argument| argument.as_expression())
                {
                    // `Object.freeze` keeps the literal types of the properties of its argument.
                    return self.expression_type(argument, scope, Widening::Const);
                }
                return self.call_value(call, scope, location);
            }
            Expression::BinaryExpression(binary) => return self.binary_value(binary, scope, location),
            Expression::AwaitExpression(inner) => {
                let ty = self.expression_type(&inner.argument, scope, widening);
                let locations = [location];
                return self.utility(Utility::Awaited, &[ty], &locations, location);
            }
            Expression::NewExpression(new) => {
                if let Some(path) = expression_path(&new.callee) {
                    if new.type_arguments.is_none() {
                        let free = new.arguments.is_empty() && !matches!(widening, Widening::For(_));
                        if let Some(invalid) = self.uninferred_class(&path, free, scope, location) {
                            return invalid;
                        }
                    }
                    return self.path_type(&path, new.type_arguments.as_deref(), location, scope);
                }
                return self.uninferred(location, "this expression", "the type after the name");
            }
            _ => {
                return self.uninferred(
                    location,
                    "this expression",
                    "the type after the name: `const settings: Settings = …`",
                );
            }
        };
        let literal = Ty::Literal(literal);
        let ty = self.store.add(literal);
        if self.widens(widening) {
            self.widened(ty)
        } else {
            ty
        }
    }

    /// Returns true if a literal gets its general type.
    fn widens(&mut self, widening: Widening) -> bool {
        match widening {
            Widening::Mutable => true,
            Widening::For(wanted) => !self.asks_for_literals(wanted),
            Widening::Const | Widening::Declared => false,
        }
    }

    /// Returns the type of a text with half of a surrogate pair: `string`, or an error if the literal keeps its type.
    fn half_pair_value(&mut self, widening: Widening, location: Location) -> TyId {
        if self.widens(widening) {
            return self.store.add(Ty::String);
        }
        self.half_pair(location)
    }

    /// Returns the type of a member of a value. kit does not know the members of arrays, texts and other types that
    /// TypeScript declares, but TypeScript can infer the type.
    pub(super) fn value_member(&mut self, object: TyId, key: TyId, location: Location) -> TyId {
        const ANNOTATION: &str = "the type after the name: `const settings: Settings = …`";
        // Only TypeScript knows the results of some methods, such as `split`.
        let shape = self.shape(object);
        if interface_of(self.store.get(shape)).is_some()
            && let Ty::Literal(name) = self.shape_of(key)
        {
            return match self.library_member(shape, &name.name()) {
                Some(member) => member,
                None => self.uninferred(location, "this expression", ANNOTATION),
            };
        }
        let ty = self.indexed_access(object, key, location);
        if !matches!(self.store.get(ty), Ty::Invalid(_)) {
            return ty;
        }
        match self.store.get(shape) {
            Ty::Array { .. }
            | Ty::Tuple { .. }
            | Ty::String
            | Ty::Number
            | Ty::BigInt
            | Ty::Boolean
            | Ty::Literal(_)
            | Ty::EnumMember(_)
            | Ty::Template(_)
            | Ty::Builtin(..) => self.uninferred(location, "this expression", ANNOTATION),
            _ => ty,
        }
    }

    /// Returns true if an expected type contains literal types, so that `"a"` keeps the type `"a"`.
    fn asks_for_literals(&mut self, wanted: TyId) -> bool {
        match self.shape_of(wanted) {
            Ty::Literal(_) | Ty::EnumMember(_) | Ty::Template(_) => true,
            Ty::Union(members) => members.iter().any(|member| self.asks_for_literals(*member)),
            _ => false,
        }
    }

    /// Returns how literals are treated inside of a value, in a property or an element. `key` is the name of
    /// the property.
    fn inside(&mut self, widening: Widening, key: Option<&str>) -> Widening {
        let Widening::For(wanted) = widening else {
            return widening;
        };
        let found = match (self.shape_of(wanted), key) {
            (Ty::Object(id), Some(key)) => {
                let object = self.store.object_at(id);
                let index = object.index.first().map(|index| index.value);
                object.property(key).map(|property| property.ty).or(index)
            }
            (Ty::Array { element, .. }, None) => Some(element),
            (Ty::Tuple { elements, .. }, None) => Some(self.item_of(&elements)),
            (Ty::Union(members), _) => {
                let inside: Vec<TyId> = members
                    .iter()
                    .filter_map(|member| match self.inside(Widening::For(*member), key) {
                        Widening::For(inside) => Some(inside),
                        _ => None,
                    })
                    .collect();
                Some(self.union(inside))
            }
            _ => None,
        };
        found.map_or(Widening::Mutable, Widening::For)
    }

    /// Returns the elements of the expected type if it is a tuple, or a union with a tuple.
    fn asked_tuple(&mut self, widening: Widening) -> Option<Rc<[Element]>> {
        let Widening::For(wanted) = widening else {
            return None;
        };
        match self.shape_of(wanted) {
            Ty::Tuple { elements, .. } => Some(elements),
            Ty::Union(members) => members
                .iter()
                .find_map(|member| self.asked_tuple(Widening::For(*member))),
            _ => None,
        }
    }

    fn array_value(
        &mut self,
        elements: &'a [ArrayExpressionElement<'a>],
        scope: ScopeId,
        widening: Widening,
        location: Location,
    ) -> TyId {
        let mut items = Vec::with_capacity(elements.len());
        let tuple = self.asked_tuple(widening);
        for (index, element) in elements.iter().enumerate() {
            match element {
                ArrayExpressionElement::SpreadElement(spread) => {
                    let within = match widening {
                        Widening::Const => Widening::Const,
                        _ => Widening::Declared,
                    };
                    let list = self.expression_type(&spread.argument, scope, within);
                    match self.shape_of(list) {
                        Ty::Array { element, .. } => items.push(Element::rest(element)),
                        Ty::Tuple { elements, .. } => items.extend(elements.iter().cloned()),
                        Ty::Invalid(_) => return list,
                        _ => return self.uninferred(location, "this spread", "the elements"),
                    }
                }
                ArrayExpressionElement::Elision(_) => {
                    items.push(Element::plain(self.store.add(Ty::Undefined)));
                }
                other => {
                    if let Some(expression) = other.as_expression() {
                        let inside = match tuple.as_ref().and_then(|tuple| tuple.get(index)) {
                            Some(asked) if !asked.rest => Widening::For(asked.ty),
                            _ => self.inside(widening, None),
                        };
                        items.push(Element::plain(self.expression_type(expression, scope, inside)));
                    }
                }
            }
        }
        if widening == Widening::Const {
            return self.store.add(Ty::Tuple {
                elements: items.into(),
                readonly: true,
            });
        }
        if tuple.is_some() {
            return self.tuple_of(items, false);
        }
        let element = self.union(items.iter().map(|item| item.ty).collect());
        self.store.add(Ty::Array {
            element,
            readonly: false,
        })
    }

    fn object_value(&mut self, node: &'a ObjectExpression<'a>, scope: ScopeId, widening: Widening) -> TyId {
        let mut object = Object { ..Object::default() };
        for property in &node.properties {
            let property = match property {
                ObjectPropertyKind::SpreadProperty(spread) => {
                    let ty = self.expression_type(&spread.argument, scope, Widening::Declared);
                    let shape = self.shape(ty);
                    match *self.store.get(shape) {
                        Ty::Object(id) => {
                            let spread = self.store.object_at(id);
                            for property in spread.visible() {
                                let mut property = property.clone();
                                property.readonly = widening == Widening::Const;
                                object.insert(property);
                            }
                            continue;
                        }
                        Ty::Invalid(_) => return shape,
                        _ => {
                            let location = self.location(scope, spread.span);
                            return self.uninferred(location, "this spread", "the properties");
                        }
                    }
                }
                ObjectPropertyKind::ObjectProperty(property) => property,
            };
            let Some((name, key)) = self.key(&mut object, &property.key, property.computed, scope) else {
                continue;
            };
            let location = self.location(scope, property.key.span());
            let ty = match property.kind {
                PropertyKind::Get => match &property.value {
                    Expression::FunctionExpression(function) => match &function.return_type {
                        Some(result) => self.evaluate(&result.type_annotation, scope),
                        None => self.uninferred(location, "this getter", "a result type"),
                    },
                    _ => self.uninferred(location, "this getter", "a result type"),
                },
                PropertyKind::Set => continue,
                PropertyKind::Init => {
                    let inside = self.inside(widening, Some(&name));
                    self.expression_type(&property.value, scope, inside)
                }
            };
            let doc = self.member_doc(property.span, scope);
            let ty = self.constrained(ty, doc);
            object.insert(Property {
                readonly: widening == Widening::Const,
                doc,
                ..Property::plain(name, key, ty, location)
            });
        }
        self.store.object(object)
    }

    /// Returns the type of a variable that is initialized with a value of this type: `string` for the type `"a"`.
    pub(in crate::eval) fn widened(&mut self, ty: TyId) -> TyId {
        match self.shape_of(ty) {
            Ty::Literal(literal) => self.store.add(literal.primitive()),
            Ty::Union(members) => {
                let members = members.iter().map(|member| self.widened(*member)).collect();
                self.union(members)
            }
            _ => ty,
        }
    }
}

fn is_const(node: &TSType<'_>) -> bool {
    matches!(
        node,
        TSType::TSTypeReference(reference)
            if matches!(&reference.type_name, TSTypeName::IdentifierReference(name) if name.name == "const")
    )
}

fn is_freeze(callee: &Expression<'_>) -> bool {
    matches!(
        callee,
        Expression::StaticMemberExpression(member)
            if member.property.name == "freeze"
                && matches!(&member.object, Expression::Identifier(name) if name.name == "Object")
    )
}
