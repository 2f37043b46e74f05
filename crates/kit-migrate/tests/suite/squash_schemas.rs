//! Tests of squashed migrations whose objects are in several schemas.

use kit_test_postgres as support;

use kit_migrate::{Drift, Rows, drift, squash};

use crate::squash::{ONE, SQUASHED, apply_all, by_hand, generated, read_back};
use support::{execute, on_each_release, query};

#[test]
fn objects_in_other_schemas_are_part_of_the_proof() {
    on_each_release("objects_in_other_schemas_are_part_of_the_proof", |database| {
        let url = &database.url;
        let types = format!(
            "{ONE}/** @table billing.invoices */\nexport interface Invoice {{\n  /** @id @integer @generated */\n  id: number;\n  \
             /** @references Note.id */\n  noteId: number;\n}}\n"
        );
        let base = generated(generated(Vec::new(), ONE), &types);
        let old = by_hand(
            url,
            base,
            "CREATE SCHEMA empty; CREATE SCHEMA audit; CREATE TABLE audit.kit_migrations (id int PRIMARY KEY);
             INSERT INTO notes (title) VALUES ('a'); INSERT INTO billing.invoices (note_id) SELECT id FROM notes;
             CREATE VIEW audit.bills AS SELECT note_id FROM billing.invoices;
             GRANT USAGE ON SCHEMA audit TO PUBLIC; GRANT SELECT ON audit.bills TO PUBLIC;",
        );
        apply_all(url, &old);
        let made =
            squash(url, &old, SQUASHED, Some(Rows::Keep), true).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(made.left_out, [], "blocks that kit wrote need no action");
        let new = [read_back(&made.migration)];
        assert_eq!(apply_all(url, &new).applied.len(), 0);
        let facts = "SELECT string_agg(nspname || coalesce(nspacl::text, ''), ' ' ORDER BY nspname) FROM pg_namespace WHERE nspname IN ('empty', 'audit', 'billing') \
            UNION ALL SELECT note_id::text FROM audit.bills UNION ALL SELECT relacl::text FROM pg_class WHERE relname = 'bills' \
            UNION ALL SELECT nextval('billing.invoices_id_seq')::text";
        let wanted = query(url, facts);
        execute(
            url,
            "DROP SCHEMA audit, billing, empty CASCADE; DROP TABLE notes, kit_migrations; DROP TABLE IF EXISTS kit_migration_progress",
        );
        apply_all(url, &new);
        assert_eq!(query(url, facts), wanted);
        let snapshot = new[0].snapshot.as_ref().expect("a snapshot");
        assert_eq!(drift(url, snapshot).expect("a comparison"), Drift::default());
    });
}
