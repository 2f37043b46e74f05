//! Interfaces and object types.

use oxc_ast::ast::{TSInterfaceDeclaration, TSTypeLiteral};

use super::index::set_index;
use super::{Evaluator, InstanceId, Object, Property, ScopeId, Ty, TyId};
use crate::docs::TagName;
use crate::modules::Location;

/// Name of `this` in a scope. The name is a reserved word, so that no type parameter can have it.
pub(super) const THIS: &str = "this";

impl<'a> Evaluator<'a> {
    /// Returns the object type of an interface: the members of all its declarations and of the interfaces
    /// that it extends.
    pub(super) fn interface(&mut self, parts: &[(&'a TSInterfaceDeclaration<'a>, ScopeId)]) -> TyId {
        if let Some(list) = self.list_of_interface(parts) {
            return list;
        }
        let mut object = Object {
            nominal: true,
            ..Object::default()
        };
        match self.interface_members(&mut object, parts) {
            Ok(()) => self.store.object(object),
            Err(invalid) => invalid,
        }
    }

    /// Returns the array or tuple type that an interface without members of its own extends, as in
    /// `interface Names extends Array<string> {}`. Returns `None` for any other interface.
    fn list_of_interface(&mut self, parts: &[(&'a TSInterfaceDeclaration<'a>, ScopeId)]) -> Option<TyId> {
        if parts.iter().any(|(part, _)| !part.body.body.is_empty()) {
            return None;
        }
        let mut extended = parts
            .iter()
            .flat_map(|(part, scope)| part.extends.iter().map(move |heritage| (heritage, *scope)));
        let (heritage, scope) = extended.next()?;
        if extended.next().is_some() {
            return None;
        }
        let location = self.location(scope, heritage.span);
        let arguments = heritage.type_arguments.as_deref();
        let base = self.named_type(&heritage.type_name, arguments, location, scope);
        let shape = self.shape(base);
        matches!(self.store.get(shape), Ty::Array { .. } | Ty::Tuple { .. }).then_some(base)
    }

    /// Adds the members of an interface's declarations to an object, and the members of the types that the
    /// declarations extend.
    pub(super) fn interface_members(
        &mut self,
        object: &mut Object,
        parts: &[(&'a TSInterfaceDeclaration<'a>, ScopeId)],
    ) -> Result<(), TyId> {
        for (part, scope) in parts {
            for heritage in &part.extends {
                let location = self.location(*scope, heritage.span);
                let arguments = heritage.type_arguments.as_deref();
                let base = self.named_type(&heritage.type_name, arguments, location, *scope);
                self.inherit(object, base, *scope, location)?;
            }
        }
        for (part, scope) in parts {
            for member in &part.body.body {
                self.member(object, member, *scope);
            }
        }
        Ok(())
    }

    /// Adds the members of a type that is extended. `this` in these members means the type that extends it.
    pub(super) fn inherit(
        &mut self,
        object: &mut Object,
        base: TyId,
        scope: ScopeId,
        location: Location,
    ) -> Result<(), TyId> {
        let base = match (*self.store.get(base)).clone() {
            Ty::Named(instance) => {
                let instance = &self.store.instances[instance.index()];
                let (decl, args) = (instance.decl, std::rc::Rc::clone(&instance.args));
                let module = self.graph.decl(decl).module;
                // Few files use `this`. A type of any other file is the same for all types that extend it.
                match self.store.binding(scope, THIS) {
                    Some((this, _)) if self.graph.module(module).text.contains("this") => {
                        self.store.named_with_this(decl, args, Some(this))
                    }
                    _ => base,
                }
            }
            _ => base,
        };
        let shape = self.shape(base);
        match *self.store.get(shape) {
            Ty::Object(id) => {
                let base = self.store.object_at(id);
                for property in &base.properties {
                    object.insert(property.clone());
                }
                for index in &base.index {
                    set_index(object, *index);
                }
                object.calls.extend(base.calls.iter().cloned());
                object.constructs.extend(base.constructs.iter().cloned());
                object.issues.extend(base.issues.iter().cloned());
                object.data_only |= base.data_only;
                Ok(())
            }
            Ty::Invalid(_) => Err(shape),
            Ty::Array { .. } | Ty::Tuple { .. } => {
                let message = format!(
                    "an array in JSON has no members besides its items, so `{}` cannot be extended with members",
                    self.text(base)
                );
                let help = "write the array as a property of an interface, next to the other members";
                Err(self.unsupported(location, &message, help))
            }
            _ => {
                let message = format!("an interface cannot extend `{}`", self.text(base));
                Err(self.unsupported(location, &message, "extend an interface or an object type"))
            }
        }
    }

    /// Evaluates the type of a declaration. With `@dataOnly`, its methods and private members are left out in JSON.
    pub(super) fn body_with_data_only(&mut self, instance: InstanceId) -> TyId {
        let body = self.evaluate_body(instance);
        let decl = self.store.instances[instance.index()].decl;
        let is_tagged = self
            .declaration_doc(decl)
            .is_some_and(|doc| doc.has(TagName::DataOnly));
        if !is_tagged {
            return body;
        }
        match self.shape_of(body) {
            Ty::Object(id) => {
                let mut object = Object::clone(&self.store.object_at(id));
                object.data_only = true;
                self.store.object(object)
            }
            _ => body,
        }
    }

    /// Returns true for a member that JSON has no form for and that `@dataOnly` leaves out: a method, a property whose
    /// values are functions, or a private member.
    pub(crate) fn is_left_out(&mut self, object: &Object, property: &Property) -> bool {
        if !object.data_only {
            return false;
        }
        if property.private_name().is_some() {
            return true;
        }
        let ty = self.defined(property.ty);
        let members = match self.shape_of(ty) {
            Ty::Union(members) => members,
            _ => [ty].into(),
        };
        let mut has_function = false;
        for member in members.iter() {
            match self.shape_of(*member) {
                Ty::Object(id) if self.store.object_at(id).is_function() => has_function = true,
                Ty::Builtin("Function", _) => has_function = true,
                Ty::Null | Ty::Undefined => {}
                _ => return false,
            }
        }
        has_function
    }

    /// Returns the type of the JSON of an object with a method `toJSON`: the result of the method, as for `JSON.stringify`.
    /// Returns `None` for any other object, and for an object with `@dataOnly`.
    pub(crate) fn result_of_to_json(&mut self, object: &Object) -> Option<TyId> {
        if object.data_only || object.is_function() {
            return None;
        }
        let method = object.property("toJSON")?.ty;
        let Ty::Object(method) = self.shape_of(method) else {
            return None;
        };
        Some(self.store.object_at(method).calls.first()?.result)
    }

    pub(super) fn type_literal(&mut self, literal: &'a TSTypeLiteral<'a>, scope: ScopeId) -> TyId {
        let mut object = Object { ..Object::default() };
        for member in &literal.members {
            self.member(&mut object, member, scope);
        }
        self.store.object(object)
    }
}
