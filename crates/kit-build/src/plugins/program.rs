//! Reads the program that a plugin changed: converts its JSON document to the IR.

use kit_diagnostics::codes;
use kit_ir::Program;
use serde_json::Value;

use super::mistake::Mistake;

/// Reads a program from the document that a plugin returned. The error describes the first problem in the document.
pub(super) fn read(mut document: Value) -> Result<Program, Mistake> {
    let refused = |message: String| Mistake::new(codes::PLUGIN_PROGRAM, message);
    let version = document
        .as_object_mut()
        .and_then(|members| members.remove("version"));
    if version != Some(Program::VERSION.into()) {
        return Err(refused(format!(
            "the program that the plugin returned has the version {}, but this version of kit reads {}",
            version.unwrap_or(Value::Null),
            Program::VERSION
        ))
        .help(
            "do not change `version`; if the plugin was written for another version of kit, adapt the plugin to this version",
        ));
    }
    let program: Program = serde_json::from_value(document.clone()).map_err(|error| {
        refused(format!(
            "the program that the plugin returned has an invalid structure: {error}"
        ))
    })?;
    let printed = serde_json::to_value(&program).expect("a program always has a JSON form");
    if let Some(place) = ignored_member(&document, &printed, "") {
        return Err(refused(format!(
            "the program that the plugin returned has an unknown property `{place}`"
        )));
    }
    let mut problems = program.problems();
    if problems.is_empty() {
        return Ok(program);
    }
    let more = match problems.len() - 1 {
        0 => String::new(),
        others => format!(" (and {others} more)"),
    };
    Err(refused(format!(
        "the plugin returned a program that is not valid: {}{more}",
        problems.swap_remove(0)
    )))
}

/// Returns the path of a property in `given` that kit does not know, because a misspelled name would
/// otherwise have no effect and no message. `read` is the value that kit prints after reading `given`. Empty
/// values are allowed, because kit does not print them.
pub(super) fn ignored_member(given: &Value, read: &Value, place: &str) -> Option<String> {
    let join = |name: &str| {
        if place.is_empty() {
            name.to_owned()
        } else {
            format!("{place}.{name}")
        }
    };
    match (given, read) {
        (Value::Object(given), Value::Object(read)) => {
            given.iter().find_map(|(name, value)| match read.get(name) {
                Some(read) => ignored_member(value, read, &join(name)),
                None if is_empty(value) => None,
                None => Some(join(name)),
            })
        }
        (Value::Array(given), Value::Array(read)) => given
            .iter()
            .zip(read)
            .enumerate()
            .find_map(|(index, (given, read))| ignored_member(given, read, &format!("{place}[{index}]"))),
        _ => None,
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.values().all(is_empty),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use kit_ir::{Program, TypeKind};
    use serde_json::{Value, json};

    use super::read;
    use crate::plugins::Attachment;

    fn document(program: &Program) -> Value {
        serde_json::from_str(&Attachment::program(program).text()).unwrap()
    }

    #[test]
    fn program_does_not_change_if_it_is_printed_and_parsed() {
        let mut program = Program::default();
        program.add_type(TypeKind::String);
        assert_eq!(read(document(&program)).ok(), Some(program));
    }

    #[test]
    fn error_names_the_invalid_property_of_a_document() {
        let with = |change: fn(&mut serde_json::Value)| {
            let mut program = Program::default();
            program.add_type(TypeKind::String);
            let mut value = document(&program);
            change(&mut value);
            read(value).unwrap_err().to_string()
        };
        assert!(with(|value| value["version"] = json!(99)).contains("version 99"));
        assert!(with(|value| value["types"][0]["kind"] = json!("text")).contains("unknown variant `text`"));
        assert!(
            with(|value| value["types"][0]["constraints"] = json!({ "maxLenght": 3 }))
                .contains("`types[0].constraints")
        );
        assert!(
            with(|value| value["types"][0] = json!({ "kind": "array", "element": 4 }))
                .contains("does not exist")
        );
    }
}
