//! Tests of the lint.
#![allow(clippy::unwrap_used)] // a test

use kit_database::Risk::{BreaksRunningApp, Locks, NeedsData};

use crate::find_risks;

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
            vec![Locks, NeedsData, BreaksRunningApp],
        ),
        (
            "ALTER TABLE t ADD FOREIGN KEY (a) REFERENCES o (b)",
            vec![Locks, NeedsData, BreaksRunningApp],
        ),
        (
            "ALTER TABLE t ADD UNIQUE (a)",
            vec![Locks, NeedsData, BreaksRunningApp],
        ),
        (
            "ALTER TABLE t ADD PRIMARY KEY (a)",
            vec![Locks, NeedsData, BreaksRunningApp],
        ),
        (
            "ALTER TABLE t ALTER a SET NOT NULL",
            vec![Locks, NeedsData, BreaksRunningApp],
        ),
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
        (
            "ALTER TABLE t ADD COLUMN a int NOT NULL",
            vec![NeedsData, BreaksRunningApp],
        ),
        (
            "ALTER TABLE t ADD a int CHECK (a IS NOT NULL) NOT NULL",
            vec![Locks, NeedsData, NeedsData, BreaksRunningApp],
        ),
        ("ALTER TABLE t ADD a int UNIQUE", vec![Locks]),
        (
            "ALTER TABLE t ADD a int DEFAULT 1 UNIQUE",
            vec![Locks, NeedsData, BreaksRunningApp],
        ),
        (
            "ALTER TABLE t ADD b int, ADD CONSTRAINT c CHECK (a > 1), ADD CONSTRAINT d CHECK (a > 2) NOT VALID",
            vec![Locks, NeedsData, BreaksRunningApp],
        ),
        (
            "ALTER TABLE t ADD CONSTRAINT c NOT NULL a",
            vec![Locks, NeedsData, BreaksRunningApp],
        ),
        (
            "ALTER TABLE t ADD EXCLUDE USING gist (a WITH &&)",
            vec![Locks, NeedsData, BreaksRunningApp],
        ),
        (
            "ALTER TABLE t ADD UNIQUE (a) USING INDEX TABLESPACE fast",
            vec![Locks, NeedsData, BreaksRunningApp],
        ),
        ("ALTER TABLE t ADD a uuid DEFAULT uuidv7()", vec![Locks]),
        ("ALTER TABLE t ADD a int DEFAULT nextval('s')", vec![Locks]),
        ("ALTER TABLE t ENABLE ROW LEVEL SECURITY", vec![BreaksRunningApp]),
        ("ALTER TABLE t FORCE ROW LEVEL SECURITY", vec![BreaksRunningApp]),
        ("ALTER TABLE t DISABLE ROW LEVEL SECURITY", vec![BreaksRunningApp]),
        ("ALTER TABLE t SET SCHEMA s", vec![BreaksRunningApp]),
        ("ALTER TABLE t SET UNLOGGED", vec![Locks]),
        (
            "ALTER TABLE t ATTACH PARTITION p FOR VALUES IN (1)",
            vec![Locks, NeedsData, BreaksRunningApp],
        ),
        ("ALTER TABLE t DETACH PARTITION p", vec![BreaksRunningApp]),
        (
            "-- kit: outside transaction\nCREATE UNIQUE INDEX CONCURRENTLY a ON t (b)",
            vec![NeedsData, BreaksRunningApp],
        ),
        (
            "CREATE UNIQUE INDEX a ON t (b)",
            vec![Locks, NeedsData, BreaksRunningApp],
        ),
        ("DROP MATERIALIZED VIEW v", vec![BreaksRunningApp]),
        ("DROP FUNCTION f(int)", vec![BreaksRunningApp]),
        ("DROP TYPE mood", vec![BreaksRunningApp]),
        ("ALTER VIEW v RENAME TO w", vec![BreaksRunningApp]),
        ("ALTER TYPE mood RENAME VALUE 'a' TO 'b'", vec![BreaksRunningApp]),
        (
            "ALTER DOMAIN d ADD CONSTRAINT c CHECK (VALUE > 1)",
            vec![Locks, NeedsData, BreaksRunningApp],
        ),
        ("REVOKE SELECT ON t FROM app", vec![BreaksRunningApp]),
        ("LOCK TABLE t", vec![Locks]),
        ("LOCK t IN SHARE MODE", vec![Locks]),
        (
            "WITH x AS (SELECT 1) UPDATE t SET a = 1 WHERE a IS NULL",
            vec![Locks],
        ),
        (
            "MERGE INTO t USING u ON t.a = u.a WHEN MATCHED THEN DELETE",
            vec![Locks],
        ),
        (
            "ALTER TABLE o ADD CONSTRAINT c CHECK (a IS NOT NULL) NOT VALID;\n-- kit: outside transaction\n\
             ALTER TABLE o VALIDATE CONSTRAINT c;\nALTER TABLE t ALTER a SET NOT NULL",
            vec![BreaksRunningApp, Locks, NeedsData, BreaksRunningApp],
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
        "ALTER TABLE t ADD a int CHECK (a IS NOT NULL OR b IN (1, 2)) NOT VALID",
        "ALTER TABLE t ADD CONSTRAINT c NOT NULL a NOT VALID",
        "ALTER TABLE t ADD CONSTRAINT c PRIMARY KEY USING INDEX i",
        "ALTER TABLE t ADD a int GENERATED ALWAYS AS (b + 1) VIRTUAL",
        "ALTER TABLE t ADD a int, ALTER b DROP DEFAULT, ALTER b DROP IDENTITY",
        "ALTER TABLE t ALTER a SET DEFAULT 1, ENABLE TRIGGER x",
        "ALTER TYPE mood ADD VALUE 'happy'",
        "LOCK TABLE t IN ROW EXCLUSIVE MODE",
        "-- kit: in batches, without triggers\nUPDATE t SET a = 1 WHERE a IS NULL",
        "CREATE TABLE t (a int); ALTER TABLE t ADD b int NOT NULL; LOCK TABLE t; ALTER TABLE t ENABLE ROW LEVEL SECURITY",
        "DROP INDEX i",
        "DROP TRIGGER x ON t",
    ] {
        let mut found = risks(sql);
        found.retain(|(_, risk)| *risk != BreaksRunningApp);
        assert_eq!(found, [], "{sql}");
    }
}

#[test]
fn finds_rules_that_writes_of_a_running_application_may_break() {
    for (sql, lines) in [
        ("ALTER TABLE t ADD CONSTRAINT c CHECK (a > 1) NOT VALID", vec![1]),
        (
            "ALTER TABLE t ADD CONSTRAINT c CHECK (a IS NOT NULL) NOT VALID;\n-- kit: outside transaction\nALTER TABLE t VALIDATE CONSTRAINT c;\nALTER TABLE t ALTER a SET NOT NULL",
            vec![1, 4],
        ),
        ("ALTER TABLE t ALTER b DROP DEFAULT", vec![1]),
        ("ALTER TABLE t ALTER b DROP IDENTITY", vec![1]),
        ("ALTER TABLE t ALTER a DROP NOT NULL", vec![]),
        ("ALTER TABLE t DROP CONSTRAINT a", vec![]),
        ("ALTER TABLE t ALTER a SET DEFAULT 1", vec![]),
        ("ALTER TYPE mood ADD VALUE 'happy'", vec![]),
        (
            "CREATE TABLE t (a int); ALTER TABLE t ALTER a SET NOT NULL",
            vec![],
        ),
    ] {
        let found: Vec<usize> = risks(sql)
            .into_iter()
            .filter(|(_, risk)| *risk == BreaksRunningApp)
            .map(|(line, _)| line)
            .collect();
        assert_eq!(found, lines, "{sql}");
    }
}
