//! Migrations for the tables of packages, and for the role of tenants: `kit migrate:generate --with` and `--tenant-role`.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use kit_database::sql::{identifier, relation};
use kit_database::{Migration, Snapshot, schema_of};
use kit_migrate::{TableName, table_names};

/// Table that a package of kit stores in the database of the application.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StoredTable {
    Sessions,
    Idempotency,
    RateLimits,
}

impl StoredTable {
    const ALL: [Self; 3] = [Self::Sessions, Self::Idempotency, Self::RateLimits];

    /// Reads a name of the command line.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        if text == "jobs" {
            return Err(
                "the tables of jobs are no part of migrations, because pg-boss adds a table for each day and updates its tables itself: \
                 `createJobs` creates them, or a role that may create tables runs the SQL of `jobsTableSql()` of @kit/jobs"
                    .to_owned(),
            );
        }
        let found = Self::ALL.into_iter().find(|table| table.option() == text);
        found.ok_or_else(|| {
            let names: Vec<_> = Self::ALL.iter().map(|table| table.option()).collect();
            format!("the names are {}", names.join(", "))
        })
    }

    fn option(self) -> &'static str {
        match self {
            Self::Sessions => "sessions",
            Self::Idempotency => "idempotency",
            Self::RateLimits => "rate-limits",
        }
    }

    fn package(self) -> &'static str {
        match self {
            Self::Sessions => "@kit/auth",
            Self::Idempotency => "@kit/idempotency",
            Self::RateLimits => "@kit/rate-limit",
        }
    }

    fn table(self) -> &'static str {
        match self {
            Self::Sessions => "kit_sessions",
            Self::Idempotency => "kit_idempotency",
            Self::RateLimits => "kit_rate_limits",
        }
    }

    /// Returns the statements that create the table. `tests/database/stored-tables.test.ts` compares them with the package.
    fn sql(self) -> &'static str {
        match self {
            Self::Sessions => include_str!("stored_tables/sessions.sql"),
            Self::Idempotency => include_str!("stored_tables/idempotency.sql"),
            Self::RateLimits => include_str!("stored_tables/rate-limits.sql"),
        }
    }

    /// Returns the name of the migration that creates the table, unless a later one drops or renames the table.
    fn created_by(self, migrations: &[Migration]) -> Option<&str> {
        let mut creator = None;
        for migration in migrations {
            for name in table_names(&migration.sql) {
                match name {
                    TableName::Given(name) if name == self.table() => creator = Some(migration.name.as_str()),
                    TableName::Gone(name) if name == self.table() => creator = None,
                    _ => {}
                }
            }
        }
        creator
    }
}

/// Returns the migrations since the last one that created a table or gave another table this name. Earlier rights belong to a
/// table that had the name before.
fn since_named<'m>(migrations: &'m [Migration], table: &str) -> &'m [Migration] {
    let local = table.strip_prefix("public.").unwrap_or(table);
    let given = TableName::Given(local.to_owned());
    let names = |migration: &Migration| table_names(&migration.sql).contains(&given);
    let first = migrations.iter().rposition(names).unwrap_or_default();
    &migrations[first..]
}

/// Reads the name of a role. The name needs no quotes.
pub(crate) fn role(text: &str) -> Result<String, String> {
    let is_plain = (1..=63).contains(&text.len())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
        && !text.starts_with(|first: char| first.is_ascii_digit())
        && !text.starts_with("pg_")
        && !["public", "none", "current_user", "session_user"].contains(&text);
    if is_plain {
        return Ok(text.to_owned());
    }
    Err(
        "the name of a role has lower-case letters, digits and underscores, and does not begin with `pg_`"
            .to_owned(),
    )
}

/// Returns the SQL of a migration that creates the tables, and gives a role of tenants its rights. `None` if earlier migrations
/// contain all of the SQL. The error names a table that exists.
pub(crate) fn migration_sql(
    tables: &[StoredTable],
    tenant_role: Option<&str>,
    migrations: &[Migration],
    snapshot: Option<&Snapshot>,
) -> Result<Option<String>, String> {
    let mut sql = String::new();
    for (index, table) in tables.iter().enumerate() {
        if tables[..index].contains(table) {
            continue;
        }
        if let Some(name) = table.created_by(migrations) {
            return Err(format!(
                "migrations/{name} creates the table {} already",
                table.table()
            ));
        }
        let _ = write!(sql, "\n-- Table of {}\n{}", table.package(), table.sql());
    }
    if let Some(role) = tenant_role {
        let of_packages =
            |table: StoredTable| tables.contains(&table) || table.created_by(migrations).is_some();
        sql.push_str(&rights(
            role,
            of_packages(StoredTable::Idempotency),
            migrations,
            snapshot,
        ));
    }
    Ok((!sql.is_empty()).then_some(sql))
}

/// Returns the statements that earlier migrations do not contain: they create the role, and give it rights on the tables of
/// tenants. The session of a request is read outside of the transaction of its tenant, and limits are counted outside.
fn rights(role: &str, has_keys: bool, migrations: &[Migration], snapshot: Option<&Snapshot>) -> String {
    let is_new_in = |migrations: &[Migration], line: &str| {
        !migrations.iter().any(|migration| migration.sql.contains(line))
    };
    let is_new = |line: &str| is_new_in(migrations, line);
    let mut sql = String::new();
    let create = format!("CREATE ROLE {role} NOLOGIN;");
    if is_new(&create) {
        // An administrator may have created the role, so the block needs no right to create roles if the role exists. A creator
        // of a role is no member that may use `SET ROLE`.
        let _ = write!(
            sql,
            "\n-- The role belongs to all databases of the server, so it may exist. If the application connects as another role than\n\
             -- this migration: GRANT {role} TO application;\n\
             DO $$ BEGIN\n  \
               IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = '{role}') THEN\n    \
                 BEGIN {create} EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END;\n  \
               END IF;\n  \
               IF NOT pg_catalog.pg_has_role(current_user, '{role}',\n    \
                 CASE WHEN pg_catalog.current_setting('server_version_num')::integer < 160000 THEN 'MEMBER' ELSE 'SET' END) THEN\n    \
                 GRANT {role} TO CURRENT_USER;\n  \
               END IF;\n\
             END $$;\n"
        );
    }
    let all_tables = snapshot.map_or(&[][..], Snapshot::tables);
    let (of_tenants, of_all): (Vec<_>, Vec<_>) = all_tables.iter().partition(|table| table.tenant.is_some());
    let names = of_tenants.iter().map(|table| table.name.as_str());
    let names = names.chain(has_keys.then(|| StoredTable::Idempotency.table()));
    let schemas: BTreeSet<_> = of_tenants
        .iter()
        .filter_map(|table| schema_of(&table.name))
        .collect();
    let of_schemas = schemas
        .iter()
        .map(|schema| format!("GRANT USAGE ON SCHEMA {} TO {role};\n", identifier(schema)));
    sql.extend(of_schemas.filter(|line| is_new(line)));
    let of_tables = names.filter_map(|name| {
        let line = format!(
            "GRANT SELECT, INSERT, UPDATE, DELETE ON {} TO {role};\n",
            relation(name)
        );
        is_new_in(since_named(migrations, name), &line).then_some(line)
    });
    sql.extend(of_tables);
    if !sql.is_empty() && !of_all.is_empty() {
        sql.push_str("\n-- These tables have no tenant, so their rows belong to all tenants. Remove `-- ` if requests of tenants need them.\n");
        for table in of_all {
            let _ = writeln!(sql, "-- GRANT SELECT ON {} TO {role};", relation(&table.name));
        }
    }
    sql
}

#[cfg(test)]
mod tests {
    use kit_database::{Migration, Snapshot};

    use super::{StoredTable, migration_sql, role};

    fn migration(sql: &str) -> Migration {
        Migration {
            name: "20260101000000_first".to_owned(),
            sql: sql.to_owned(),
            destructive: false,
            changes: Vec::new(),
            snapshot: None,
        }
    }

    #[test]
    fn reads_the_names_of_tables_and_explains_jobs() {
        assert_eq!(StoredTable::parse("rate-limits"), Ok(StoredTable::RateLimits));
        assert_eq!(
            StoredTable::parse("keys"),
            Err("the names are sessions, idempotency, rate-limits".to_owned())
        );
        assert!(StoredTable::parse("jobs").is_err_and(|why| why.contains("jobsTableSql()")));
    }

    #[test]
    fn accepts_only_names_of_roles_that_need_no_quotes() {
        for (name, is_valid) in [
            ("tenant_user", true),
            ("Tenant", false),
            ("pg_x", false),
            ("public", false),
            ("", false),
            ("a;b", false),
        ] {
            assert_eq!(role(name).is_ok(), is_valid, "{name}");
        }
    }

    #[test]
    fn refuses_a_table_that_an_earlier_migration_creates() {
        let sessions = [StoredTable::Sessions, StoredTable::Sessions];
        let sql = migration_sql(&sessions, None, &[], None)
            .expect("new")
            .expect("SQL");
        assert_eq!(sql.matches("CREATE TABLE kit_sessions (").count(), 1);
        let error = migration_sql(&sessions, None, &[migration(&sql)], None).expect_err("it exists");
        assert_eq!(
            error,
            "migrations/20260101000000_first creates the table kit_sessions already"
        );
        let by_hand = migration("create table if not exists kit_idempotency (id text);");
        assert!(migration_sql(&[StoredTable::Idempotency], None, &[by_hand], None).is_err());
    }

    #[test]
    fn a_table_of_a_package_is_created_again_after_its_name_is_free() {
        let creates = |sqls: &[&str]| {
            let migrations: Vec<_> = sqls.iter().copied().map(migration).collect();
            migration_sql(&[StoredTable::Sessions], None, &migrations, None).is_ok()
        };
        let create = "CREATE TABLE public.kit_sessions (id text);";
        assert!(!creates(&[create]));
        assert!(creates(&[create, "DROP TABLE IF EXISTS kit_sessions;"]));
        assert!(creates(&[create, "DROP TABLE a, public.kit_sessions CASCADE;"]));
        assert!(creates(&[
            create,
            "ALTER TABLE kit_sessions RENAME TO old_sessions;"
        ]));
        assert!(!creates(&[create, "DROP TABLE kit_sessions;", create]));
        assert!(!creates(&[
            "CREATE TABLE a (); ALTER TABLE a RENAME TO kit_sessions;"
        ]));
        assert!(creates(&["-- CREATE TABLE kit_sessions ("]));
        assert!(creates(&["CREATE TABLE other.kit_sessions (id text);"]));
    }

    #[test]
    fn a_second_migration_for_a_role_has_only_new_rights() {
        let first = migration_sql(&[], Some("tenant_user"), &[], None)
            .expect("new")
            .expect("SQL");
        assert!(first.contains("CREATE ROLE tenant_user NOLOGIN;"), "{first}");
        let migrations = [migration(&first)];
        assert_eq!(
            migration_sql(&[], Some("tenant_user"), &migrations, None),
            Ok(None)
        );
        let second = migration_sql(
            &[StoredTable::Idempotency],
            Some("tenant_user"),
            &migrations,
            None,
        );
        let second = second.expect("new").expect("SQL");
        assert!(
            second.ends_with("GRANT SELECT, INSERT, UPDATE, DELETE ON kit_idempotency TO tenant_user;\n"),
            "{second}"
        );
        assert!(!second.contains("CREATE ROLE"), "{second}");
    }

    /// Returns a snapshot of a table with a tenant.
    fn of_tenants(table: &str) -> Snapshot {
        let table =
            serde_json::json!({ "name": table, "columns": [], "primaryKey": ["id"], "tenant": "tenant" });
        let table = serde_json::from_value(table).expect("a table");
        Snapshot::recorded(None, vec![table], Vec::new(), None)
    }

    #[test]
    fn a_table_that_was_dropped_and_created_again_gets_its_rights_again() {
        let snapshot = of_tenants("tasks");
        let rights = |migrations: &[Migration]| {
            migration_sql(&[], Some("tenant_user"), migrations, Some(&snapshot)).expect("new")
        };
        let grant = "GRANT SELECT, INSERT, UPDATE, DELETE ON tasks TO tenant_user;\n";
        let mut migrations = vec![migration("CREATE TABLE tasks (id uuid PRIMARY KEY);\n")];
        let first = rights(&migrations).expect("SQL");
        assert!(first.ends_with(grant), "{first}");
        migrations.push(migration(&first));
        assert_eq!(rights(&migrations), None);
        migrations.push(migration("DROP TABLE tasks;\n"));
        migrations.push(migration("CREATE TABLE tasks (id bigint PRIMARY KEY);\n"));
        assert_eq!(rights(&migrations).as_deref(), Some(grant));
        migrations.push(migration(grant));
        assert_eq!(rights(&migrations), None);
        migrations.push(migration(
            "DROP TABLE tasks; CREATE TABLE public.tasks (id uuid PRIMARY KEY);\n",
        ));
        assert_eq!(rights(&migrations).as_deref(), Some(grant));
    }

    #[test]
    fn only_a_table_of_another_schema_needs_rights_on_its_schema() {
        for (table, on_schema, on_table) in [
            ("\"a.b\"", None, "ON \"a.b\" TO"),
            (
                "billing.invoices",
                Some("ON SCHEMA billing TO"),
                "ON billing.invoices TO",
            ),
            ("\"a.b\".c", Some("ON SCHEMA \"a.b\" TO"), "ON \"a.b\".c TO"),
        ] {
            let sql = migration_sql(&[], Some("tenant_user"), &[], Some(&of_tenants(table)));
            let sql = sql.expect("new").expect("SQL");
            assert!(sql.contains(on_table), "{sql}");
            assert_eq!(sql.contains("ON SCHEMA"), on_schema.is_some(), "{sql}");
            assert!(on_schema.is_none_or(|part| sql.contains(part)), "{sql}");
        }
    }
}
