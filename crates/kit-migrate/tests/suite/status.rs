//! Tests of the status of a database: pending, edited, missing and out-of-order migrations, and differing tables.

use kit_test_postgres as support;

use kit_database::{Migration, Snapshot};
use kit_migrate::{MigrateError, Options, State, apply, status};

use support::{database, execute, on_each_release, query};

fn migration(number: u32, sql: &str) -> Migration {
    Migration {
        name: format!("2026010100{number:04}_step"),
        sql: sql.to_owned(),
        destructive: number == 4,
        changes: Vec::new(),
        snapshot: None,
    }
}

/// Returns the states of the migrations, one word each.
fn states(url: &str, migrations: &[Migration]) -> Vec<String> {
    status(url, migrations)
        .expect("a status")
        .migrations
        .iter()
        .map(|migration| {
            let state = match &migration.state {
                State::Applied { at, .. } => format!("applied {}", at.len()),
                State::Pending {
                    destructive,
                    out_of_order,
                } => format!("pending {destructive} {out_of_order}"),
                other => format!("{other:?}")
                    .split_whitespace()
                    .next()
                    .unwrap_or_default()
                    .to_lowercase(),
            };
            format!("{} {state}", &migration.name[12..14])
        })
        .collect()
}

#[test]
fn reports_each_state_of_a_migration() {
    let Some(database) = database("reports_each_state_of_a_migration") else {
        return;
    };
    let url = &database.url;
    let all: Vec<Migration> = (1..=4)
        .map(|number| migration(number, &format!("CREATE TABLE t{number} ();")))
        .collect();
    assert_eq!(
        states(url, &all),
        [
            "01 pending false false",
            "02 pending false false",
            "03 pending false false",
            "04 pending true false"
        ]
    );
    assert_eq!(
        query(url, "SELECT to_regclass('kit_migrations') IS NULL"),
        ["t"],
        "asking writes nothing"
    );

    // One branch was applied, and another branch with an older migration is merged.
    let branch = [all[0].clone(), all[2].clone()];
    apply(url, &branch, &Options::default()).unwrap();
    assert_eq!(
        states(url, &all),
        [
            "01 applied 20",
            "02 pending false true",
            "03 applied 20",
            "04 pending true false"
        ]
    );
    let report = apply(url, &all[..3], &Options::default()).unwrap();
    assert_eq!(report.applied.len(), 1);
    assert_eq!(
        report.warnings,
        ["the name of `20260101000002_step` is older than `20260101000003_step`, which is already applied"]
    );
    assert!(status(url, &all[..3]).unwrap().is_up_to_date());

    let mut edited = all[1..3].to_vec();
    edited[0].sql.push_str("SELECT 1;");
    assert_eq!(states(url, &edited), ["01 missing", "02 edited", "03 applied 20"]);
    let status = status(url, &edited).unwrap();
    assert!(!status.is_up_to_date());
    assert!(
        status
            .drift
            .unwrap_err()
            .contains("migrations that migrations/ does not contain")
    );
    assert!(status.running.is_none());
    assert!(matches!(
        apply(url, &edited, &Options::default()),
        Err(MigrateError::Missing { .. })
    ));
}

#[test]
fn compares_tables_with_applied_migrations_only() {
    on_each_release("compares_tables_with_applied_migrations_only", |database| {
        let url = &database.url;
        let snapshot = |columns: &str| {
            let json = format!(
                r#"{{ "version": {}, "tables": [{{ "name": "notes", "columns": [{columns}], "primaryKey": ["id"] }}] }}"#,
                Snapshot::VERSION
            );
            Some(Snapshot::from_json(&json).unwrap())
        };
        let id = r#"{ "name": "id", "type": { "kind": "uuid" } }"#;
        let title = r#"{ "name": "title", "type": { "kind": "text" } }"#;
        let mut one = migration(1, "CREATE TABLE notes (id uuid PRIMARY KEY);");
        one.snapshot = snapshot(id);
        let mut two = migration(2, "ALTER TABLE notes ADD COLUMN title text NOT NULL;");
        two.snapshot = snapshot(&format!("{id}, {title}"));
        apply(url, &[one.clone()], &Options::default()).unwrap();
        let differences = |migrations: &[Migration]| {
            let drift = status(url, migrations).unwrap().drift.unwrap();
            drift
                .differences
                .into_iter()
                .map(|difference| format!("{}: {}", difference.object, difference.repair))
                .collect::<Vec<_>>()
        };
        assert_eq!(differences(&[one.clone(), two.clone()]), [""; 0]);
        apply(url, &[one.clone(), two.clone()], &Options::default()).unwrap();
        assert_eq!(differences(&[one.clone(), two.clone()]), [""; 0]);
        execute(
            url,
            "ALTER TABLE notes DROP COLUMN title; CREATE INDEX \"By Id\" ON notes (id)",
        );
        let both = [one, two];
        let found = differences(&both);
        assert_eq!(
            found,
            [
                "column notes.title: ALTER TABLE notes ADD COLUMN title text NOT NULL",
                "index By Id of notes: DROP INDEX CONCURRENTLY \"By Id\"",
            ]
        );
        // The reported statements repair the difference.
        for repair in found {
            execute(url, repair.split_once(": ").expect("a repair").1);
        }
        assert!(status(url, &both).unwrap().is_up_to_date());
    });
}
