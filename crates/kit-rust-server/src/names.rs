//! Creates Rust names.
//!
//! A type keeps its TypeScript name if Rust accepts it. If the name would hide an item of the prelude ([`PRELUDE`]) or
//! a name that handlers import ([`SHARED`]), the type gets the suffix `Model`. All other names that generated code
//! imports yield to the application's types: generated code then writes them with their path.

use std::collections::BTreeSet;

use heck::{ToPascalCase, ToSnakeCase};
use kit_ir::Program;

/// Keywords of edition 2024, which cannot be names.
const KEYWORDS: [&str; 48] = [
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "do", "dyn", "else",
    "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "macro",
    "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return", "static", "struct", "trait",
    "true", "try", "type", "typeof", "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

/// Types, traits and variants that every Rust file of edition 2024 can use without an import.
const PRELUDE: &[&str] = &[
    "AsMut",
    "AsRef",
    "AsyncFn",
    "AsyncFnMut",
    "AsyncFnOnce",
    "Box",
    "Clone",
    "Copy",
    "Debug",
    "Default",
    "DoubleEndedIterator",
    "Drop",
    "Eq",
    "Err",
    "ExactSizeIterator",
    "Extend",
    "Fn",
    "FnMut",
    "FnOnce",
    "From",
    "FromIterator",
    "Future",
    "Hash",
    "Into",
    "IntoFuture",
    "IntoIterator",
    "Iterator",
    "None",
    "Ok",
    "Option",
    "Ord",
    "PartialEq",
    "PartialOrd",
    "Result",
    "Self",
    "Send",
    "Sized",
    "Some",
    "String",
    "Sync",
    "ToOwned",
    "ToString",
    "Unpin",
    "Vec",
];

/// Names that handlers and the modules of tables import besides models.
const SHARED: &[&str] = &[
    "App",
    "AppError",
    "Error",
    "FromRow",
    "PgExecutor",
    "PgPool",
    "PgRow",
    "Reply",
];

/// Names of type parameters in generated functions: any deserializer, any serializer.
const GENERIC: &[&str] = &["D", "S"];

/// Names that generated modules import, in addition to the names in the other lists. A type that the
/// application declares keeps its name even if the name is in this list. A type without a name never gets a
/// name from this list.
pub(crate) const IMPORTED: &[&str] = &[
    "BigInt",
    "Bytes",
    "Context",
    "Contract",
    "Decimal",
    "Deserialize",
    "Deserializer",
    "Element",
    "Format",
    "FromRow",
    "HashMap",
    "Index",
    "IndexMap",
    "Items",
    "Json",
    "Keys",
    "Literal",
    "Middleware",
    "Never",
    "Next",
    "Pattern",
    "PgExecutor",
    "PgPoolOptions",
    "PgRow",
    "Property",
    "Replies",
    "Request",
    "Response",
    "Router",
    "Routes",
    "Row",
    "Segment",
    "Serialize",
    "SerializeSeq",
    "Serializer",
    "Shape",
    "StatusCode",
    "Template",
    "TemplatePart",
    "Timestamp",
    "Value",
    "Wrapped",
    "Wrapper",
    "Application",
];

/// Names that a module below `models` cannot have, such as `mod` or the name of a crate that generated modules use.
const NO_MODULES: &[&str] = &[
    "alloc",
    "core",
    "kit_runtime",
    "mod",
    "serde",
    "serde_json",
    "sqlx",
    "std",
    "tokio",
    "tracing",
];

/// Keywords that the prefix `r#` cannot turn into names.
const NEVER: [&str; 4] = ["self", "super", "crate", "Self"];

/// Returns the Rust name for a field, function or module: `createdAt` gives `created_at`, and `type` gives `r#type`.
pub(crate) fn field(name: &str) -> String {
    let plain = plain_field(name);
    if KEYWORDS.contains(&plain.as_str()) {
        format!("r#{plain}")
    } else {
        plain
    }
}

/// Returns the same name as [`field`], but without the prefix `r#`.
pub(crate) fn plain_field(name: &str) -> String {
    let snake = ascii_words(name).to_snake_case();
    if snake.is_empty() || NEVER.contains(&snake.as_str()) {
        format!("{snake}_value").trim_start_matches('_').to_owned()
    } else if snake.starts_with(|first: char| first.is_ascii_digit()) {
        format!("_{snake}")
    } else {
        snake
    }
}

/// Replaces each character that Rust names cannot contain, or that separates words, by a space: `note-id`
/// gives `note id`.
fn ascii_words(name: &str) -> String {
    name.chars()
        .map(|character| {
            if character.is_ascii_alphanumeric() {
                character
            } else {
                ' '
            }
        })
        .collect()
}

/// Returns the Rust name for a module.
pub(crate) fn module(name: &str) -> String {
    let field = field(name);
    let plain = field.trim_start_matches("r#");
    if NO_MODULES.contains(&plain) {
        format!("{plain}_types")
    } else {
        field
    }
}

/// Returns true for a Rust keyword. No crate can have such a name.
pub(crate) fn is_word(name: &str) -> bool {
    KEYWORDS.contains(&name) || NEVER.contains(&name)
}

/// Returns true if no generated type may have this name.
pub(crate) fn is_reserved(name: &str) -> bool {
    PRELUDE.contains(&name) || SHARED.contains(&name) || GENERIC.contains(&name)
}

/// Returns the Rust names of all declared types. If two types would get the same name, the name belongs to the type
/// whose TypeScript name needs no change.
pub(crate) fn declared(program: &Program) -> Vec<String> {
    let wanted: Vec<String> = program
        .declarations
        .iter()
        .map(|declaration| type_name(&declaration.name))
        .collect();
    let mut taken: BTreeSet<String> = BTreeSet::new();
    let mut found = vec![None; wanted.len()];
    for keeps in [true, false] {
        for (number, declaration) in program.declarations.iter().enumerate() {
            if (wanted[number] == declaration.name) == keeps {
                let name = unique(wanted[number].clone(), |name| taken.contains(name));
                taken.insert(name.clone());
                found[number] = Some(name);
            }
        }
    }
    found.into_iter().flatten().collect()
}

/// Returns the Rust name for a TypeScript type. The name is unchanged if Rust and its naming conventions
/// accept it.
pub(crate) fn type_name(name: &str) -> String {
    let is_plain = name.starts_with(|first: char| first.is_ascii_uppercase())
        && name.chars().all(|character| character.is_ascii_alphanumeric());
    let name = if is_plain { name.to_owned() } else { variant(name) };
    if is_reserved(&name) {
        format!("{name}Model")
    } else {
        name
    }
}

/// Returns the name in the case of Rust types and variants: `not-found` gives `NotFound`.
pub(crate) fn variant(name: &str) -> String {
    let pascal = ascii_words(name).to_pascal_case();
    if pascal.is_empty() {
        "Empty".to_owned()
    } else if pascal.starts_with(|first: char| first.is_ascii_digit()) || pascal == "Self" {
        format!("Value{pascal}")
    } else {
        pascal
    }
}

/// Returns the name. If the name is taken, appends the lowest number that makes the name unique.
pub(crate) fn unique(wanted: String, is_taken: impl Fn(&str) -> bool) -> String {
    if !is_taken(&wanted) {
        return wanted;
    }
    let mut number = 2_usize;
    loop {
        let name = format!("{wanted}{number}");
        if !is_taken(&name) {
            return name;
        }
        number += 1;
    }
}

/// Returns the JSON name that `#[serde(rename_all = "camelCase")]` derives from a field name.
pub(crate) fn serde_camel(field: &str) -> String {
    let mut camel = String::new();
    let mut upper = false;
    for character in field.chars() {
        if character == '_' {
            upper = true;
        } else if upper && !camel.is_empty() {
            camel.push(character.to_ascii_uppercase());
            upper = false;
        } else {
            camel.push(character);
            upper = false;
        }
    }
    camel
}

/// Returns the Rust name for a field, function or module, with a number if it is taken. Adds the name to `taken`.
pub(crate) fn unique_field(wanted: &str, taken: &mut BTreeSet<String>) -> String {
    let plain = unique(plain_field(wanted), |name| taken.contains(name));
    let name = field(&plain);
    taken.insert(plain);
    name
}

/// Returns the Rust name for a type, with a number if it is taken. Adds the name to `taken`.
pub(crate) fn unique_type(wanted: String, taken: &mut BTreeSet<String>) -> String {
    let name = unique(wanted, |name| {
        taken.contains(name) || is_reserved(name) || IMPORTED.contains(&name)
    });
    taken.insert(name.clone());
    name
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::{IMPORTED, is_reserved, type_name};

    #[test]
    fn adds_the_suffix_model_to_type_names_that_would_hide_names_of_rust() {
        for (typescript, rust) in [
            ("Note", "Note"),
            ("HTTPError", "HTTPError"),
            ("Option", "OptionModel"),
            ("Self", "SelfModel"),
            ("user_account", "UserAccount"),
            ("$Odd", "Odd"),
            ("error", "ErrorModel"),
            ("_1", "Value1"),
        ] {
            assert_eq!(type_name(typescript), rust);
        }
    }

    /// The golden files contain every kind of type and route, so their imports are all names that generated
    /// code can import.
    #[test]
    #[allow(clippy::disallowed_methods)] // goldens are files
    fn lists_every_name_that_generated_modules_import() {
        let mut pending = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/goldens")];
        let mut found = 0;
        while let Some(directory) = pending.pop() {
            for entry in fs::read_dir(directory).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    // Contract tests write the types of the application with their paths.
                    if !path.ends_with("contract-tests") {
                        pending.push(path);
                    }
                    continue;
                }
                if path.extension().is_none_or(|extension| extension != "rs") {
                    continue;
                }
                let text = fs::read_to_string(&path).unwrap();
                // A statement may have several lines. Imports from `crate` are names of the application.
                for statement in text
                    .split(";\n")
                    .filter_map(|part| part.trim_start().strip_prefix("use "))
                {
                    if statement.starts_with("crate::") {
                        continue;
                    }
                    let names = statement.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
                    for name in
                        names.filter(|name| name.starts_with(|first: char| first.is_ascii_uppercase()))
                    {
                        found += 1;
                        let is_known = IMPORTED.contains(&name) || is_reserved(name);
                        assert!(is_known, "{name} of {} is in no list of names.rs", path.display());
                    }
                }
            }
        }
        assert!(found > 100, "{found}");
    }
}
