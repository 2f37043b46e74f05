//! Names of local variables in generated functions.

use kit_analysis::Tag;
use kit_ir::{IndexKey, ObjectType, Program};

use super::template;
use crate::text::{Module, Path, literal};

/// Words that cannot name a variable in a module, and names that the generated functions use themselves.
const TAKEN: &[&str] = &[
    "arguments",
    "await",
    "break",
    "case",
    "catch",
    "class",
    "const",
    "continue",
    "debugger",
    "default",
    "delete",
    "do",
    "else",
    "enum",
    "eval",
    "export",
    "extends",
    "false",
    "finally",
    "for",
    "function",
    "if",
    "implements",
    "import",
    "in",
    "instanceof",
    "interface",
    "let",
    "new",
    "null",
    "package",
    "private",
    "protected",
    "public",
    "return",
    "static",
    "super",
    "switch",
    "this",
    "throw",
    "true",
    "try",
    "typeof",
    "var",
    "void",
    "while",
    "with",
    "yield",
    "undefined",
    "NaN",
    "Infinity",
    "Object",
    "Array",
    "Number",
    "Date",
    "Uint8Array",
    "value",
    "depth",
    "result",
    "input",
    "text",
    "key",
    "item",
    "items",
    "index",
    "own",
    "define",
    "enter",
    "explain",
    "fits",
    "refuse",
    "codePointsWithin",
    "bigintWithin",
    "toBigInt",
    "hasUniqueItems",
    "part",
    "picks",
    "Picks",
    "Set",
];

/// A local variable for a property: the property's own name where that can be one.
pub(crate) fn local(property: &str, position: usize) -> String {
    let generated = ["is", "decode", "write", "pattern", "texts", "choices", "shape"]
        .iter()
        .any(|prefix| property.starts_with(prefix));
    if literal::is_identifier(property)
        && !property.starts_with('$')
        && !TAKEN.contains(&property)
        && !generated
        && property != "__proto__"
    {
        property.to_owned()
    } else {
        format!("property{position}")
    }
}

/// Whether `Object.prototype` has a property of that name, which an object that lacks it would inherit.
pub(crate) fn is_inherited(name: &str) -> bool {
    matches!(
        name,
        "constructor"
            | "hasOwnProperty"
            | "isPrototypeOf"
            | "propertyIsEnumerable"
            | "toLocaleString"
            | "toString"
            | "valueOf"
            | "__proto__"
            | "__defineGetter__"
            | "__defineSetter__"
            | "__lookupGetter__"
            | "__lookupSetter__"
    )
}

/// The condition under which a key of an object with an index signature is none of its own: it is declared, or it is
/// `__proto__`, which a handler could merge into an object, where it would become a prototype.
pub(crate) fn is_no_index(object: &ObjectType) -> String {
    let declared = object.properties.iter().map(|property| property.name.as_str());
    let keys = std::iter::once("__proto__").chain(declared.filter(|name| *name != "__proto__"));
    let conditions: Vec<_> = keys
        .map(|key| format!("key === {}", literal::string(key)))
        .collect();
    conditions.join(" || ")
}

/// The name of a step into the values of an index signature.
pub(crate) fn value_step(position: usize) -> String {
    if position == 0 {
        "Value".to_owned()
    } else {
        format!("Value{position}")
    }
}

/// The condition under which an index signature takes `key`; nothing where it takes every key.
pub(crate) fn key_condition(
    program: &Program,
    key: &IndexKey,
    path: &Path<'_>,
    module: &mut Module,
) -> Option<String> {
    match key {
        IndexKey::String => None,
        IndexKey::Number => Some(format!("{}(key)", module.helper("isNumericKey"))),
        IndexKey::Template { parts } => {
            let texts = template::test(program, parts, &path.step("Key"), module);
            Some(format!("{texts}.test(key)"))
        }
    }
}

/// The labels of a case of a `switch` over what a property holds.
pub(crate) fn labels(tags: &[Tag]) -> String {
    let labels: Vec<_> = tags
        .iter()
        .map(|tag| match tag {
            Tag::Absent => "case undefined:".to_owned(),
            Tag::Null => "case null:".to_owned(),
            Tag::Literal(value) => format!("case {}:", literal::value(value)),
        })
        .collect();
    labels.join("\n")
}
