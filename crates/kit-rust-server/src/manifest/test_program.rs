//! The program with the contract tests in `Cargo.toml`.

use toml_edit::{ArrayOfTables, DocumentMut, Item, Table, TableLike};

/// Returns the lines of a new manifest for the program, which prints its results itself. `dependency` is the line of `kit-runtime`.
pub(super) fn lines(dependency: &str) -> String {
    format!("[dev-dependencies]\n{dependency}\n[[test]]\nname = \"contract\"\nharness = false\n\n")
}

/// Adds the program to a manifest that lacks it. `complete` adds the dependencies of tests to their table.
pub(super) fn add(document: &mut DocumentMut, complete: impl FnOnce(&mut dyn TableLike)) {
    let dependencies = document
        .entry("dev-dependencies")
        .or_insert_with(toml_edit::table);
    if let Some(table) = dependencies.as_table_like_mut() {
        complete(table);
    }
    let tests = document
        .entry("test")
        .or_insert_with(|| Item::ArrayOfTables(ArrayOfTables::new()));
    let Some(tests) = tests.as_array_of_tables_mut() else {
        return;
    };
    let is_there = |table: &Table| table.get("name").and_then(Item::as_str) == Some("contract");
    if tests.iter().any(is_there) {
        return;
    }
    let mut test = Table::new();
    test.insert("name", toml_edit::value("contract"));
    test.insert("harness", toml_edit::value(false));
    tests.push(test);
}
