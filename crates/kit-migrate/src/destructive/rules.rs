//! Rules by which a statement counts as destructive.
//!
//! The rules check all words of a statement at any depth, because `WITH gone AS (DELETE FROM a RETURNING 1) …` deletes
//! too. Bodies of `DO` and of functions are checked in the same way.

use super::words::{Kind, Word, words};

/// Part of a statement that may delete data.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Finding {
    pub(super) line: usize,
    pub(super) reason: String,
}

/// Maximum depth of nested function and `DO` bodies. A deeper body counts as destructive.
const MAX_DEPTH: usize = 8;

/// Kinds of objects that contain no rows, so that dropping them loses no data, such as the view in `DROP
/// VIEW`.
const WITHOUT_DATA: [&str; 21] = [
    "access",
    "aggregate",
    "cast",
    "collation",
    "conversion",
    "event",
    "function",
    "group",
    "index",
    "operator",
    "policy",
    "procedure",
    "publication",
    "role",
    "routine",
    "rule",
    "statistics",
    "text",
    "transform",
    "trigger",
    "view",
];

/// Kinds of objects for which `CASCADE` drops nothing that contains values.
const SAFE_CASCADE: [&str; 5] = ["constraint", "index", "policy", "rule", "trigger"];

/// Words of a condition that are not the name of a column.
const CONSTANTS: [&str; 16] = [
    "true", "false", "null", "not", "and", "or", "is", "in", "between", "like", "exists", "select", "from",
    "where", "any", "all",
];

/// Returns the first part of a statement that may delete data.
pub(super) fn first_finding(text: &str, words: &[Word]) -> Option<Finding> {
    // If `standard_conforming_strings` is off, a backslash before a quote changes where a string ends, so kit would
    // read other SQL than PostgreSQL runs.
    if text.to_ascii_lowercase().contains("standard_conforming_strings") {
        return finding(
            words.first()?,
            "changes how PostgreSQL reads strings, so kit cannot check the statements after it",
        );
    }
    Checker { words, depth: 0 }.first_finding()
}

#[allow(clippy::unnecessary_wraps)] // Reason: the rules return the result directly as an `Option`.
fn finding(word: &Word, reason: impl Into<String>) -> Option<Finding> {
    Some(Finding {
        line: word.line,
        reason: reason.into(),
    })
}

struct Checker<'a> {
    words: &'a [Word],
    /// Number of function and `DO` bodies that enclose these words.
    depth: usize,
}

impl Checker<'_> {
    fn first_finding(&self) -> Option<Finding> {
        let has_body = self.has_body();
        (0..self.words.len()).find_map(|at| {
            let word = &self.words[at];
            match &word.kind {
                Kind::Plain(plain) => self.word(at, plain),
                Kind::Dollar(body) => self.body(word, body),
                Kind::Text { content, escapes } => self.text(at, content.as_deref(), *escapes, has_body),
                Kind::Quoted(_) | Kind::Sign(_) => None,
            }
        })
    }

    fn word(&self, at: usize, plain: &str) -> Option<Finding> {
        let word = &self.words[at];
        match plain {
            "drop" => self.drop(at),
            "truncate" => self.truncate(at),
            "delete" => self.delete(at),
            "update" => self.update(at),
            "type" => self.alter_type(at),
            "unlogged" if self.before(at, 1) == Some("set") => {
                finding(word, "makes a table lose its rows when the server crashes")
            }
            "lo_unlink" | "lo_truncate" => finding(word, "deletes a large object"),
            "set_config" => self.set_config(at),
            "execute" => self.execute(at),
            "language" => self.language(at),
            _ if plain.starts_with("dblink") && self.sign(at + 1, "(") => {
                finding(word, "runs SQL over another connection, which kit cannot check")
            }
            _ => None,
        }
    }

    /// Checks `DROP TABLE a`, and `DROP [COLUMN] a` within `ALTER TABLE`.
    fn drop(&self, at: usize) -> Option<Finding> {
        let word = &self.words[at];
        // Skip `CREATE TEMPORARY TABLE … ON COMMIT DROP`.
        if self.before(at, 1) == Some("commit") && self.before(at, 2) == Some("on") {
            return None;
        }
        let kind = self.plain(at + 1);
        let is_safe = if self.begins_statement(at) {
            kind.is_some_and(|kind| WITHOUT_DATA.contains(&kind))
        } else {
            match kind {
                Some("constraint" | "default" | "not" | "mapping") => true,
                // `ALTER COLUMN a DROP IDENTITY`. Without `ALTER COLUMN a`, the word is the name of a column.
                Some("identity" | "expression") => {
                    at >= 2
                        && self.words[at - 1].is_name()
                        && matches!(self.before(at, 2), Some("alter" | "column"))
                }
                _ => false,
            }
        };
        if !is_safe {
            return finding(word, drop_reason(kind, self.begins_statement(at)));
        }
        let cascades = self.to_end(at).iter().any(|word| word.is("cascade"));
        if cascades && !kind.is_some_and(|kind| SAFE_CASCADE.contains(&kind)) {
            return finding(word, "drops with CASCADE, which may also drop columns and tables");
        }
        None
    }

    /// Checks `TRUNCATE`. Skips the privilege in `GRANT TRUNCATE` and the trigger event in `AFTER TRUNCATE`:
    /// no statement begins after `GRANT` or `AFTER`.
    fn truncate(&self, at: usize) -> Option<Finding> {
        let is_privilege = matches!(
            self.before(at, 1),
            Some("grant" | "revoke" | "before" | "after" | "or")
        ) || self.before(at, 1) == Some("for") && self.before(at, 2) == Some("option")
            || at > 0 && self.words[at - 1].is_sign(",");
        if is_privilege {
            return None;
        }
        finding(&self.words[at], "deletes all rows")
    }

    fn delete(&self, at: usize) -> Option<Finding> {
        let word = &self.words[at];
        if self.plain(at + 1) == Some("from") {
            return if self.has_column_condition(at) {
                None
            } else {
                finding(
                    word,
                    "deletes all rows: the statement has no WHERE with a condition on a column",
                )
            };
        }
        if self.before(at, 1) == Some("then") {
            return finding(word, "deletes rows by MERGE");
        }
        None
    }

    fn update(&self, at: usize) -> Option<Finding> {
        let word = &self.words[at];
        if self.plain(at + 1) == Some("set") {
            return match self.before(at, 1) {
                Some("then") => finding(word, "overwrites values by MERGE"),
                // `ON CONFLICT … DO UPDATE SET` only changes rows that the statement names; `ON UPDATE SET NULL` is
                // part of a foreign key.
                _ => None,
            };
        }
        let is_other = matches!(
            self.before(at, 1),
            Some("on" | "for" | "key" | "grant" | "revoke" | "before" | "after" | "or")
        ) || at > 0 && self.words[at - 1].is_sign(",");
        if is_other || !self.has_at_depth(at, "set") || self.has_column_condition(at) {
            return None;
        }
        finding(
            word,
            "overwrites values in all rows: the statement has no WHERE with a condition on a column, such as `WHERE slug IS NULL`",
        )
    }

    /// Checks `ALTER COLUMN a [SET DATA] TYPE b`. A change to `text` or `varchar` without a length loses no value.
    fn alter_type(&self, at: usize) -> Option<Finding> {
        let is_change = self.before(at, 1) == Some("data") && self.before(at, 2) == Some("set")
            || at >= 2
                && self.words[at - 1].is_name()
                && !matches!(self.before(at, 1), Some("table" | "column"))
                && matches!(self.before(at, 2), Some("alter" | "column" | "attribute"));
        if !is_change {
            return None;
        }
        let after = if self.plain(at + 1) == Some("character") && self.plain(at + 2) == Some("varying") {
            at + 3
        } else if matches!(self.plain(at + 1), Some("text" | "varchar")) {
            at + 2
        } else {
            at
        };
        let ends = self
            .words
            .get(after)
            .is_none_or(|word| word.is_sign(",") || word.is_sign(";"));
        if after > at && ends {
            return None;
        }
        finding(
            &self.words[at],
            "changes the type of a column, where values may be rounded or cut",
        )
    }

    /// Checks `set_config(name, …)`. Skips calls whose name is a string literal, such as
    /// `set_config('lock_timeout', …)`, because kit can read the name.
    fn set_config(&self, at: usize) -> Option<Finding> {
        let is_readable = self.sign(at + 1, "(")
            && self.words.get(at + 2).is_some_and(Word::is_text)
            && self.sign(at + 3, ",");
        if is_readable || !self.sign(at + 1, "(") {
            return None;
        }
        finding(&self.words[at], "changes a setting whose name kit cannot read")
    }

    /// Checks `EXECUTE`, which may run SQL that is built at run time.
    fn execute(&self, at: usize) -> Option<Finding> {
        let before = self.before(at, 1);
        // Skip a privilege, `EXECUTE FUNCTION f()` of a trigger and, at the top level, a prepared statement, whose SQL
        // was already checked.
        let is_privilege = matches!(before, Some("grant" | "revoke"))
            || before == Some("for") && self.before(at, 2) == Some("option")
            || at > 0 && self.words[at - 1].is_sign(",");
        let is_of_trigger = matches!(self.plain(at + 1), Some("function" | "procedure"))
            && self.words.get(at + 2).is_some_and(Word::is_name);
        let is_prepared = self.depth == 0 && self.words.get(at + 1).is_some_and(Word::is_name);
        if is_privilege || is_of_trigger || is_prepared {
            return None;
        }
        let next = self.words.get(at + 1)?;
        let ends = self
            .words
            .get(at + 2)
            .is_none_or(|word| word.is_sign(";") || matches!(word.plain(), Some("into" | "using" | "loop")));
        match &next.kind {
            // The string literal itself is checked, as all strings of a body are.
            Kind::Dollar(_) | Kind::Text { content: Some(_), .. } if ends => None,
            _ => finding(
                &self.words[at],
                "runs SQL that is built at run time, which kit cannot check",
            ),
        }
    }

    fn language(&self, at: usize) -> Option<Finding> {
        if !self.has_body() {
            return None;
        }
        let word = self.words.get(at + 1)?;
        let name = match &word.kind {
            Kind::Plain(name)
            | Kind::Text {
                content: Some(name), ..
            } => name.to_ascii_lowercase(),
            Kind::Quoted(name) => name.clone(),
            _ => return None,
        };
        if matches!(name.as_str(), "sql" | "plpgsql" | "c" | "internal") {
            return None;
        }
        finding(
            word,
            format!("contains code in the language {name}, which kit cannot check"),
        )
    }

    /// Checks a string. Strings of `DO` and of functions are programs; other strings are values.
    fn text(&self, at: usize, content: Option<&str>, escapes: bool, has_body: bool) -> Option<Finding> {
        let word = &self.words[at];
        let goes_on = self.words.get(at + 1).is_some_and(Word::is_text);
        // PostgreSQL appends a string literal on the next line to an `E'…'`, and reads escapes in it too.
        if goes_on && (escapes || has_body) {
            return finding(word, "contains a string in several parts, which kit cannot check");
        }
        if !has_body && self.depth == 0 {
            return None;
        }
        if self.is_message(at) {
            return None;
        }
        match content {
            // A single word, such as a value in a condition, is no statement.
            Some(content) if words(content, word.line).len() < 2 => None,
            Some(content) => self.body(word, content),
            None => finding(
                word,
                "contains code in a string with escapes, which kit cannot check",
            ),
        }
    }

    /// Returns true for a string that `RAISE` only shows: `RAISE EXCEPTION '…' USING HINT = '…'`.
    fn is_message(&self, at: usize) -> bool {
        let is_option = matches!(
            self.before(at, 2),
            Some("message" | "hint" | "detail" | "errcode")
        ) && self.words[at - 1].is_sign("=")
            && self.words[..at]
                .iter()
                .rev()
                .take_while(|word| !word.is_sign(";"))
                .any(|word| word.is("raise"));
        is_option || self.before(at, 1) == Some("exception") && self.before(at, 2) == Some("raise")
    }

    fn body(&self, word: &Word, body: &str) -> Option<Finding> {
        if self.depth >= MAX_DEPTH {
            return finding(
                word,
                "contains functions within functions, nested too deeply for kit to judge",
            );
        }
        let words = words(body, word.line);
        Checker {
            words: &words,
            depth: self.depth + 1,
        }
        .first_finding()
    }

    /// Returns true if the statement contains a program in a string: `DO '…'`, `CREATE FUNCTION … AS '…'`.
    fn has_body(&self) -> bool {
        self.words
            .iter()
            .enumerate()
            .any(|(at, word)| match word.plain() {
                Some("do") => {
                    self.words.get(at + 1).is_some_and(Word::is_text)
                        || self.plain(at + 1) == Some("language")
                }
                Some("function" | "procedure") => matches!(self.before(at, 1), Some("create" | "replace")),
                _ => false,
            })
    }

    /// Returns true if a statement begins at this word. False for an action of `ALTER TABLE`.
    fn begins_statement(&self, at: usize) -> bool {
        let Some(before) = at.checked_sub(1).map(|at| &self.words[at]) else {
            return true;
        };
        if before.is_sign(";") || before.is_sign(">") {
            return true;
        }
        let begins = matches!(
            before.plain(),
            Some("begin" | "then" | "else" | "loop" | "atomic" | "also" | "instead" | "as")
        );
        // `loop` and the other words may also be the name of a table.
        let is_name = matches!(self.before(at, 2), Some("table" | "exists" | "only" | "type"))
            || at >= 2 && self.words[at - 2].is_sign(".");
        begins && !is_name
    }

    /// Returns true if a `DELETE` or `UPDATE` has a `WHERE` condition in which every alternative refers to a column.
    fn has_column_condition(&self, at: usize) -> bool {
        let statement = self.to_end(at);
        let mut depth = 0_usize;
        let mut start = None;
        let mut end = statement.len();
        for (index, word) in statement.iter().enumerate() {
            match &word.kind {
                Kind::Sign(sign) if sign == "(" => depth += 1,
                Kind::Sign(sign) if sign == ")" => depth = depth.saturating_sub(1),
                Kind::Plain(plain) if depth == 0 && plain == "where" => start = start.or(Some(index + 1)),
                Kind::Plain(plain) if depth == 0 && plain == "returning" => {
                    end = index;
                    break;
                }
                _ => {}
            }
        }
        let Some(condition) = start.and_then(|start| statement.get(start..end)) else {
            return false;
        };
        // `WHERE CURRENT OF cursor`: the cursor may visit all rows.
        if condition.first().is_some_and(|word| word.is("current")) {
            return false;
        }
        let mut depth = 0_usize;
        condition
            .split(|word| {
                match &word.kind {
                    Kind::Sign(sign) if sign == "(" => depth += 1,
                    Kind::Sign(sign) if sign == ")" => depth = depth.saturating_sub(1),
                    _ => {}
                }
                depth == 0 && word.is("or")
            })
            .all(|alternative| {
                alternative.iter().any(|word| match &word.kind {
                    Kind::Plain(plain) => !CONSTANTS.contains(&plain.as_str()),
                    Kind::Quoted(_) => true,
                    _ => false,
                })
            })
    }

    fn has_at_depth(&self, at: usize, wanted: &str) -> bool {
        let mut depth = 0_usize;
        self.to_end(at).iter().any(|word| {
            match &word.kind {
                Kind::Sign(sign) if sign == "(" => depth += 1,
                Kind::Sign(sign) if sign == ")" => depth = depth.saturating_sub(1),
                _ => {}
            }
            depth == 0 && word.is(wanted)
        })
    }

    /// Returns the words up to the semicolon, or up to the end of the enclosing parentheses.
    fn to_end(&self, at: usize) -> &[Word] {
        let mut depth = 0_usize;
        let end = self.words[at..].iter().position(|word| {
            if word.is_sign("(") {
                depth += 1;
            } else if word.is_sign(")") {
                if depth == 0 {
                    return true;
                }
                depth -= 1;
            }
            word.is_sign(";") && depth == 0
        });
        &self.words[at..end.map_or(self.words.len(), |end| at + end)]
    }

    fn plain(&self, at: usize) -> Option<&str> {
        self.words.get(at).and_then(Word::plain)
    }

    fn before(&self, at: usize, count: usize) -> Option<&str> {
        self.plain(at.checked_sub(count)?)
    }

    fn sign(&self, at: usize, sign: &str) -> bool {
        self.words.get(at).is_some_and(|word| word.is_sign(sign))
    }
}

/// Returns the reason why a `DROP` may delete data.
fn drop_reason(kind: Option<&str>, is_statement: bool) -> String {
    match kind {
        _ if !is_statement => "drops a column and its values".to_owned(),
        Some("table") => "drops a table and its rows".to_owned(),
        Some("schema") => "drops a schema and everything in it".to_owned(),
        Some("database") => "drops a database".to_owned(),
        Some("type" | "domain") => "drops a type; CASCADE also drops the columns of that type".to_owned(),
        Some("sequence") => "drops a sequence, and with it the last number".to_owned(),
        Some("materialized") => "drops a materialized view and its rows".to_owned(),
        Some(kind) => format!("drops what DROP {} names", kind.to_uppercase()),
        None => "drops an object of a kind that kit does not know".to_owned(),
    }
}
