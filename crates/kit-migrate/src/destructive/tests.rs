#![allow(clippy::unwrap_used)] // a test

use kit_database::Migration;

use super::losses;
use crate::script::Script;

fn reasons(sql: &str) -> Vec<(usize, String)> {
    let migration = Migration {
        name: "20260101000001_step".to_owned(),
        sql: sql.to_owned(),
        destructive: false,
        changes: Vec::new(),
        snapshot: None,
    };
    let script = Script::parse(sql).unwrap();
    losses(&migration, &script)
        .into_iter()
        .map(|loss| (loss.line, loss.reason))
        .collect()
}

#[test]
fn finds_statements_that_delete_data() {
    for sql in [
        "DROP TABLE a",
        "drop\ntable if exists a",
        "DROP/**/TABLE a",
        "DROP -- INDEX\nTABLE a",
        "DROP SCHEMA a",
        "DROP TYPE a",
        "DROP DOMAIN a",
        "DROP DATABASE a",
        "DROP SEQUENCE a",
        "DROP EXTENSION a",
        "DROP OWNED BY a",
        "DROP MATERIALIZED VIEW a",
        "DROP FOREIGN TABLE a",
        "DROP VIEW a CASCADE",
        "DROP FUNCTION f() CASCADE",
        "ALTER TABLE a DROP COLUMN b",
        "ALTER TABLE a DROP b",
        "ALTER TABLE a DROP \"index\"",
        "ALTER TABLE a DROP index",
        "ALTER TABLE a DROP identity",
        "ALTER TABLE loop DROP view",
        "ALTER TABLE a ADD COLUMN c int, DROP IF EXISTS b",
        "ALTER TYPE a DROP ATTRIBUTE b",
        "ALTER TABLE a ALTER b TYPE integer",
        "ALTER TABLE a ALTER COLUMN b SET DATA TYPE varchar(10)",
        "ALTER TABLE a ALTER COLUMN type TYPE integer",
        "ALTER TABLE a ALTER COLUMN b TYPE text USING left(b, 1)",
        "ALTER TABLE a ALTER COLUMN b TYPE text COLLATE \"C\" USING NULL",
        "ALTER TABLE a SET UNLOGGED",
        "TRUNCATE a",
        "TRUNCATE TABLE a, b",
        "DELETE FROM a",
        "DELETE FROM ONLY a AS b",
        "DELETE FROM a -- WHERE id = 1",
        "DELETE FROM a /* WHERE id = 1 */",
        "DELETE FROM a \"where\"",
        "DELETE FROM a WHERE true",
        "DELETE FROM a WHERE 1 = 1",
        "DELETE FROM a WHERE id = 1 OR true",
        "DELETE FROM a WHERE EXISTS (SELECT 1)",
        "DELETE FROM a USING (SELECT id FROM b WHERE c) x",
        "DELETE FROM a RETURNING (SELECT 1 WHERE id = 1)",
        "UPDATE a SET b = 1",
        "UPDATE ONLY a AS c SET b = (SELECT 1 FROM d WHERE e)",
        "UPDATE a SET b = 1 WHERE NOT false",
        "WITH gone AS (DELETE FROM a RETURNING *) SELECT * FROM gone WHERE id = 1",
        "WITH x AS (UPDATE a SET b = 1) INSERT INTO c SELECT 1 WHERE true",
        "EXPLAIN ANALYZE DELETE FROM a",
        "PREPARE p AS DELETE FROM a",
        "COPY (DELETE FROM a RETURNING *) TO '/dev/null'",
        "MERGE INTO a USING b ON true WHEN MATCHED THEN DELETE",
        "MERGE INTO a USING b ON true WHEN MATCHED THEN UPDATE SET c = 1",
        "CREATE RULE r AS ON INSERT TO a DO ALSO DELETE FROM b",
        "DO $$ BEGIN DROP TABLE a; END $$",
        "DO $x$ BEGIN IF true THEN TRUNCATE a; END IF; END $x$",
        "DO 'BEGIN DROP TABLE a; END'",
        "DO LANGUAGE plpgsql 'BEGIN DELETE FROM a; END'",
        "DO E'BEGIN DROP\\x20TABLE a; END'",
        "DO U&'BEGIN DR\\004FP TABLE a; END'",
        "DO 'BEGIN DR'\n'OP TABLE a; END'",
        "DO LANGUAGE plpython3u $$ plpy.execute('x') $$",
        "DO $$ BEGIN EXECUTE 'DROP TABLE a'; END $$",
        "DO $$ BEGIN EXECUTE 'DR' || 'OP TABLE a'; END $$",
        "DO $$ BEGIN EXECUTE format('%s TABLE a', 'DROP'); END $$",
        "DO $$ DECLARE s text; BEGIN s := 'x'; EXECUTE s; END $$",
        "DO $$ BEGIN EXECUTE $q$ DELETE FROM a $q$; END $$",
        "CREATE FUNCTION f() RETURNS void LANGUAGE sql AS 'DELETE FROM a'",
        "CREATE OR REPLACE FUNCTION f() RETURNS void LANGUAGE sql BEGIN ATOMIC DELETE FROM a; END",
        "CREATE PROCEDURE p() LANGUAGE plpgsql AS $$ BEGIN DROP TABLE a; END $$",
        "SELECT dblink_exec('x', 'y')",
        "SELECT lo_unlink(1)",
        "SET standard_conforming_strings = off",
        "SELECT set_config('standard_' || 'conforming_strings', 'off', false)",
        "SELECT E'a'\n'\\'' ; DROP TABLE t; --'",
        "SELECT 1 AS a$$; DROP TABLE t; --$$",
        "SELECT 1 -- x\rDROP TABLE t",
    ] {
        assert_eq!(reasons(sql).len(), 1, "{sql}: {:?}", reasons(sql));
    }
}

#[test]
fn accepts_statements_that_keep_data() {
    for sql in [
        "CREATE TABLE a (id int REFERENCES b ON DELETE CASCADE ON UPDATE SET NULL, type text, \"drop\" int)",
        "CREATE TEMPORARY TABLE a (id int) ON COMMIT DROP",
        "ALTER TABLE a DROP CONSTRAINT b",
        "ALTER TABLE a DROP CONSTRAINT IF EXISTS b CASCADE",
        "ALTER TABLE a ALTER COLUMN b DROP DEFAULT, ALTER b DROP NOT NULL, ALTER COLUMN b DROP IDENTITY IF EXISTS",
        "ALTER TABLE a ALTER COLUMN b DROP EXPRESSION",
        "ALTER TABLE a ALTER COLUMN b TYPE text",
        "ALTER TABLE a ALTER COLUMN b TYPE varchar, ALTER c SET DATA TYPE character varying",
        "ALTER TABLE a ADD COLUMN type text",
        "ALTER TABLE a RENAME COLUMN type TO kind",
        "ALTER TYPE e ADD VALUE 'drop table a'",
        "DROP INDEX CONCURRENTLY a",
        "DROP VIEW a",
        "DROP TRIGGER a ON b",
        "DROP FUNCTION f(int)",
        "DROP POLICY p ON a",
        "DELETE FROM a WHERE id = 1",
        "DELETE FROM a USING b WHERE a.id = b.id",
        "DELETE FROM a WHERE \"id\" IN (1, 2)",
        "UPDATE a SET b = 1 WHERE b IS NULL",
        "UPDATE a SET b = (SELECT 1) WHERE b IS NULL RETURNING b",
        "INSERT INTO a VALUES ('DROP TABLE a', 'DELETE FROM a')",
        "INSERT INTO a VALUES (1) ON CONFLICT (id) DO UPDATE SET b = excluded.b",
        "SELECT * FROM a FOR UPDATE",
        "SELECT * FROM a FOR NO KEY UPDATE",
        "GRANT SELECT, UPDATE, DELETE, TRUNCATE ON a TO b",
        "GRANT TRUNCATE, EXECUTE ON a TO b",
        "REVOKE UPDATE (c), TRUNCATE ON a FROM b",
        "CREATE TRIGGER t BEFORE INSERT OR UPDATE OF b OR DELETE OR TRUNCATE ON a EXECUTE FUNCTION f()",
        "CREATE POLICY p ON a FOR UPDATE USING (true)",
        "COMMENT ON TABLE a IS 'TRUNCATE'",
        "CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.b := 1; RETURN NEW; END $$",
        "DO $$ BEGIN DELETE FROM a WHERE id = 1; PERFORM 1; END $$",
        "DO $$ BEGIN EXECUTE 'CREATE TABLE a (id int)'; END $$",
        "DO $$ BEGIN IF EXISTS (SELECT FROM a WHERE NOT (b IN ('drop'))) THEN RAISE EXCEPTION 'drop table a' USING HINT = 'Look with: DELETE FROM a'; END IF; END $$",
        "SELECT set_config('lock_timeout', '1s', true)",
        "SELECT setval('a_seq', 7)",
        "CREATE VIEW v AS SELECT 1",
        "REFRESH MATERIALIZED VIEW v",
        "LOCK TABLE a IN ACCESS EXCLUSIVE MODE",
    ] {
        assert_eq!(reasons(sql), [], "{sql}");
    }
}

#[test]
fn reports_the_line_of_a_statement_within_a_function_body() {
    let sql = "SELECT 1;\n\nDO $$\nBEGIN\n  TRUNCATE a;\nEND $$;\n";
    assert_eq!(reasons(sql), [(5, "deletes all rows".to_owned())]);
}
