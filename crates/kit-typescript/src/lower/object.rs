//! Lowering of object types.

use kit_diagnostics::codes;
use kit_ir::{
    Constraints, DeclarationId, DeclarationOrigin, Documentation, IndexKey, IndexSignature, ObjectType,
    TemplatePart, Type, TypeId, TypeKind,
};

use super::{Lowering, Tagged};
use crate::eval::{KeyKind, Object, ObjectId, Segment, Ty, TyId, is_type_tag};

/// Progress of converting an object type without a name to the IR.
#[derive(Debug, Clone, Copy)]
pub(super) enum State {
    /// The conversion is in progress. Stores the number of named types that enclose the object, and the
    /// declaration of the object if the object contains itself.
    Open(usize, Option<DeclarationId>),
    /// The conversion is complete. Stores the type in the IR, and the number of its nested types.
    Done(TypeId, u32),
}

/// Help for an error about a function.
const WRITE_DATA: &str = "describe the value as it is on the wire, or write `@dataOnly` above its interface or class: kit then leaves out members that are functions";

impl Lowering<'_> {
    pub(super) fn object(&mut self, ty: TyId, id: ObjectId) -> TypeId {
        let object = self.eval.store.object_at(id);
        if object.is_function() {
            // Functions with equal types at different locations are different mistakes.
            let location = self.eval.current_location();
            let what = "a function has no JSON form";
            return self.refused_at(codes::NO_JSON_FORM, what, WRITE_DATA, location);
        }
        if let Some(result) = self.eval.result_of_to_json(&object) {
            return self.result_of_to_json(result);
        }
        if object.accepts_anything_but_null() {
            return self.anything_but_null();
        }
        match self.objects.get(&id).copied() {
            // The IR has this type only once, but generated code repeats it at each location, so its nested
            // types count again.
            Some(State::Done(known, parts)) => {
                self.eval.spend(parts as usize);
                if !self.has_room(parts) {
                    return self.failed();
                }
                return self.refuse_exhausted().unwrap_or(known);
            }
            // TypeScript allows a recursive type without a name, but an artifact needs a name to refer to.
            Some(State::Open(path, declaration)) => {
                let declaration = declaration.unwrap_or_else(|| self.name_recursion(ty, path));
                self.objects.insert(id, State::Open(path, Some(declaration)));
                return self.program.add_type(TypeKind::Reference { declaration });
            }
            None => {}
        }
        self.objects.insert(id, State::Open(self.path.len(), None));
        let before = self.inline;
        let mut lowered = self.object_inner(id);
        if let Some(State::Open(_, Some(declaration))) = self.objects.get(&id).copied() {
            self.program.declarations[declaration].r#type = lowered;
            // The type of a declaration must not be just a reference, so here the object itself is used.
            if self.path.len() > 1 {
                lowered = self.program.add_type(TypeKind::Reference { declaration });
            }
        }
        let parts = self.inline.saturating_sub(before).max(1);
        self.objects.insert(id, State::Done(lowered, parts));
        lowered
    }

    /// Returns the IR of an object with the method `toJSON`, from the type of the method's result. As for `JSON.stringify`, a
    /// method `toJSON` of the result itself is not called.
    fn result_of_to_json(&mut self, result: TyId) -> TypeId {
        let shape = self.eval.shape(result);
        let mut result = result;
        if let Ty::Object(inner) = *self.eval.store.get(shape) {
            let mut inner = Object::clone(&self.eval.store.object_at(inner));
            if self.eval.result_of_to_json(&inner).is_some() {
                inner.properties.retain(|property| &*property.name != "toJSON");
                result = self.eval.store.object(inner);
            }
        }
        // The type of a declaration must not be just a reference.
        let id = if self.path.len() > 1 {
            self.lower(result)
        } else {
            self.structure(result)
        };
        if self.has_failed(id) {
            return id;
        }
        self.has_to_json = true;
        let mut copy = self.program.types[id].clone();
        copy.calls_to_json = true;
        self.program.add_type(copy)
    }

    /// Returns the IR of `{}`. In TypeScript every value except `null` and `undefined` fits `{}`, so the
    /// result is a union of all kinds of JSON values except `null`.
    fn anything_but_null(&mut self) -> TypeId {
        let value = self.program.add_type(TypeKind::Unknown);
        let index = vec![IndexSignature {
            key: IndexKey::String,
            rules: Constraints::default(),
            value,
        }];
        let kinds = [
            TypeKind::String,
            TypeKind::Number,
            TypeKind::Boolean,
            TypeKind::Array { element: value },
            TypeKind::Object(ObjectType {
                properties: Vec::new(),
                index,
            }),
        ];
        let members = kinds.map(|kind| self.program.add_type(kind)).to_vec();
        self.program.add_type(TypeKind::Union { members })
    }

    /// Adds a declaration for an object type without a name that contains itself. The name of the declaration
    /// is made from the names that contain the type.
    fn name_recursion(&mut self, ty: TyId, path: usize) -> DeclarationId {
        let mut name = self.path[..path.min(self.path.len())].concat();
        if path <= 1 {
            name.push_str("Body");
        }
        let origin = DeclarationOrigin::Instance {
            expression: self.eval.text(ty),
        };
        let location = self.eval.current_location();
        self.add_declaration(name, origin, Documentation::default(), location)
    }

    fn object_inner(&mut self, id: ObjectId) -> TypeId {
        let object = self.eval.store.object_at(id);
        self.report_all(object.issues.clone());
        for property in &object.properties {
            if let Some(name) = property.private_name()
                && !object.data_only
            {
                let message = format!("`{name}` is private, and a JSON value cannot have private members");
                let help =
                    "write `@dataOnly` above the class: kit then leaves out its private members and methods";
                self.refused_at(codes::NO_JSON_FORM, &message, help, property.location);
            }
        }
        let mut properties = Vec::with_capacity(object.properties.len());
        let mut tagged = Vec::new();
        // JSON has no symbol keys, so these properties are never on the wire.
        let mut named = Vec::with_capacity(object.properties.len());
        let mut left_out = None;
        for property in &object.properties {
            if self.eval.is_left_out(&object, property) {
                let name = property.private_name().unwrap_or(&property.name);
                left_out.get_or_insert_with(|| name.to_owned());
            } else if property.key != KeyKind::Symbol && !is_type_tag(&property.name) {
                named.push(property);
            }
        }
        for (index, property) in named.into_iter().enumerate() {
            if let Some(doc) = property.doc
                && !property.text_only_doc
            {
                tagged.push((index, doc));
            }
            self.path.push(crate::eval::pascal(&property.name));
            self.properties.push(std::rc::Rc::clone(&property.name));
            properties.push(self.property(property));
            self.properties.pop();
            self.path.pop();
        }
        let index = self.signatures(&object);
        let id = self
            .program
            .add_type(Type::from(TypeKind::Object(ObjectType { properties, index })));
        if let Some(member) = left_out {
            self.left_out.insert(id, member);
        }
        self.tagged.extend(tagged.into_iter().map(|(index, doc)| Tagged {
            object: id,
            index,
            doc,
        }));
        id
    }

    fn signatures(&mut self, object: &Object) -> Vec<IndexSignature> {
        let of_strings = object
            .index
            .iter()
            .find(|index| matches!(self.eval.store.get(index.key), Ty::String))
            .map(|index| index.value);
        let mut signatures = Vec::with_capacity(object.index.len());
        for index in &object.index {
            let key = match self.eval.store.get(index.key).clone() {
                Ty::String => IndexKey::String,
                // Number keys are string keys too, so an equal signature for numbers is redundant.
                Ty::Number if of_strings == Some(index.value) => continue,
                Ty::Number => IndexKey::Number,
                Ty::Template(parts) => IndexKey::Template {
                    parts: parts
                        .iter()
                        .map(|part| match part {
                            Segment::Text(text) => TemplatePart::Text(text.to_string()),
                            Segment::Placeholder(placeholder) => {
                                TemplatePart::Placeholder(self.structure(*placeholder))
                            }
                        })
                        .collect(),
                },
                Ty::Symbol => continue,
                _ => {
                    let text = self.eval.text(index.key);
                    let message = format!("no key can be checked against `{text}`");
                    self.refused(codes::UNSUPPORTED_TYPE, &message, "write `[key: string]: …`");
                    continue;
                }
            };
            let rules = index.ruled.map_or_else(Constraints::default, |keys| {
                let keys = self.structure(keys);
                self.program.types[keys].constraints.clone()
            });
            let (value, _) = self.without_undefined(index.value);
            self.path.push("Value".to_owned());
            let value = self.lower(value);
            self.path.pop();
            signatures.push(IndexSignature { key, rules, value });
        }
        signatures
    }

    /// Reports a type that contains itself without end.
    pub(super) fn endless(&mut self, ty: TyId) -> TypeId {
        let message = format!("`{}` contains itself without end", self.eval.text(ty));
        self.refused(
            codes::RECURSIVE_ALIAS,
            &message,
            "use a named type for the recursion: `interface Tree { children: Tree[] }`",
        )
    }
}
