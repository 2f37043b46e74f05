//! Judges `ALTER TABLE`, one action at a time.

use kit_database::Risk;

use super::{
    BREAKS, EQUALS, Judgement, Line, READS, REFUSES, REWRITES, begins, has, is_same_table, table_of,
};
use crate::destructive::Word;
use crate::script::Mode;

/// Words of defaults with another value for each row.
const OWN_VALUES: [&str; 16] = [
    "identity",
    "serial",
    "bigserial",
    "smallserial",
    "serial2",
    "serial4",
    "serial8",
    "nextval",
    "random",
    "gen_random_uuid",
    "uuid_generate_v1",
    "uuid_generate_v4",
    "uuidv4",
    "uuidv7",
    "clock_timestamp",
    "timeofday",
];

/// Words that begin a constraint of a table.
const CONSTRAINTS: [&str; 6] = ["constraint", "check", "unique", "primary", "foreign", "exclude"];

impl Line<'_> {
    pub(super) fn alter_table(&self, found: &mut Vec<Judgement>) {
        let Some((_, from)) = table_of(self.words) else {
            return;
        };
        for action in actions(&self.words[from..]) {
            // Words within parentheses belong to conditions and defaults.
            let flat = outside_of_parentheses(action);
            if begins(action, &["add"]) {
                add(action, &flat, found);
                // Other sessions keep the rule from then on, although stored rows are checked later.
                if self.is_written && has(&flat, &["not", "valid"]) {
                    found.push((Risk::BreaksRunningApp, REFUSES, ""));
                }
            } else if begins(action, &["alter"]) {
                self.alter_column(action, found);
            } else {
                self.other(action, found);
            }
        }
    }

    fn alter_column(&self, action: &[Word], found: &mut Vec<Judgement>) {
        if has(action, &["set", "not", "null"]) && !self.null_was_checked(action) {
            found.push((
                Risk::Locks,
                "reads all rows while other sessions cannot use the table",
                "first add and validate `CHECK (column IS NOT NULL)`, in steps of their own",
            ));
            found.push((Risk::NeedsData, "fails if a row has null", ""));
        }
        if self.is_written && has(action, &["set", "not", "null"]) {
            found.push((Risk::BreaksRunningApp, REFUSES, ""));
        }
        if self.is_written && (has(action, &["drop", "default"]) || has(action, &["drop", "identity"])) {
            found.push((
                Risk::BreaksRunningApp,
                "makes inserts fail that do not name the column, if it cannot be null",
                "",
            ));
        }
        if has(action, &["set", "expression"]) {
            found.push((Risk::Locks, REWRITES, ""));
        }
        // `ALTER a TYPE`, `ALTER COLUMN a TYPE`, `ALTER a SET DATA TYPE`
        let at = 2 + usize::from(action.get(1).is_some_and(|word| word.is("column")));
        let changes_type = action.get(at).is_some_and(|word| word.is("type"))
            || action
                .get(at..)
                .is_some_and(|rest| begins(rest, &["set", "data", "type"]));
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
    }

    /// Judges an action that adds nothing and changes no column.
    fn other(&self, action: &[Word], found: &mut Vec<Judgement>) {
        let is = |sequence: &[&str]| begins(action, sequence);
        if is(&["validate", "constraint"]) {
            if self.mode == Mode::Transaction && !self.is_alone {
                found.push((
                    Risk::Locks,
                    "reads all rows while the transaction holds the locks of its other statements",
                    "write `-- kit: outside transaction` above the statement",
                ));
            }
        } else if is(&["rename"]) && !is(&["rename", "constraint"]) || is(&["set", "schema"]) {
            found.push((
                Risk::BreaksRunningApp,
                "renames what a running application uses",
                "",
            ));
        } else if is(&["drop"]) && !is(&["drop", "constraint"]) {
            found.push((
                Risk::BreaksRunningApp,
                "drops a column that a running application may use",
                "",
            ));
        } else if is(&["enable", "row", "level"]) || is(&["force", "row", "level"]) {
            found.push((
                Risk::BreaksRunningApp,
                "hides rows from a running application unless a policy shows them",
                "",
            ));
        } else if is(&["disable", "row", "level"]) || is(&["no", "force", "row", "level"]) {
            found.push((
                Risk::BreaksRunningApp,
                "shows rows that policies hide from a running application",
                "",
            ));
        } else if is(&["attach", "partition"]) {
            found.push((
                Risk::Locks,
                READS,
                "first add and validate a CHECK on the new partition with its bounds, in steps of their own",
            ));
            found.push((
                Risk::NeedsData,
                "fails if a row is not within the bounds of the partition",
                "",
            ));
        } else if is(&["detach", "partition"]) {
            found.push((
                Risk::BreaksRunningApp,
                "removes the rows of the partition from the table",
                "",
            ));
        } else if is(&["set", "tablespace"])
            || is(&["set", "logged"])
            || is(&["set", "unlogged"])
            || is(&["set", "access", "method"])
        {
            found.push((Risk::Locks, REWRITES, ""));
        }
    }

    /// Returns true if an earlier statement adds a check to the table that the column of `SET NOT NULL` is not null, and an
    /// earlier statement validates a constraint of the table.
    fn null_was_checked(&self, action: &[Word]) -> bool {
        let Some(at) = action
            .windows(3)
            .position(|words| words[0].is("set") && words[1].is("not") && words[2].is("null"))
        else {
            return false;
        };
        let Some(column) = at.checked_sub(1).map(|at| &action[at]) else {
            return false;
        };
        let table = self.table();
        let earlier = || {
            self.earlier
                .iter()
                .filter(|words| match (table_of(words), &table) {
                    (Some((name, _)), Some(table)) => is_same_table(&name, table),
                    (name, table) => name.is_none() && table.is_none(),
                })
        };
        // A renamed column keeps its check: `ALTER TABLE a RENAME COLUMN b_next TO b`.
        let former = earlier().rev().find_map(|words| {
            let at = words
                .windows(2)
                .position(|pair| pair[0].is("to") && pair[1].kind == column.kind)?;
            has(words, &["rename", "column"]).then(|| &words[at - 1])
        });
        let is_checked = |column: &Word| {
            earlier().any(|words| {
                words.windows(5).any(|part| {
                    part[0].is_sign("(")
                        && part[1].kind == column.kind
                        && part[2].is("is")
                        && part[3].is("not")
                        && part[4].is("null")
                }) && has(words, &["check"])
            }) && earlier().any(|words| has(words, &["validate", "constraint"]))
        };
        is_checked(column) || former.is_some_and(is_checked)
    }
}

/// Judges `ADD COLUMN` and `ADD CONSTRAINT`.
fn add(action: &[Word], flat: &[Word], found: &mut Vec<Judgement>) {
    let has = |sequence: &[&str]| has(flat, sequence);
    let is_constraint = action
        .get(1)
        .is_some_and(|word| CONSTRAINTS.iter().any(|kind| word.is(kind)));
    let is_not_null = has(&["not", "null"]);
    let is_key = has(&["primary", "key"]);
    let has_default = has(&["default"]);
    let has_value = has_default
        || has(&["generated"])
        || flat
            .iter()
            .any(|word| OWN_VALUES.iter().any(|value| word.is(value)));
    let reads = has(&["check"]) || has(&["references"]) || is_constraint && is_not_null;
    if reads && !has(&["not", "valid"]) {
        found.push((
            Risk::Locks,
            READS,
            "add the constraint with NOT VALID, and write `-- kit: outside transaction` above `ALTER TABLE … VALIDATE CONSTRAINT`",
        ));
        found.push((Risk::NeedsData, BREAKS, ""));
    }
    let uses_index = flat
        .windows(3)
        .any(|words| words[0].is("using") && words[1].is("index") && !words[2].is("tablespace"));
    if (has(&["unique"]) || is_key) && !uses_index {
        found.push((
            Risk::Locks,
            "builds an index while other sessions cannot use the table",
            "build the index with `CREATE UNIQUE INDEX CONCURRENTLY`, then add the constraint with USING INDEX",
        ));
        if is_constraint || has_default {
            found.push((Risk::NeedsData, EQUALS, ""));
        }
    }
    if has(&["exclude"]) {
        found.push((
            Risk::Locks,
            "builds an index while other sessions cannot use the table",
            "",
        ));
        found.push((Risk::NeedsData, BREAKS, ""));
    }
    if is_constraint {
        return;
    }
    if (is_not_null || is_key) && !has_value {
        found.push((
            Risk::NeedsData,
            "fails if the table has rows",
            "add the column without NOT NULL, fill the rows in batches, and then require values",
        ));
        found.push((
            Risk::BreaksRunningApp,
            "makes inserts fail that do not name the column",
            "",
        ));
    }
    let is_own = action
        .iter()
        .any(|word| OWN_VALUES.iter().any(|value| word.is(value)));
    if is_own || has(&["stored"]) {
        found.push((
            Risk::Locks,
            "rewrites the table while other sessions cannot use it, because each row gets its own value",
            "add the column without the default, set the default, and fill the rows in batches",
        ));
    }
}

/// Splits the actions of `ALTER TABLE` at the commas between them.
fn actions(words: &[Word]) -> Vec<&[Word]> {
    let mut depth = 0_usize;
    words
        .split(|word| {
            if word.is_sign("(") || word.is_sign("[") {
                depth += 1;
            } else if word.is_sign(")") || word.is_sign("]") {
                depth = depth.saturating_sub(1);
            }
            depth == 0 && word.is_sign(",")
        })
        .collect()
}

fn outside_of_parentheses(words: &[Word]) -> Vec<Word> {
    let mut depth = 0_usize;
    words
        .iter()
        .filter(|word| {
            if word.is_sign("(") {
                depth += 1;
            } else if word.is_sign(")") {
                depth = depth.saturating_sub(1);
                return false;
            }
            depth == 0
        })
        .cloned()
        .collect()
}
