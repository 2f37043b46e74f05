//! Statements in generated modules.

#![allow(unreachable_pub, clippy::unwrap_used)] // a module of tests has no outside, and may fail a test

/// The texts of the constants that hold statements: they have more than one line, and names of constraints do not.
pub fn of(module: &str) -> Vec<String> {
    let parts = module.split("&str = \"\n").skip(1);
    parts
        .map(|part| {
            let text = part.split_once("\";\n").unwrap().0;
            text.replace("\\\"", "\"").replace("\\\\", "\\")
        })
        .collect()
}
