//! Tests of squashed migrations that create roles. A role belongs to the server, so only a database of another server shows if
//! the squashed migration creates it.

use kit_test_postgres as support;

use kit_migrate::{Options, apply, squash};

use crate::squash::{ONE, SQUASHED, by_hand, generated, read_back};
use support::{execute, own_server, query};

/// Block that creates a role, as the advice for a failed `CREATE ROLE` says.
const ADVISED: &str = "DO $$ BEGIN IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'reader') THEN CREATE ROLE reader; END IF; \
    EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$;\n";

/// Block that `kit migrate:generate --tenant-role` wrote first.
const FOR_TENANTS: &str = "DO $$ BEGIN CREATE ROLE tenant_user NOLOGIN; GRANT tenant_user TO CURRENT_USER; \
    EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$;\n";

/// Block that ends early if the role exists.
const WITH_RETURN: &str = "DO $$ BEGIN IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'auditor') THEN RETURN; END IF; \
    CREATE ROLE auditor; COMMENT ON ROLE auditor IS 'reads'; END $$;\n";

#[test]
fn a_squashed_migration_creates_the_roles_of_blocks_on_a_new_server() {
    const TEST: &str = "a_squashed_migration_creates_the_roles_of_blocks_on_a_new_server";
    let (Some(old), Some(new)) = (own_server(TEST, &[], &[]), own_server(TEST, &[], &[])) else {
        return;
    };
    let sql = format!(
        "{ADVISED}{FOR_TENANTS}{WITH_RETURN}GRANT SELECT ON notes TO reader;\nGRANT UPDATE ON notes TO tenant_user;\n\
         GRANT DELETE ON notes TO auditor;\n\
         CREATE POLICY own ON notes FOR SELECT TO reader USING (true);"
    );
    let migrations = by_hand(&old.url(), generated(Vec::new(), ONE), &sql);
    let made =
        squash(&old.url(), &migrations, SQUASHED, None, true).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!((made.kept.len(), made.left_out.len()), (6, 0), "{made:?}");
    let squashed = read_back(&made.migration);
    apply(&new.url(), &[squashed], &Options::default()).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(
        query(
            &new.url(),
            "SELECT grantee || ' ' || privilege_type FROM information_schema.role_table_grants \
             WHERE table_name = 'notes' AND grantee IN ('auditor', 'reader', 'tenant_user') ORDER BY 1"
        ),
        ["auditor DELETE", "reader SELECT", "tenant_user UPDATE"]
    );
}

#[test]
fn refuses_blocks_that_create_roles_and_do_other_work() {
    let Some(server) = own_server("refuses_blocks_that_create_roles_and_do_other_work", &[], &[]) else {
        return;
    };
    let url = server.url();
    execute(&url, "CREATE ROLE reader");
    let sql = "DO $$ BEGIN IF to_regrole('reader') IS NULL THEN CREATE ROLE reader; END IF; CREATE TABLE made_by_code (id int PRIMARY KEY); END $$;";
    let migrations = by_hand(&url, generated(Vec::new(), ONE), sql);
    let error = squash(&url, &migrations, SQUASHED, None, true).expect_err("an error");
    assert!(
        error
            .to_string()
            .contains("a new server would not get the roles.\n  20260101000002_hand, line 4"),
        "{error}"
    );
    assert!(
        error
            .help()
            .is_some_and(|help| help.contains("--statements drop"))
    );
    let made = squash(&url, &migrations, SQUASHED, None, false).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(made.left_out.len(), 1);
}
