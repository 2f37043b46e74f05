//! Tests of entities whose tables are in several schemas of the database.

mod support;

use kit_database::Schema;
use kit_diagnostics::{Code, codes};

use support::{Builder, tagged};

/// Checks that the entities have exactly one mistake.
fn check(add: impl FnOnce(&mut Builder), code: Code, message: &str) {
    let mut builder = Builder::new();
    add(&mut builder);
    let (_, diagnostics) = Schema::from_program(&builder.program);
    assert_eq!(diagnostics.len(), 1, "{diagnostics:#?}");
    let diagnostic = diagnostics.iter().next().expect("one diagnostic");
    assert_eq!(diagnostic.code, code);
    assert!(diagnostic.message.contains(message), "{}", diagnostic.message);
    assert!(diagnostic.help.is_some());
}

#[test]
fn refuses_schemas_that_a_table_cannot_name() {
    for (table, message) in [
        (
            "public.tags",
            "the schema `public` of the table `public.tags` is the one of tables without a schema",
        ),
        ("pg_catalog.tags", "belongs to PostgreSQL"),
        ("information_schema.tags", "belongs to PostgreSQL"),
        (&*format!("{}.tags", "s".repeat(64)), "is 64 bytes long"),
    ] {
        let add = |builder: &mut Builder| builder.with_id("Tag", table, vec![]);
        check(add, codes::UNUSABLE_NAME, message);
    }
}

#[test]
fn refuses_equal_names_only_within_one_schema() {
    let of = |first: &'static str, second: &'static str| {
        move |builder: &mut Builder| {
            builder.with_id("Tag", first, vec![]);
            builder.with_id("Label", second, vec![]);
        }
    };
    check(
        of("billing.tags", "billing.tags_pkey"),
        codes::UNUSABLE_NAME,
        "the primary key of `Tag` would have the name `tags_pkey`",
    );
    check(
        of("billing.tags", "billing.tags"),
        codes::DUPLICATE_TABLE,
        "`billing.tags`",
    );
    let mut builder = Builder::new();
    of("billing.tags", "tags_pkey")(&mut builder);
    builder.with_id("Word", "tags", vec![]);
    let (_, diagnostics) = Schema::from_program(&builder.program);
    assert_eq!(diagnostics.len(), 1, "{diagnostics:#?}");
    assert!(
        diagnostics
            .iter()
            .all(|diagnostic| diagnostic.message.contains("the primary key of `Word`"))
    );
}

#[test]
fn refuses_a_condition_that_names_a_table_of_another_schema() {
    check(
        |builder| {
            let text = builder.string(10);
            let label = tagged("label", text, |tags| {
                tags.checks = vec!["\"tags\".label <> ''".to_owned()];
            });
            builder.with_id("Tag", "billing.tags", vec![label]);
        },
        codes::UNSUPPORTED_COLUMN,
        "names its table, which is in another schema",
    );
    for (table, condition) in [
        ("tags", "tags.label <> ''"),
        ("billing.tags", "mytags <> '' AND tags > ''"),
    ] {
        let mut builder = Builder::new();
        let text = builder.string(10);
        let label = tagged("label", text, |tags| tags.checks = vec![condition.to_owned()]);
        builder.with_id("Tag", table, vec![label]);
        let (_, diagnostics) = Schema::from_program(&builder.program);
        assert_eq!(diagnostics.len(), 0, "{diagnostics:#?}");
    }
}
