//! Interfaces and object types.

use oxc_ast::ast::{TSInterfaceDeclaration, TSTypeLiteral};

use super::index::set_index;
use super::{Evaluator, Object, ScopeId, Ty, TyId};
use crate::modules::Location;

/// Name of `this` in a scope. The name is a reserved word, so that no type parameter can have it.
pub(super) const THIS: &str = "this";

impl<'a> Evaluator<'a> {
    /// Returns the object type of an interface: the members of all its declarations and of the interfaces
    /// that it extends.
    pub(super) fn interface(&mut self, parts: &[(&'a TSInterfaceDeclaration<'a>, ScopeId)]) -> TyId {
        let mut object = Object {
            nominal: true,
            ..Object::default()
        };
        match self.interface_members(&mut object, parts) {
            Ok(()) => self.store.object(object),
            Err(invalid) => invalid,
        }
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
                Ok(())
            }
            Ty::Invalid(_) => Err(shape),
            _ => {
                let message = format!("an interface cannot extend `{}`", self.text(base));
                Err(self.unsupported(location, &message, "extend an interface or an object type"))
            }
        }
    }

    pub(super) fn type_literal(&mut self, literal: &'a TSTypeLiteral<'a>, scope: ScopeId) -> TyId {
        let mut object = Object { ..Object::default() };
        for member in &literal.members {
            self.member(&mut object, member, scope);
        }
        self.store.object(object)
    }
}
