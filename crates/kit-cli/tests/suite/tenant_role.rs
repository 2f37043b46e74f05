//! Tests of the migration of `kit migrate:generate --tenant-role` on servers whose roles have few rights.
#![allow(clippy::disallowed_methods)] // Reason: tests read the files that commands write.

use kit_database::Migration;
use kit_migrate::{MigrateError, Options, apply};
use kit_test_postgres::{Server, execute, own_server, query};

use crate::support::Project;

const TYPES: &str = "/** @table tasks @tenant tenant */\nexport interface Task {\n  /** @id @generated uuid */ id: string;\n  /** @index */ tenant: string;\n}\n";

/// Returns the SQL of the tables and of the rights.
fn migrations() -> Vec<Migration> {
    let project = Project::new(&[("src/tasks.types.ts", TYPES)]);
    assert_eq!(project.kit(&["migrate:generate", "--name", "tables"]).code, 0);
    let outcome = project.kit(&[
        "migrate:generate",
        "--name",
        "rights",
        "--tenant-role",
        "tenant_user",
    ]);
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    let directories = std::fs::read_dir(project.root.join("migrations")).expect("migrations");
    let mut paths: Vec<_> = directories.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    let migration = |path: &std::path::PathBuf| Migration {
        name: path.file_name().expect("a name").to_string_lossy().into_owned(),
        sql: std::fs::read_to_string(path.join("migration.sql")).expect("SQL"),
        destructive: false,
        changes: Vec::new(),
        snapshot: None,
    };
    paths.iter().map(migration).collect()
}

#[allow(clippy::result_large_err)] // a test looks at one at a time
fn run(server: &Server, database: &str, role: &str) -> Result<usize, MigrateError> {
    apply(&url(server, database, role), &migrations(), &Options::default()).map(|report| report.applied.len())
}

fn url(server: &Server, database: &str, role: &str) -> String {
    let url = server.url();
    let (_, rest) = url.split_once('@').expect("a URL with a user");
    let (host, _) = rest.split_once('/').expect("a URL with a database");
    format!("postgres://{role}@{host}/{database}")
}

#[test]
fn a_role_without_createrole_uses_a_role_that_an_administrator_has_created() {
    const TEST: &str = "a_role_without_createrole_uses_a_role_that_an_administrator_has_created";
    let Some(server) = own_server(TEST, &[], &[]) else {
        return;
    };
    execute(&server.url(), "CREATE ROLE migrator LOGIN");
    execute(&server.url(), "CREATE DATABASE app OWNER migrator");
    let error = run(&server, "app", "migrator").expect_err("no role, and no right to create the role");
    assert!(
        error.to_string().contains("permission denied to create role"),
        "{error}"
    );
    let help = error.help().expect("advice");
    assert!(
        help.contains("run `CREATE ROLE tenant_user` and `GRANT tenant_user TO` the role of the migration"),
        "{help}"
    );
    execute(&server.url(), "CREATE ROLE tenant_user NOLOGIN");
    let error = run(&server, "app", "migrator").expect_err("no member");
    assert!(
        error.to_string().contains("permission denied to grant role"),
        "{error}"
    );
    execute(&server.url(), "GRANT tenant_user TO migrator");
    assert_eq!(
        run(&server, "app", "migrator").expect("an administrator has prepared the role"),
        1
    );
    let app = url(&server, "app", "migrator");
    assert_eq!(
        query(&app, "SET ROLE tenant_user; SELECT count(*) FROM tasks"),
        ["0"]
    );
}

#[test]
fn the_login_role_of_each_database_becomes_a_member_of_the_role() {
    let Some(server) = own_server(
        "the_login_role_of_each_database_becomes_a_member_of_the_role",
        &[],
        &[],
    ) else {
        return;
    };
    execute(
        &server.url(),
        "CREATE ROLE one LOGIN CREATEROLE; CREATE ROLE two LOGIN SUPERUSER; CREATE ROLE three LOGIN",
    );
    for (database, role) in [("first", "one"), ("second", "two"), ("third", "three")] {
        execute(&server.url(), &format!("CREATE DATABASE {database} OWNER {role}"));
        if role == "three" {
            // The creator of the role may make others a member with the right to grant.
            execute(
                &url(&server, "first", "one"),
                "GRANT tenant_user TO three WITH ADMIN OPTION; GRANT tenant_user TO three WITH SET FALSE",
            );
        }
        assert_eq!(run(&server, database, role).expect(role), 2);
        let app = url(&server, database, role);
        assert_eq!(
            query(&app, "SET ROLE tenant_user; SELECT count(*) FROM tasks"),
            ["0"],
            "{role}"
        );
    }
}
