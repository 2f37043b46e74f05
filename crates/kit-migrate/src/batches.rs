//! Statements that change a part of the rows at a time (`-- kit: in batches`).
//!
//! A batch is a range of pages of the table. A row lock of a batch is therefore held for the duration of one batch, and
//! the application waits for at most one batch. After a crash, the statement begins again at the first page, and a row can
//! move to a later page while it is changed. So the condition must exclude rows that the statement has changed: an `UPDATE`
//! also counts the changed rows that still satisfy the condition, and kit keeps no batch with such a row. A table of which one batch
//! has all pages changes in one transaction, without this check.

use std::time::Duration;

use kit_database::sql::string_literal;
use squawk_lexer::{TokenKind, tokenize};

use crate::destructive::words_in;

/// Number of pages of the first batch. A page has 8 KiB.
const FIRST_PAGES: u64 = 8;

/// Maximum number of pages of a batch.
const MOST_PAGES: u64 = 1024;

/// Duration of a batch that kit aims at by changing the number of its pages.
const GOAL: Duration = Duration::from_millis(25);

/// An `UPDATE` or `DELETE` that runs in batches.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Batches<'a> {
    /// Name of the table as written in the statement.
    pub(crate) table: &'a str,
    /// True if the statement says `ONLY`, so that it does not change the rows of child tables.
    pub(crate) is_only: bool,
    /// Statement up to its `WHERE`, with this word.
    head: &'a str,
    /// Condition of the statement.
    condition: &'a str,
}

impl<'a> Batches<'a> {
    /// Maximum number of times that the statement visits all pages. It ends earlier if no row satisfies
    /// the condition, or after two times in a row without a change.
    pub(crate) const MOST_PASSES: u32 = 10;

    /// Reads a statement. Returns `Err` with the reason if the statement cannot run in batches.
    pub(crate) fn of(text: &'a str) -> Result<Self, &'static str> {
        const FORM: &str = "`-- kit: in batches` needs a statement of the form `UPDATE table SET … WHERE …` or \
            `DELETE FROM table WHERE …`, without `WITH`, `FROM` or `USING` of other tables, `RETURNING`, `LIMIT` and aliases; its condition must \
            exclude the rows that it has changed";
        let (mut at, mut depth) = (0, 0_usize);
        // Words at depth 0, with their ranges.
        let mut words: Vec<(String, usize, usize)> = Vec::new();
        for token in tokenize(text) {
            let end = at + token.len as usize;
            match token.kind {
                TokenKind::Eof => break,
                TokenKind::OpenParen => depth += 1,
                TokenKind::CloseParen => depth = depth.saturating_sub(1),
                TokenKind::Whitespace | TokenKind::LineComment | TokenKind::BlockComment { .. } => {}
                _ if depth > 0 => {}
                TokenKind::Ident => words.push((text[at..end].to_ascii_lowercase(), at, end)),
                _ => words.push((text[at..end].to_owned(), at, end)),
            }
            at = end;
        }
        let find = |word: &str| words.iter().position(|(found, ..)| found == word);
        let (first, last) = match words.first().map(|(word, ..)| word.as_str()) {
            Some("update") => (1, find("set")),
            Some("delete") if words.get(1).is_some_and(|(word, ..)| word == "from") => (2, find("where")),
            _ => return Err(FORM),
        };
        let (Some(last), Some(filter)) = (last, find("where")) else {
            return Err(FORM);
        };
        let is_only = words.get(first).is_some_and(|(word, ..)| word == "only");
        let first = first + usize::from(is_only);
        let name = words.get(first..last).unwrap_or_default();
        let is_name = matches!(name, [_] | [_, _, _]) && (name.len() == 1 || name[1].0 == ".");
        let other = |from: usize, to: usize| {
            (from..to).any(|at| match words[at].0.as_str() {
                // `IS DISTINCT FROM` is an operator.
                "from" => at == 0 || words[at - 1].0 != "distinct",
                word => matches!(word, "using" | "returning" | "limit" | "where"),
            })
        };
        if !is_name
            || filter < last
            || other(last, filter) && last != filter
            || other(filter + 1, words.len())
        {
            return Err(FORM);
        }
        let after = words[filter].2;
        if text[after..].trim().is_empty() {
            return Err(FORM);
        }
        Ok(Self {
            table: &text[name[0].1..name[name.len() - 1].2],
            is_only,
            head: &text[..after],
            condition: &text[after..],
        })
    }

    /// Text before the statement in [`Self::counting`].
    pub(crate) const BEFORE: &'static str = "BEGIN; WITH kit_changed AS (";

    /// Returns the statement for the pages from `from` to `to`, without `to`.
    pub(crate) fn sql(&self, from: u64, to: u64) -> String {
        format!(
            "{} ({}\n) AND ctid >= '({from},0)'::pg_catalog.tid AND ctid < '({to},0)'::pg_catalog.tid",
            self.head, self.condition
        )
    }

    /// Returns the SQL that begins a transaction and runs an `UPDATE` for the pages from `from` to `to`, without `to`. The result
    /// has the number of changed rows, and the places of those that still satisfy the condition (null without such rows). A
    /// subquery of the condition reads its tables as they were before the `UPDATE`.
    pub(crate) fn counting(&self, from: u64, to: u64) -> String {
        format!(
            "{}{} RETURNING ctid AS kit_row, ({}\n) AS kit_still) \
             SELECT count(*), array_agg(kit_row) FILTER (WHERE kit_still) FROM kit_changed",
            Self::BEFORE,
            self.sql(from, to),
            self.condition
        )
    }

    /// Returns the query for the number of rows that satisfy the condition, among those in the given places.
    pub(crate) fn still(&self, rows: &str) -> String {
        format!(
            "SELECT count(*) FROM ONLY {} WHERE ctid = ANY ({}::pg_catalog.tid[]) AND ({}\n)",
            self.table,
            string_literal(rows),
            self.condition
        )
    }

    /// Returns true for an `UPDATE`.
    pub(crate) fn is_update(&self) -> bool {
        self.head
            .get(..6)
            .is_some_and(|word| word.eq_ignore_ascii_case("update"))
    }

    /// Returns the names of the columns that the `UPDATE` sets, without quotes: `a`, `b` and `c` of
    /// `SET a = 1, (b, c) = (2, a)`.
    pub(crate) fn set_columns(&self) -> Vec<String> {
        let words = words_in(self.head);
        let set = words
            .iter()
            .position(|word| word.is("set"))
            .unwrap_or(words.len());
        let (mut columns, mut depth, mut is_target) = (Vec::new(), 0_usize, true);
        for word in words.iter().skip(set + 1) {
            if word.is_sign("(") {
                depth += 1;
            } else if word.is_sign(")") {
                depth = depth.saturating_sub(1);
            } else if word.is_sign("=") && depth == 0 {
                is_target = false;
            } else if word.is_sign(",") && depth == 0 {
                is_target = true;
            } else if is_target {
                columns.extend(word.name().map(str::to_owned));
            }
        }
        columns
    }

    /// Returns the query for the number of rows that the statement would still change, with those of child tables unless the
    /// statement says `ONLY`.
    pub(crate) fn rest(&self) -> String {
        let only = if self.is_only { "ONLY " } else { "" };
        format!(
            "SELECT count(*) FROM {only}{} WHERE ({}\n)",
            self.table, self.condition
        )
    }

    /// Returns the query for the number of pages of all tables that the statement changes. Has no value if the table does not exist
    /// or is no ordinary table.
    pub(crate) fn pages(&self) -> String {
        format!(
            "WITH RECURSIVE kit_tables (id) AS (\
             SELECT oid FROM pg_catalog.pg_class WHERE oid = pg_catalog.to_regclass({}) AND relkind = 'r' \
             UNION SELECT inhrelid FROM pg_catalog.pg_inherits, kit_tables WHERE inhparent = id AND NOT {}) \
             SELECT (sum(pg_catalog.pg_relation_size(id)) / pg_catalog.current_setting('block_size')::bigint)::bigint FROM kit_tables",
            string_literal(self.table),
            self.is_only
        )
    }

    /// Returns the query for the reasons why kit cannot change the table in batches: `children`, `rule`. Has no row without
    /// a reason. The pages of a table are not those of its child tables, and [`Self::counting`] is refused for tables with rules.
    pub(crate) fn obstacles(&self) -> String {
        format!(
            "SELECT 'children' FROM pg_catalog.pg_inherits WHERE NOT {} AND inhparent = pg_catalog.to_regclass({table}) \
             UNION ALL SELECT 'rule' FROM pg_catalog.pg_rewrite WHERE {} AND ev_type = '2' AND ev_class = pg_catalog.to_regclass({table})",
            self.is_only,
            self.is_update(),
            table = string_literal(self.table)
        )
    }
}

/// Number of pages of the next batch.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BatchSize(u64);

impl Default for BatchSize {
    fn default() -> Self {
        Self(FIRST_PAGES)
    }
}

impl BatchSize {
    pub(crate) fn pages(self) -> u64 {
        self.0
    }

    /// Changes the size after a batch that took the given time.
    pub(crate) fn adjust(&mut self, took: Duration) {
        if took > GOAL {
            self.shrink();
        } else if took < GOAL / 2 {
            self.0 = (self.0 * 2).min(MOST_PAGES);
        }
    }

    /// Makes the next batch smaller, so that fewer rows are locked at the same time.
    pub(crate) fn shrink(&mut self) {
        self.0 = (self.0 / 2).max(1);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // a test
mod tests {
    use super::Batches;

    #[test]
    fn adds_a_range_of_pages_to_the_condition() {
        for (sql, table, expected) in [
            (
                "UPDATE notes SET a = b WHERE a IS NULL OR a = 0 -- open",
                "notes",
                "UPDATE notes SET a = b WHERE ( a IS NULL OR a = 0 -- open\n) AND ctid >= '(8,0)'::pg_catalog.tid AND ctid < '(16,0)'::pg_catalog.tid",
            ),
            (
                "UPDATE notes SET a = lower(b) WHERE a IS DISTINCT FROM lower(b)",
                "notes",
                "UPDATE notes SET a = lower(b) WHERE ( a IS DISTINCT FROM lower(b)\n) AND ctid >= '(8,0)'::pg_catalog.tid AND ctid < '(16,0)'::pg_catalog.tid",
            ),
            (
                "update only s.\"T\" set a = (select 1 from x where y) where a in (select 1 from z)",
                "s.\"T\"",
                "update only s.\"T\" set a = (select 1 from x where y) where ( a in (select 1 from z)\n) AND ctid >= '(8,0)'::pg_catalog.tid AND ctid < '(16,0)'::pg_catalog.tid",
            ),
            (
                "DELETE FROM notes WHERE done",
                "notes",
                "DELETE FROM notes WHERE ( done\n) AND ctid >= '(8,0)'::pg_catalog.tid AND ctid < '(16,0)'::pg_catalog.tid",
            ),
        ] {
            let batches = Batches::of(sql).unwrap();
            assert_eq!((batches.table, batches.sql(8, 16).as_str()), (table, expected));
        }
    }

    #[test]
    fn counts_the_changed_rows_that_the_condition_still_selects() {
        let batches = Batches::of("UPDATE only notes SET a = 1 WHERE a IS NULL -- open").unwrap();
        assert!(batches.is_only);
        assert_eq!(
            batches.counting(0, 8),
            "BEGIN; WITH kit_changed AS (UPDATE only notes SET a = 1 WHERE ( a IS NULL -- open\n) \
             AND ctid >= '(0,0)'::pg_catalog.tid AND ctid < '(8,0)'::pg_catalog.tid RETURNING ctid AS kit_row, ( a IS NULL -- open\n) AS kit_still) \
             SELECT count(*), array_agg(kit_row) FILTER (WHERE kit_still) FROM kit_changed"
        );
        assert_eq!(
            batches.still("{\"(0,1)\"}"),
            "SELECT count(*) FROM ONLY notes WHERE ctid = ANY ('{\"(0,1)\"}'::pg_catalog.tid[]) AND ( a IS NULL -- open\n)"
        );
        assert_eq!(
            batches.rest(),
            "SELECT count(*) FROM ONLY notes WHERE ( a IS NULL -- open\n)"
        );
        assert_eq!(
            Batches::of("DELETE FROM notes WHERE a").unwrap().rest(),
            "SELECT count(*) FROM notes WHERE ( a\n)"
        );
    }

    #[test]
    fn names_the_columns_that_an_update_sets() {
        for (sql, expected) in [
            ("UPDATE t SET a = (b, c), \"D\" = f(x, y) WHERE z", vec!["a", "D"]),
            ("UPDATE t SET (a, b) = (c, d), e=1 WHERE z", vec!["a", "b", "e"]),
            ("UPDATE t SET \"a\"\"b\" = 1 WHERE z", vec!["a\"b"]),
            ("DELETE FROM t WHERE z", vec![]),
        ] {
            assert_eq!(Batches::of(sql).unwrap().set_columns(), expected, "{sql}");
        }
    }

    #[test]
    fn refuses_statements_that_cannot_run_in_batches() {
        for sql in [
            "UPDATE notes SET a = 1",
            "UPDATE notes AS n SET a = 1 WHERE a IS NULL",
            "UPDATE notes n SET a = 1 WHERE a IS NULL",
            "UPDATE notes SET a = o.a FROM o WHERE o.id = notes.id",
            "UPDATE notes SET a = 1 WHERE a IS NULL RETURNING a",
            "UPDATE notes SET a = 1 WHERE",
            "DELETE FROM notes",
            "DELETE FROM notes USING o WHERE o.id = notes.id",
            "WITH x AS (SELECT 1) UPDATE notes SET a = 1 WHERE a IS NULL",
            "INSERT INTO notes SELECT 1",
            "UPDATE",
            "",
        ] {
            assert!(Batches::of(sql).is_err(), "{sql}");
        }
    }
}
