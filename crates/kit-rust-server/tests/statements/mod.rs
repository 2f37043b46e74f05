//! Reads the statements in generated modules.

#![allow(unreachable_pub, clippy::unwrap_used)] // a module of tests has no outside, and may fail a test

/// Returns the SQL statements that a generated module has as constants. A statement has several lines, unlike the
/// name of a constraint. A list with a chosen order is a statement for each order.
pub fn of(module: &str) -> Vec<String> {
    let parts = module.split("&str = \"\n").skip(1);
    let mut statements: Vec<String> = parts
        .map(|part| {
            let text = part.split_once("\";\n").unwrap().0;
            text.replace("\\\"", "\"").replace("\\\\", "\\")
        })
        .collect();
    if module.contains("order.clause()") {
        // The first statement is that of lists, without its end.
        let list = statements.remove(0);
        let clauses = module.split("\"ORDER BY ").skip(1);
        let clauses = clauses.map(|rest| {
            let unescaped = rest.replace("\\\"", "\u{0}");
            unescaped.split_once('"').unwrap().0.replace('\u{0}', "\"")
        });
        statements
            .extend(clauses.map(|clause| format!("{list}\n    ORDER BY {clause}\n    LIMIT $1 OFFSET $2")));
    }
    statements
}
