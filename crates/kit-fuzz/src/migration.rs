//! Fuzz target for the SQL of migrations: division into statements, and detection of destructive statements.

/// Divides any text into statements and judges them.
///
/// # Panics
///
/// Panics if a part of the text is lost or moved, if the statements alone are divided in another way, or if a statement
/// after them that drops a table is not detected.
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
        // The last line of a statement may be a comment, so the semicolon is on the next line.
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

/// Asserts that the text between statements is blank or a comment.
fn is_empty(between: &str) {
    if let Ok(statements) = kit_migrate::split_statements(between) {
        assert_eq!(statements, [], "a part is lost");
    }
}
