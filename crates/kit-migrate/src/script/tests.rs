//! Tests of the splitter.
#![allow(clippy::unwrap_used)] // a test

use super::{Mode, Script, ScriptError};

/// Formats the steps: `a; b | !c | *d | ~e` is a step with two statements, a step outside of a transaction, a step in
/// batches, and a step in batches without triggers.
fn cut(sql: &str) -> String {
    let steps: Vec<String> = Script::parse(sql)
        .unwrap()
        .steps
        .iter()
        .map(|step| {
            let statements: Vec<&str> = step.statements.iter().map(|one| one.text).collect();
            format!(
                "{}{}",
                match step.mode {
                    Mode::Transaction => "",
                    Mode::Outside => "!",
                    Mode::Batches => "*",
                    Mode::BatchesWithoutTriggers => "~",
                },
                statements.join("; ")
            )
        })
        .collect();
    steps.join(" | ")
}

fn refused(sql: &str) -> (usize, String) {
    let ScriptError { line, message } = Script::parse(sql).unwrap_err();
    (line, message)
}

#[test]
fn splits_statements_at_semicolons() {
    for (sql, expected) in [
        ("", ""),
        ("-- nothing\n;;", ""),
        ("select 1;;\n select 2", "select 1; select 2"),
        (
            "select ';', \"a;b\", $$;$$, $x$ $$;$$ $x$;b",
            "select ';', \"a;b\", $$;$$, $x$ $$;$$ $x$; b",
        ),
        ("select 'it''s;', E'\\';';b", "select 'it''s;', E'\\';'; b"),
        (
            "a /* ; /* ; */ ; */ b; c -- ;\n;d",
            "a /* ; /* ; */ ; */ b; c -- ;; d",
        ),
        (
            "create rule r as on insert to a do (select 1; select 2);b",
            "create rule r as on insert to a do (select 1; select 2); b",
        ),
        (
            "create function f() returns int begin atomic select case when true then 1 end; select 2; end; b",
            "create function f() returns int begin atomic select case when true then 1 end; select 2; end; b",
        ),
    ] {
        assert_eq!(cut(sql), expected, "{sql}");
    }
    let script = Script::parse("create function f() begin atomic select 1; end; select 2").unwrap();
    assert_eq!(script.len(), 2);
}

#[test]
fn makes_a_separate_step_of_each_statement_marked_to_run_outside_a_transaction() {
    let sql = "a;\n\n-- kit: outside transaction\n-- why\ncreate index concurrently x on t (c);\nb; c;\n-- kit: outside transaction\r\nd";
    assert_eq!(cut(sql), "a | !create index concurrently x on t (c) | b; c | !d");
    let script = Script::parse(sql).unwrap();
    assert_eq!(script.steps[1].statements[0].line, 5);
}

#[test]
fn begins_a_step_at_each_line_that_kit_reads() {
    let sql = "a; b;\n-- kit: new transaction\nc; d;\n-- kit: in batches\nupdate t set x = 1 where x is null;\n-- kit: new transaction\n-- kit: outside transaction\ne; f;\n-- kit: in batches, without triggers\ng";
    assert_eq!(
        cut(sql),
        "a; b | c; d | *update t set x = 1 where x is null | !e | f | ~g"
    );
    assert!(
        !Script::parse("a;\n-- kit: new transaction\nb")
            .unwrap()
            .is_one_transaction()
    );
    let (line, message) = refused("-- kit: in batches\n-- kit: outside transaction\na");
    assert_eq!(
        (line, message.contains("keep one of them")),
        (2, true),
        "{message}"
    );
}

#[test]
fn keeps_the_checksum_of_completed_steps_if_only_later_steps_change() {
    let before = Script::parse("a;\n-- kit: outside transaction\nb;\nc;").unwrap();
    let after = Script::parse("-- new\na;\n\n-- kit: outside transaction\nb;\nother;").unwrap();
    assert_eq!(before.checksum(2), after.checksum(2));
    assert_ne!(before.checksum(3), after.checksum(3));
    assert_ne!(before.checksum(1), before.checksum(2));
}

#[test]
fn refuses_sql_that_cannot_run_and_reports_the_line() {
    for (sql, line, part) in [
        ("a;\nCOMMIT;", 2, "`COMMIT` begins or ends a transaction"),
        ("begin;", 1, "`BEGIN`"),
        ("prepare transaction 'x'", 1, "`PREPARE`"),
        ("a;\n\n-- kit: outside transaction\n", 3, "no statement below"),
        ("a\n-- kit: outside transaction\n;", 2, "inside a statement"),
        (
            "-- kit:concurrently\na",
            1,
            "is not known; the known lines are `-- kit: outside transaction`, `-- kit: new transaction`, `-- kit: in batches`, `-- kit: in batches, without triggers`",
        ),
        ("--kit: outside transaction\na", 1, "is not known"),
        ("a /* b", 1, "has no end"),
        ("a;\nselect 'b;\nc", 2, "has no end"),
        ("do $$ begin; end;", 1, "has no end"),
        ("copy t from stdin;", 1, "INSERT"),
        ("\\d t", 1, "psql"),
    ] {
        let (found, message) = refused(sql);
        assert_eq!(found, line, "{sql}");
        assert!(message.contains(part), "{sql}: {message}");
    }
    assert_eq!(cut("savepoint x; rollback to x"), "savepoint x; rollback to x");
}

#[test]
fn finds_the_table_that_a_statement_alters() {
    for (sql, expected) in [
        (
            "ALTER TABLE IF EXISTS ONLY s.\"T t\" ADD x int",
            Some("s.\"T t\""),
        ),
        ("alter table notes drop x", Some("notes")),
        (
            "create trigger t before insert on notes execute function f()",
            Some("notes"),
        ),
        ("select 1", None),
    ] {
        let script = Script::parse(sql).unwrap();
        assert_eq!(
            script.steps[0].statements[0].altered_table().as_deref(),
            expected,
            "{sql}"
        );
    }
}

#[test]
fn splits_the_head_of_a_statement_into_words() {
    let script = Script::parse("CREATE /* x */ Index \"A b\" ON t (c)").unwrap();
    assert_eq!(
        script.steps[0].statements[0].head,
        ["create", "index", "\"A b\"", "on", "t", "(", "c", ")"]
    );
}
