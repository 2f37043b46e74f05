//! Members of types that TypeScript itself declares, such as the methods of `Date`, and names of its types.

use std::rc::Rc;
use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use super::types::{Element, Function, Generic, Literal};
use super::{Evaluator, KeyKind, Object, Property, Ty, TyId};

/// Type of a member, or result of a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Number,
    Boolean,
    BigInt,
    Nothing,
    /// Type that this table does not describe.
    Other,
}

/// Members of a type that have the same kind.
struct Members {
    /// True for methods. `kind` is then the kind of their results.
    are_methods: bool,
    kind: Kind,
    names: &'static [&'static str],
}

const fn methods(kind: Kind, names: &'static [&'static str]) -> Members {
    Members {
        are_methods: true,
        kind,
        names,
    }
}

const fn properties(kind: Kind, names: &'static [&'static str]) -> Members {
    Members {
        are_methods: false,
        kind,
        names,
    }
}

/// Members of TypeScript's own types in ES2023, without members whose key is a symbol.
const LIBRARY: &[(&str, &[Members])] = &[
    (
        "String",
        &[
            methods(
                Kind::Text,
                &[
                    "toString",
                    "charAt",
                    "concat",
                    "replace",
                    "slice",
                    "substring",
                    "toLowerCase",
                    "toLocaleLowerCase",
                    "toUpperCase",
                    "toLocaleUpperCase",
                    "trim",
                    "substr",
                    "valueOf",
                    "normalize",
                    "repeat",
                    "anchor",
                    "big",
                    "blink",
                    "bold",
                    "fixed",
                    "fontcolor",
                    "fontsize",
                    "italics",
                    "link",
                    "small",
                    "strike",
                    "sub",
                    "sup",
                    "padStart",
                    "padEnd",
                    "trimEnd",
                    "trimStart",
                    "trimLeft",
                    "trimRight",
                    "replaceAll",
                ],
            ),
            methods(
                Kind::Number,
                &["charCodeAt", "indexOf", "lastIndexOf", "localeCompare", "search"],
            ),
            methods(Kind::Other, &["match", "split", "codePointAt", "matchAll", "at"]),
            methods(Kind::Boolean, &["includes", "endsWith", "startsWith"]),
            properties(Kind::Number, &["length"]),
        ],
    ),
    (
        "Number",
        &[
            methods(
                Kind::Text,
                &[
                    "toString",
                    "toFixed",
                    "toExponential",
                    "toPrecision",
                    "toLocaleString",
                ],
            ),
            methods(Kind::Number, &["valueOf"]),
        ],
    ),
    ("Boolean", &[methods(Kind::Boolean, &["valueOf"])]),
    (
        "BigInt",
        &[
            methods(Kind::Text, &["toString", "toLocaleString"]),
            methods(Kind::BigInt, &["valueOf"]),
        ],
    ),
    (
        "Symbol",
        &[
            methods(Kind::Text, &["toString"]),
            methods(Kind::Other, &["valueOf"]),
            properties(Kind::Other, &["description"]),
        ],
    ),
    (
        "Date",
        &[
            methods(
                Kind::Text,
                &[
                    "toString",
                    "toDateString",
                    "toTimeString",
                    "toLocaleString",
                    "toLocaleDateString",
                    "toLocaleTimeString",
                    "toUTCString",
                    "toISOString",
                    "toJSON",
                ],
            ),
            methods(
                Kind::Number,
                &[
                    "valueOf",
                    "getTime",
                    "getFullYear",
                    "getUTCFullYear",
                    "getMonth",
                    "getUTCMonth",
                    "getDate",
                    "getUTCDate",
                    "getDay",
                    "getUTCDay",
                    "getHours",
                    "getUTCHours",
                    "getMinutes",
                    "getUTCMinutes",
                    "getSeconds",
                    "getUTCSeconds",
                    "getMilliseconds",
                    "getUTCMilliseconds",
                    "getTimezoneOffset",
                    "setTime",
                    "setMilliseconds",
                    "setUTCMilliseconds",
                    "setSeconds",
                    "setUTCSeconds",
                    "setMinutes",
                    "setUTCMinutes",
                    "setHours",
                    "setUTCHours",
                    "setDate",
                    "setUTCDate",
                    "setMonth",
                    "setUTCMonth",
                    "setFullYear",
                    "setUTCFullYear",
                ],
            ),
        ],
    ),
    (
        "Uint8Array",
        &[
            properties(
                Kind::Number,
                &["BYTES_PER_ELEMENT", "byteLength", "byteOffset", "length"],
            ),
            properties(Kind::Other, &["buffer"]),
            methods(
                Kind::Other,
                &[
                    "copyWithin",
                    "fill",
                    "filter",
                    "find",
                    "map",
                    "reduce",
                    "reduceRight",
                    "reverse",
                    "slice",
                    "sort",
                    "subarray",
                    "valueOf",
                    "entries",
                    "keys",
                    "values",
                    "at",
                    "findLast",
                    "toReversed",
                    "toSorted",
                    "with",
                ],
            ),
            methods(Kind::Boolean, &["every", "some", "includes"]),
            methods(
                Kind::Number,
                &["findIndex", "indexOf", "lastIndexOf", "findLastIndex"],
            ),
            methods(Kind::Nothing, &["forEach", "set"]),
            methods(Kind::Text, &["join", "toLocaleString", "toString"]),
        ],
    ),
    (
        "Function",
        &[
            methods(Kind::Other, &["apply", "call", "bind"]),
            methods(Kind::Text, &["toString"]),
            properties(Kind::Other, &["prototype", "arguments", "caller"]),
            properties(Kind::Number, &["length"]),
            properties(Kind::Text, &["name"]),
        ],
    ),
    (
        "RegExp",
        &[
            methods(Kind::Other, &["exec", "compile"]),
            methods(Kind::Boolean, &["test"]),
            properties(Kind::Text, &["source", "flags"]),
            properties(
                Kind::Boolean,
                &[
                    "global",
                    "ignoreCase",
                    "multiline",
                    "sticky",
                    "unicode",
                    "dotAll",
                    "hasIndices",
                ],
            ),
            properties(Kind::Number, &["lastIndex"]),
        ],
    ),
    ("Promise", &[methods(Kind::Other, &["then", "catch", "finally"])]),
    (
        "ArrayBuffer",
        &[
            properties(Kind::Number, &["byteLength"]),
            methods(Kind::Other, &["slice"]),
        ],
    ),
    (
        "Map",
        &[
            methods(Kind::Nothing, &["clear", "forEach"]),
            methods(Kind::Boolean, &["delete", "has"]),
            methods(Kind::Other, &["get", "set", "entries", "keys", "values"]),
            properties(Kind::Number, &["size"]),
        ],
    ),
    (
        "Set",
        &[
            methods(Kind::Nothing, &["clear", "forEach"]),
            methods(Kind::Boolean, &["delete", "has"]),
            methods(Kind::Other, &["add", "entries", "keys", "values"]),
            properties(Kind::Number, &["size"]),
        ],
    ),
    (
        "ReadonlyMap",
        &[
            methods(Kind::Nothing, &["forEach"]),
            methods(Kind::Boolean, &["has"]),
            methods(Kind::Other, &["get", "entries", "keys", "values"]),
            properties(Kind::Number, &["size"]),
        ],
    ),
    (
        "ReadonlySet",
        &[
            methods(Kind::Nothing, &["forEach"]),
            methods(Kind::Boolean, &["has"]),
            methods(Kind::Other, &["entries", "keys", "values"]),
            properties(Kind::Number, &["size"]),
        ],
    ),
    (
        "WeakMap",
        &[
            methods(Kind::Boolean, &["delete", "has"]),
            methods(Kind::Other, &["get", "set"]),
        ],
    ),
    (
        "WeakSet",
        &[
            methods(Kind::Other, &["add"]),
            methods(Kind::Boolean, &["delete", "has"]),
        ],
    ),
];

/// Types of browsers and of `Intl` that TypeScript declares: on each line, the name of a type, and the name of a member
/// that each of its values has.
static LIBRARY_TYPES: LazyLock<FxHashMap<&str, &str>> = LazyLock::new(|| {
    let lines = include_str!("library_types.txt").lines();
    lines.filter_map(|line| line.split_once(' ')).collect()
});

/// Returns the name of a type of browsers or of `Intl` as a constant, and the name of a member that each of its values has.
/// Returns `None` if TypeScript declares no type with this name.
pub(super) fn library_type(name: &str) -> Option<(&'static str, &'static str)> {
    let (known, member) = LIBRARY_TYPES.get_key_value(name)?;
    Some((*known, *member))
}

/// Returns true for the interfaces of primitive values, such as `String`.
pub(crate) fn is_wrapper(name: &str) -> bool {
    matches!(name, "String" | "Number" | "Boolean" | "BigInt")
}

/// Returns the name of the interface that declares the members of a type: `String` for `"a"`. Returns `None` if
/// TypeScript declares no such interface.
pub(super) fn interface_of(ty: &Ty) -> Option<&'static str> {
    Some(match ty {
        Ty::String | Ty::Template(_) | Ty::Cased(..) => "String",
        Ty::Number => "Number",
        Ty::Boolean => "Boolean",
        Ty::BigInt => "BigInt",
        Ty::Symbol | Ty::UniqueSymbol(_) => "Symbol",
        Ty::Date => "Date",
        Ty::Bytes => "Uint8Array",
        Ty::Literal(literal) => return interface_of(&literal.primitive()),
        Ty::EnumMember(member) => return interface_of(&member.value.primitive()),
        Ty::Builtin(name, _) => name,
        _ => return None,
    })
}

fn members_of(ty: &Ty) -> Option<&'static [Members]> {
    let name = interface_of(ty)?;
    let (_, members) = LIBRARY.iter().find(|(known, _)| *known == name)?;
    Some(members)
}

impl Evaluator<'_> {
    /// Returns the members of a type of TypeScript itself as an object type. Returns `None` if kit does not know them.
    pub(super) fn library_members(&mut self, ty: TyId) -> Option<Rc<Object>> {
        let known = members_of(self.store.get(ty))?;
        let location = self.current_location();
        let mut object = Object::default();
        for members in known {
            let member = self.member_of_kind(members);
            object.properties.extend(
                members
                    .names
                    .iter()
                    .map(|name| Property::plain((*name).into(), KeyKind::Text, member, location)),
            );
        }
        Some(Rc::new(object))
    }

    /// Returns the type of a member of a type of TypeScript itself. Returns `None` if kit does not know the member or its
    /// type.
    pub(super) fn library_member(&mut self, ty: TyId, name: &str) -> Option<TyId> {
        let members = members_of(self.store.get(ty))?
            .iter()
            .find(|members| members.names.contains(&name))?;
        (members.kind != Kind::Other).then(|| self.member_of_kind(members))
    }

    /// Returns true if a type of TypeScript itself has a member with this name.
    pub(super) fn has_library_member(&self, ty: TyId, name: &str) -> bool {
        members_of(self.store.get(ty))
            .is_some_and(|known| known.iter().any(|members| members.names.contains(&name)))
    }

    /// Returns the keys of a type of TypeScript itself as a union. Returns `None` if kit does not know its members.
    pub(super) fn library_keys(&mut self, ty: TyId) -> Option<TyId> {
        let object = self.library_members(ty)?;
        let mut keys: Vec<TyId> = object
            .properties
            .iter()
            .map(|property| {
                self.store
                    .add(Ty::Literal(Literal::String(Rc::clone(&property.name))))
            })
            .collect();
        if matches!(interface_of(self.store.get(ty)), Some("String" | "Uint8Array")) {
            keys.push(self.store.add(Ty::Number));
        }
        Some(self.union(keys))
    }

    fn member_of_kind(&mut self, members: &Members) -> TyId {
        let result = self.store.add(match members.kind {
            Kind::Text => Ty::String,
            Kind::Number => Ty::Number,
            Kind::Boolean => Ty::Boolean,
            Kind::BigInt => Ty::BigInt,
            Kind::Nothing => Ty::Undefined,
            Kind::Other => Ty::Any,
        });
        if !members.are_methods {
            return result;
        }
        let any = self.store.add(Ty::Any);
        let rest = self.store.add(Ty::Array {
            element: any,
            readonly: false,
        });
        let method = Function {
            this: None,
            parameters: [Element::whole(rest)].into(),
            result,
            generic: Generic::default(),
            method: true,
            is_abstract: false,
        };
        self.store.object(Object {
            calls: vec![method],
            ..Object::default()
        })
    }
}
