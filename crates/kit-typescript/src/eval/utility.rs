//! TypeScript's utility types, as functions on evaluated types.

use kit_diagnostics::{Diagnostic, closest, codes};

use super::types::Literal;
use super::{Evaluator, Object, Prop, Ty, TyId};
use crate::modules::Place;

macro_rules! utilities {
    ($($variant:ident $arity:literal $form:literal)*) => {
        /// A utility type.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(super) enum Utility { $($variant),* }

        impl Utility {
            pub(super) const NAMES: &[&str] = &[$(stringify!($variant)),*];

            pub(super) fn from_name(name: &str) -> Option<Self> {
                match name { $(stringify!($variant) => Some(Self::$variant),)* _ => None }
            }

            pub(super) fn arity(self) -> usize {
                match self { $(Self::$variant => $arity),* }
            }

            pub(super) fn form(self) -> &'static str {
                match self { $(Self::$variant => concat!("write `", $form, "`")),* }
            }
        }
    };
}

utilities! {
    Array 1 "Array<Item>"
    ReadonlyArray 1 "ReadonlyArray<Item>"
    Record 2 "Record<string, Value>"
    Partial 1 "Partial<Type>"
    Required 1 "Required<Type>"
    Readonly 1 "Readonly<Type>"
    Pick 2 "Pick<Type, \"key\">"
    Omit 2 "Omit<Type, \"key\">"
    Exclude 2 "Exclude<Union, Member>"
    Extract 2 "Extract<Union, Member>"
    NonNullable 1 "NonNullable<Type>"
}

/// Globals whose values no JSON can hold.
pub(super) fn has_no_json(name: &str) -> bool {
    const NAMES: &[&str] = &[
        "Map",
        "Set",
        "WeakMap",
        "WeakSet",
        "Function",
        "Symbol",
        "RegExp",
        "Promise",
        "Error",
        "ArrayBuffer",
        "Blob",
        "File",
        "FormData",
        "URL",
        "URLSearchParams",
        "ReadableStream",
        "Iterable",
        "Iterator",
        "AsyncIterable",
        "Generator",
        "AsyncGenerator",
        "ReadonlyMap",
        "ReadonlySet",
        "Int8Array",
        "Int16Array",
        "Int32Array",
        "Uint8ClampedArray",
        "Uint16Array",
        "Uint32Array",
        "Float32Array",
        "Float64Array",
        "BigInt64Array",
        "BigUint64Array",
        "DataView",
        "Buffer",
        "PropertyKey",
    ];
    NAMES.contains(&name)
}

/// Utility types that need conditional or template evaluation.
pub(super) fn not_yet(name: &str) -> bool {
    const NAMES: &[&str] = &[
        "Awaited",
        "ReturnType",
        "Parameters",
        "ConstructorParameters",
        "InstanceType",
        "ThisType",
        "ThisParameterType",
        "OmitThisParameter",
        "Uppercase",
        "Lowercase",
        "Capitalize",
        "Uncapitalize",
        "NoInfer",
    ];
    NAMES.contains(&name)
}

impl Evaluator<'_> {
    pub(super) fn utility(
        &mut self,
        utility: Utility,
        arguments: &[TyId],
        places: &[Place],
        place: Place,
    ) -> TyId {
        let (first, first_place) = (arguments[0], places[0]);
        let second = arguments.get(1).copied().unwrap_or(first);
        let second_place = places.get(1).copied().unwrap_or(place);
        match utility {
            Utility::Array | Utility::ReadonlyArray => self.store.add(Ty::Array(first)),
            Utility::Readonly => first,
            Utility::Partial => self.map_members(first, first_place, "Partial", &|property| {
                property.optional = true;
                property.required = false;
            }),
            Utility::Required => self.map_members(first, first_place, "Required", &|property| {
                property.optional = false;
                property.required = true;
            }),
            Utility::Pick => self.pick(first, second, first_place, second_place),
            Utility::Omit => self.omit(first, second, first_place, second_place),
            Utility::Record => self.record(first, second, first_place),
            Utility::NonNullable => {
                let nothing = [Ty::Null, Ty::Undefined].map(|ty| self.store.add(ty));
                self.filter(first, first_place, |_, member| Some(!nothing.contains(&member)))
            }
            Utility::Exclude => self.filter(first, first_place, |this, member| {
                this.assignable(member, second).map(|yes| !yes)
            }),
            Utility::Extract => {
                self.filter(first, first_place, |this, member| this.assignable(member, second))
            }
        }
    }

    /// Changes every property of an object, or of each object of a union: what a homomorphic mapping does.
    fn map_members(&mut self, ty: TyId, place: Place, name: &str, change: &dyn Fn(&mut Prop)) -> TyId {
        let shape = self.shape(ty);
        match self.store.get(shape).clone() {
            Ty::Object(id) => {
                let mut object = self.store.objects[id.index()].clone();
                object.properties.iter_mut().for_each(change);
                self.store.object(object)
            }
            Ty::Union(members) => {
                let members = members
                    .iter()
                    .map(|member| self.map_members(*member, place, name, change))
                    .collect();
                self.union(members)
            }
            Ty::Invalid(_)
            | Ty::Null
            | Ty::Undefined
            | Ty::String
            | Ty::Number
            | Ty::Boolean
            | Ty::Literal(_) => shape,
            _ => {
                let message = format!(
                    "kit evaluates `{name}` of object types only, not of `{}`",
                    self.text(ty)
                );
                self.unsupported(place, &message, "write the resulting type")
            }
        }
    }

    fn pick(&mut self, ty: TyId, keys: TyId, place: Place, keys_place: Place) -> TyId {
        let (object, names) = match (
            self.object_of(ty, place, "Pick"),
            self.key_names(keys, keys_place),
        ) {
            (Ok(object), Ok(names)) => (object, names),
            (Err(invalid), _) | (_, Err(invalid)) => return invalid,
        };
        if let Some(unknown) = names.iter().find(|name| object.property(name).is_none()) {
            return self.unknown_key(&object, unknown, keys_place);
        }
        let mut picked = object;
        picked
            .properties
            .retain(|property| names.contains(&property.name));
        picked.index = None;
        self.store.object(picked)
    }

    fn omit(&mut self, ty: TyId, keys: TyId, place: Place, keys_place: Place) -> TyId {
        let (mut object, names) = match (
            self.object_of(ty, place, "Omit"),
            self.key_names(keys, keys_place),
        ) {
            (Ok(object), Ok(names)) => (object, names),
            (Err(invalid), _) | (_, Err(invalid)) => return invalid,
        };
        // TypeScript allows it, and it is nearly always a slip that lets a property through.
        let mut issues = Vec::new();
        for name in names.iter().filter(|name| object.property(name).is_none()) {
            let known: Vec<&str> = object
                .properties
                .iter()
                .map(|property| property.name.as_str())
                .collect();
            if object.index.is_some() {
                continue;
            }
            let help = match closest(name, known.iter().copied()) {
                Some(near) => format!("did you mean `\"{near}\"`?"),
                None => format!("its keys are {}", known.join(", ")),
            };
            let warning = Diagnostic::warning(
                codes::UNKNOWN_KEY,
                format!("`Omit` leaves out `{name}`, which the type does not have"),
            )
            .label(self.graph.label(keys_place))
            .help(help);
            issues.push(warning);
        }
        object.issues.extend(issues);
        object
            .properties
            .retain(|property| !names.contains(&property.name));
        self.store.object(object)
    }

    fn record(&mut self, keys: TyId, value: TyId, place: Place) -> TyId {
        let shape = self.shape(keys);
        if matches!(self.store.get(shape), Ty::String | Ty::Number) {
            return self.store.object(Object {
                index: Some(value),
                ..Object::default()
            });
        }
        match self.key_names(keys, place) {
            Ok(names) => {
                let properties = names
                    .into_iter()
                    .map(|name| Prop {
                        name,
                        ty: value,
                        optional: false,
                        required: false,
                        doc: None,
                        place,
                    })
                    .collect();
                self.store.object(Object {
                    properties,
                    ..Object::default()
                })
            }
            Err(invalid) => invalid,
        }
    }

    /// Keeps the members of a union that a test accepts; a test that cannot tell is an error.
    fn filter(
        &mut self,
        ty: TyId,
        place: Place,
        mut keep: impl FnMut(&mut Self, TyId) -> Option<bool>,
    ) -> TyId {
        let shape = self.shape(ty);
        let members = match self.store.get(shape).clone() {
            Ty::Union(members) => members,
            Ty::Invalid(_) => return shape,
            _ => vec![ty],
        };
        let mut kept = Vec::new();
        for member in self.split_booleans(members) {
            match keep(self, member) {
                Some(true) => kept.push(member),
                Some(false) => {}
                None => {
                    let message = format!(
                        "kit cannot compare `{}` with the other type yet",
                        self.text(member)
                    );
                    return self.unsupported(place, &message, "write the members that remain");
                }
            }
        }
        self.union(kept)
    }

    /// `boolean` is the union of its two values, and a test may take only one of them.
    fn split_booleans(&mut self, members: Vec<TyId>) -> Vec<TyId> {
        let values = [true, false].map(|value| self.store.add(Ty::Literal(Literal::Boolean(value))));
        let mut split = Vec::with_capacity(members.len() + 1);
        for member in members {
            let shape = self.shape(member);
            if matches!(self.store.get(shape), Ty::Boolean) {
                split.extend(values);
            } else {
                split.push(member);
            }
        }
        split
    }

    fn object_of(&mut self, ty: TyId, place: Place, name: &str) -> Result<Object, TyId> {
        let shape = self.shape(ty);
        match *self.store.get(shape) {
            Ty::Object(id) => Ok(self.store.objects[id.index()].clone()),
            Ty::Invalid(_) => Err(shape),
            _ => {
                let message = format!(
                    "kit evaluates `{name}` of object types only, not of `{}`",
                    self.text(ty)
                );
                Err(self.unsupported(place, &message, "write the resulting type"))
            }
        }
    }

    /// The names that a union of literal keys lists.
    fn key_names(&mut self, keys: TyId, place: Place) -> Result<Vec<String>, TyId> {
        let shape = self.shape(keys);
        let members = match self.store.get(shape).clone() {
            Ty::Union(members) => members,
            Ty::Invalid(_) => return Err(shape),
            Ty::Never => Vec::new(),
            _ => vec![shape],
        };
        let mut names = Vec::with_capacity(members.len());
        for member in members {
            let member = self.shape(member);
            match self.store.get(member) {
                Ty::Literal(literal @ (Literal::String(_) | Literal::Number(_))) => {
                    names.push(literal.name());
                }
                Ty::Invalid(_) => return Err(member),
                _ => {
                    let message = format!("keys are literals here, not `{}`", self.text(member));
                    return Err(self.unsupported(
                        place,
                        &message,
                        "write the keys as literals: `\"id\" | \"title\"`",
                    ));
                }
            }
        }
        Ok(names)
    }
}
