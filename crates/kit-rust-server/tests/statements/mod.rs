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
        // The first statement is that of lists, without its end, and so is the statement of pages with the number of all rows.
        let mut lists = vec![statements.remove(0)];
        let has_total = |statement: &String| statement.contains("AS kit_total");
        lists.extend(
            statements
                .iter()
                .filter(|statement| has_total(statement))
                .cloned(),
        );
        statements.retain(|statement| !has_total(statement));
        let clauses = module.split("\"ORDER BY ").skip(1);
        for rest in clauses {
            let unescaped = rest.replace("\\\"", "\u{0}");
            let clause = unescaped.split_once('"').unwrap().0.replace('\u{0}', "\"");
            let lists = lists.iter();
            statements
                .extend(lists.map(|list| format!("{list}\n    ORDER BY {clause}\n    LIMIT $1 OFFSET $2")));
        }
    }
    statements
}
