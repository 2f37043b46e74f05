//! Statements that change a part of the rows at a time (`-- kit: in batches`).
//!
//! A batch is a range of pages of the table. A row lock of a batch is therefore held for the duration of one batch, and
//! the application waits for at most one batch. After a crash, the statement begins again at the first page, so its
//! condition must exclude rows that it has changed.

use std::time::Duration;

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
    /// Statement up to its `WHERE`, with this word.
    head: &'a str,
    /// Condition of the statement.
    condition: &'a str,
}

impl<'a> Batches<'a> {
    /// Maximum number of times that the statement visits all pages. It ends earlier if it changes no more rows.
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
        let first = first + usize::from(words.get(first).is_some_and(|(word, ..)| word == "only"));
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
            head: &text[..after],
            condition: &text[after..],
        })
    }

    /// Returns the statement for the pages from `from` to `to`, without `to`.
    pub(crate) fn sql(&self, from: u64, to: u64) -> String {
        format!(
            "{} ctid >= '({from},0)'::pg_catalog.tid AND ctid < '({to},0)'::pg_catalog.tid AND ({}\n)",
            self.head, self.condition
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

    /// Returns the query for the number of rows that the statement would still change.
    pub(crate) fn rest(&self) -> String {
        format!("SELECT count(*) FROM {} WHERE ({}\n)", self.table, self.condition)
    }

    /// Returns the query for the number of pages of the table. Has no row if the table does not exist or is no ordinary
    /// table.
    pub(crate) fn pages(&self) -> String {
        format!(
            "SELECT pg_catalog.pg_relation_size(oid) / pg_catalog.current_setting('block_size')::bigint \
             FROM pg_catalog.pg_class WHERE oid = pg_catalog.to_regclass({}) AND relkind = 'r'",
            kit_database::sql::string_literal(self.table)
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
                "UPDATE notes SET a = b WHERE ctid >= '(8,0)'::pg_catalog.tid AND ctid < '(16,0)'::pg_catalog.tid AND ( a IS NULL OR a = 0 -- open\n)",
            ),
            (
                "UPDATE notes SET a = lower(b) WHERE a IS DISTINCT FROM lower(b)",
                "notes",
                "UPDATE notes SET a = lower(b) WHERE ctid >= '(8,0)'::pg_catalog.tid AND ctid < '(16,0)'::pg_catalog.tid AND ( a IS DISTINCT FROM lower(b)\n)",
            ),
            (
                "update only s.\"T\" set a = (select 1 from x where y) where a in (select 1 from z)",
                "s.\"T\"",
                "update only s.\"T\" set a = (select 1 from x where y) where ctid >= '(8,0)'::pg_catalog.tid AND ctid < '(16,0)'::pg_catalog.tid AND ( a in (select 1 from z)\n)",
            ),
            (
                "DELETE FROM notes WHERE done",
                "notes",
                "DELETE FROM notes WHERE ctid >= '(8,0)'::pg_catalog.tid AND ctid < '(16,0)'::pg_catalog.tid AND ( done\n)",
            ),
        ] {
            let batches = Batches::of(sql).unwrap();
            assert_eq!((batches.table, batches.sql(8, 16).as_str()), (table, expected));
        }
    }

    #[test]
    fn names_the_columns_that_an_update_sets() {
        for (sql, expected) in [
            ("UPDATE t SET a = (b, c), \"D\" = f(x, y) WHERE z", vec!["a", "D"]),
            ("UPDATE t SET (a, b) = (c, d), e=1 WHERE z", vec!["a", "b", "e"]),
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
