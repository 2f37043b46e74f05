//! Tests of migrations with hand-written SQL: their result is recorded, later plans respect it, and changes by hand are
//! found.

use kit_test_postgres as support;

use kit_database::{Migration, ObjectKind, Plan, PlanError, Snapshot, latest, plan};
use kit_migrate::{Drift, Options, apply, drift, first_unrecorded, record};

use crate::branches::models::schema;
use support::{Database, database, execute};

const NOTES: &str = "/** @table notes */\nexport interface Note {\n  /** @id @integer */\n  id: number;\n  title: string;\n  body: string;\n}\n";

/// Migrations of a project, with the database to which they are applied.
pub(crate) struct Project {
    pub(crate) database: Database,
    pub(crate) migrations: Vec<Migration>,
}

impl Project {
    pub(crate) fn new(test: &str, types: &str) -> Option<Self> {
        let database = database(test)?;
        let mut project = Self {
            database,
            migrations: Vec::new(),
        };
        project.generate(types).expect("a plan");
        Some(project)
    }

    fn timestamp(&self) -> String {
        format!("202601010000{:02}", self.migrations.len())
    }

    /// Writes a migration with SQL, and records its result.
    pub(crate) fn by_hand(&mut self, sql: &str) {
        let previous = latest(&self.migrations).expect("they fit together").snapshot;
        let mut migration =
            Migration::by_hand(&self.timestamp(), "by hand", None, previous.as_ref()).expect("a migration");
        assert_eq!(first_unrecorded(std::slice::from_ref(&migration)), None);
        migration.sql.push_str(sql);
        self.migrations.push(migration);
        let first = first_unrecorded(&self.migrations).expect("the new migration");
        record(&self.database.url, &mut self.migrations, first).expect("the SQL runs");
        assert_eq!(first_unrecorded(&self.migrations), None);
        self.apply();
    }

    /// Plans the next migration, records it if necessary, and applies it.
    pub(crate) fn generate(&mut self, types: &str) -> Result<Plan, PlanError> {
        let previous = latest(&self.migrations).expect("they fit together").snapshot;
        let plan = plan(previous.as_ref(), &schema(types))?;
        let migration =
            Migration::create(&self.timestamp(), "m", &plan, previous.as_ref()).expect("a migration");
        self.migrations.push(migration);
        if plan.changes_foreign() {
            let last = self.migrations.len() - 1;
            record(&self.database.url, &mut self.migrations, last).expect("the SQL runs");
        }
        self.apply();
        Ok(plan)
    }

    fn apply(&self) {
        let options = Options {
            allow_destructive: true,
            ..Options::default()
        };
        apply(&self.database.url, &self.migrations, &options).expect("it applies");
    }

    pub(crate) fn drift(&self) -> Drift {
        let snapshot = latest(&self.migrations).expect("they fit together").snapshot;
        drift(&self.database.url, &snapshot.expect("a snapshot")).expect("a comparison")
    }

    pub(crate) fn differences(&self) -> Vec<String> {
        self.drift()
            .differences
            .into_iter()
            .map(|difference| difference.object)
            .collect()
    }

    pub(crate) fn foreign(&self) -> Vec<String> {
        let snapshot = latest(&self.migrations).expect("they fit together").snapshot;
        snapshot
            .expect("a snapshot")
            .foreign()
            .iter()
            .map(kit_database::ForeignObject::title)
            .collect()
    }
}

const EVERYTHING: &str = "
CREATE EXTENSION citext;
CREATE TYPE mood AS ENUM ('sad', 'happy');
CREATE DOMAIN short AS text CHECK (length(VALUE) < 10);
CREATE SEQUENCE numbers INCREMENT BY 5;
CREATE FUNCTION touch() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.title := trim(NEW.title); RETURN NEW; END $$;
CREATE AGGREGATE longest(text) (SFUNC = text_larger, STYPE = text);
ALTER TABLE notes ADD COLUMN search tsvector GENERATED ALWAYS AS (to_tsvector('simple', body)) STORED;
ALTER TABLE notes ADD COLUMN mood mood DEFAULT 'sad' NOT NULL;
CREATE INDEX notes_search ON notes USING gin (search);
CREATE INDEX notes_recent ON notes (title) WHERE body <> '';
CREATE UNIQUE INDEX notes_lower ON notes (lower(title) DESC) INCLUDE (body);
ALTER TABLE notes ADD CONSTRAINT notes_no_overlap EXCLUDE USING btree (title WITH =);
CREATE TRIGGER notes_touch BEFORE INSERT ON notes FOR EACH ROW EXECUTE FUNCTION touch();
CREATE TRIGGER notes_off BEFORE UPDATE ON notes FOR EACH ROW EXECUTE FUNCTION touch();
ALTER TABLE notes DISABLE TRIGGER notes_off;
ALTER TABLE notes ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON notes FOR SELECT USING (title = current_user);
CREATE VIEW short_notes AS SELECT id, title FROM notes WHERE length(body) < 100;
CREATE MATERIALIZED VIEW counted AS SELECT count(*) AS n FROM notes;
CREATE RULE quiet AS ON DELETE TO short_notes DO INSTEAD NOTHING;
CREATE STATISTICS notes_both ON title, body FROM notes;
CREATE UNLOGGED TABLE cache (key text PRIMARY KEY, value jsonb);
COMMENT ON COLUMN notes.title IS 'by hand';
COMMENT ON INDEX notes_search IS 'full text';
COMMENT ON VIEW short_notes IS 'brief';
";

#[test]
fn accepts_every_kind_of_object_that_hand_written_sql_creates() {
    let Some(mut project) = Project::new(
        "accepts_every_kind_of_object_that_hand_written_sql_creates",
        NOTES,
    ) else {
        return;
    };
    project.by_hand(EVERYTHING);
    assert_eq!(project.drift(), Drift::default());
    let previous = latest(&project.migrations).unwrap().snapshot;
    assert!(plan(previous.as_ref(), &schema(NOTES)).unwrap().is_empty());
    assert_eq!(
        project.foreign(),
        [
            "extension citext",
            "type mood",
            "type short",
            "sequence numbers",
            "function longest(text)",
            "function touch()",
            "table cache",
            "table notes",
            "comment of view short_notes",
            "comment of column notes.title",
            "comment of index notes_search of notes",
            "column cache.key",
            "column cache.value",
            "column notes.mood",
            "column notes.search",
            "constraint cache_pkey of cache",
            "constraint notes_no_overlap of notes",
            "index notes_lower of notes",
            "index notes_recent of notes",
            "index notes_search of notes",
            "view counted",
            "view short_notes",
            "rule quiet of short_notes",
            "trigger notes_off of notes",
            "trigger notes_touch of notes",
            "policy own of notes",
            "statistics notes_both of notes",
        ]
    );
}

/// PostgreSQL 15 prints `SELECT notes.id` in a view of one table, and later releases print `SELECT id`.
#[test]
fn accepts_views_whose_text_another_release_of_postgresql_recorded() {
    let Some(mut project) = Project::new(
        "accepts_views_whose_text_another_release_of_postgresql_recorded",
        NOTES,
    ) else {
        return;
    };
    project.by_hand(
        "CREATE VIEW ids AS SELECT id FROM notes WHERE length(body) < 5;
         CREATE MATERIALIZED VIEW bodies AS SELECT body FROM notes;
         CREATE VIEW pairs AS SELECT id FROM ids;",
    );
    let snapshot = latest(&project.migrations).unwrap().snapshot.unwrap();
    for (name, texts) in [
        (
            "ids",
            [
                "CREATE VIEW ids AS\n SELECT id\n   FROM notes\n  WHERE length(body) < 5",
                "CREATE VIEW ids AS\n SELECT notes.id\n   FROM notes\n  WHERE length(notes.body) < 5",
            ],
        ),
        (
            "bodies",
            [
                "CREATE MATERIALIZED VIEW bodies AS\n SELECT body\n   FROM notes",
                "CREATE MATERIALIZED VIEW bodies AS\n SELECT notes.body\n   FROM notes",
            ],
        ),
        (
            "pairs",
            [
                "CREATE VIEW pairs AS\n SELECT id\n   FROM ids",
                "CREATE VIEW pairs AS\n SELECT ids.id\n   FROM ids",
            ],
        ),
    ] {
        let recorded = |text: &str| {
            let mut foreign = snapshot.foreign().to_vec();
            let view = foreign.iter_mut().find(|object| object.name == name).unwrap();
            view.definition = Some(text.to_owned());
            Snapshot::recorded(None, snapshot.tables().to_vec(), foreign, None)
        };
        for text in texts {
            let found = drift(&project.database.url, &recorded(text)).unwrap();
            assert_eq!(found, Drift::default(), "{text}");
        }
        let kind = texts[0].split(" AS").next().unwrap();
        for other in [
            texts[1]
                .replace("notes.id", "notes.title AS id")
                .replace("notes.body", "notes.title AS body")
                .replace("ids.id", "ids.id + 1 AS id"),
            format!("{kind} AS\n SELECT gone\n   FROM notes"),
            format!("{kind} AS\n SELECT 1; DROP TABLE notes"),
        ] {
            let found = drift(&project.database.url, &recorded(&other)).unwrap();
            assert_eq!(found.differences.len(), 1, "{other}");
            assert_eq!(found.differences[0].object, format!("view {name}"));
        }
    }
    assert_eq!(project.drift(), Drift::default());
}

#[test]
fn finds_every_change_by_hand_of_an_object_that_sql_created() {
    let Some(mut project) = Project::new("finds_every_change_by_hand_of_an_object_that_sql_created", NOTES)
    else {
        return;
    };
    project.by_hand(EVERYTHING);
    for (change, expected) in [
        ("DROP INDEX notes_search", "index notes_search of notes"),
        (
            "DROP INDEX notes_recent; CREATE INDEX notes_recent ON notes (title) WHERE body <> 'x'",
            "index notes_recent of notes",
        ),
        (
            "DROP TRIGGER notes_touch ON notes",
            "trigger notes_touch of notes",
        ),
        (
            "ALTER TABLE notes ENABLE TRIGGER notes_off",
            "trigger notes_off of notes",
        ),
        ("ALTER TABLE notes DISABLE ROW LEVEL SECURITY", "table notes"),
        ("ALTER POLICY own ON notes USING (true)", "policy own of notes"),
        (
            "CREATE OR REPLACE FUNCTION touch() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$",
            "function touch()",
        ),
        (
            "CREATE OR REPLACE VIEW short_notes AS SELECT id, title FROM notes",
            "view short_notes",
        ),
        ("ALTER TYPE mood ADD VALUE 'angry'", "type mood"),
        ("ALTER SEQUENCE numbers INCREMENT BY 6", "sequence numbers"),
        ("ALTER TABLE cache SET LOGGED", "table cache"),
        ("ALTER TABLE cache ADD COLUMN more text", "column cache.more"),
        ("DROP STATISTICS notes_both", "statistics notes_both of notes"),
        (
            "COMMENT ON COLUMN notes.title IS NULL",
            "comment of column notes.title",
        ),
        ("DROP EXTENSION citext", "extension citext"),
        (
            "CREATE POLICY other ON notes USING (true)",
            "policy other of notes",
        ),
        (
            "ALTER TABLE notes ALTER COLUMN mood DROP NOT NULL",
            "column notes.mood",
        ),
    ] {
        execute(&project.database.url, change);
        let found = project.differences();
        assert!(found.iter().any(|title| title == expected), "{change}: {found:?}");
    }
}

#[test]
fn refuses_a_plan_that_would_break_an_object_of_hand_written_sql() {
    let Some(mut project) = Project::new(
        "refuses_a_plan_that_would_break_an_object_of_hand_written_sql",
        NOTES,
    ) else {
        return;
    };
    project.by_hand(
        "CREATE VIEW titles AS SELECT title FROM notes; CREATE INDEX bodies ON notes USING hash (body);",
    );
    let without_title = NOTES.replace("  title: string;\n", "");
    let error = project.generate(&without_title).unwrap_err().to_string();
    assert!(
        error.contains("notes.title") && error.contains("view titles"),
        "{error}"
    );
    let error = project.generate("").unwrap_err().to_string();
    assert!(
        error.contains("notes") && error.contains("view titles"),
        "{error}"
    );
    let retyped = NOTES.replace("  title: string;\n", "  title: boolean;\n");
    let error = project.generate(&retyped).unwrap_err().to_string();
    assert!(error.contains("view titles"), "{error}");
    // The view uses the column under its former name.
    let renamed = NOTES.replace(
        "  title: string;\n",
        "  /** @renamedFrom title */\n  heading: boolean;\n",
    );
    let error = project.generate(&renamed).unwrap_err().to_string();
    assert!(error.contains("view titles"), "{error}");
    // PostgreSQL drops the index together with its column, so the plan names the index.
    let without_body = NOTES.replace("  body: string;\n", "");
    let plan = project.generate(&without_body).unwrap();
    let drop = plan.changes.iter().find(|step| step.is_destructive()).unwrap();
    assert!(drop.reason.contains("index bodies of notes"), "{}", drop.reason);
    assert_eq!(project.differences(), [""; 0]);
}

#[test]
fn records_the_new_definitions_of_objects_after_a_rename() {
    let Some(mut project) = Project::new("records_the_new_definitions_of_objects_after_a_rename", NOTES)
    else {
        return;
    };
    project.by_hand(
        "CREATE VIEW titles AS SELECT title FROM notes; CREATE INDEX partial ON notes (title) WHERE body <> '';",
    );
    let renamed = NOTES
        .replace("@table notes", "@table pages @renamedFrom notes")
        .replace("  body: string;", "  /** @renamedFrom body */\n  text: string;");
    let plan = project.generate(&renamed).unwrap();
    assert!(plan.changes_foreign());
    assert_eq!(project.differences(), [""; 0]);
    assert_eq!(project.foreign(), ["index partial of pages", "view titles"]);
}

#[test]
fn takes_over_hand_written_changes_that_the_types_describe() {
    let Some(mut project) = Project::new("takes_over_hand_written_changes_that_the_types_describe", NOTES)
    else {
        return;
    };
    project.by_hand(
        "ALTER TABLE notes ADD COLUMN author text; ALTER TABLE notes ALTER COLUMN body DROP NOT NULL;\
         ALTER TABLE notes ADD CONSTRAINT one_title UNIQUE (title);\
         CREATE INDEX by_author ON notes (author);\
         CREATE TABLE tags (id bigint NOT NULL, CONSTRAINT tags_key PRIMARY KEY (id), name text NOT NULL, note bigint, \
         CONSTRAINT to_note FOREIGN KEY (note) REFERENCES notes (id));",
    );
    let types = NOTES
        .replace("  title: string;", "  /** @unique */\n  title: string;")
        .replace(
            "  body: string;",
            "  body: string | null;\n  /** @index */\n  author: string | null;",
        )
        + "/** @table tags */\nexport interface Tag {\n  /** @id @integer */\n  id: number;\n  name: string;\n  /** @references Note.id */\n  note: number | null;\n}\n";
    let plan = project.generate(&types).unwrap();
    let steps: Vec<String> = plan.changes.iter().map(|step| step.change.summary()).collect();
    assert_eq!(
        steps,
        [
            "rename constraint one_title of notes to notes_title_unique",
            "rename index by_author of notes to notes_author_idx",
            "rename constraint to_note of tags to tags_note_notes_id_fk",
        ]
    );
    assert_eq!(project.drift(), Drift::default());
    assert_eq!(project.foreign(), [""; 0]);
}

#[test]
fn refuses_a_property_that_does_not_fit_its_hand_written_column() {
    let Some(mut project) = Project::new(
        "refuses_a_property_that_does_not_fit_its_hand_written_column",
        NOTES,
    ) else {
        return;
    };
    project.by_hand("ALTER TABLE notes ADD COLUMN place point;");
    let types = NOTES.replace("  title: string;", "  title: string;\n  place: string | null;");
    let error = project.generate(&types).unwrap_err().to_string();
    assert!(
        error.contains("notes.place") && error.contains("`point`") && error.contains("`text`"),
        "{error}"
    );
}

#[test]
fn plans_changes_that_hand_written_sql_reverted() {
    let Some(mut project) = Project::new("plans_changes_that_hand_written_sql_reverted", NOTES) else {
        return;
    };
    project
        .by_hand("ALTER TABLE notes DROP COLUMN body; ALTER TABLE notes ALTER COLUMN title TYPE varchar(9);");
    let plan = project.generate(NOTES).unwrap();
    let steps: Vec<String> = plan.changes.iter().map(|step| step.change.summary()).collect();
    assert_eq!(
        steps,
        [
            "change the type of notes.title from varchar(9) to text",
            "add column notes.body"
        ]
    );
    assert_eq!(project.drift(), Drift::default());
    assert!(
        !project
            .foreign()
            .iter()
            .any(|title| title.starts_with(&ObjectKind::Column.to_string()))
    );
}

#[test]
fn keeps_the_snapshots_of_later_migrations_consistent_if_earlier_sql_is_edited() {
    let Some(mut project) = Project::new(
        "keeps_the_snapshots_of_later_migrations_consistent_if_earlier_sql_is_edited",
        NOTES,
    ) else {
        return;
    };
    let previous = latest(&project.migrations).unwrap().snapshot;
    let mut early = Migration::by_hand("20260101000010", "early", None, previous.as_ref()).unwrap();
    early
        .sql
        .push_str("CREATE VIEW titles AS SELECT title FROM notes;");
    let types = NOTES.replace("  title: string;", "  title: string;\n  more: string | null;");
    let later = plan(early.snapshot.as_ref(), &schema(&types)).unwrap();
    let later = Migration::create("20260101000020", "later", &later, early.snapshot.as_ref()).unwrap();
    project.migrations.extend([early, later]);
    assert_eq!(first_unrecorded(&project.migrations), Some(1));
    record(&project.database.url, &mut project.migrations, 1).unwrap();
    project.apply();
    assert_eq!(latest(&project.migrations).unwrap().side_by_side, [""; 0]);
    assert_eq!(project.foreign(), ["view titles"]);
    assert_eq!(project.drift(), Drift::default());
}
