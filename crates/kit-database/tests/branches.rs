//! Tests of migrations that were planned on branches which were merged later.

#![allow(clippy::unwrap_used)] // a helper of a test may fail the test

mod support;

use kit_database::{ChangeClass, Latest, Migration, PlanError, Schema, Snapshot, latest, plan};

use support::{Builder, property};

/// Returns a schema with a table `tags`, whose text columns are `columns`, and with the further tables `tables`.
fn schema(columns: &[&str], tables: &[&str]) -> Schema {
    let mut builder = Builder::new();
    let text = builder.string(20);
    let mut properties = Vec::new();
    for name in columns {
        let mut one = property(name, text);
        one.optional = true;
        properties.push(one);
    }
    builder.with_id("Tag", "tags", properties);
    for name in tables {
        builder.with_id(&format!("Of{name}"), name, vec![]);
    }
    let (schema, diagnostics) = Schema::from_program(&builder.program);
    assert!(diagnostics.is_empty(), "{diagnostics:#?}");
    schema
}

/// Plans the migration from the state after `others` to `schema`, and reads it back from the files that it would write.
fn migration(minute: u32, others: &[Migration], schema: &Schema) -> Migration {
    let before = latest(others).unwrap();
    let previous = before.snapshot.as_ref();
    let plan = plan(previous, schema).unwrap();
    let made = Migration::create(&format!("2026010203{minute:02}00"), "m", &plan, previous).unwrap();
    let files = made.files();
    let text = |at: usize| files[at].text.as_str();
    Migration::read(&made.name, text(0), text(1), Some(text(2))).unwrap()
}

fn columns(latest: &Latest) -> Vec<String> {
    let tables = latest.snapshot.as_ref().unwrap().tables();
    tables
        .iter()
        .flat_map(|table| {
            table
                .columns
                .iter()
                .filter(|column| column.name != "id")
                .map(|column| format!("{}.{}", table.name, column.name))
        })
        .collect()
}

#[test]
fn reports_no_branches_if_each_migration_is_the_child_of_the_previous_migration() {
    let first = migration(1, &[], &schema(&["a"], &[]));
    let second = migration(2, std::slice::from_ref(&first), &schema(&["a", "b"], &[]));
    let both = latest(&[first, second]).unwrap();
    assert_eq!(columns(&both), ["tags.a", "tags.b"]);
    assert!(both.side_by_side.is_empty());
    assert_eq!(latest(&[]).unwrap().snapshot, None);
}

#[test]
fn merges_branches_that_changed_different_parts_of_the_tables() {
    let base = migration(1, &[], &schema(&["a", "b"], &["kept", "gone"]));
    let ours = migration(
        2,
        std::slice::from_ref(&base),
        &schema(&["a", "b", "ours"], &["kept", "gone", "mine"]),
    );
    let theirs = migration(
        3,
        std::slice::from_ref(&base),
        &schema(&["b", "theirs"], &["kept"]),
    );
    let again = migration(
        4,
        &[base.clone(), theirs.clone()],
        &schema(&["b", "theirs", "later"], &["kept"]),
    );
    // In the order of names, `ours` is between the two migrations of the other branch.
    let all = [base, ours, theirs, again];
    let merged = latest(&all).unwrap();
    assert_eq!(
        columns(&merged),
        ["tags.b", "tags.ours", "tags.theirs", "tags.later"]
    );
    assert_eq!(merged.side_by_side, ["20260102030200_m", "20260102030400_m"]);
    let tables = merged.snapshot.as_ref().unwrap().tables();
    assert!(tables.iter().any(|table| table.name == "mine"));
    assert!(!tables.iter().any(|table| table.name == "gone"));

    // If the types have the changes of both branches, the next migration changes no table: it only records that the
    // branches are merged.
    let both = schema(&["b", "ours", "theirs", "later"], &["kept", "mine"]);
    let plan = plan(merged.snapshot.as_ref(), &both).unwrap();
    assert!(plan.is_empty(), "{}", plan.sql());
    let mut all = all.to_vec();
    let merge = migration(5, &all, &both);
    assert_eq!(merge.snapshot, Some(Snapshot::of(&both)));
    all.push(merge);
    let after = latest(&all).unwrap();
    assert!(after.side_by_side.is_empty());
    assert_eq!(after.snapshot, Some(Snapshot::of(&both)));
}

#[test]
fn refuses_migrations_of_two_git_branches_that_change_the_same_part_of_a_table() {
    let conflict = |ours: (&[&str], &[&str]), theirs: (&[&str], &[&str])| -> PlanError {
        let base = migration(1, &[], &schema(&["a"], &["t"]));
        let one = migration(2, std::slice::from_ref(&base), &schema(ours.0, ours.1));
        let other = migration(3, std::slice::from_ref(&base), &schema(theirs.0, theirs.1));
        latest(&[base, one, other]).unwrap_err()
    };
    let error = conflict((&["a", "n"], &["t"]), (&["a", "n"], &["t"]));
    assert_eq!(error.problems[0].place, "tags.n");
    assert!(
        error.problems[0]
            .message
            .contains("20260102030200_m and 20260102030300_m come from branches that both added it"),
        "{error}"
    );
    assert!(
        error.problems[0].help.contains("`kit migrate:generate` again"),
        "{error}"
    );
    let error = conflict((&[], &["t"]), (&[], &["t"]));
    assert!(error.to_string().contains("tags.a: "), "{error}");
    assert!(error.to_string().contains("both dropped it"), "{error}");
    let error = conflict((&["a"], &["new"]), (&["a"], &["t", "new"]));
    assert!(error.to_string().contains("new: "), "{error}");
}

#[test]
fn treats_a_migration_without_parent_ids_as_child_of_the_previous_migration() {
    let read = |minute: u32, schema: &Schema| {
        let mut document: serde_json::Value = serde_json::from_str(&Snapshot::of(schema).to_json()).unwrap();
        let object = document.as_object_mut().unwrap();
        object.remove("id");
        object.remove("parents");
        let changes = r#"{"version":1,"destructive":false,"changes":[{"change":"addColumn","table":"tags","column":{"name":"x","type":{"kind":"text"},"nullable":true}}]}"#;
        let name = format!("2026010203{minute:02}00_m");
        Migration::read(&name, "", changes, Some(&document.to_string())).unwrap()
    };
    let (one, two) = (read(1, &schema(&["a"], &[])), read(2, &schema(&["b"], &[])));
    assert_eq!(one.changes[0].class, ChangeClass::Safe);
    let both = latest(&[one, two]).unwrap();
    assert_eq!(columns(&both), ["tags.b"]);
    assert!(both.side_by_side.is_empty());
}
