//! The SQL of a migration, cut into what runs together.

use std::fmt::{self, Write as _};

use kit_database::sql::OUTSIDE_TRANSACTION;
use sha2::{Digest as _, Sha256};
use squawk_lexer::{LiteralKind, TokenKind, tokenize};

/// A migration's SQL in the order in which it runs.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Script<'a> {
    /// Never empty: SQL without a statement is one step without any.
    pub(crate) steps: Vec<Step<'a>>,
}

/// What is done as a whole or, where it stands outside of a transaction, by itself.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Step<'a> {
    /// Whether it is a statement that was marked to run outside of a transaction.
    pub(crate) alone: bool,
    /// Its statements; exactly one where it is alone.
    pub(crate) statements: Vec<Statement<'a>>,
}

/// A statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Statement<'a> {
    /// Its text, from its first word on, without the semicolon.
    pub(crate) text: &'a str,
    /// The line of its first word, from 1.
    pub(crate) line: usize,
    /// Its words, names and signs without spaces and comments: `["create", "index", "\"A b\"", "(", …]`; words that are not
    /// quoted in lower case. No more than the first dozen.
    pub(crate) head: Vec<String>,
}

/// Why SQL cannot be run.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ScriptError {
    /// The line, from 1.
    pub(crate) line: usize,
    pub(crate) message: String,
}

impl fmt::Display for ScriptError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

/// How many words of a statement are kept: enough for the name in
/// `CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS a.b ON c.d`.
const HEAD: usize = 14;

impl<'a> Script<'a> {
    /// Cuts SQL at its semicolons, as `psql` does: not within quotes, comments, parentheses and bodies of functions.
    pub(crate) fn parse(sql: &'a str) -> Result<Self, ScriptError> {
        let mut script = Self { steps: Vec::new() };
        // The statement that was begun, and what was said above it.
        let mut open: Option<Open> = None;
        let mut marked: Option<usize> = None;
        let (mut at, mut line) = (0, 1);
        for token in tokenize(sql) {
            let text = &sql[at..at + token.len as usize];
            match token.kind {
                TokenKind::Eof => break,
                TokenKind::Whitespace | TokenKind::BlockComment { terminated: true } => {}
                TokenKind::LineComment => {
                    if is_directive(text, line)? {
                        if open.is_some() {
                            return Err(error(
                                line,
                                format!(
                                    "`{OUTSIDE_TRANSACTION}` stands within a statement; put it above one"
                                ),
                            ));
                        }
                        marked = Some(line);
                    }
                }
                kind if is_cut_off(kind) => {
                    return Err(error(line, "the text or comment that begins here has no end"));
                }
                TokenKind::Semi if open.as_ref().is_none_or(Open::may_end) => {
                    if let Some(open) = open.take() {
                        script.add(open.end(sql, at)?, marked.take().is_some());
                    }
                }
                _ => open
                    .get_or_insert_with(|| Open::new(at, line))
                    .take(token.kind, text),
            }
            line += text.matches('\n').count();
            at += text.len();
        }
        if let Some(open) = open {
            script.add(open.end(sql, sql.len())?, marked.take().is_some());
        }
        if let Some(line) = marked {
            return Err(error(
                line,
                format!("there is no statement below `{OUTSIDE_TRANSACTION}`"),
            ));
        }
        if script.steps.is_empty() {
            script.steps.push(Step {
                alone: false,
                statements: Vec::new(),
            });
        }
        Ok(script)
    }

    fn add(&mut self, statement: Statement<'a>, alone: bool) {
        match self.steps.last_mut() {
            Some(step) if !alone && !step.alone => step.statements.push(statement),
            _ => self.steps.push(Step {
                alone,
                statements: vec![statement],
            }),
        }
    }

    /// How many statements there are.
    pub(crate) fn len(&self) -> usize {
        self.steps.iter().map(|step| step.statements.len()).sum()
    }

    /// Whether all of it is one transaction, so that it is done as a whole or not at all.
    pub(crate) fn is_whole(&self) -> bool {
        self.steps.iter().all(|step| !step.alone)
    }

    /// SHA-256 of the first steps, in hexadecimal: whether what was done before a crash is still what stands in the file.
    /// Spaces and comments between statements do not count.
    pub(crate) fn checksum(&self, steps: usize) -> String {
        let mut digest = Sha256::new();
        for step in self.steps.iter().take(steps) {
            digest.update(if step.alone { b"alone\0" } else { b"whole\0" });
            for statement in &step.statements {
                digest.update(statement.text.replace("\r\n", "\n").as_bytes());
                digest.update([0]);
            }
        }
        let mut hex = String::new();
        for byte in digest.finalize() {
            // Writing to a string cannot fail.
            let _ = write!(hex, "{byte:02x}");
        }
        hex
    }
}

impl Statement<'_> {
    /// Its first line, shortened, for a person.
    pub(crate) fn title(&self) -> String {
        const LONGEST: usize = 72;
        let first = self.text.lines().next().unwrap_or_default().trim_end();
        if first.chars().count() <= LONGEST && first.len() == self.text.len() {
            return first.to_owned();
        }
        let cut: String = first.chars().take(LONGEST).collect();
        format!("{} …", cut.trim_end())
    }

    /// Whether its first words are these.
    pub(crate) fn begins(&self, words: &[&str]) -> bool {
        self.head.len() >= words.len() && self.head.iter().zip(words).all(|(one, other)| one == other)
    }
}

/// Whether the end of the file came before the end of what was begun.
fn is_cut_off(kind: TokenKind) -> bool {
    use LiteralKind::{BitStr, ByteStr, DollarQuotedString, EscStr, NationalStr, Str, UnicodeEscStr};
    match kind {
        TokenKind::BlockComment { terminated }
        | TokenKind::QuotedIdent { terminated, .. }
        | TokenKind::Literal {
            kind:
                Str { terminated }
                | NationalStr { terminated }
                | ByteStr { terminated }
                | BitStr { terminated }
                | DollarQuotedString { terminated }
                | UnicodeEscStr { terminated }
                | EscStr { terminated },
        } => !terminated,
        _ => false,
    }
}

/// Whether a comment is the directive; one that only looks like it is a mistake.
fn is_directive(comment: &str, line: usize) -> Result<bool, ScriptError> {
    let comment = comment.trim_end();
    if comment == OUTSIDE_TRANSACTION {
        return Ok(true);
    }
    let said = comment.trim_start_matches('-').trim_start();
    if said.starts_with("kit:") {
        return Err(error(
            line,
            format!("`{comment}` is not known; there is `{OUTSIDE_TRANSACTION}`"),
        ));
    }
    Ok(false)
}

fn error(line: usize, message: impl Into<String>) -> ScriptError {
    ScriptError {
        line,
        message: message.into(),
    }
}

/// A statement whose end is not yet found.
struct Open {
    start: usize,
    line: usize,
    head: Vec<String>,
    /// Parentheses that are open.
    parentheses: usize,
    /// `BEGIN` and `CASE` that wait for their `END`; counted in functions and procedures only.
    blocks: usize,
}

impl Open {
    fn new(start: usize, line: usize) -> Self {
        Self {
            start,
            line,
            head: Vec::new(),
            parentheses: 0,
            blocks: 0,
        }
    }

    fn take(&mut self, kind: TokenKind, text: &str) {
        let word = match kind {
            TokenKind::Ident => text.to_ascii_lowercase(),
            _ => text.to_owned(),
        };
        match kind {
            TokenKind::OpenParen => self.parentheses += 1,
            TokenKind::CloseParen => self.parentheses = self.parentheses.saturating_sub(1),
            TokenKind::Ident if self.parentheses == 0 && self.makes_function() => match word.as_str() {
                "begin" => self.blocks += 1,
                "case" if self.blocks > 0 => self.blocks += 1,
                "end" if self.blocks > 0 => self.blocks -= 1,
                _ => {}
            },
            _ => {}
        }
        if self.head.len() < HEAD {
            self.head.push(word);
        }
    }

    /// True if the body may be SQL with semicolons of its own. psql looks at the same words.
    fn makes_function(&self) -> bool {
        let words: Vec<&str> = self.head.iter().take(4).map(String::as_str).collect();
        matches!(
            words.as_slice(),
            ["create", "function" | "procedure", ..] | ["create", "or", "replace", "function" | "procedure"]
        )
    }

    fn may_end(&self) -> bool {
        self.parentheses == 0 && self.blocks == 0
    }

    fn end(self, sql: &str, at: usize) -> Result<Statement<'_>, ScriptError> {
        let statement = Statement {
            text: sql[self.start..at].trim_end(),
            line: self.line,
            head: self.head,
        };
        statement.check()?;
        Ok(statement)
    }
}

impl Statement<'_> {
    /// What a migration cannot contain, whatever PostgreSQL would make of it.
    fn check(&self) -> Result<(), ScriptError> {
        let first = self.head.first().map_or("", String::as_str);
        let ends = ["begin", "start", "commit", "end", "rollback", "abort"].contains(&first)
            && !self.begins(&["rollback", "to"])
            || self.begins(&["prepare", "transaction"]);
        if ends {
            return Err(error(
                self.line,
                format!(
                    "`{}` begins or ends a transaction, and kit runs each migration in one; take the statement out \
                     (what cannot run in a transaction is marked with `{OUTSIDE_TRANSACTION}`)",
                    first.to_uppercase()
                ),
            ));
        }
        if first == "copy" && self.text.to_ascii_lowercase().contains("from stdin") {
            return Err(error(
                self.line,
                "`COPY … FROM STDIN` needs data that a migration has no place for; write INSERT statements",
            ));
        }
        if first == "\\" || first.starts_with('\\') {
            return Err(error(
                self.line,
                "a command of psql (`\\…`) is not SQL; take it out",
            ));
        }
        Ok(())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // a test
mod tests {
    use super::{Script, ScriptError};

    /// The steps as text: `a; b | !c` are two statements together and one by itself.
    fn cut(sql: &str) -> String {
        let steps: Vec<String> = Script::parse(sql)
            .unwrap()
            .steps
            .iter()
            .map(|step| {
                let statements: Vec<&str> = step.statements.iter().map(|one| one.text).collect();
                format!("{}{}", if step.alone { "!" } else { "" }, statements.join("; "))
            })
            .collect();
        steps.join(" | ")
    }

    fn refused(sql: &str) -> (usize, String) {
        let ScriptError { line, message } = Script::parse(sql).unwrap_err();
        (line, message)
    }

    #[test]
    fn statements_end_at_their_semicolons() {
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
    fn marked_statements_stand_alone() {
        let sql = "a;\n\n-- kit: outside transaction\n-- why\ncreate index concurrently x on t (c);\nb; c;\n-- kit: outside transaction\r\nd";
        assert_eq!(cut(sql), "a | !create index concurrently x on t (c) | b; c | !d");
        let script = Script::parse(sql).unwrap();
        assert_eq!(script.steps[1].statements[0].line, 5);
    }

    #[test]
    fn what_was_done_is_known_again_when_only_the_rest_changed() {
        let before = Script::parse("a;\n-- kit: outside transaction\nb;\nc;").unwrap();
        let after = Script::parse("-- new\na;\n\n-- kit: outside transaction\nb;\nother;").unwrap();
        assert_eq!(before.checksum(2), after.checksum(2));
        assert_ne!(before.checksum(3), after.checksum(3));
        assert_ne!(before.checksum(1), before.checksum(2));
    }

    #[test]
    fn what_cannot_run_is_refused_with_its_line() {
        for (sql, line, part) in [
            ("a;\nCOMMIT;", 2, "`COMMIT` begins or ends a transaction"),
            ("begin;", 1, "`BEGIN`"),
            ("prepare transaction 'x'", 1, "`PREPARE`"),
            ("a;\n\n-- kit: outside transaction\n", 3, "no statement below"),
            ("a\n-- kit: outside transaction\n;", 2, "within a statement"),
            (
                "-- kit:concurrently\na",
                1,
                "is not known; there is `-- kit: outside transaction`",
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
    fn heads_are_words() {
        let script = Script::parse("CREATE /* x */ Index \"A b\" ON t (c)").unwrap();
        assert_eq!(
            script.steps[0].statements[0].head,
            ["create", "index", "\"A b\"", "on", "t", "(", "c", ")"]
        );
    }
}
