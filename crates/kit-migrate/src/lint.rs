//! Finds statements of a migration that make other sessions wait, fail on existing rows, or break the running application.
//!
//! Judges the SQL that runs, so that statements that users wrote or edited are judged as well as those of kit. Tables that
//! the migration itself creates are not judged, because no application uses them yet.

use kit_database::{Migration, Risk};

use crate::destructive::{Word, words_of};
use crate::script::{Mode, Script};

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
    let mut created: Vec<String> = Vec::new();
    let mut earlier: Vec<Vec<Word>> = Vec::new();
    let mut findings = Vec::new();
    for step in &script.steps {
        for statement in &step.statements {
            let words = words_of(statement);
            let line = Line {
                words: &words,
                earlier: &earlier,
                mode: step.mode,
                is_alone: step.statements.len() == 1,
            };
            if let Some(table) = line.created_table() {
                created.push(table);
            }
            let table = line.table();
            if table.is_none_or(|table| !created.contains(&table)) {
                findings.extend(
                    line.risks()
                        .into_iter()
                        .map(|(risk, reason, alternative)| Finding {
                            migration: migration.name.clone(),
                            line: statement.line,
                            statement: statement.title(),
                            risk,
                            reason,
                            alternative,
                        }),
                );
            }
            earlier.push(words);
        }
    }
    findings
}

type Judgement = (Risk, &'static str, &'static str);

struct Line<'a> {
    words: &'a [Word],
    /// Words of the statements before this one.
    earlier: &'a [Vec<Word>],
    mode: Mode,
    /// True if the statement is the only one of its step.
    is_alone: bool,
}

impl Line<'_> {
    fn has(&self, sequence: &[&str]) -> bool {
        has(self.words, sequence)
    }

    fn begins(&self, sequence: &[&str]) -> bool {
        self.words.len() >= sequence.len()
            && self
                .words
                .iter()
                .zip(sequence)
                .all(|(word, wanted)| word.is(wanted))
    }

    /// Returns the name in the words from `at` on, without words such as `IF EXISTS`.
    fn name(&self, at: usize) -> Option<String> {
        let mut words = self.words.get(at..)?.iter();
        let skipped = ["if", "not", "exists", "only"];
        let first = words.find(|word| !word.plain().is_some_and(|plain| skipped.contains(&plain)))?;
        let mut name = first.name()?.to_owned();
        while words.next().is_some_and(|word| word.is_sign(".")) {
            words.next()?.name()?.clone_into(&mut name);
        }
        Some(name)
    }

    fn created_table(&self) -> Option<String> {
        if !self.begins(&["create"]) {
            return None;
        }
        let at = self.words.iter().take(4).position(|word| word.is("table"))?;
        self.name(at + 1)
    }

    /// Returns the table that the statement changes.
    fn table(&self) -> Option<String> {
        if self.begins(&["alter", "table"])
            || self.begins(&["drop", "table"])
            || self.begins(&["lock", "table"])
        {
            self.name(2)
        } else if self.begins(&["create"]) && self.words.iter().take(3).any(|word| word.is("index")) {
            let on = self.words.iter().position(|word| word.is("on"))?;
            self.name(on + 1)
        } else if self.begins(&["update"]) {
            self.name(1)
        } else if self.begins(&["delete", "from"]) {
            self.name(2)
        } else {
            None
        }
    }

    fn risks(&self) -> Vec<Judgement> {
        let mut found = Vec::new();
        if self.begins(&["alter", "table"]) {
            self.alter_table(&mut found);
        } else if self.begins(&["create"]) && self.words.iter().take(3).any(|word| word.is("index")) {
            if !self.has(&["concurrently"]) {
                found.push((
                    Risk::Locks,
                    "builds an index while other sessions cannot write to the table",
                    "write `-- kit: outside transaction` above `CREATE INDEX CONCURRENTLY`",
                ));
            }
        } else if self.begins(&["drop", "table"]) || self.begins(&["drop", "view"]) {
            found.push((
                Risk::BreaksRunningApp,
                "drops what a running application may use",
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
            found.push((
                Risk::Locks,
                "rewrites the table while other sessions cannot use it",
                "",
            ));
        } else if (self.begins(&["update"]) || self.begins(&["delete"])) && self.mode == Mode::Transaction {
            found.push((
                Risk::Locks,
                "locks all changed rows until the transaction ends",
                "write `-- kit: in batches` above the statement, with a condition that excludes changed rows",
            ));
        }
        found
    }

    fn alter_table(&self, found: &mut Vec<Judgement>) {
        let checked = "add the constraint with NOT VALID, and write `-- kit: outside transaction` above \
            `ALTER TABLE … VALIDATE CONSTRAINT`";
        let is_constraint = self.has(&["check", "("]) || self.has(&["references"]);
        let adds = self.has(&["add"]);
        if adds && is_constraint && !self.has(&["not", "valid"]) {
            found.push((Risk::Locks, "reads all rows while other sessions wait", checked));
            found.push((Risk::NeedsData, "fails if a row breaks the constraint", ""));
        }
        if adds && (self.has(&["unique", "("]) || self.has(&["primary", "key", "("])) {
            found.push((
                Risk::Locks,
                "builds an index while other sessions cannot use the table",
                "build the index with `CREATE UNIQUE INDEX CONCURRENTLY`, then add the constraint with USING INDEX",
            ));
            found.push((Risk::NeedsData, "fails if two rows have equal values", ""));
        }
        if self.has(&["set", "not", "null"]) && !self.null_was_checked() {
            found.push((
                Risk::Locks,
                "reads all rows while other sessions cannot use the table",
                "first add and validate `CHECK (column IS NOT NULL)`, in steps of their own",
            ));
            found.push((Risk::NeedsData, "fails if a row has null", ""));
        }
        if self.has(&["validate", "constraint"]) && (self.mode == Mode::Transaction && !self.is_alone) {
            found.push((
                Risk::Locks,
                "reads all rows while the transaction holds the locks of its other statements",
                "write `-- kit: outside transaction` above the statement",
            ));
        }
        let changes_type = self.words.windows(3).any(|words| {
            words[2].is("type") && words[1].is_name() && (words[0].is("column") || words[0].is("alter"))
        }) || self.has(&["set", "data", "type"]);
        if changes_type {
            found.push((
                Risk::Locks,
                "may rewrite the table while other sessions cannot use it",
                "change the type in the TypeScript source, so that `kit migrate:generate` writes the steps",
            ));
            found.push((
                Risk::BreaksRunningApp,
                "changes the type of a column that a running application uses",
                "",
            ));
        }
        if self.has(&["rename", "to"]) || self.has(&["rename"]) && !self.has(&["rename", "constraint"]) {
            found.push((
                Risk::BreaksRunningApp,
                "renames what a running application uses",
                "",
            ));
        }
        let drops_column = self.words.windows(2).any(|words| {
            words[0].is("drop")
                && !["constraint", "default", "not", "identity", "expression"]
                    .iter()
                    .any(|kind| words[1].is(kind))
        });
        if drops_column {
            found.push((
                Risk::BreaksRunningApp,
                "drops a column that a running application may use",
                "",
            ));
        }
        let own_value = [
            "identity",
            "serial",
            "bigserial",
            "smallserial",
            "random",
            "gen_random_uuid",
            "clock_timestamp",
        ];
        let adds_column = adds && !self.has(&["add", "constraint"]) && !self.has(&["add", "generated"]);
        if adds_column
            && (self
                .words
                .iter()
                .any(|word| own_value.iter().any(|value| word.is(value)))
                || self.has(&["stored"]))
        {
            found.push((
                Risk::Locks,
                "rewrites the table while other sessions cannot use it, because each row gets its own value",
                "add the column without the default, set the default, and fill the rows in batches",
            ));
        }
    }

    /// Returns true if an earlier statement adds a check that the column is not null.
    fn null_was_checked(&self) -> bool {
        let Some(at) = self
            .words
            .windows(3)
            .position(|words| words[0].is("set") && words[1].is("not") && words[2].is("null"))
        else {
            return false;
        };
        let Some(column) = at.checked_sub(1).map(|at| &self.words[at]) else {
            return false;
        };
        // A renamed column keeps its check: `ALTER TABLE a RENAME COLUMN b_next TO b`.
        let former = self.earlier.iter().rev().find_map(|words| {
            let at = words
                .windows(2)
                .position(|pair| pair[0].is("to") && pair[1].kind == column.kind)?;
            has(words, &["rename", "column"]).then(|| &words[at - 1])
        });
        let is_checked = |column: &Word| {
            self.earlier.iter().any(|words| {
                words.windows(5).any(|part| {
                    part[0].is_sign("(")
                        && part[1].kind == column.kind
                        && part[2].is("is")
                        && part[3].is("not")
                        && part[4].is("null")
                }) && has(words, &["check"])
            }) && self
                .earlier
                .iter()
                .any(|words| has(words, &["validate", "constraint"]))
        };
        is_checked(column) || former.is_some_and(is_checked)
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
#[allow(clippy::unwrap_used)] // a test
mod tests {
    use kit_database::Risk::{BreaksRunningApp, Locks, NeedsData};

    use super::find_risks;

    fn risks(sql: &str) -> Vec<(usize, kit_database::Risk)> {
        let found = find_risks(sql).unwrap();
        found
            .into_iter()
            .map(|finding| (finding.line, finding.risk))
            .collect()
    }

    #[test]
    fn finds_statements_that_make_other_sessions_wait_or_break_the_application() {
        for (sql, expected) in [
            ("CREATE INDEX a ON t (b)", vec![Locks]),
            (
                "ALTER TABLE t ADD CONSTRAINT c CHECK (a > 1)",
                vec![Locks, NeedsData],
            ),
            (
                "ALTER TABLE t ADD FOREIGN KEY (a) REFERENCES o (b)",
                vec![Locks, NeedsData],
            ),
            ("ALTER TABLE t ADD UNIQUE (a)", vec![Locks, NeedsData]),
            ("ALTER TABLE t ADD PRIMARY KEY (a)", vec![Locks, NeedsData]),
            ("ALTER TABLE t ALTER a SET NOT NULL", vec![Locks, NeedsData]),
            (
                "ALTER TABLE t ALTER COLUMN a TYPE bigint",
                vec![Locks, BreaksRunningApp],
            ),
            (
                "ALTER TABLE t ALTER a SET DATA TYPE bigint",
                vec![Locks, BreaksRunningApp],
            ),
            ("ALTER TABLE t RENAME a TO b", vec![BreaksRunningApp]),
            ("ALTER TABLE t RENAME TO u", vec![BreaksRunningApp]),
            ("ALTER TABLE t DROP a", vec![BreaksRunningApp]),
            ("DROP TABLE t", vec![BreaksRunningApp]),
            ("ALTER TABLE t ADD a uuid DEFAULT gen_random_uuid()", vec![Locks]),
            (
                "ALTER TABLE t ADD a int GENERATED ALWAYS AS (b + 1) STORED",
                vec![Locks],
            ),
            ("UPDATE t SET a = 1 WHERE a IS NULL", vec![Locks]),
            ("REFRESH MATERIALIZED VIEW v", vec![Locks]),
            ("VACUUM FULL t", vec![Locks]),
            (
                "ALTER TABLE t ADD a int; ALTER TABLE t VALIDATE CONSTRAINT c",
                vec![Locks],
            ),
        ] {
            let found: Vec<_> = risks(sql).into_iter().map(|(_, risk)| risk).collect();
            assert_eq!(found, expected, "{sql}");
        }
    }

    #[test]
    fn accepts_statements_that_make_nobody_wait() {
        for sql in [
            "-- kit: outside transaction\nCREATE INDEX CONCURRENTLY a ON t (b)",
            "ALTER TABLE t ADD CONSTRAINT c CHECK (a > 1) NOT VALID",
            "-- kit: outside transaction\nALTER TABLE t VALIDATE CONSTRAINT c",
            "ALTER TABLE t ADD CONSTRAINT c UNIQUE USING INDEX i",
            "ALTER TABLE t ADD a int DEFAULT 1 NOT NULL",
            "ALTER TABLE t RENAME CONSTRAINT a TO b",
            "ALTER TABLE t DROP CONSTRAINT a",
            "ALTER TABLE t ALTER a DROP NOT NULL",
            "CREATE TABLE t (a int); CREATE INDEX a ON t (a); ALTER TABLE t ADD UNIQUE (a); UPDATE t SET a = 1",
            "-- kit: in batches\nUPDATE t SET a = 1 WHERE a IS NULL",
            "ALTER TABLE t ADD CONSTRAINT c CHECK (a IS NOT NULL) NOT VALID;\n-- kit: outside transaction\nALTER TABLE t VALIDATE CONSTRAINT c;\nALTER TABLE t ALTER a SET NOT NULL",
            "INSERT INTO t VALUES ('DROP TABLE t')",
            "SELECT 1",
        ] {
            assert_eq!(risks(sql), [], "{sql}");
        }
    }
}
