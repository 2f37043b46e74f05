//! Types that TypeScript itself declares, such as `Date` and `Promise`.

use kit_diagnostics::{closest, codes};

use super::reference::count;
use super::types::Index;
use super::utility::Utility;
use super::{Evaluator, Object, Ty, TyId};
use crate::modules::Location;

/// Classes and interfaces of TypeScript that kit knows only by name. Conditional types may compare them, but
/// JSON cannot represent their values.
const BUILTINS: &[&str] = &[
    "ArrayBuffer",
    "ArrayBufferLike",
    "AsyncGenerator",
    "AsyncIterable",
    "AsyncIterableIterator",
    "AsyncIterator",
    "BigInt64Array",
    "BigUint64Array",
    "Blob",
    "Buffer",
    "DataView",
    "Error",
    "EvalError",
    "File",
    "Float32Array",
    "Float64Array",
    "FormData",
    "Function",
    "Generator",
    "Headers",
    "Int16Array",
    "Int32Array",
    "Int8Array",
    "Iterable",
    "IterableIterator",
    "Iterator",
    "Map",
    "NewableFunction",
    "CallableFunction",
    "Promise",
    "PromiseLike",
    "RangeError",
    "ReadableStream",
    "ReadonlyMap",
    "ReadonlySet",
    "ReferenceError",
    "RegExp",
    "Request",
    "Response",
    "Set",
    "SharedArrayBuffer",
    "Symbol",
    "SyntaxError",
    "TypeError",
    "URL",
    "URLSearchParams",
    "Uint16Array",
    "Uint32Array",
    "Uint8ClampedArray",
    "WeakMap",
    "WeakRef",
    "WeakSet",
];

/// Returns true for a class of TypeScript whose type arguments follow from the arguments of `new Name(…)`.
pub(super) fn infers_arguments(name: &str) -> bool {
    matches!(
        name,
        "Array" | "Map" | "Promise" | "ReadableStream" | "Set" | "WeakMap" | "WeakRef" | "WeakSet"
    )
}

/// Returns the number of type parameters of a class whose type arguments are optional. Omitted arguments are
/// `any`.
fn parameters_of(name: &str) -> usize {
    match name {
        "AsyncGenerator"
        | "AsyncIterable"
        | "AsyncIterableIterator"
        | "AsyncIterator"
        | "Generator"
        | "Iterable"
        | "IterableIterator"
        | "Iterator" => 3,
        "ReadableStream" => 1,
        _ => 0,
    }
}

/// Returns true if kit knows the type of TypeScript with this name without reading its declaration.
pub(crate) fn is_known(name: &str) -> bool {
    matches!(
        name,
        "Date"
            | "Uint8Array"
            | "PropertyKey"
            | "ArrayLike"
            | "String"
            | "Number"
            | "Boolean"
            | "BigInt"
            | "Object"
    ) || Utility::from_name(name).is_some()
        || BUILTINS.contains(&name)
}

impl Evaluator<'_> {
    /// Evaluates a type that TypeScript declares. Reports a name that is not declared.
    pub(super) fn global(
        &mut self,
        name: &str,
        arguments: &[TyId],
        locations: &[Location],
        location: Location,
    ) -> TyId {
        if let Some(utility) = Utility::from_name(name) {
            if arguments.len() != utility.arity() {
                let message = format!(
                    "`{name}` takes {}, not {}",
                    count(utility.arity()),
                    arguments.len()
                );
                return self.reject(codes::WRONG_TYPE_ARGUMENTS, location, message, utility.form());
            }
            return self.utility(utility, arguments, locations, location);
        }
        if let Some(builtin) = BUILTINS.iter().find(|builtin| **builtin == name) {
            let mut arguments = arguments.to_vec();
            while arguments.len() < parameters_of(name) {
                arguments.push(self.store.add(Ty::Any));
            }
            return self.store.add(Ty::Builtin(builtin, arguments.into()));
        }
        let ty = match name {
            "Date" => Ty::Date,
            "Uint8Array" => Ty::Bytes,
            "PropertyKey" => return self.any_key(),
            "ArrayLike" if arguments.len() == 1 => return self.array_like(arguments[0], location),
            "String" | "Number" | "Boolean" | "BigInt" => {
                let primitive = name.to_lowercase();
                let message = format!("`{name}` is the type of a wrapper object, not of a plain {primitive}");
                return self.unsupported(location, &message, &format!("write `{primitive}`"));
            }
            "Object" => {
                return self.unsupported(
                    location,
                    "`Object` does not say which properties the value has",
                    "write the properties",
                );
            }
            _ => return self.undeclared(name, location),
        };
        self.store.add(ty)
    }

    fn array_like(&mut self, element: TyId, location: Location) -> TyId {
        let key = self.store.add(Ty::Number);
        let object = Object {
            properties: vec![super::Property {
                name: "length".into(),
                key: super::KeyKind::Text,
                ty: key,
                optional: false,
                required: false,
                readonly: true,
                text_only_doc: false,
                column: false,
                doc: None,
                location,
            }],
            index: vec![Index::plain(key, element)],
            nominal: true,
            ..Object::default()
        };
        self.store.object(object)
    }

    fn undeclared(&mut self, name: &str, location: Location) -> TyId {
        let module = self.graph.module(location.module);
        if let Some(error) = &module.syntax_error {
            return self.store.reject(error.clone());
        }
        let known = module
            .types
            .keys()
            .copied()
            .chain(Utility::NAMES.iter().copied())
            .chain(["Date"]);
        let help = match closest(name, known) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!(
                "declare it, or import it: `import type {{ {name} }} from \"./{}.ts\"`",
                name.to_lowercase()
            ),
        };
        self.reject(
            codes::UNKNOWN_TYPE,
            location,
            format!("the type `{name}` is not declared"),
            &help,
        )
    }
}
