//! Tests of `kit migrate:apply` without a database; `crates/kit-migrate` tests it with real ones.

#![allow(clippy::disallowed_methods)] // Reason: tests read the files that commands write.

use crate::support::Project;
use serde_json::json;

const CHANGES: &str = r#"{ "version": 1, "destructive": false, "changes": [] }"#;

#[test]
fn migrate_apply_starts_no_database_for_a_project_without_migrations() {
    let project = Project::new(&[("migrations/README.md", "")]);
    let outcome = project.kit(&["migrate:apply"]);
    assert_eq!(
        outcome.parts(),
        (
            0,
            "nothing to apply: migrations/ contains no migration; `kit migrate:generate --name <name>` writes one\n",
            ""
        )
    );
    assert_eq!(
        project.kit(&["migrate:apply", "--json"]).json(),
        json!({ "status": "up-to-date", "applied": [], "pending": [], "alreadyApplied": 0, "warnings": [] })
    );
    assert!(project.host.asked.borrow().is_empty());
}

#[test]
fn migrate_apply_refuses_a_subdirectory_of_a_project() {
    let project = Project::new(&[
        ("package.json", r#"{ "dependencies": { "@kit/core": "0.1.0" } }"#),
        ("src/app.ts", ""),
    ]);
    let root = project.root.display();
    for command in ["migrate:apply", "migrate:status"] {
        let outcome = project.kit(&[command, "--root", "src"]);
        assert_eq!(outcome.code, 1);
        assert!(
            outcome.err.contains(&format!(
                "{root}/src is not the root of a project, but a directory inside one"
            )) && outcome.err.contains(&format!("`--root {root}`")),
            "{}",
            outcome.err
        );
    }
    assert!(project.host.asked.borrow().is_empty());
}

#[test]
fn reports_a_damaged_migration_before_it_connects() {
    let project = Project::new(&[
        ("migrations/20260101000000_one/migration.sql", "select 1;"),
        ("migrations/20260101000001_two/migration.sql", "select 1;"),
        ("migrations/20260101000001_two/changes.json", "{"),
        ("migrations/three/migration.sql", "select 1;"),
        ("migrations/three/changes.json", CHANGES),
    ]);
    let json = project.kit(&["migrate:apply", "--json"]).json();
    assert_eq!(
        (&json["code"], &json["phase"]),
        (&json!("BUILD_ERROR"), &json!("database"))
    );
    let paths: Vec<_> = json["failures"]
        .as_array()
        .unwrap()
        .iter()
        .map(|failure| {
            (
                failure["path"].as_str().unwrap(),
                failure["code"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        paths,
        [
            ("migrations/20260101000000_one", "KIT1606"),
            ("migrations/20260101000001_two", "KIT1606"),
            ("migrations/three", "KIT1606"),
        ]
    );
    assert!(project.host.asked.borrow().is_empty());
}

#[test]
fn starts_the_embedded_database_only_without_a_url() {
    let mut project = Project::new(&[
        ("migrations/20260101000000_one/migration.sql", "select 1;"),
        ("migrations/20260101000000_one/changes.json", CHANGES),
    ]);
    project.host.database = Some(Err("there is no database: install @kit/dev-database".to_owned()));
    let outcome = project.kit(&["migrate:apply"]);
    assert_eq!(
        outcome.parts(),
        (1, "", "error: there is no database: install @kit/dev-database\n")
    );
    assert_eq!(*project.host.asked.borrow(), ["database"]);

    // No program listens on port 1.
    project.set("DATABASE_URL", "postgres://kit:secret@127.0.0.1:1/notes");
    let outcome = project.kit(&["migrate:apply", "--json"]);
    assert_eq!((outcome.code, outcome.err.as_str()), (1, ""));
    let json = outcome.json();
    assert_eq!(json["code"], "MIGRATION_ERROR");
    let message = json["failures"][0]["message"].as_str().unwrap();
    assert!(
        message.contains("127.0.0.1") && !message.contains("secret"),
        "{message}"
    );
    assert_eq!(*project.host.asked.borrow(), ["database"]);
}

#[test]
fn refuses_the_embedded_database_in_production_and_a_blank_url_in_ci() {
    let run = |variables: &[(&'static str, &str)], command: &str| {
        let mut project = Project::new(&[
            ("migrations/20260101000000_one/migration.sql", "select 1;"),
            ("migrations/20260101000000_one/changes.json", CHANGES),
        ]);
        for (name, value) in variables {
            project.set(name, value);
        }
        project.host.database = Some(Err("the embedded database was asked for".to_owned()));
        let outcome = project.kit(&[command]);
        let asked = !project.host.asked.borrow().is_empty();
        (outcome.code, outcome.err, asked)
    };
    for command in ["migrate:apply", "migrate:status"] {
        for (variables, expected) in [
            (
                vec![("NODE_ENV", "production")],
                "error: DATABASE_URL is not set, and NODE_ENV is `production`: the embedded PostgreSQL is only for development\n",
            ),
            (
                vec![("NODE_ENV", "production"), ("DATABASE_URL", "")],
                "error: DATABASE_URL is set and empty, and NODE_ENV is `production`",
            ),
            (
                vec![("CI", "true"), ("DATABASE_URL", " \n")],
                "error: DATABASE_URL is set and empty, and CI is set",
            ),
        ] {
            let (code, err, asked) = run(&variables, command);
            assert!(err.starts_with(expected), "{err}");
            assert!(err.contains("\nhelp: set DATABASE_URL=postgres://"), "{err}");
            assert_eq!((code, asked), (1, false), "{command} {variables:?}");
        }
        for variables in [
            vec![("CI", "true")],
            vec![("CI", "false"), ("DATABASE_URL", "")],
            vec![("DATABASE_URL", "  ")],
        ] {
            let (_, err, asked) = run(&variables, command);
            assert!(asked, "{command} {variables:?}: {err}");
        }
    }
}

#[test]
fn migrate_url_takes_precedence_over_database_url() {
    let mut project = Project::new(&[
        ("migrations/20260101000000_one/migration.sql", "select 1;"),
        ("migrations/20260101000000_one/changes.json", CHANGES),
    ]);
    // No program listens on these ports.
    project.set("DATABASE_URL", "postgres://kit:secret@127.0.0.1:1/notes");
    project.set("MIGRATE_URL", "postgres://owner:secret@127.0.0.1:2/notes");
    for command in ["migrate:apply", "migrate:status"] {
        let outcome = project.kit(&[command]);
        assert!(
            outcome.err.contains("cannot connect to 127.0.0.1:2/notes"),
            "{command}: {}",
            outcome.err
        );
    }
    // A variable of the command takes precedence over the file.
    project.host.env.borrow_mut().set = vec!["MIGRATE_URL".to_owned()];
    for command in ["migrate:apply", "migrate:status"] {
        let outcome = project.kit(&[command]);
        assert!(
            outcome.err.contains("cannot connect to 127.0.0.1:1/notes"),
            "{command}: {}",
            outcome.err
        );
    }
    project.host.env.borrow_mut().set = vec!["DATABASE_URL".to_owned(), "MIGRATE_URL".to_owned()];
    let outcome = project.kit(&["migrate:apply"]);
    assert!(
        outcome.err.contains("cannot connect to 127.0.0.1:2/notes"),
        "{}",
        outcome.err
    );
    project.host.env.take();
    project.set("MIGRATE_URL", " ");
    project.set("NODE_ENV", "production");
    let outcome = project.kit(&["migrate:apply"]);
    assert!(
        outcome
            .err
            .starts_with("error: MIGRATE_URL is set and empty, and NODE_ENV is `production`"),
        "{}",
        outcome.err
    );
}

#[test]
fn check_exits_with_1_until_a_migration_contains_the_changes_of_the_types() {
    let types = "/** @table notes */\nexport interface Note {\n  /** @id @generated uuid */ id: string;\n}\n";
    let project = Project::new(&[("src/notes.types.ts", types)]);
    let missing = project.kit(&["migrate:generate", "--check"]);
    assert_eq!(
        (missing.code, missing.out.as_str()),
        (
            1,
            "migrations/ lacks 1 change; `kit migrate:generate --name <name>` writes a migration\n  create table notes\n",
        )
    );
    assert!(!project.root.join("migrations").exists());
    assert_eq!(project.kit(&["migrate:generate", "--name", "notes"]).code, 0);
    let current = project.kit(&["migrate:generate", "--check", "--json"]);
    assert_eq!(
        (current.code, &current.json()["status"]),
        (0, &json!("unchanged"))
    );
}

#[test]
fn accepts_only_known_risks_in_a_dry_run() {
    let project = Project::new(&[]);
    let outcome = project.kit(&["migrate:apply", "--dry-run", "--fail-on", "locks,blocks"]);
    assert_eq!(outcome.code, 2);
    assert!(
        outcome
            .err
            .contains("one of destructive, needsData, locks, breaksRunningApp"),
        "{}",
        outcome.err
    );
    assert_eq!(project.kit(&["migrate:apply", "--fail-on", "locks"]).code, 2);
}

#[test]
fn explains_how_to_fix_a_database_that_is_not_available() {
    let mut project = Project::new(&[
        ("migrations/20260101000000_one/migration.sql", "select 1;"),
        ("migrations/20260101000000_one/changes.json", CHANGES),
    ]);
    project.set("DATABASE_URL", "postgres://kit:secret@127.0.0.1:1/notes");
    for command in ["migrate:apply", "migrate:status"] {
        let outcome = project.kit(&[command]);
        assert_eq!((outcome.code, outcome.out.as_str()), (1, ""), "{command}");
        assert!(
            outcome.err.contains("error: cannot connect to 127.0.0.1:1/notes")
                && outcome
                    .err
                    .contains("\nhelp: start PostgreSQL on this host and port"),
            "{}",
            outcome.err
        );
    }
    let outcome = project.kit(&["migrate:apply", "--wait", "0"]);
    assert_eq!(outcome.code, 2);
    assert!(
        outcome.err.contains("a number of seconds from 0.001 to 86400"),
        "{}",
        outcome.err
    );
}

#[test]
fn db_reset_requires_confirmation() {
    let project = Project::new(&[("package.json", "{}")]);
    for args in [&["db", "reset"][..], &["db", "reset", "--json"]] {
        let outcome = project.kit(args);
        assert_eq!(outcome.code, 1);
        assert!(format!("{}{}", outcome.out, outcome.err).contains("nothing was deleted"));
    }
    project.answers.borrow_mut().push(Some("no"));
    let outcome = project.kit(&["db", "reset"]);
    assert_eq!((outcome.code, outcome.out.as_str()), (1, ""));
    assert!(outcome.err.contains("nothing was deleted\n"), "{}", outcome.err);
    assert!(project.host.asked.borrow().is_empty());
}

#[test]
fn db_commands_send_their_actions_to_the_host() {
    let mut project = Project::new(&[("package.json", "{}")]);
    project.host.database = Some(Ok("postgres://kit:x@127.0.0.1:5/app".to_owned()));
    assert_eq!(
        project.kit(&["db", "url"]).parts(),
        (0, "postgres://kit:x@127.0.0.1:5/app\n", "")
    );
    assert_eq!(
        project.kit(&["db", "start"]).parts(),
        (
            0,
            "postgres://kit:x@127.0.0.1:5/app\n",
            "the database runs until `kit db stop`\n"
        )
    );
    assert_eq!(project.kit(&["db", "stop"]).parts(), (0, "stopped\n", ""));
    project.host.users = 2;
    let outcome = project.kit(&["db", "stop", "--json"]);
    assert_eq!(
        (outcome.code, outcome.json()),
        (1, json!({ "status": "in-use", "users": 2 }))
    );
    project.kit(&["db", "psql", "--", "-c", "SELECT 1"]);
    assert_eq!(
        *project.host.asked.borrow(),
        [
            "database Url",
            "database Start",
            "database Stop",
            "database Stop",
            "database Psql { arguments: [\"-c\", \"SELECT 1\"] }"
        ]
    );
}

/// Returns the SQL of the migration whose name ends with a text.
fn sql_of(project: &Project, end: &str) -> String {
    let directories = std::fs::read_dir(project.root.join("migrations")).expect("migrations");
    let mut paths = directories.map(|entry| entry.expect("an entry").path());
    let found = paths.find(|path| path.to_string_lossy().ends_with(end));
    std::fs::read_to_string(found.expect(end).join("migration.sql")).expect("SQL")
}

#[test]
fn a_role_of_tenants_gets_rights_on_tables_with_a_tenant_and_on_those_of_packages() {
    let types = "/** @table billing.tasks @tenant tenant */\nexport interface Task {\n  /** @id @generated uuid */ id: string;\n  /** @index */ tenant: string;\n}\n\
                 /** @table countries */\nexport interface Country {\n  /** @id */ code: string;\n}\n";
    let project = Project::new(&[("src/tasks.types.ts", types)]);
    assert_eq!(project.kit(&["migrate:generate", "--name", "tables"]).code, 0);
    let arguments = [
        "migrate:generate",
        "--name",
        "tenants",
        "--with",
        "idempotency,rate-limits",
        "--tenant-role",
        "tenant_user",
    ];
    let outcome = project.kit(&arguments);
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    assert!(
        outcome
            .out
            .ends_with("_tenants: read migration.sql, then run `kit migrate:apply`\n"),
        "{}",
        outcome.out
    );
    let sql = sql_of(&project, "_tenants");
    assert!(
        sql.contains("CREATE TABLE kit_idempotency (")
            && sql.contains("CREATE UNLOGGED TABLE kit_rate_limits ("),
        "{sql}"
    );
    let grants: Vec<_> = sql
        .lines()
        .filter(|line| line.starts_with("GRANT ") || line.starts_with("-- GRANT "))
        .collect();
    assert_eq!(
        grants,
        [
            "GRANT USAGE ON SCHEMA billing TO tenant_user;",
            "GRANT SELECT, INSERT, UPDATE, DELETE ON billing.tasks TO tenant_user;",
            "GRANT SELECT, INSERT, UPDATE, DELETE ON kit_idempotency TO tenant_user;",
            "-- GRANT SELECT ON countries TO tenant_user;",
        ]
    );
    let again = project.kit(&[
        "migrate:generate",
        "--name",
        "more",
        "--tenant-role",
        "tenant_user",
        "--json",
    ]);
    assert_eq!((again.code, &again.json()["status"]), (0, &json!("unchanged")));
    let twice = project.kit(&["migrate:generate", "--name", "more", "--with", "idempotency"]);
    assert_eq!(twice.code, 1);
    assert!(
        twice
            .err
            .contains("_tenants creates the table kit_idempotency already"),
        "{}",
        twice.err
    );
    for wrong in [
        ["--with", "jobs"],
        ["--with", "keys"],
        ["--tenant-role", "Tenant"],
    ] {
        let outcome = project.kit(&[&["migrate:generate", "--name", "more"], &wrong[..]].concat());
        assert_eq!(outcome.code, 2, "{wrong:?}");
    }
}
