//! Reads the statements in generated modules.

#![allow(unreachable_pub, clippy::unwrap_used)] // a module of tests has no outside, and may fail a test

/// Returns the SQL statements that a generated module has as constants. A statement has several lines, unlike the
/// name of a constraint.
pub fn of(module: &str) -> Vec<String> {
    let parts = module.split("&str = \"\n").skip(1);
    parts
        .map(|part| {
            let text = part.split_once("\";\n").unwrap().0;
            text.replace("\\\"", "\"").replace("\\\\", "\\")
        })
        .collect()
}
