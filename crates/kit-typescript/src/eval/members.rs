//! Members of interfaces and object literals.

use kit_diagnostics::codes;
use oxc_ast::ast::{PropertyKey, TSSignature, TSType};
use oxc_span::{GetSpan, Span};

use super::types::number_name;
use super::{Evaluator, Object, Prop, ScopeId, Ty};
use crate::docs::Doc;

impl<'a> Evaluator<'a> {
    /// Adds a member to an object; one of the same name is replaced where it stands.
    pub(super) fn member(&mut self, object: &mut Object, member: &'a TSSignature<'a>, scope: ScopeId) {
        let place = self.place(scope, member.span());
        match member {
            TSSignature::TSPropertySignature(property) => {
                let Some(name) = self.key(object, &property.key, property.computed, scope) else {
                    return;
                };
                let key = self.place(scope, property.key.span());
                let ty = match &property.type_annotation {
                    Some(annotation) => match &annotation.type_annotation {
                        node @ (TSType::TSStringKeyword(_)
                        | TSType::TSNumberKeyword(_)
                        | TSType::TSBooleanKeyword(_)) => self.evaluate(node, scope),
                        node => self.store.lazy(node, scope),
                    },
                    None => {
                        self.unsupported(key, &format!("`{name}` has no type"), "write one after a colon")
                    }
                };
                let doc = self.member_doc(property.span, scope);
                let ty = self.constrained(ty, doc.clone());
                let doc = doc.map(|doc| self.store.doc(doc));
                let optional = property.optional;
                insert(
                    object,
                    Prop {
                        name,
                        ty,
                        optional,
                        required: false,
                        doc,
                        place: key,
                    },
                );
            }
            TSSignature::TSMethodSignature(method) => {
                let Some(name) = self.key(object, &method.key, method.computed, scope) else {
                    return;
                };
                let key = self.place(scope, method.key.span());
                let ty = self.without_json(key, &format!("the method `{name}`"));
                let optional = method.optional;
                insert(
                    object,
                    Prop {
                        name,
                        ty,
                        optional,
                        required: false,
                        doc: None,
                        place: key,
                    },
                );
            }
            TSSignature::TSIndexSignature(signature) => {
                let parameter = &signature.parameter.type_annotation.type_annotation;
                if matches!(parameter, TSType::TSStringKeyword(_) | TSType::TSNumberKeyword(_)) {
                    object.index = Some(self.store.lazy(&signature.type_annotation.type_annotation, scope));
                } else {
                    let issue = self
                        .diagnostic(
                            codes::UNSUPPORTED_TYPE,
                            place,
                            "kit evaluates index signatures of strings only",
                        )
                        .help("write `[key: string]: …`");
                    object.issues.push(issue);
                }
            }
            TSSignature::TSCallSignatureDeclaration(_) | TSSignature::TSConstructSignatureDeclaration(_) => {
                let issue = self
                    .diagnostic(codes::NO_JSON_FORM, place, "a function has no JSON form")
                    .help("remove the call signature");
                object.issues.push(issue);
            }
        }
    }

    fn key(
        &mut self,
        object: &mut Object,
        key: &PropertyKey<'a>,
        computed: bool,
        scope: ScopeId,
    ) -> Option<String> {
        let plain = match key {
            PropertyKey::RegExpLiteral(_)
            | PropertyKey::PrivateIdentifier(_)
            | PropertyKey::NullLiteral(_) => None,
            PropertyKey::NumericLiteral(number) => Some(number_name(number.value).into()),
            key => key.static_name(),
        };
        if plain.is_none() {
            let place = self.place(scope, key.span());
            let text = self.graph.module(place.module).slice(place.span);
            let (open, close) = if computed { ("[", "]") } else { ("", "") };
            let issue = self
                .diagnostic(
                    codes::UNSUPPORTED_TYPE,
                    place,
                    format!("kit cannot read the property name `{open}{text}{close}`"),
                )
                .help("write the name itself");
            object.issues.push(issue);
        }
        plain.map(std::borrow::Cow::into_owned)
    }

    /// The comment of a member that begins at `span`.
    fn member_doc(&self, span: Span, scope: ScopeId) -> Option<Doc> {
        let id = self.store.scopes[scope.index()].module;
        let module = self.graph.module(id);
        module
            .doc(span.start)
            .map(|comment| Doc::parse(id, module.text, comment))
    }
}

/// Adds a property; a redeclared one keeps its position, as in TypeScript.
pub(super) fn insert(object: &mut Object, property: Prop) {
    match object
        .properties
        .iter_mut()
        .find(|known| known.name == property.name)
    {
        Some(known) => *known = property,
        None => object.properties.push(property),
    }
}

impl Object {
    /// The property of that name.
    pub(crate) fn property(&self, name: &str) -> Option<&Prop> {
        self.properties.iter().find(|property| property.name == name)
    }
}

impl Evaluator<'_> {
    /// The object that a type is, copied; nothing where it is something else.
    pub(crate) fn as_object(&mut self, ty: super::TyId) -> Option<Object> {
        let shape = self.shape(ty);
        match *self.store.get(shape) {
            Ty::Object(id) => Some(self.store.objects[id.index()].clone()),
            _ => None,
        }
    }
}
