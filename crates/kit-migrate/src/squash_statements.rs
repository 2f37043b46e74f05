//! Statements of migrations whose effect kit does not find in the description of a database, such as `GRANT`.

use kit_database::Migration;

use crate::role_blocks::{RoleBlock, role_block};
use crate::script::Script;
use crate::structure::{ROWS, differs_from_plan};

/// A statement whose effect the description of a database does not contain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unmodelled {
    /// Name of the migration.
    pub migration: String,
    /// Line of the statement in `migration.sql`, from 1.
    pub line: usize,
    /// The statement, without the semicolon.
    pub text: String,
    /// True for a call, and for a block of code that does not only change roles. A squashed migration contains the rows and objects
    /// that these make, so the statement must not run again.
    pub is_code: bool,
    /// True for a block of code that creates a role and may do other work.
    pub(crate) creates_role: bool,
    /// True if the other statements need the result, such as a schema or a role.
    pub(crate) comes_first: bool,
    /// True for a block of code that kit wrote, in a migration whose statements nobody edited.
    pub(crate) is_own: bool,
}

/// First words of further statements that change no objects. Rows are read from the database, so statements that change rows
/// are left out too ([`ROWS`]).
const QUERIES_OR_SESSION: [&str; 20] = [
    "with",
    "values",
    "table",
    "select",
    "vacuum",
    "cluster",
    "reindex",
    "refresh",
    "notify",
    "listen",
    "unlisten",
    "discard",
    "explain",
    "prepare",
    "execute",
    "deallocate",
    "checkpoint",
    "show",
    "fetch",
    "close",
];

/// Kinds of objects that no schema contains, or that the description of a database leaves out.
const OUTSIDE: [&str; 16] = [
    "role",
    "user",
    "group",
    "database",
    "schema",
    "tablespace",
    "publication",
    "subscription",
    "server",
    "foreign",
    "language",
    "cast",
    "access",
    "conversion",
    "transform",
    "default",
];

/// Returns the statements of the migrations whose effect the description of a database does not contain, in order.
pub(crate) fn unmodelled(migrations: &[Migration]) -> Vec<Unmodelled> {
    let mut found = Vec::new();
    for migration in migrations {
        // Migrations that do not parse were refused before.
        let Ok(script) = Script::parse(&migration.sql) else {
            continue;
        };
        let is_generated = migration
            .snapshot
            .as_ref()
            .is_some_and(|snapshot| snapshot.generated_checksum().is_some());
        let is_own = is_generated && !differs_from_plan(migration);
        for statement in script.steps.iter().flat_map(|step| &step.statements) {
            let words: Vec<&str> = statement.head.iter().map(String::as_str).collect();
            // A role does not belong to the database, so the description of a database has no roles.
            let roles = role_block(statement);
            let is_code = matches!(words.first(), Some(&("do" | "call"))) && roles != RoleBlock::Only;
            if !is_code && is_modelled(&words, statement.text) {
                continue;
            }
            found.push(Unmodelled {
                migration: migration.name.clone(),
                line: statement.line,
                text: statement.text.to_owned(),
                is_code,
                creates_role: roles == RoleBlock::Mixed,
                is_own: is_own && is_code,
                // Default privileges apply to objects that are created later.
                comes_first: roles == RoleBlock::Only
                    || matches!(
                        words.as_slice(),
                        ["create", "schema" | "role" | "user" | "group", ..] | ["alter", "default", ..]
                    ),
            });
        }
    }
    found
}

fn is_modelled(words: &[&str], text: &str) -> bool {
    match words {
        [first, ..] if ROWS.contains(first) || QUERIES_OR_SESSION.contains(first) => true,
        ["comment", "on", kind, ..] | ["create" | "alter" | "drop", kind, ..] if OUTSIDE.contains(kind) => {
            false
        }
        ["create", "or", "replace", kind, ..] if OUTSIDE.contains(kind) => false,
        ["create", "trusted" | "procedural", ..] => false,
        ["alter", ..] => {
            let text = text.to_ascii_lowercase();
            let text: Vec<&str> = text.split_whitespace().collect();
            let has = |pair: [&str; 2]| text.windows(2).any(|words| words == pair);
            !(has(["owner", "to"])
                || has(["set", "tablespace"])
                || has(["set", "statistics"])
                || has(["set", "storage"])
                || has(["cluster", "on"]))
        }
        ["comment" | "create" | "drop", ..] => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::unmodelled;
    use kit_database::Migration;

    fn texts(sql: &str) -> Vec<String> {
        let migration = Migration {
            name: "20260101000000_one".to_owned(),
            sql: sql.to_owned(),
            destructive: false,
            changes: Vec::new(),
            snapshot: None,
        };
        unmodelled(&[migration]).into_iter().map(|one| one.text).collect()
    }

    #[test]
    fn finds_privileges_owners_roles_and_code() {
        let found = [
            "GRANT SELECT ON notes TO reader",
            "REVOKE ALL ON notes FROM PUBLIC",
            "ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO reader",
            "ALTER TABLE notes OWNER TO app",
            "ALTER TABLE notes\n  ALTER title SET STATISTICS 500",
            "CREATE ROLE reader",
            "CREATE PUBLICATION p FOR ALL TABLES",
            "COMMENT ON DATABASE app IS 'x'",
            "DO $$ BEGIN END $$",
            "CALL fill()",
            "SECURITY LABEL ON TABLE notes IS 'x'",
        ];
        for sql in found {
            assert_eq!(texts(sql), [sql]);
        }
    }

    #[test]
    fn leaves_out_objects_that_the_description_contains_and_rows() {
        let sql = "CREATE TABLE notes (id int); ALTER TABLE notes ADD title text; COMMENT ON TABLE notes IS 'x';
            CREATE OR REPLACE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT 1'; DROP VIEW IF EXISTS v;
            INSERT INTO notes VALUES (1); UPDATE notes SET id = 2; WITH x AS (SELECT 1) SELECT * FROM x; SET LOCAL lock_timeout = 0;
            CREATE EXTENSION citext; ALTER TYPE mood ADD VALUE 'b'";
        assert_eq!(texts(sql), [""; 0]);
    }
}
