//! Tests of migrations from two merged branches: applies them in either order, and compares the result with the
//! combined tables.

#[allow(dead_code)] // the corpus uses all of the module
#[path = "../corpus/models.rs"]
pub(crate) mod models;
use kit_test_postgres as support;

use kit_database::{Migration, latest, plan};
use kit_migrate::{Options, State, Status, apply, drift, status};

use models::schema;
use support::{database, execute, query};

/// Returns TypeScript types with these properties besides the ids.
fn types(notes: &[&str], tags: &[&str]) -> String {
    let id = "  /** @id @integer */\n  id: number;\n";
    let of = |name: &str, properties: &[&str]| {
        format!(
            "/** @table */\nexport interface {name} {{\n{id}  {}\n}}\n",
            properties.join("\n  ")
        )
    };
    if tags.is_empty() {
        of("Note", notes)
    } else {
        of("Note", notes) + &of("Tag", tags)
    }
}

/// Returns the migration that `kit migrate:generate` creates after the committed ones.
fn generated(minute: u32, committed: &[Migration], types: &str) -> Migration {
    let previous = latest(committed).expect("they fit together").snapshot;
    let schema = schema(types);
    let plan = plan(previous.as_ref(), &schema).expect("a plan");
    let name = format!("202601010000{minute:02}");
    Migration::create(&name, "m", &plan, previous.as_ref()).expect("a migration")
}

fn run(url: &str, migrations: &[Migration]) -> usize {
    apply(url, migrations, &Options::default())
        .expect("it applies")
        .applied
        .len()
}

/// Asserts that the tables could be compared and that no table differs.
fn assert_no_difference(status: &Status) {
    let found = status.drift.as_ref().expect("they are compared");
    assert_eq!(found.differences, []);
    assert_eq!(found.unknown, [""; 0]);
}

#[test]
fn finds_no_difference_after_merged_branches_were_applied() {
    let Some(database) = database("finds_no_difference_after_merged_branches_were_applied") else {
        return;
    };
    let url = &database.url;
    let base = generated(1, &[], &types(&["title: string;"], &[]));
    let older = generated(
        2,
        std::slice::from_ref(&base),
        &types(&["/** @index */ title: string;", "older?: string;"], &[]),
    );
    let younger = generated(
        3,
        std::slice::from_ref(&base),
        &types(
            &["title: string;", "younger?: string;"],
            &["/** @unique */ name: string;"],
        ),
    );
    // The newer branch is deployed first.
    run(url, &[base.clone(), younger.clone()]);
    execute(
        url,
        "INSERT INTO notes (id, title, younger) VALUES (1, 'one', 'kept')",
    );
    let both = [base, older, younger];
    let names = vec![both[1].name.clone(), both[2].name.clone()];
    let before = status(url, &both).unwrap();
    let pending = State::Pending {
        destructive: false,
        out_of_order: true,
    };
    assert_eq!(before.migrations[1].state, pending);
    assert_eq!(before.branches, Ok(names.clone()));
    assert_no_difference(&before);
    assert!(!before.is_up_to_date());

    assert_eq!(run(url, &both), 1);
    let merged = status(url, &both).unwrap();
    assert!(merged.is_up_to_date(), "{merged:?}");
    assert_eq!(merged.branches, Ok(names));
    assert_no_difference(&merged);
    assert_eq!(query(url, "SELECT younger FROM notes"), ["kept"]);

    // After the merge, the status reports a column that one branch created and that is now missing, and a column that
    // no branch created.
    execute(
        url,
        "ALTER TABLE notes DROP COLUMN older; ALTER TABLE tags ADD COLUMN by_hand text",
    );
    let whole = types(
        &[
            "/** @index */ title: string;",
            "older?: string;",
            "younger?: string;",
        ],
        &["/** @unique */ name: string;"],
    );
    let [base, older, younger] = both;
    let together = generated(4, &[base.clone(), older.clone(), younger.clone()], &whole);
    let all = [base, older, younger, together];
    for (committed, applied) in [(&all[..3], 0), (&all[..], 1)] {
        assert_eq!(run(url, committed), applied);
        let found = status(url, committed).unwrap();
        let what: Vec<String> = found
            .drift
            .unwrap()
            .differences
            .into_iter()
            .map(|difference| difference.object)
            .collect();
        assert_eq!(what, ["column notes.older", "column tags.by_hand"]);
    }
    execute(
        url,
        "ALTER TABLE notes ADD COLUMN older text; ALTER TABLE tags DROP COLUMN by_hand",
    );
    let after = status(url, &all).unwrap();
    assert_eq!(after.branches, Ok(Vec::new()));
    assert!(after.is_up_to_date(), "{after:?}");
    let snapshot = latest(&all).unwrap().snapshot.expect("tables");
    assert_eq!(drift(url, &snapshot).unwrap().differences, []);
}

#[test]
fn reports_conflicting_branches_before_they_are_applied() {
    let Some(database) = database("reports_conflicting_branches_before_they_are_applied") else {
        return;
    };
    let url = &database.url;
    let base = generated(1, &[], &types(&["title: string;"], &[]));
    let one = generated(
        2,
        std::slice::from_ref(&base),
        &types(&["title: string;", "more?: string;"], &[]),
    );
    let other = generated(
        3,
        std::slice::from_ref(&base),
        &types(&["title: string;", "more?: number;"], &[]),
    );
    run(url, &[base.clone(), one.clone()]);
    let found = status(url, &[base, one, other]).unwrap();
    let conflict = found.branches.as_ref().unwrap_err();
    assert!(conflict.contains("notes.more: "), "{conflict}");
    assert!(conflict.contains("`kit migrate:generate` again"), "{conflict}");
    // The applied migrations are compared nevertheless.
    assert_no_difference(&found);
    assert!(!found.is_up_to_date());
}
