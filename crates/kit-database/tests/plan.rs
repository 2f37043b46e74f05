//! Tests of plans from a committed snapshot to the types.

mod support;

use kit_database::{
    Change, ChangeClass, Check, ColumnType, Migration, Plan, PlanError, PlannedChange, Rule, Schema,
    Snapshot, draft, latest, plan,
};
use kit_ir::{Program, TypeKind};

use support::{Builder, property, tagged};

fn schema(program: &Program) -> Schema {
    let (schema, diagnostics) = Schema::from_program(program);
    assert!(diagnostics.is_empty(), "{diagnostics:#?}");
    schema
}

fn build(add: impl FnOnce(&mut Builder)) -> Schema {
    let mut builder = Builder::new();
    add(&mut builder);
    schema(&builder.program)
}

fn between(before: &Schema, after: &Schema) -> Result<Plan, PlanError> {
    // Write and read JSON, because a committed snapshot is read from a file.
    let snapshot = Snapshot::from_json(&Snapshot::of(before).to_json()).expect("kit reads what it wrote");
    assert_eq!(snapshot, Snapshot::of(before));
    plan(Some(&snapshot), after)
}

#[test]
fn plans_no_steps_if_the_types_did_not_change() {
    let schema = schema(&support::reference_program());
    let plan = between(&schema, &schema).unwrap();
    assert!(plan.is_empty() && plan.sql().is_empty());
    assert_eq!(draft(Some(&Snapshot::of(&schema)), &schema).len(), 1);
}

#[test]
fn adds_a_column_with_a_default() {
    let before = build(|builder| support::notes(builder, false));
    let after = build(|builder| support::notes(builder, true));
    let plan = between(&before, &after).unwrap();
    assert!(!plan.is_destructive());
    assert_eq!(
        plan.sql(),
        "ALTER TABLE notes ADD COLUMN archived boolean DEFAULT false NOT NULL;\n"
    );
}

/// `?` is an operator of `jsonb`.
#[test]
fn a_condition_of_the_user_with_a_question_mark_is_checked_after_a_rename() {
    let before = build(|builder| support::notes(builder, true));
    let mut after = before.clone();
    let table = &mut after.tables[0];
    let mut columns = table.columns.iter_mut();
    let column = columns
        .find(|column| column.name == "archived")
        .expect("a column");
    "hidden".clone_into(&mut column.name);
    column.source.renamed_from = Some("archived".to_owned());
    table.checks.push(Check {
        name: "notes_title_check".to_owned(),
        column: "title".to_owned(),
        rule: Rule::Sql("hidden OR title <> 'why?'".to_owned()),
    });
    let sql = between(&before, &after).unwrap().sql();
    let renamed = sql.find("RENAME COLUMN archived TO hidden").expect("a rename");
    let checked = sql.find("hidden OR").expect("a check");
    assert!(renamed < checked, "{sql}");
}

#[test]
fn marks_a_policy_as_breaking_only_if_the_table_is_in_use() {
    let before = build(|builder| support::notes(builder, true));
    let mut after = before.clone();
    after.tables[0].tenant = Some("title".to_owned());
    let risks = |plan: &Plan| plan.changes.last().expect("a change").risks();
    let plan = between(&before, &after).unwrap();
    assert_eq!(plan.changes.len(), 1);
    assert_eq!(risks(&plan), [kit_database::Risk::BreaksRunningApp]);
    let created = kit_database::plan(None, &after).unwrap();
    assert!(matches!(
        created.changes.last().map(|step| &step.change),
        Some(Change::SetTenant { .. })
    ));
    assert_eq!(risks(&created), []);
}

#[test]
fn refuses_a_change_of_a_primary_key_that_the_database_does_not_have() {
    let before = build(|builder| support::notes(builder, true));
    let missing = kit_database::ForeignObject {
        kind: kit_database::ObjectKind::Constraint,
        table: Some("notes".to_owned()),
        name: "notes_pkey".to_owned(),
        definition: None,
        uses: Vec::new(),
    };
    let snapshot = Snapshot::recorded(None, before.tables.clone(), vec![missing], None);
    assert!(kit_database::plan(Some(&snapshot), &before).unwrap().is_empty());
    let mut other_key = before.clone();
    other_key.tables[0].primary_key = vec!["title".to_owned()];
    let mut other_name = before.clone();
    other_name.tables[0].name = "pages".to_owned();
    other_name.tables[0].renamed_from = Some("notes".to_owned());
    for after in [other_key, other_name] {
        let error = kit_database::plan(Some(&snapshot), &after)
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("changes the primary key `notes_pkey`, which the adopted database does not have"),
            "{error}"
        );
    }
}

#[test]
fn refuses_another_primary_key_if_hand_written_sql_refers_to_the_former() {
    let before = build(|builder| support::notes(builder, true));
    let mut after = before.clone();
    after.tables[0].primary_key.push("title".to_owned());
    let reference = kit_database::ForeignObject {
        kind: kit_database::ObjectKind::Constraint,
        table: Some("links".to_owned()),
        name: "links_note".to_owned(),
        definition: Some("FOREIGN KEY (note) REFERENCES notes(id) MATCH FULL".to_owned()),
        uses: vec!["constraint notes_pkey of notes".to_owned()],
    };
    let snapshot = Snapshot::recorded(None, before.tables.clone(), vec![reference], None);
    let error = kit_database::plan(Some(&snapshot), &after).unwrap_err();
    assert!(
        error.to_string().contains("drops a key of this table") && error.to_string().contains("links_note"),
        "{error}"
    );
}

#[test]
fn marks_a_dropped_column_as_destructive() {
    let before = build(|builder| support::notes(builder, true));
    let after = build(|builder| support::notes(builder, false));
    let plan = between(&before, &after).unwrap();
    assert!(plan.is_destructive());
    assert_eq!(plan.sql(), "ALTER TABLE notes DROP COLUMN archived;\n");
    let files = draft(Some(&Snapshot::of(&before)), &after);
    let pending = files.iter().find(|file| file.path == "pending.json").unwrap();
    assert!(pending.text.contains("\"destructive\": true"), "{}", pending.text);
}

#[test]
fn drops_foreign_keys_before_tables() {
    let before = schema(&support::reference_program());
    let after = build(|builder| support::notes(builder, true));
    let plan = between(&before, &after).unwrap();
    assert!(plan.is_destructive());
    assert_eq!(
        plan.sql(),
        "ALTER TABLE todos DROP CONSTRAINT todos_user_id_users_id_fk;\n\n-- kit: new transaction\nDROP TABLE users;\n\n\
         -- kit: new transaction\nDROP TABLE todos;\n"
    );
}

#[test]
fn adds_a_required_column_without_default_as_nullable_first() {
    let before = build(|builder| builder.with_id("Tag", "tags", vec![]));
    let after = build(|builder| {
        let text = builder.string(20);
        builder.with_id("Tag", "tags", vec![property("label", text)]);
    });
    let plan = between(&before, &after).unwrap();
    assert_eq!(plan.changes.len(), 1);
    assert_eq!(plan.changes[0].class, ChangeClass::NeedsData);
    assert!(plan.changes[0].alternative.is_some());
    assert!(plan.changes[0].breaks_running_app());
    let sql = plan.sql();
    assert!(
        sql.starts_with("ALTER TABLE tags ADD COLUMN label varchar(20);\n"),
        "{sql}"
    );
    assert!(
        sql.contains("-- UPDATE tags SET label = … WHERE label IS NULL;\n-- kit: new transaction\nDO $kit$"),
        "{sql}"
    );
    assert!(
        sql.ends_with(
            "-- kit: new transaction\nALTER TABLE tags ADD CONSTRAINT tags_label_kit_not_null CHECK (label IS NOT NULL) NOT VALID;\n\n\
             -- kit: outside transaction\nALTER TABLE tags VALIDATE CONSTRAINT tags_label_kit_not_null;\n\n\
             ALTER TABLE tags ALTER COLUMN label SET NOT NULL;\n\nALTER TABLE tags DROP CONSTRAINT tags_label_kit_not_null;\n"
        ),
        "{sql}"
    );
}

/// Returns the reference tables with `timestamp` columns, as earlier versions of kit created them.
fn with_timestamps() -> (Snapshot, Schema) {
    let new = schema(&support::reference_program());
    let mut earlier = new.clone();
    for column in earlier.tables.iter_mut().flat_map(|table| &mut table.columns) {
        if column.r#type == ColumnType::Timestamptz {
            column.r#type = ColumnType::Timestamp;
        }
    }
    let committed = Snapshot::of(&earlier);
    let mut kept = new;
    kept.keep_timestamps(&committed);
    (committed, kept)
}

#[test]
fn converts_only_the_requested_timestamp_columns() {
    let (committed, mut schema) = with_timestamps();
    assert!(plan(Some(&committed), &schema).unwrap().is_empty());
    schema
        .convert_timestamps(&["notes.created_at".to_owned()])
        .unwrap();
    let converted = plan(Some(&committed), &schema).unwrap();
    let summaries: Vec<String> = converted.changes.iter().map(PlannedChange::summary).collect();
    assert_eq!(
        summaries,
        [
            "drop the default of notes.created_at",
            "change the type of notes.created_at from timestamp to timestamptz(3) (breaks the running application)",
            "set the default of notes.created_at",
        ]
    );
    // A second request with the same columns finds nothing to convert.
    let committed = Snapshot::after(Some(&committed), &schema);
    schema
        .convert_timestamps(&["notes.created_at".to_owned()])
        .unwrap();
    assert!(plan(Some(&committed), &schema).unwrap().is_empty());
}

#[test]
fn refuses_to_convert_a_column_whose_type_is_not_timestamp() {
    let (_, mut schema) = with_timestamps();
    let before = schema.clone();
    let wanted = ["notes.created_at", "notes.title", "nothing.at"].map(str::to_owned);
    let error = schema.convert_timestamps(&wanted).unwrap_err();
    let places: Vec<&str> = error
        .problems
        .iter()
        .map(|problem| problem.place.as_str())
        .collect();
    assert_eq!(places, ["notes.title", "nothing.at"]);
    assert!(
        error
            .to_string()
            .contains("these can be converted: notes.created_at"),
        "{error}"
    );
    assert_eq!(schema, before);
}

#[test]
fn reports_every_change_that_kit_cannot_plan() {
    let with = |text: bool| {
        build(|builder| {
            let date = builder.kind(TypeKind::Date);
            let string = builder.kind(TypeKind::String);
            let list = builder.kind(TypeKind::Array { element: string });
            let (at, tags) = if text { (string, string) } else { (date, list) };
            builder.with_id("Tag", "tags", vec![property("at", at), property("tags", tags)]);
        })
    };
    let error = between(&with(false), &with(true)).unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains("tags.at: its type changes from timestamptz(3) to text"),
        "{text}"
    );
    assert!(
        text.contains("tags.tags: its type changes from jsonb to text"),
        "{text}"
    );
    assert!(error.problems[0].help.contains("UPDATE"), "{error}");
    let files = draft(Some(&Snapshot::of(&with(false))), &with(true));
    let sql = &files.iter().find(|file| file.path == "pending.sql").unwrap().text;
    assert!(sql.contains("-- not generated: tags.at"), "{sql}");
    assert!(!sql.contains("ALTER TABLE"), "{sql}");
}

#[test]
fn drops_and_adds_a_constraint_that_changed() {
    let with = |values: &'static [&'static str], unique: bool, index: bool| {
        build(|builder| {
            let status = builder.one_of(values);
            builder.with_id(
                "Job",
                "jobs",
                vec![tagged("status", status, |tags| {
                    tags.unique = unique;
                    tags.index = index;
                })],
            );
        })
    };
    let plan = between(&with(&["a"], false, true), &with(&["a", "it's"], true, false)).unwrap();
    assert!(!plan.is_destructive());
    assert_eq!(
        plan.sql(),
        "DO $kit$\nBEGIN\n  IF EXISTS (SELECT FROM jobs WHERE status IS NOT NULL GROUP BY status HAVING count(*) > 1) THEN\n    \
         RAISE EXCEPTION 'two rows of jobs have the same values of (status)'\n      \
         USING ERRCODE = 'check_violation', HINT = 'Look for them with: SELECT status, count(*) FROM jobs WHERE status IS NOT NULL \
         GROUP BY status HAVING count(*) > 1';\n  END IF;\nEND\n$kit$;\n\n\
         -- kit: new transaction\nDROP INDEX jobs_status_idx;\n\n\
         -- kit: outside transaction\nCREATE UNIQUE INDEX CONCURRENTLY jobs_status_unique ON jobs (status);\n\n\
         ALTER TABLE jobs ADD CONSTRAINT jobs_status_unique UNIQUE USING INDEX jobs_status_unique;\n\n\
         ALTER TABLE jobs DROP CONSTRAINT jobs_status_check;\n\n\
         ALTER TABLE jobs ADD CONSTRAINT jobs_status_check CHECK (status IN ('a', 'it''s')) NOT VALID;\n\n\
         -- kit: outside transaction\nALTER TABLE jobs VALIDATE CONSTRAINT jobs_status_check;\n"
    );
    assert!(matches!(plan.changes[0].change, Change::DropConstraint { .. }));
}

#[test]
fn refuses_a_snapshot_whose_version_is_unknown_or_missing() {
    let error = Snapshot::from_json(r#"{"version":2,"whatever":[]}"#).unwrap_err();
    assert!(error.to_string().contains("version 2"), "{error}");
    assert!(Snapshot::from_json("{").is_err());
    assert!(Snapshot::from_json(r#"{"tables":[]}"#).is_err());
}

#[test]
fn reads_back_a_migration_from_its_files() {
    let schema = schema(&support::reference_program());
    let made = Migration::create(
        "20260102030405",
        " Create: Notes! ",
        &plan(None, &schema).unwrap(),
        None,
    )
    .unwrap();
    assert_eq!(made.name, "20260102030405_create_notes");
    let files = made.files();
    let text = |name: &str| {
        &files
            .iter()
            .find(|file| file.path == format!("{}/{name}", made.name))
            .unwrap()
            .text
    };
    let read = Migration::read(
        &made.name,
        text("migration.sql"),
        text("changes.json"),
        Some(text("snapshot.json")),
    )
    .unwrap();
    assert_eq!(read.snapshot, Some(Snapshot::of(&schema)));
    assert_eq!(read.checksum(), made.checksum());
    let windows = Migration::read(
        &made.name,
        &made.sql.replace('\n', "\r\n"),
        text("changes.json"),
        None,
    )
    .unwrap();
    assert_eq!(windows.checksum(), made.checksum());
    assert_eq!(
        latest(&[read, windows]).unwrap().snapshot,
        Some(Snapshot::of(&schema))
    );
}

#[test]
fn explains_why_a_migration_is_invalid() {
    let create = |timestamp, name| Migration::create(timestamp, name, &Plan::default(), None).unwrap_err();
    assert!(create("2026", "x").to_string().contains("yyyymmddhhmmss"));
    assert!(
        create("20260102030405", "../")
            .to_string()
            .contains("cannot be the name")
    );
    let read = |directory, changes| {
        Migration::read(directory, "", changes, None)
            .unwrap_err()
            .to_string()
    };
    assert!(read("../evil", "{}").contains("not the name"));
    assert!(read("20260102030405_x", "{}").contains("changes.json"));
    assert!(
        read(
            "20260102030405_x",
            r#"{"version":9,"destructive":false,"changes":[]}"#
        )
        .contains("version 9")
    );
    let understated =
        r#"{"version":1,"destructive":false,"changes":[{"change":"dropTable","table":"notes"}]}"#;
    assert!(read("20260102030405_x", understated).contains("destructive"));
}
