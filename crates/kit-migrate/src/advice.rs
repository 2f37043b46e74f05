//! Advice for statements of a migration that PostgreSQL refuses.

use kit_database::sql::string_literal;

use crate::destructive::unquoted;
use crate::role_blocks::{RoleBlock, created_role, role_block};
use crate::script::Statement;

/// Returns advice for a statement that PostgreSQL refused with a SQLSTATE. `None` if the error says enough.
pub(crate) fn advice(statement: &Statement<'_>, code: &str) -> Option<String> {
    let head: Vec<&str> = statement.head.iter().map(String::as_str).collect();
    match (code, head.as_slice()) {
        // `CREATE ROLE` of two sessions at the same time ends with 23505, a duplicate key of pg_authid.
        ("42710" | "23505", ["create", "role" | "user" | "group", name, ..]) => Some(format!(
            "a role belongs to all databases of the server, so another database, or the scratch database in which kit runs migrations, may have \
             created the role; write `DO $$ BEGIN IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = {}) THEN CREATE ROLE {name}; END IF; \
             EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$;`, and options of the role in `ALTER ROLE {name} …` below",
            string_literal(&unquoted(name))
        )),
        ("42704", ["drop", "role" | "user" | "group", ..]) => Some(
            "a role belongs to all databases of the server, so another database may have dropped the role; write `DROP ROLE IF EXISTS`".to_owned(),
        ),
        ("2BP01", ["drop", "role" | "user" | "group", ..]) => Some(
            "a role belongs to all databases of the server: run `DROP OWNED BY` the role in each database in which the role has privileges or \
             objects, or let an administrator drop the role outside of migrations"
                .to_owned(),
        ),
        ("42710", ["create", "extension", name, ..]) => Some(format!(
            "an administrator, or the template of the database, has created the extension; write `CREATE EXTENSION IF NOT EXISTS {name}`"
        )),
        ("42P04" | "42710", ["create", what @ ("database" | "tablespace"), ..]) => Some(format!(
            "a {what} belongs to the server, not to the database of the migration; create the {what} once, outside of migrations"
        )),
        ("42710", ["create", "type" | "domain", ..]) => Some(
            "the database has a type with this name that no earlier migration created; drop the type, or rename the new one".to_owned(),
        ),
        ("25001", ["set", ..]) => {
            Some("put the line `-- kit: new transaction` above that statement".to_owned())
        }
        ("25001", ["create" | "drop", what @ ("database" | "tablespace"), ..]) => Some(format!(
            "a {what} belongs to the server, not to the database of the migration; run the statement once, outside of migrations"
        )),
        ("25001", _) => Some("put the line `-- kit: outside transaction` above that statement".to_owned()),
        ("42501", ["do", ..]) => Some(match created_role(statement) {
            Some(role) if role_block(statement) == RoleBlock::Only => format!(
                "{WHO} may not create the role {role}, or not make itself a member; let an administrator run `CREATE ROLE {role}` and \
                 `GRANT {role} TO` the role of the migration once, outside of migrations. The block needs no privilege then if it \
                 creates the role only `IF NOT EXISTS (SELECT FROM pg_roles …)`"
            ),
            _ => privilege(&head),
        }),
        ("42501", _) => Some(privilege(&head)),
        _ => None,
    }
}

/// Words between `CREATE` and the kind of the object.
const MODIFIERS: [&str; 10] = [
    "or",
    "replace",
    "unique",
    "unlogged",
    "temporary",
    "temp",
    "materialized",
    "recursive",
    "constraint",
    "event",
];

/// Role that runs the migration.
const WHO: &str = "the role of MIGRATE_URL (or else of DATABASE_URL)";

/// Returns advice for a missing privilege. The role is the one of `MIGRATE_URL`, or else of `DATABASE_URL`.
fn privilege(head: &[&str]) -> String {
    let verb = head.first().copied().unwrap_or_default();
    let mut rest = head.iter().skip(1).skip_while(|word| MODIFIERS.contains(word));
    let kind = rest.next().copied().unwrap_or_default();
    match (verb, kind) {
        ("create", "extension") => {
            let name = rest.find(|word| !["if", "not", "exists"].contains(word));
            let name = name.copied().unwrap_or_default();
            format!(
                "{WHO} may not create this extension; let an administrator create it once, and write `CREATE EXTENSION IF NOT EXISTS {name}`, which \
                 needs no privilege then"
            )
        }
        ("create" | "alter" | "drop", "role" | "user" | "group") => format!(
            "{WHO} may not create or change roles; let an administrator create the role outside of migrations, or run `ALTER ROLE … CREATEROLE`"
        ),
        ("create", "schema") => {
            format!(
                "{WHO} may not create schemas; run `GRANT CREATE ON DATABASE` as the owner of the database"
            )
        }
        ("create", "table" | "view" | "function" | "procedure" | "type" | "domain" | "sequence") => {
            format!(
                "{WHO} may not create objects in this schema; run `GRANT USAGE, CREATE ON SCHEMA` as the owner of the schema"
            )
        }
        ("set", _) => {
            format!("{WHO} is not a member of this role; run `GRANT` with the two roles as an administrator")
        }
        // Policies, triggers and indexes belong to the owner of the table.
        ("create" | "alter" | "drop" | "comment" | "truncate", _) => owner(WHO),
        _ => format!(
            "{WHO} lacks a privilege; run `GRANT` as the owner of the object, or set MIGRATE_URL to a role that has the privilege"
        ),
    }
}

fn owner(who: &str) -> String {
    format!(
        "{who} must own the object; set MIGRATE_URL to the role that owns it, or change its owner with `ALTER … OWNER TO`"
    )
}

#[cfg(test)]
mod tests {
    use super::advice;
    use crate::script::Script;

    fn of(sql: &str, code: &str) -> Option<String> {
        let script = Script::parse(sql).expect("statements");
        advice(&script.steps[0].statements[0], code)
    }

    #[test]
    fn advice_names_the_statement_that_works() {
        for (sql, code, part) in [
            (
                "CREATE ROLE reader LOGIN;",
                "42710",
                "rolname = 'reader') THEN CREATE ROLE reader; END IF; EXCEPTION WHEN duplicate_object",
            ),
            (
                "CREATE USER \"the reader\";",
                "23505",
                "rolname = 'the reader') THEN CREATE ROLE \"the reader\";",
            ),
            (
                "DO $$ BEGIN CREATE ROLE \"the reader\"; END $$;",
                "42501",
                "`GRANT \"the reader\" TO` the role",
            ),
            ("DO $$ BEGIN GRANT a TO b; END $$;", "42501", "lacks a privilege"),
            // The refused statement may be the second one.
            (
                "DO $$ BEGIN CREATE ROLE reader; GRANT SELECT ON notes TO reader; END $$;",
                "42501",
                "lacks a privilege",
            ),
            ("DROP ROLE reader;", "42704", "DROP ROLE IF EXISTS"),
            ("DROP ROLE reader;", "2BP01", "DROP OWNED BY"),
            (
                "CREATE EXTENSION citext;",
                "42710",
                "CREATE EXTENSION IF NOT EXISTS citext",
            ),
            (
                "CREATE TABLESPACE fast LOCATION '/fast';",
                "42710",
                "a tablespace belongs to the server",
            ),
            (
                "CREATE DATABASE other;",
                "42P04",
                "a database belongs to the server",
            ),
            (
                "CREATE DATABASE other;",
                "25001",
                "a database belongs to the server",
            ),
            (
                "CREATE TYPE mood AS ENUM ('a');",
                "42710",
                "no earlier migration created",
            ),
            ("VACUUM notes;", "25001", "-- kit: outside transaction"),
            (
                "SET TRANSACTION ISOLATION LEVEL SERIALIZABLE;",
                "25001",
                "-- kit: new transaction",
            ),
            (
                "CREATE EXTENSION IF NOT EXISTS citext;",
                "42501",
                "CREATE EXTENSION IF NOT EXISTS citext`",
            ),
            ("CREATE ROLE reader;", "42501", "CREATEROLE"),
            ("CREATE SCHEMA audit;", "42501", "GRANT CREATE ON DATABASE"),
            (
                "CREATE TABLE a (b text);",
                "42501",
                "GRANT USAGE, CREATE ON SCHEMA",
            ),
            (
                "CREATE OR REPLACE VIEW a AS SELECT 1;",
                "42501",
                "GRANT USAGE, CREATE ON SCHEMA",
            ),
            ("CREATE UNIQUE INDEX a ON b (c);", "42501", "must own the object"),
            ("ALTER TABLE a ADD b text;", "42501", "must own the object"),
            ("GRANT SELECT ON a TO b;", "42501", "run `GRANT` as the owner"),
        ] {
            let found = of(sql, code).unwrap_or_default();
            assert!(found.contains(part), "{sql} {code}: {found}");
        }
    }

    #[test]
    fn errors_that_say_enough_get_no_advice() {
        assert_eq!(of("CREATE TABLE a (b text);", "42P07"), None);
        assert_eq!(of("INSERT INTO a VALUES (1);", "23505"), None);
    }
}
