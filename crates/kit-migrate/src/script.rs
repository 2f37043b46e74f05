//! Splits the SQL of a migration into statements, and groups them into steps.

use std::fmt::{self, Write as _};

use kit_database::sql::{
    ABORT, CONTRACT, IN_BATCHES, IN_BATCHES_WITHOUT_TRIGGERS, NEW_TRANSACTION, OUTSIDE_TRANSACTION,
};
use sha2::{Digest as _, Sha256};
use squawk_lexer::{LiteralKind, TokenKind, tokenize};

/// SQL of a migration, in the order in which it runs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Script<'a> {
    /// Steps of the script. Never empty: SQL without a statement is one step without statements.
    pub(crate) steps: Vec<Step<'a>>,
    /// Number of steps of the first half; `None` if the migration has no halves.
    pub(crate) first_half: Option<usize>,
    /// Steps that undo the first half.
    pub(crate) abort: Vec<Step<'a>>,
}

/// Step of a migration: statements of one transaction, or one statement that runs in another way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Step<'a> {
    pub(crate) mode: Mode,
    /// Statements of the step; exactly one unless the mode is [`Mode::Transaction`].
    pub(crate) statements: Vec<Statement<'a>>,
}

/// Way in which a step runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// All statements in one transaction.
    Transaction,
    /// One statement outside of a transaction.
    Outside,
    /// One statement that changes a part of the rows at a time, each part in its own transaction.
    Batches,
    /// As [`Mode::Batches`], without the triggers of the table.
    BatchesWithoutTriggers,
}

/// Line that kit reads, above a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Directive {
    Outside,
    NewTransaction,
    Batches,
    BatchesWithoutTriggers,
    Contract,
}

impl Directive {
    const ALL: [Self; 5] = [
        Self::Outside,
        Self::NewTransaction,
        Self::Batches,
        Self::BatchesWithoutTriggers,
        Self::Contract,
    ];

    fn line(self) -> &'static str {
        match self {
            Self::Outside => OUTSIDE_TRANSACTION,
            Self::NewTransaction => NEW_TRANSACTION,
            Self::Batches => IN_BATCHES,
            Self::BatchesWithoutTriggers => IN_BATCHES_WITHOUT_TRIGGERS,
            Self::Contract => CONTRACT,
        }
    }
}

/// A statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Statement<'a> {
    /// Text from the first word on, without the semicolon.
    pub(crate) text: &'a str,
    /// Line of the first word, from 1.
    pub(crate) line: usize,
    /// First words, names and punctuation characters, without spaces and comments:
    /// `["create", "index", "\"A b\"", "(", …]`. Unquoted words are in lower case. Contains at most [`HEAD_WORDS`]
    /// entries.
    pub(crate) head: Vec<String>,
}

/// Error for SQL that cannot be run.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ScriptError {
    /// Line of the mistake, from 1.
    pub(crate) line: usize,
    pub(crate) message: String,
}

impl fmt::Display for ScriptError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

/// Maximum number of words in [`Statement::head`]: enough for the names in
/// `CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS a.b ON c.d`.
const HEAD_WORDS: usize = 14;

impl<'a> Script<'a> {
    /// Splits SQL at semicolons, as `psql` does: not within quotes, comments, parentheses and bodies of functions.
    pub(crate) fn parse(sql: &'a str) -> Result<Self, ScriptError> {
        let mut script = Self::default();
        // The statement that has started, and the line of the directive above it.
        let mut open: Option<UnfinishedStatement> = None;
        let mut marked: Option<(usize, Directive)> = None;
        let (mut at, mut line) = (0, 1);
        for token in tokenize(sql) {
            let text = &sql[at..at + token.len as usize];
            match token.kind {
                TokenKind::Eof => break,
                TokenKind::BlockComment { terminated: true } if text.starts_with(ABORT) => {
                    script.read_abort(text, line, open.is_some())?;
                }
                TokenKind::Whitespace | TokenKind::BlockComment { terminated: true } => {}
                TokenKind::LineComment => {
                    if let Some(directive) = directive(text, line)? {
                        let found = directive.line();
                        if open.is_some() {
                            return Err(error(
                                line,
                                format!("`{found}` is inside a statement; put this line above the statement"),
                            ));
                        }
                        if directive == Directive::Contract {
                            script.begin_second_half(line, marked.is_some())?;
                            line += text.matches('\n').count();
                            at += text.len();
                            continue;
                        }
                        // A statement outside of a transaction is never in the transaction of another statement.
                        if let Some((_, other)) = marked
                            && other != Directive::NewTransaction
                            && other != directive
                        {
                            let other = other.line();
                            return Err(error(
                                line,
                                format!(
                                    "`{other}` and `{found}` are above the same statement; keep one of them"
                                ),
                            ));
                        }
                        marked = Some((line, directive));
                    }
                }
                kind if is_cut_off(kind) => {
                    return Err(error(line, "the text or comment that begins here has no end"));
                }
                TokenKind::Semi if open.as_ref().is_none_or(UnfinishedStatement::may_end) => {
                    if let Some(open) = open.take() {
                        script.add(open.end(sql, at)?, marked.take());
                    }
                }
                _ => open
                    .get_or_insert_with(|| UnfinishedStatement::new(at, line))
                    .take(token.kind, text),
            }
            line += text.matches('\n').count();
            at += text.len();
        }
        if let Some(open) = open {
            script.add(open.end(sql, sql.len())?, marked.take());
        }
        if let Some((line, directive)) = marked {
            let found = directive.line();
            return Err(error(line, format!("there is no statement below `{found}`")));
        }
        if script.first_half == Some(script.steps.len()) {
            return Err(error(
                sql.lines().count(),
                format!("there is no statement below `{CONTRACT}`"),
            ));
        }
        if script.steps.is_empty() {
            script.steps.push(Step {
                mode: Mode::Transaction,
                statements: Vec::new(),
            });
        }
        Ok(script)
    }

    /// Begins the second half of the migration.
    fn begin_second_half(&mut self, line: usize, is_marked: bool) -> Result<(), ScriptError> {
        if self.first_half.is_some() || self.steps.is_empty() || is_marked {
            return Err(error(
                line,
                format!(
                    "`{CONTRACT}` divides a migration into two halves: write the line once, between two statements"
                ),
            ));
        }
        self.first_half = Some(self.steps.len());
        Ok(())
    }

    /// Reads the comment with the statements that undo the first half.
    fn read_abort(&mut self, comment: &'a str, line: usize, is_inside: bool) -> Result<(), ScriptError> {
        if is_inside || !self.abort.is_empty() || self.first_half.is_none() {
            return Err(error(
                line,
                format!(
                    "`{ABORT}` undoes the first half of a migration: write the comment once, at the end, below `{CONTRACT}`"
                ),
            ));
        }
        let inner = &comment[ABORT.len()..comment.len() - 2];
        let read = Self::parse(inner).map_err(|found| error(found.line + line - 1, found.message))?;
        if read.first_half.is_some() {
            return Err(error(
                line,
                format!("`{CONTRACT}` is inside the comment `{ABORT}`"),
            ));
        }
        self.abort = read.steps;
        for statement in self.abort.iter_mut().flat_map(|step| &mut step.statements) {
            statement.line += line - 1;
        }
        Ok(())
    }

    /// Returns the first half alone; the whole script if it has no halves.
    pub(crate) fn without_second_half(&self) -> Self {
        let end = self.first_half.unwrap_or(self.steps.len());
        Self {
            steps: self.steps[..end].to_vec(),
            ..Self::default()
        }
    }

    /// Returns the script that undoes the first half.
    pub(crate) fn undo(&self) -> Self {
        Self {
            steps: self.abort.clone(),
            ..Self::default()
        }
    }

    fn add(&mut self, statement: Statement<'a>, marked: Option<(usize, Directive)>) {
        let directive = marked.map(|(_, directive)| directive);
        let is_second_half = self.first_half == Some(self.steps.len());
        match self.steps.last_mut() {
            Some(step) if directive.is_none() && step.mode == Mode::Transaction && !is_second_half => {
                step.statements.push(statement);
            }
            _ => self.steps.push(Step {
                mode: match directive {
                    None | Some(Directive::NewTransaction | Directive::Contract) => Mode::Transaction,
                    Some(Directive::Outside) => Mode::Outside,
                    Some(Directive::Batches) => Mode::Batches,
                    Some(Directive::BatchesWithoutTriggers) => Mode::BatchesWithoutTriggers,
                },
                statements: vec![statement],
            }),
        }
    }

    /// Returns the number of statements.
    pub(crate) fn len(&self) -> usize {
        self.steps.iter().map(|step| step.statements.len()).sum()
    }

    /// Returns true if all of the SQL is one transaction, so that the migration runs completely or not at all.
    pub(crate) fn is_one_transaction(&self) -> bool {
        matches!(self.steps.as_slice(), [step] if step.mode == Mode::Transaction)
    }

    /// Returns the SHA-256 of the first steps, in hexadecimal. Detects edits of steps that were completed before a
    /// crash. Spaces and comments between statements do not count.
    pub(crate) fn checksum(&self, steps: usize) -> String {
        let mut digest = Sha256::new();
        for step in self.steps.iter().take(steps) {
            digest.update(match step.mode {
                Mode::Outside => b"alone\0",
                Mode::Transaction => b"whole\0",
                Mode::Batches => b"batch\0",
                Mode::BatchesWithoutTriggers => b"quiet\0",
            });
            for statement in &step.statements {
                digest.update(statement.text.replace("\r\n", "\n").as_bytes());
                digest.update([0]);
            }
        }
        hex(&digest.finalize())
    }
}

/// Returns bytes in hexadecimal.
pub(crate) fn hex(bytes: &[u8]) -> String {
    let mut text = String::new();
    for byte in bytes {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

impl Statement<'_> {
    /// Returns the first line for messages, cut after 72 characters. If the statement continues after that, the title
    /// ends with `…`.
    pub(crate) fn title(&self) -> String {
        const LONGEST: usize = 72;
        let first = self.text.lines().next().unwrap_or_default().trim_end();
        if first.chars().count() <= LONGEST && first.len() == self.text.len() {
            return first.to_owned();
        }
        let cut: String = first.chars().take(LONGEST).collect();
        format!("{} …", cut.trim_end())
    }

    /// Returns the name of the table that `ALTER TABLE` or `CREATE TRIGGER … ON` changes, as written in the statement.
    pub(crate) fn altered_table(&self) -> Option<String> {
        let start = if self.begins(&["alter", "table"]) {
            2
        } else if self.begins(&["create", "trigger"]) {
            1 + self.head.iter().position(|word| word == "on")?
        } else {
            return None;
        };
        let words = self.head[start..].iter();
        let mut words = words.skip_while(|word| ["if", "exists", "only"].contains(&word.as_str()));
        let mut name = words.next()?.clone();
        let rest: Vec<&String> = words.take(2).collect();
        if let [dot, table] = rest[..]
            && dot == "."
        {
            name = format!("{name}.{table}");
        }
        Some(name)
    }

    /// Returns true if the statement begins with these words.
    pub(crate) fn begins(&self, words: &[&str]) -> bool {
        self.head.len() >= words.len() && self.head.iter().zip(words).all(|(one, other)| one == other)
    }
}

/// Returns true if the end of a token is missing, such as the closing quote of a string.
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

/// Returns the directive in a comment, such as `-- kit: outside transaction`. Returns an error for an unknown directive
/// that starts with `kit:`.
fn directive(comment: &str, line: usize) -> Result<Option<Directive>, ScriptError> {
    let comment = comment.trim_end();
    if let Some(known) = Directive::ALL.iter().find(|known| known.line() == comment) {
        return Ok(Some(*known));
    }
    let said = comment.trim_start_matches('-').trim_start();
    if said.starts_with("kit:") {
        let known: Vec<String> = Directive::ALL
            .iter()
            .map(|known| format!("`{}`", known.line()))
            .collect();
        return Err(error(
            line,
            format!(
                "`{comment}` is not known; the known lines are {}",
                known.join(", ")
            ),
        ));
    }
    Ok(None)
}

fn error(line: usize, message: impl Into<String>) -> ScriptError {
    ScriptError {
        line,
        message: message.into(),
    }
}

/// A statement whose end has not been found yet.
struct UnfinishedStatement {
    start: usize,
    line: usize,
    head: Vec<String>,
    /// Number of open parentheses.
    parentheses: usize,
    /// Number of `BEGIN` and `CASE` without their `END`; counted only in functions and procedures.
    blocks: usize,
}

impl UnfinishedStatement {
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
        if self.head.len() < HEAD_WORDS {
            self.head.push(word);
        }
    }

    /// Returns true if the statement creates a function or procedure, whose body may be SQL with semicolons. psql
    /// checks the same words.
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
    /// Refuses statements that a migration must not contain, even if PostgreSQL would accept them.
    fn check(&self) -> Result<(), ScriptError> {
        let first = self.head.first().map_or("", String::as_str);
        let ends = ["begin", "start", "commit", "end", "rollback", "abort"].contains(&first)
            && !self.begins(&["rollback", "to"])
            || self.begins(&["prepare", "transaction"]);
        if ends {
            return Err(error(
                self.line,
                format!(
                    "`{}` begins or ends a transaction, and kit runs each migration in one transaction; remove the statement \
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
                "a command of psql (`\\…`) is not SQL; remove the command",
            ));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
