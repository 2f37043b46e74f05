//! Names of local variables in generated functions.

use kit_analysis::is_reserved_word;
use kit_ir::{IndexKey, ObjectType, Program};

use super::template;
use crate::text::{Module, Path, literal};

/// Names that generated functions use for other purposes, so that no property uses them for its local
/// variable.
const RESERVED: &[&str] = &[
    "undefined",
    "NaN",
    "Infinity",
    "Object",
    "Array",
    "Number",
    "Date",
    "JSON",
    "RegExp",
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
    "ownProperty",
    "define",
    "enter",
    "explain",
    "fits",
    "fitsUnion",
    "refuse",
    "stringContent",
    "dateContent",
    "unserializable",
    "callToJson",
    "coerceBoolean",
    "coerceEach",
    "coerceLiteral",
    "coerceNumber",
    "readQuery",
    "readWholeQuery",
    "readCookies",
    "readJsonPart",
    "readList",
    "headerBigInt",
    "headerBoolean",
    "headerBytes",
    "headerDate",
    "headerItems",
    "headerList",
    "headerNumber",
    "headerScalar",
    "headerString",
    "unwritable",
    "template",
    "encodeBytes",
    "MAX_DEPTH",
    "codePointsWithin",
    "bigintWithin",
    "toBigInt",
    "hasUniqueItems",
    "explainer",
    "selector",
    "MemberSelector",
    "Set",
    "validator",
];

/// Returns the name of the local variable for a property: the name of the property, unless the function needs this name
/// for something else.
pub(crate) fn local(property: &str, position: usize) -> String {
    let is_numbered = |stem: &str| {
        let number = property.trim_end_matches(|char: char| char.is_ascii_digit());
        number.ends_with(stem)
    };
    let generated = ["is", "decode", "write", "pattern", "texts", "choices", "shape"]
        .iter()
        .any(|prefix| property.starts_with(prefix))
        || ["Shape", "Validator", "Serializer", "Coercer", "HeaderWriter"]
            .iter()
            .any(|suffix| property.ends_with(suffix))
        || is_numbered("Union")
        || is_numbered("property");
    if literal::is_identifier(property)
        && !property.starts_with('$')
        && !is_reserved_word(property)
        && !RESERVED.contains(&property)
        && !generated
        && property != "__proto__"
    {
        property.to_owned()
    } else {
        format!("property{position}")
    }
}

/// Returns code that reads a property of the variable `value`.
pub(crate) fn read_property(name: &str, module: &mut Module) -> String {
    if is_inherited(name) {
        format!(
            "{}(value, {})",
            module.helper("ownProperty"),
            literal::string(name)
        )
    } else {
        format!("value{}", literal::member(name))
    }
}

/// Returns true if `Object.prototype` has a property with this name. All objects inherit it.
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

/// Returns the condition that a key does not belong to the index signatures: the key is declared, or it is
/// `__proto__`. A handler that merges an object with the key `__proto__` into another object would change the
/// prototype of the other object.
pub(crate) fn not_an_index_key(object: &ObjectType) -> String {
    let declared = object.properties.iter().map(|property| property.name.as_str());
    let keys = std::iter::once("__proto__").chain(declared.filter(|name| *name != "__proto__"));
    let conditions: Vec<_> = keys
        .map(|key| format!("key === {}", literal::string(key)))
        .collect();
    conditions.join(" || ")
}

/// Returns the step of a path into the values of an index signature.
pub(crate) fn value_step(position: usize) -> String {
    if position == 0 {
        "Value".to_owned()
    } else {
        format!("Value{position}")
    }
}

/// Returns the condition that an index signature accepts `key`; `None` if it accepts every key.
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

#[cfg(test)]
mod tests {
    #![allow(clippy::disallowed_methods)] // Reason: the test reads a source file.

    use std::path::Path;

    use super::local;

    #[test]
    fn local_variables_do_not_hide_functions_of_the_codec() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packages/core/src/codec/index.ts");
        let text = std::fs::read_to_string(path).unwrap();
        let lists = text.split("export {").skip(1);
        let exports = lists
            .filter_map(|list| list.split_once('}'))
            .flat_map(|(list, _)| list.split(','));
        let names: Vec<&str> = exports.map(str::trim).filter(|name| !name.is_empty()).collect();
        assert!(names.contains(&"stringContent"), "{names:?}");
        for name in names {
            assert_ne!(local(name, 0), name);
        }
    }

    #[test]
    fn different_properties_have_different_local_variables() {
        assert_eq!(local("a-b", 0), "property0");
        assert_eq!(local("property0", 1), "property1");
        assert_eq!(local("NoteShape", 2), "property2");
        assert_eq!(local("NoteUnion2", 3), "property3");
        assert_eq!(local("title", 4), "title");
    }
}
