//! Compares generated files with reviewed golden files. `KIT_BLESS=1` rewrites the golden files.
#![allow(clippy::disallowed_methods)] // goldens are files

mod support;

use std::path::{Path, PathBuf};

use kit_database::{ColumnType, Migration, Schema, Snapshot, TextFile, draft, drizzle, kysely, plan, raw};

use support::Builder;

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/goldens")
        .join(name)
}

fn check(directory: &str, files: &[TextFile]) {
    for file in files {
        let path = golden(directory).join(&file.path);
        if std::env::var_os("KIT_BLESS").is_some() {
            std::fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
            std::fs::write(&path, &file.text).expect("a golden");
        }
        let expected = std::fs::read_to_string(&path)
            .unwrap_or_else(|error| panic!("{}: {error}; run with KIT_BLESS=1", path.display()));
        assert_eq!(
            file.text,
            expected,
            "{} differs; review it, then run with KIT_BLESS=1",
            path.display()
        );
    }
}

fn schema(program: &kit_ir::Program) -> Schema {
    let (schema, diagnostics) = Schema::from_program(program);
    assert!(diagnostics.is_empty(), "{diagnostics:#?}");
    schema
}

#[test]
fn matches_the_goldens_of_the_reference_entities() {
    let schema = schema(&support::reference_program());
    check("reference/schemas", &drizzle::emit(&schema));
    check("reference/kysely", &kysely::emit(&schema));
    check("reference/raw", &raw::emit(&schema));
    let plan = plan(None, &schema).unwrap();
    assert!(!plan.is_destructive());
    let migration = Migration::create("20260102030405", "Create everything", &plan, None).unwrap();
    check("reference/migrations", &migration.files());
    check("reference/draft", &draft(None, &schema));
}

/// Starts from tables of an earlier version of kit, which stored every `Date` as a `timestamp`.
#[test]
fn matches_the_goldens_of_the_reference_entities_with_timestamp_columns() {
    let mut earlier = schema(&support::reference_program());
    for column in earlier.tables.iter_mut().flat_map(|table| &mut table.columns) {
        if column.r#type == ColumnType::Timestamptz {
            column.r#type = ColumnType::Timestamp;
        }
    }
    let committed = Snapshot::from_json(&Snapshot::of(&earlier).to_json()).unwrap();
    let mut schema = schema(&support::reference_program());
    schema.keep_timestamps(&committed);
    assert!(plan(Some(&committed), &schema).unwrap().is_empty());
    check("earlier/schemas", &drizzle::emit(&schema));
    check("earlier/kysely", &kysely::emit(&schema));
    check("earlier/raw", &raw::emit(&schema));
}

/// Starts from tables of an earlier version of kit, and requests the conversion of all their `timestamp` columns.
#[test]
fn matches_the_goldens_of_converted_timestamp_columns() {
    let new = schema(&support::reference_program());
    let mut earlier = new.clone();
    for column in earlier.tables.iter_mut().flat_map(|table| &mut table.columns) {
        if column.r#type == ColumnType::Timestamptz {
            column.r#type = ColumnType::Timestamp;
        }
    }
    let committed = Snapshot::of(&earlier);
    let mut schema = new.clone();
    schema.keep_timestamps(&committed);
    schema.convert_timestamps(&[]).unwrap();
    let plan = plan(Some(&committed), &schema).unwrap();
    assert!(!plan.is_destructive());
    let migration = Migration::create("20260203040506", "times", &plan, Some(&committed)).unwrap();
    check("converted/migrations", &migration.files());
    // With the snapshot of that migration, the next build generates the same files as for new tables.
    let mut next = new.clone();
    next.keep_timestamps(migration.snapshot.as_ref().unwrap());
    assert_eq!(next, new);
}

#[test]
fn matches_the_goldens_of_every_kind_of_column() {
    let mut builder = Builder::new();
    support::mixed(&mut builder);
    let schema = schema(&builder.program);
    check("mixed/schemas", &drizzle::emit(&schema));
    check("mixed/kysely", &kysely::emit(&schema));
    check("mixed/raw", &raw::emit(&schema));
    let migration =
        Migration::create("20260102030405", "orders", &plan(None, &schema).unwrap(), None).unwrap();
    check("mixed/migrations", &migration.files());
}

#[test]
fn schema_with_integers_but_no_bigint_matches_its_goldens() {
    let mut builder = Builder::new();
    support::counters(&mut builder);
    let schema = schema(&builder.program);
    check("counters/schemas", &drizzle::emit(&schema));
    check("counters/kysely", &kysely::emit(&schema));
    check("counters/raw", &raw::emit(&schema));
    let plan = plan(None, &schema).unwrap();
    let migration = Migration::create("20260102030405", "counters", &plan, None).unwrap();
    check("counters/migrations", &migration.files());
}

#[test]
fn tables_in_several_schemas_match_their_goldens() {
    let mut builder = Builder::new();
    support::billing(&mut builder);
    let schema = schema(&builder.program);
    check("billing/schemas", &drizzle::emit(&schema));
    check("billing/kysely", &kysely::emit(&schema));
    check("billing/raw", &raw::emit(&schema));
    let plan = plan(None, &schema).unwrap();
    let migration = Migration::create("20260102030405", "billing", &plan, None).unwrap();
    check("billing/migrations", &migration.files());
}

#[test]
fn writes_the_same_bytes_for_the_same_program() {
    let texts = || {
        let schema = schema(&support::reference_program());
        (drizzle::emit(&schema), draft(None, &schema))
    };
    assert_eq!(texts(), texts());
}
