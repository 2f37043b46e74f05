//! Names of packages in `Cargo.toml`.

use heck::ToKebabCase as _;

use crate::names;

/// Converts the name of the project to the name of the server's package, which no other package and no keyword has.
pub(super) fn package(name: &str) -> String {
    let plain = plain_package(name);
    if is_taken(&plain) {
        package_name_beside(&plain)
    } else {
        plain
    }
}

/// Converts the name of the project to a name with the characters that cargo accepts for a package. Another package may have
/// this name.
pub(crate) fn plain_package(name: &str) -> String {
    let plain = name.rsplit('/').next().unwrap_or(name);
    let ascii: String = plain
        .chars()
        .map(|character| {
            if character.is_ascii_alphanumeric() {
                character
            } else {
                '-'
            }
        })
        .collect();
    let plain = ascii.to_kebab_case();
    match plain.as_str() {
        "" => "app".to_owned(),
        _ if plain.starts_with(|first: char| first.is_ascii_digit()) => format!("app-{plain}"),
        _ => plain,
    }
}

/// Returns a name for a package whose own name is taken.
pub(super) fn package_name_beside(name: &str) -> String {
    format!("{name}-server")
}

/// Returns true if a package of cargo cannot have this name, because the name is a Rust keyword, a crate that
/// generated code uses, or a directory of cargo.
pub(super) fn is_taken(name: &str) -> bool {
    const TAKEN: [&str; 20] = [
        "alloc",
        "build",
        "core",
        "deps",
        "examples",
        "incremental",
        "kit-guard",
        "kit-runtime",
        "kit-static",
        "kit-tls",
        "kit-websocket",
        "proc-macro",
        "serde",
        "serde-json",
        "sqlx",
        "std",
        "test",
        "tokio",
        "tracing",
        "axum",
    ];
    let name = name.replace('_', "-");
    TAKEN.contains(&name.as_str()) || names::is_word(&name)
}
