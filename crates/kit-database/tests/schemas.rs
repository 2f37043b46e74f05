//! Tests of entities whose tables are in several schemas of the database.

mod support;

use kit_database::{Schema, Snapshot, drizzle, plan};
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
        ("kit_migrations", "the table name `kit_migrations` belongs to kit"),
        ("kit_migration_progress", "belongs to kit"),
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

#[test]
fn refuses_to_move_a_table_to_a_schema_in_which_its_names_are_taken() {
    let schema = |tables: &[(&str, &str, Option<&str>)]| {
        let mut builder = Builder::new();
        for (entity, table, _) in tables {
            builder.with_id(entity, table, vec![]);
        }
        let (mut schema, diagnostics) = Schema::from_program(&builder.program);
        for (table, (.., from)) in schema.tables.iter_mut().zip(tables) {
            table.renamed_from = from.map(str::to_owned);
        }
        assert_eq!(diagnostics.len(), 0, "{diagnostics:#?}");
        schema
    };
    let before = schema(&[("One", "a.x", None), ("Two", "b.x", None)]);
    let after = schema(&[("One", "b.y", Some("a.x")), ("Two", "b.x", None)]);
    let error = plan(Some(&Snapshot::of(&before)), &after).expect_err("b has the names");
    assert_eq!(error.problems.len(), 1, "{error}");
    let problem = &error.problems[0];
    assert!(problem.message.ends_with("its indexes: x, x_pkey"), "{error}");
    assert!(problem.help.ends_with("`@table a.y @renamedFrom a.x`"), "{error}");
    // The two steps of the help.
    let between = schema(&[("One", "a.y", Some("a.x")), ("Two", "b.x", None)]);
    plan(Some(&Snapshot::of(&before)), &between).expect("a rename");
    let after = schema(&[("One", "b.y", Some("a.y")), ("Two", "b.x", None)]);
    let moved = plan(Some(&Snapshot::of(&between)), &after).expect("a move");
    assert!(
        moved.sql().ends_with("ALTER TABLE a.y SET SCHEMA b;\n"),
        "{}",
        moved.sql()
    );
}

#[test]
fn names_of_files_do_not_depend_on_the_order_of_the_entities() {
    let tables = ["a_b_c", "a.b_c", "a_b.c"];
    let files = |order: [usize; 3]| {
        let mut builder = Builder::new();
        for at in order {
            builder.with_id(&format!("Entity{at}"), tables[at], vec![]);
        }
        let (schema, diagnostics) = Schema::from_program(&builder.program);
        assert_eq!(diagnostics.len(), 0, "{diagnostics:#?}");
        let mut files: Vec<(String, String)> = drizzle::emit(&schema)
            .into_iter()
            .filter(|file| file.path.starts_with("a_b_c"))
            .map(|file| (file.path, file.text))
            .collect();
        files.sort();
        files
    };
    let expected = files([0, 1, 2]);
    let paths: Vec<&str> = expected.iter().map(|(path, _)| path.as_str()).collect();
    assert_eq!(paths, ["a_b_c.ts", "a_b_c2.ts", "a_b_c3.ts"]);
    assert!(
        !expected[0].1.contains("pgSchema"),
        "the table without a schema has the plain name"
    );
    for order in [[0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        assert_eq!(files(order), expected, "{order:?}");
    }
}
