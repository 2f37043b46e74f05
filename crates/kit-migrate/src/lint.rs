//! Finds statements of a migration that make other sessions wait, fail on existing rows, or break the running application.
//!
//! Judges the SQL that runs, so that statements that users wrote or edited are judged as well as those of kit. Tables that
//! the migration itself creates are not judged, because no application uses them yet.

use kit_database::{Migration, PlannedChange, Risk, local_name, qualified, schema_of};

use crate::destructive::{Word, plans, words_of};
use crate::script::{Mode, Script, Statement};

mod alter_table;

/// A statement with a risk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Name of the migration.
    pub migration: String,
    /// Line in `migration.sql`, from 1.
    pub line: usize,
    /// The beginning of the statement.
    pub statement: String,
    /// The risk.
    pub risk: Risk,
    /// Reason, as a sentence without a subject: `builds an index while other sessions cannot write`.
    pub reason: &'static str,
    /// Way to get the same result with less risk; empty if kit knows no other way.
    pub alternative: &'static str,
}

/// Finds the statements with a risk, in their order. A statement that loses data is found by
/// [`losses`](crate::destructive::losses) instead.
pub(crate) fn findings(migration: &Migration, script: &Script<'_>) -> Vec<Finding> {
    let all: Vec<(Mode, bool, &Statement<'_>)> = script
        .steps
        .iter()
        .flat_map(|step| {
            let is_alone = step.statements.len() == 1;
            step.statements
                .iter()
                .map(move |statement| (step.mode, is_alone, statement))
        })
        .collect();
    let words: Vec<Vec<Word>> = all.iter().map(|(.., statement)| words_of(statement)).collect();
    let plans = plans(&migration.changes, &words);
    let mut created: Vec<String> = Vec::new();
    let mut findings = Vec::new();
    for (at, (mode, is_alone, statement)) in all.into_iter().enumerate() {
        let line = Line {
            words: &words[at],
            earlier: &words[..at],
            mode,
            is_alone,
            is_written: migration.changes.is_empty(),
        };
        created.extend(line.created_table());
        let is_new = |table: String| created.iter().any(|created| is_same_table(created, &table));
        if line.table().is_some_and(is_new) {
            continue;
        }
        // The plan knows more than the text of the statement, for example that all rows are checked before.
        let planned = plans[at].map(PlannedChange::risks);
        let mut risks = line.risks();
        let has = |risks: &[Judgement], wanted| risks.iter().any(|(risk, ..)| *risk == wanted);
        // The risks of planned changes contain this risk, and first halves keep all writes of the former build valid.
        if line.is_written && has(&risks, Risk::NeedsData) && !has(&risks, Risk::BreaksRunningApp) {
            risks.push((Risk::BreaksRunningApp, REFUSES, ""));
        }
        risks.retain(|(risk, ..)| planned.as_ref().is_none_or(|planned| planned.contains(risk)));
        findings.extend(risks.into_iter().map(|(risk, reason, alternative)| Finding {
            migration: migration.name.clone(),
            line: statement.line,
            statement: statement.title(),
            risk,
            reason,
            alternative,
        }));
    }
    findings
}

/// Returns the lines and beginnings of the statements that a user wrote and after which rows may have values that an
/// application from before the migration does not expect.
pub(crate) fn widenings(migration: &Migration, script: &Script<'_>) -> Vec<(usize, String)> {
    if !migration.changes.is_empty() {
        return Vec::new();
    }
    let statements = script.steps.iter().flat_map(|step| &step.statements);
    statements
        .filter(|statement| {
            let words = words_of(statement);
            begins(&words, &["alter", "table"]) && has(&words, &["drop", "not", "null"])
                || begins(&words, &["alter", "type"]) && has(&words, &["add", "value"])
                || begins(&words, &["alter", "domain"])
                    && (has(&words, &["drop", "not", "null"]) || has(&words, &["drop", "constraint"]))
        })
        .map(|statement| (statement.line, statement.title()))
        .collect()
}

type Judgement = (Risk, &'static str, &'static str);

/// Reasons and alternatives that several statements share.
const READS: &str = "reads all rows while other sessions wait";
const REWRITES: &str = "rewrites the table while other sessions cannot use it";
const BREAKS: &str = "fails if a row breaks the constraint";
const REFUSES: &str = "refuses rows that a running application may write";
const EQUALS: &str = "fails if two rows have equal values";

/// Objects that a running application may use by their names.
const USED: [&str; 12] = [
    "table",
    "view",
    "materialized",
    "foreign",
    "function",
    "procedure",
    "routine",
    "aggregate",
    "type",
    "domain",
    "sequence",
    "schema",
];

struct Line<'a> {
    words: &'a [Word],
    /// Words of the statements before this one.
    earlier: &'a [Vec<Word>],
    mode: Mode,
    /// True if the statement is the only one of its step.
    is_alone: bool,
    /// True if kit planned no change of the migration, so that a user wrote the statement.
    is_written: bool,
}

impl Line<'_> {
    fn has(&self, sequence: &[&str]) -> bool {
        has(self.words, sequence)
    }

    fn begins(&self, sequence: &[&str]) -> bool {
        begins(self.words, sequence)
    }

    /// Returns true if the statement has one of these words at the given position.
    fn is_one_of(&self, at: usize, words: &[&str]) -> bool {
        self.words
            .get(at)
            .is_some_and(|found| words.iter().any(|word| found.is(word)))
    }

    fn creates_index(&self) -> bool {
        self.begins(&["create"]) && self.words.iter().take(3).any(|word| word.is("index"))
    }

    fn created_table(&self) -> Option<String> {
        if !self.begins(&["create"]) {
            return None;
        }
        let at = self.words.iter().take(4).position(|word| word.is("table"))?;
        Some(name(self.words, at + 1)?.0)
    }

    /// Returns the table that the statement changes.
    fn table(&self) -> Option<String> {
        table_of(self.words).map(|(name, _)| name)
    }

    fn risks(&self) -> Vec<Judgement> {
        let mut found = Vec::new();
        if self.begins(&["alter", "table"]) {
            self.alter_table(&mut found);
        } else if self.begins(&["alter"]) {
            self.alter(&mut found);
        } else if self.creates_index() {
            if !self.has(&["concurrently"]) {
                found.push((
                    Risk::Locks,
                    "builds an index while other sessions cannot write to the table",
                    "write `-- kit: outside transaction` above `CREATE INDEX CONCURRENTLY`",
                ));
            }
            if self.begins(&["create", "unique"]) {
                found.push((Risk::NeedsData, EQUALS, ""));
            }
        } else if self.begins(&["drop"]) && self.is_one_of(1, &USED) {
            found.push((
                Risk::BreaksRunningApp,
                "drops what a running application may use",
                "",
            ));
        } else if self.begins(&["revoke"]) {
            found.push((
                Risk::BreaksRunningApp,
                "takes a privilege that a running application may need",
                "",
            ));
        } else if self.begins(&["reindex"]) && !self.has(&["concurrently"])
            || self.begins(&["refresh", "materialized"]) && !self.has(&["concurrently"])
        {
            found.push((
                Risk::Locks,
                "makes other sessions wait until the index or view is built",
                "write `-- kit: outside transaction` above the statement with CONCURRENTLY",
            ));
        } else if self.begins(&["cluster"]) || self.begins(&["vacuum"]) && self.has(&["full"]) {
            found.push((Risk::Locks, REWRITES, ""));
        } else if self.begins(&["lock"]) && !self.locks_only_structure() {
            found.push((
                Risk::Locks,
                "makes other sessions wait until the transaction ends",
                "",
            ));
        } else if self.changes_rows() && self.mode == Mode::Transaction {
            found.push((
                Risk::Locks,
                "locks all changed rows until the transaction ends",
                "write `-- kit: in batches` above the statement, with a condition that excludes changed rows",
            ));
        }
        found
    }

    /// Returns true if the lock of `LOCK TABLE` lets other sessions read and write.
    fn locks_only_structure(&self) -> bool {
        ["access", "row"]
            .iter()
            .any(|kind| self.has(&["in", kind, "share", "mode"]))
            || self.has(&["in", "row", "exclusive", "mode"])
    }

    fn changes_rows(&self) -> bool {
        let changes = ["update", "delete", "merge"];
        self.is_one_of(0, &changes)
            || self.begins(&["with"]) && (0..self.words.len()).any(|at| self.is_one_of(at, &changes))
    }

    /// Judges an `ALTER` of anything but a table.
    fn alter(&self, found: &mut Vec<Judgement>) {
        let is_used = self.is_one_of(1, &USED);
        if is_used && (self.has(&["set", "schema"]) || self.has(&["rename"])) {
            found.push((
                Risk::BreaksRunningApp,
                "renames what a running application uses",
                "",
            ));
        }
        let checks = self.has(&["add"]) && (self.has(&["check"]) || self.has(&["not", "null"]))
            || self.has(&["set", "not", "null"]);
        if self.begins(&["alter", "domain"]) && checks && !self.has(&["not", "valid"]) {
            found.push((
                Risk::Locks,
                READS,
                "add the constraint with NOT VALID, and validate it in a step of its own",
            ));
            found.push((Risk::NeedsData, BREAKS, ""));
        }
    }
}

/// Returns true if the words begin with the sequence of plain words.
fn begins(words: &[Word], sequence: &[&str]) -> bool {
    words.len() >= sequence.len() && words.iter().zip(sequence).all(|(word, wanted)| word.is(wanted))
}

/// Returns the name in the words from `at` on, without words such as `IF EXISTS`. Also returns the position after the name.
fn name(words: &[Word], at: usize) -> Option<(String, usize)> {
    let skipped = ["if", "not", "exists", "only"];
    let is_skipped = |word: &Word| word.plain().is_some_and(|plain| skipped.contains(&plain));
    let mut at = at
        + words
            .get(at..)?
            .iter()
            .take_while(|word| is_skipped(word))
            .count();
    let mut schema = None;
    let mut found = words.get(at)?.name()?;
    at += 1;
    while words.get(at).is_some_and(|word| word.is_sign(".")) {
        schema = Some(found);
        found = words.get(at + 1)?.name()?;
        at += 2;
    }
    Some((qualified(schema, found), at))
}

/// Returns true if two names can stand for the same table: a table without a schema in its name may be in any schema.
fn is_same_table(one: &str, other: &str) -> bool {
    local_name(one) == local_name(other)
        && (schema_of(one) == schema_of(other) || schema_of(one).is_none() || schema_of(other).is_none())
}

/// Returns the table that a statement changes, and the position after its name.
fn table_of(words: &[Word]) -> Option<(String, usize)> {
    if begins(words, &["alter", "table"])
        || begins(words, &["drop", "table"])
        || begins(words, &["lock", "table"])
        || begins(words, &["delete", "from"])
        || begins(words, &["merge", "into"])
    {
        name(words, 2)
    } else if begins(words, &["create"]) && words.iter().take(3).any(|word| word.is("index")) {
        name(words, 1 + words.iter().position(|word| word.is("on"))?)
    } else if begins(words, &["update"]) || begins(words, &["lock"]) {
        name(words, 1)
    } else {
        None
    }
}

/// Returns true if the words contain the sequence of plain words and signs.
fn has(words: &[Word], sequence: &[&str]) -> bool {
    words.windows(sequence.len()).any(|part| {
        part.iter()
            .zip(sequence)
            .all(|(word, wanted)| word.is(wanted) || word.is_sign(wanted))
    })
}

/// Finds the statements of SQL that make other sessions wait, fail on existing rows, or break the running application.
///
/// ```
/// let findings = kit_migrate::find_risks("CREATE INDEX by_title ON notes (title)").unwrap();
/// assert_eq!(findings[0].risk, kit_database::Risk::Locks);
/// let sql = "-- kit: outside transaction\nCREATE INDEX CONCURRENTLY by_title ON notes (title)";
/// assert!(kit_migrate::find_risks(sql).unwrap().is_empty());
/// ```
///
/// # Errors
///
/// Returns the line and the reason if the SQL cannot be a migration.
pub fn find_risks(sql: &str) -> Result<Vec<Finding>, String> {
    let script = Script::parse(sql).map_err(|error| error.to_string())?;
    let migration = Migration {
        name: String::new(),
        sql: sql.to_owned(),
        destructive: false,
        changes: Vec::new(),
        snapshot: None,
    };
    Ok(findings(&migration, &script))
}

#[cfg(test)]
mod tests;
