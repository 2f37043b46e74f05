//! Finds out if the SQL of a generated migration was edited so that other tables may result.

use kit_database::{Migration, Snapshot};
use sha2::{Digest as _, Sha256};
use squawk_lexer::{TokenKind, tokenize};

use crate::script::{Script, hex};

/// First words of statements that change only rows, or settings of the session. `select` and `with` are not among them,
/// because they can call functions that change tables.
pub(crate) const ROWS: [&str; 10] = [
    "insert", "update", "delete", "merge", "truncate", "copy", "set", "reset", "lock", "analyze",
];

/// Returns a checksum of the statements that may change tables, in both halves. Spaces, comments, letter case of keywords
/// and statements that change only rows do not count. Returns `None` if the SQL cannot be split into statements.
///
/// ```
/// let checksum = kit_migrate::structure_checksum;
/// assert_eq!(checksum("CREATE TABLE a (id int)"), checksum("create table a (id int); UPDATE a SET id = 1"));
/// assert_ne!(checksum("CREATE TABLE a (id int)"), checksum("CREATE TABLE a (id text)"));
/// ```
pub fn structure_checksum(sql: &str) -> Option<String> {
    let script = Script::parse(sql).ok()?;
    let mut hash = Sha256::new();
    for statement in script.steps.iter().flat_map(|step| &step.statements) {
        if statement
            .head
            .first()
            .is_some_and(|word| ROWS.contains(&word.as_str()))
        {
            continue;
        }
        let mut at = 0;
        for token in tokenize(statement.text) {
            let text = &statement.text[at..at + token.len as usize];
            at += text.len();
            match token.kind {
                TokenKind::Whitespace | TokenKind::LineComment | TokenKind::BlockComment { .. } => continue,
                TokenKind::Ident => hash.update(text.to_ascii_lowercase()),
                _ => hash.update(text),
            }
            hash.update([0]);
        }
        hash.update([1]);
    }
    Some(hex(&hash.finalize()))
}

/// Records in the snapshot which statements kit wrote, so that [`first_unrecorded`](crate::first_unrecorded) finds edits.
///
/// ```
/// use kit_database::{Migration, Plan};
///
/// let migration = Migration::create("20260102030405", "nothing", &Plan::default(), None).unwrap();
/// let mut edited = kit_migrate::with_structure(migration);
/// assert_eq!(kit_migrate::first_unrecorded(std::slice::from_ref(&edited)), None);
/// edited.sql.push_str("CREATE VIEW v AS SELECT 1;");
/// assert_eq!(kit_migrate::first_unrecorded(&[edited]), Some(0));
/// ```
#[must_use]
pub fn with_structure(migration: Migration) -> Migration {
    let checksum = structure_checksum(&migration.sql);
    Migration {
        snapshot: migration
            .snapshot
            .map(|snapshot| snapshot.with_generated(checksum)),
        ..migration
    }
}

/// Returns the checksum of the SQL that kit wrote for a squashed migration.
pub(crate) fn squashed_checksum(migration: &Migration) -> Option<String> {
    let snapshot = migration
        .snapshot
        .as_ref()
        .filter(|_| !migration.replaces().is_empty())?;
    snapshot.generated_checksum().map(str::to_owned)
}

/// Returns true if the statements of a generated migration are not those that kit planned, so that `changes.json` may list
/// other changes.
pub(crate) fn differs_from_plan(migration: &Migration) -> bool {
    was_edited(migration) || migration.snapshot.as_ref().is_some_and(Snapshot::is_edited)
}

/// Returns true if the statements of a generated migration were edited so that other tables may result. Returns false for a
/// squashed migration, whose whole text is compared.
pub(crate) fn was_edited(migration: &Migration) -> bool {
    if !migration.replaces().is_empty() {
        return false;
    }
    let generated = migration
        .snapshot
        .as_ref()
        .and_then(|snapshot| snapshot.generated_checksum());
    match (generated, structure_checksum(&migration.sql)) {
        (Some(generated), Some(found)) => generated != found,
        _ => false,
    }
}
