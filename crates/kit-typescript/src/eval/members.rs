//! Members of interfaces and object types: properties, methods, index signatures.

use std::rc::Rc;

use kit_diagnostics::codes;
use oxc_ast::ast::{Expression, PropertyKey, TSMethodSignatureKind, TSSignature, TSType};
use oxc_span::{GetSpan, Span};

use super::function::Signature;
use super::template::has_half_pair;
use super::types::Function;
use super::{DocId, Evaluator, KeyKind, Object, Property, ScopeId, Ty, TyId};
use crate::modules::Location;

impl<'a> Evaluator<'a> {
    /// Adds a member to an object. If the object has a member with the same name, the new member replaces it
    /// at its position.
    pub(super) fn member(&mut self, object: &mut Object, member: &'a TSSignature<'a>, scope: ScopeId) {
        self.spend_members(1, object.properties.len());
        match member {
            TSSignature::TSPropertySignature(property) => {
                let Some((name, key)) = self.key(object, &property.key, property.computed, scope) else {
                    return;
                };
                let location = self.location(scope, property.key.span());
                let ty = match &property.type_annotation {
                    Some(annotation) => self.member_type(&annotation.type_annotation, scope),
                    None => self.unsupported(
                        location,
                        &format!("`{name}` has no type"),
                        "write a type after a colon",
                    ),
                };
                let doc = self.member_doc(property.span, scope);
                let ty = self.constrained(ty, doc);
                object.insert(Property {
                    optional: property.optional,
                    readonly: property.readonly,
                    doc,
                    ..Property::plain(name, key, ty, location)
                });
            }
            TSSignature::TSMethodSignature(method) => {
                let Some((name, key)) = self.key(object, &method.key, method.computed, scope) else {
                    return;
                };
                let signature = Signature {
                    type_parameters: method.type_parameters.as_deref(),
                    this: method.this_param.as_deref(),
                    parameters: &method.params,
                    result: method.return_type.as_deref(),
                    method: true,
                };
                let function = self.signature(&signature, scope);
                let location = self.location(scope, method.key.span());
                let doc = self.member_doc(method.span, scope);
                let accessor = match method.kind {
                    TSMethodSignatureKind::Method => None,
                    TSMethodSignatureKind::Get => Some(function.result),
                    TSMethodSignatureKind::Set => function.parameters.first().map(|parameter| parameter.ty),
                };
                let ty = accessor.unwrap_or_else(|| self.overloaded(object, &name, function));
                object.insert(Property {
                    optional: method.optional,
                    doc,
                    ..Property::plain(name, key, ty, location)
                });
            }
            TSSignature::TSIndexSignature(signature) => {
                let location = self.location(scope, member.span());
                let parameter = &signature.parameter.type_annotation.type_annotation;
                let key = self.evaluate(parameter, scope);
                let value = self.member_type(&signature.type_annotation.type_annotation, scope);
                self.index_signature(object, key, value, location);
            }
            TSSignature::TSCallSignatureDeclaration(call) => {
                let signature = Signature {
                    type_parameters: call.type_parameters.as_deref(),
                    this: call.this_param.as_deref(),
                    parameters: &call.params,
                    result: call.return_type.as_deref(),
                    method: false,
                };
                let function = self.signature(&signature, scope);
                object.calls.push(function);
            }
            TSSignature::TSConstructSignatureDeclaration(construct) => {
                let signature = Signature {
                    type_parameters: construct.type_parameters.as_deref(),
                    this: None,
                    parameters: &construct.params,
                    result: construct.return_type.as_deref(),
                    method: false,
                };
                let function = self.signature(&signature, scope);
                object.constructs.push(function);
            }
        }
    }

    /// Returns the type of a member. The type is evaluated later, unless it is a keyword, so that an object
    /// may refer to itself.
    pub(super) fn member_type(&mut self, node: &'a TSType<'a>, scope: ScopeId) -> TyId {
        match node {
            TSType::TSStringKeyword(_) | TSType::TSNumberKeyword(_) | TSType::TSBooleanKeyword(_) => {
                self.evaluate(node, scope)
            }
            node => self.store.lazy(node, scope),
        }
    }

    /// Returns the type of a method. If the object already has a method with this name, the type has both
    /// overloads.
    pub(super) fn overloaded(&mut self, object: &Object, name: &str, function: Function) -> TyId {
        let mut calls = match object.property(name).map(|known| self.shape_of(known.ty)) {
            Some(Ty::Object(id)) => self.store.object_at(id).calls.clone(),
            _ => Vec::new(),
        };
        calls.push(function);
        self.store.object(Object {
            calls,
            ..Object::default()
        })
    }

    /// Returns the name of a member. Adds an error to the object if the name cannot be evaluated.
    pub(super) fn key(
        &mut self,
        object: &mut Object,
        key: &'a PropertyKey<'a>,
        computed: bool,
        scope: ScopeId,
    ) -> Option<(Rc<str>, KeyKind)> {
        let has_half_pair = match key {
            PropertyKey::StringLiteral(text) => text.lone_surrogates,
            PropertyKey::TemplateLiteral(template) => has_half_pair(&template.quasis),
            _ => false,
        };
        if has_half_pair {
            let location = self.location(scope, key.span());
            let issue = self.half_pair_error(location);
            object.issues.push(issue);
            return None;
        }
        let plain = match key {
            PropertyKey::RegExpLiteral(_)
            | PropertyKey::PrivateIdentifier(_)
            | PropertyKey::NullLiteral(_) => None,
            PropertyKey::NumericLiteral(number) => {
                return Some((kit_analysis::number_text(number.value).into(), KeyKind::Number));
            }
            key => key.static_name(),
        };
        if let Some(name) = plain {
            return Some((name.as_ref().into(), KeyKind::Text));
        }
        if computed && let Some(expression) = key.as_expression() {
            return self.computed_key(object, expression, scope);
        }
        self.unreadable_key(object, key.span(), computed, scope);
        None
    }

    /// Returns the name of a member with a computed key, `[key]`: a symbol, or the value of a constant.
    fn computed_key(
        &mut self,
        object: &mut Object,
        expression: &'a Expression<'a>,
        scope: ScopeId,
    ) -> Option<(Rc<str>, KeyKind)> {
        // A well-known symbol such as `[Symbol.iterator]`.
        if let Expression::StaticMemberExpression(member) = expression
            && matches!(&member.object, Expression::Identifier(name) if name.name == "Symbol")
        {
            let name = format!("\0symbol Symbol.{}", member.property.name);
            return Some((name.into(), KeyKind::Symbol));
        }
        let ty = self.expression_type(expression, scope, super::values::Widening::Const);
        match self.shape_of(ty) {
            Ty::UniqueSymbol(location) => Some((symbol_name(location), KeyKind::Symbol)),
            Ty::Literal(literal) => {
                let kind = match literal {
                    super::types::Literal::Number(_) => KeyKind::Number,
                    _ => KeyKind::Text,
                };
                Some((literal.name(), kind))
            }
            Ty::EnumMember(member) => Some((member.value.name(), KeyKind::Text)),
            _ => {
                self.unreadable_key(object, expression.span(), true, scope);
                None
            }
        }
    }

    fn unreadable_key(&mut self, object: &mut Object, span: Span, computed: bool, scope: ScopeId) {
        let location = self.location(scope, span);
        let text = self.graph.module(location.module).slice(location.span);
        let (open, close) = if computed { ("[", "]") } else { ("", "") };
        let issue = self
            .diagnostic(
                codes::UNSUPPORTED_TYPE,
                location,
                format!("kit cannot read the property name `{open}{text}{close}`"),
            )
            .help("write the property name as a plain name or a string");
        object.issues.push(issue);
    }

    /// Returns the doc comment of the member that starts at `span`; `None` if it has no comment.
    pub(super) fn member_doc(&mut self, span: Span, scope: ScopeId) -> Option<DocId> {
        let id = self.store.module_of(scope);
        let module = self.graph.module(id);
        let comment = module.doc(span.start)?;
        Some(self.store.doc_at(id, module.text, comment))
    }
}

/// Returns an internal name for a property with a symbol as its key. The name starts with the character NUL,
/// so that no property in the source has this name.
pub(super) fn symbol_name(location: crate::modules::Location) -> Rc<str> {
    format!("\0symbol {}:{}", location.module.0, location.span.start).into()
}

impl Evaluator<'_> {
    /// Returns the object type to which a type evaluates. Returns `None` if the result is not an object.
    pub(crate) fn as_object(&mut self, ty: TyId) -> Option<Rc<Object>> {
        match self.shape_of(ty) {
            Ty::Object(id) => Some(self.store.object_at(id)),
            _ => None,
        }
    }
}

impl Property {
    /// Creates a property that is required, not readonly, and has no comment.
    pub(crate) fn plain(name: Rc<str>, key: KeyKind, ty: TyId, location: Location) -> Self {
        Self {
            name,
            key,
            ty,
            optional: false,
            required: false,
            readonly: false,
            text_only_doc: false,
            column: false,
            doc: None,
            location,
        }
    }
}
