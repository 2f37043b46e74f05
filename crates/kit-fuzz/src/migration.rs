//! Fuzz target for the SQL of migrations: splits it into statements, and detects statements that destroy data.

/// Splits any text into SQL statements and checks the result.
///
/// # Panics
///
/// Panics if a part of the text is lost or moved. Panics if the statements, joined again, are split
/// differently. Panics if a `DROP TABLE` after the statements is not detected.
pub fn migration(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let Ok(statements) = kit_migrate::split_statements(&text) else {
        return;
    };
    let mut at = 0;
    for statement in &statements {
        let start = statement.text.as_ptr() as usize - text.as_ptr() as usize;
        assert!(start >= at, "statements overlap");
        assert_eq!(statement.line, 1 + text[..start].matches('\n').count());
        is_empty(&text[at..start]);
        at = start + statement.text.len();
    }
    is_empty(&text[at..]);
    let mut again = String::new();
    for statement in &statements {
        let alone = kit_migrate::split_statements(statement.text).expect("a statement can be cut again");
        assert_eq!(alone.len(), 1, "a statement by itself is cut in another way");
        assert_eq!(alone[0].text, statement.text);
        // The semicolon is on a new line, because the last line of the statement may be a comment.
        again.push_str(statement.text);
        again.push_str("\n;\n");
    }
    let dropped = format!("{again}DROP TABLE a");
    assert!(
        !kit_migrate::find_data_loss(&dropped)
            .expect("statements can be cut again")
            .is_empty()
    );
}

/// Asserts that the text between two statements contains only white space and comments.
fn is_empty(between: &str) {
    if let Ok(statements) = kit_migrate::split_statements(between) {
        assert_eq!(statements, [], "a part is lost");
    }
}
