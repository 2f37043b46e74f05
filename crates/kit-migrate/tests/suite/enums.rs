//! Tests of columns with enum types: the types are created, extended, compared and dropped with the columns.

use kit_test_postgres as support;

use kit_database::{Migration, PlanError, PlannedChange, latest, plan};
use kit_migrate::{Drift, Options, apply, drift, first_unrecorded, record};

use crate::branches::models::schema;
use support::{Database, execute, on_each_release, query, with_client};

/// Returns an order whose state has the given type, and a table with the same enum type if `shared` is true.
fn orders(state: &str, shared: bool) -> String {
    let id = "  /** @id @integer */\n  id: number;\n";
    let order = format!("/** @table orders */\nexport interface Order {{\n{id}  {state};\n}}\n");
    if !shared {
        return order;
    }
    format!("{order}/** @table events */\nexport interface Event {{\n{id}  {state};\n}}\n")
}

const TEXT: &str = "state: \"draft\" | \"sent\"";
const ENUM: &str = "/** @storedAs enum order_state @default \"draft\" */\n  state: \"draft\" | \"sent\"";
const MORE: &str = "/** @storedAs enum order_state @default \"new\" */\n  state: \"new\" | \"draft\" | \"packed\" | \"sent\"";

/// Migrations of a project, with the database to which they are applied.
struct Project<'a> {
    database: &'a Database,
    migrations: Vec<Migration>,
}

impl<'a> Project<'a> {
    fn new(database: &'a Database) -> Self {
        Self {
            database,
            migrations: Vec::new(),
        }
    }

    /// Plans and applies the next migration, and returns its SQL. Asserts that nothing differs afterwards.
    fn change(&mut self, types: &str) -> Result<String, PlanError> {
        let previous = latest(&self.migrations).expect("they fit together").snapshot;
        let plan = plan(previous.as_ref(), &schema(types))?;
        let timestamp = format!("202601010000{:02}", self.migrations.len());
        let migration = Migration::create(&timestamp, "m", &plan, previous.as_ref()).expect("a migration");
        let files = migration.files();
        let text = |at: usize| files[at].text.as_str();
        let migration =
            Migration::read(&migration.name, text(0), text(1), Some(text(2))).expect("its own files");
        self.migrations.push(migration);
        self.apply(types);
        Ok(self.migrations.last().expect("one").sql.clone())
    }

    fn by_hand(&mut self, sql: &str, types: &str) {
        let previous = latest(&self.migrations).expect("they fit together").snapshot;
        let timestamp = format!("202601010000{:02}", self.migrations.len());
        let mut migration =
            Migration::by_hand(&timestamp, "hand", None, previous.as_ref()).expect("a migration");
        migration.sql.push_str(sql);
        self.migrations.push(migration);
        let at = first_unrecorded(&self.migrations).expect("the new one");
        record(&self.database.url, &mut self.migrations, at).expect("the SQL runs");
        self.apply(types);
    }

    fn apply(&self, types: &str) {
        let options = Options {
            allow_destructive: true,
            ..Options::default()
        };
        apply(&self.database.url, &self.migrations, &options).unwrap_or_else(|error| panic!("{error}"));
        let snapshot = latest(&self.migrations)
            .expect("they fit together")
            .snapshot
            .expect("a snapshot");
        assert_eq!(
            drift(&self.database.url, &snapshot).expect("a comparison"),
            Drift::default()
        );
        let again = plan(Some(&snapshot), &schema(types)).unwrap_or_else(|error| panic!("{error}"));
        let again: Vec<String> = again.changes.iter().map(|step| step.change.summary()).collect();
        assert_eq!(again, [""; 0]);
    }

    /// Returns the values of the enum type, in its order.
    fn labels(&self) -> Vec<String> {
        query(
            &self.database.url,
            "SELECT enumlabel FROM pg_enum JOIN pg_type t ON t.oid = enumtypid WHERE typname = 'order_state' ORDER BY enumsortorder",
        )
    }
}

#[test]
fn creates_an_enum_type_once_and_drops_it_with_its_last_column() {
    on_each_release(
        "creates_an_enum_type_once_and_drops_it_with_its_last_column",
        |database| {
            let mut project = Project::new(database);
            let sql = project.change(&orders(ENUM, true)).expect("a plan");
            assert_eq!(sql.matches("CREATE TYPE").count(), 1, "{sql}");
            assert_eq!(project.labels(), ["draft", "sent"]);
            execute(
                &database.url,
                "INSERT INTO orders (id) VALUES (1); INSERT INTO events (id, state) VALUES (1, 'sent')",
            );
            assert_eq!(query(&database.url, "SELECT state FROM orders"), ["draft"]);
            project.change(&orders(ENUM, false)).expect("a plan");
            assert_eq!(project.labels().len(), 2);
            let sql = project.change("").expect("a plan");
            assert!(sql.contains("DROP TYPE order_state"), "{sql}");
            assert_eq!(project.labels(), [""; 0]);
        },
    );
}

#[test]
fn adds_values_at_their_places_and_uses_them_in_the_same_migration() {
    on_each_release(
        "adds_values_at_their_places_and_uses_them_in_the_same_migration",
        |database| {
            let mut project = Project::new(database);
            project.change(&orders(ENUM, true)).expect("a plan");
            let sql = project.change(&orders(MORE, true)).expect("a plan");
            assert_eq!(
                sql.matches("-- kit: outside transaction\nALTER TYPE order_state ADD VALUE")
                    .count(),
                2,
                "{sql}"
            );
            assert_eq!(project.labels(), ["new", "draft", "packed", "sent"]);
            execute(&database.url, "INSERT INTO orders (id) VALUES (1)");
            assert_eq!(query(&database.url, "SELECT state FROM orders"), ["new"]);
            // The order of the types is another one: the order in the database stays.
            let other = MORE.replace("\"new\" | \"draft\"", "\"draft\" | \"new\"");
            project.apply(&orders(&other, true));
        },
    );
}

#[test]
fn refuses_to_remove_a_value_and_accepts_one_that_was_renamed_by_hand() {
    on_each_release(
        "refuses_to_remove_a_value_and_accepts_one_that_was_renamed_by_hand",
        |database| {
            let mut project = Project::new(database);
            project.change(&orders(ENUM, false)).expect("a plan");
            let renamed = ENUM.replace("\"sent\"", "\"shipped\"");
            let error = project.change(&orders(&renamed, false)).expect_err("an error");
            assert_eq!(error.problems.len(), 1, "{error}");
            let text = error.to_string();
            assert!(
                text.starts_with("type order_state: the value 'sent' is missing in the types"),
                "{text}"
            );
            assert!(text.contains("RENAME VALUE 'sent' TO"), "{text}");
            project.by_hand(
                "ALTER TYPE order_state RENAME VALUE 'sent' TO 'shipped';",
                &orders(&renamed, false),
            );
            let more = renamed.replace("\"shipped\"", "\"shipped\" | \"lost\"");
            project.change(&orders(&more, false)).expect("a plan");
            assert_eq!(project.labels(), ["draft", "shipped", "lost"]);
        },
    );
}

#[test]
fn converts_between_texts_and_an_enum_type_after_a_check_of_all_rows() {
    on_each_release(
        "converts_between_texts_and_an_enum_type_after_a_check_of_all_rows",
        |database| {
            let url = &database.url;
            let mut project = Project::new(database);
            project.change(&orders("state: string", false)).expect("a plan");
            execute(url, "INSERT INTO orders VALUES (1, 'draft'), (2, 'lost')");
            let previous = latest(&project.migrations).expect("one").snapshot;
            let types = orders(ENUM, false);
            let first = plan(previous.as_ref(), &schema(&types)).expect("a plan");
            let migration =
                Migration::create("20260101000001", "m", &first, previous.as_ref()).expect("a migration");
            let all = [project.migrations[0].clone(), migration];
            let error = apply(url, &all, &Options::default())
                .expect_err("an error")
                .to_string();
            assert!(error.contains("orders.state"), "{error}");
            assert_eq!(project.labels(), [""; 0], "nothing was changed");
            execute(url, "UPDATE orders SET state = 'sent' WHERE id = 2");
            project.change(&types).expect("a plan");
            assert_eq!(
                query(url, "SELECT state FROM orders ORDER BY id"),
                ["draft", "sent"]
            );
            let sql = project.change(&orders(TEXT, false)).expect("a plan");
            assert!(sql.contains("DROP TYPE order_state"), "{sql}");
            assert_eq!(
                query(url, "SELECT state FROM orders ORDER BY id"),
                ["draft", "sent"]
            );
            project.change(&orders(ENUM, false)).expect("a plan");
        },
    );
}

#[test]
fn keeps_an_enum_type_that_hand_written_sql_uses() {
    on_each_release("keeps_an_enum_type_that_hand_written_sql_uses", |database| {
        let mut project = Project::new(database);
        project.change(&orders(ENUM, false)).expect("a plan");
        let function = "CREATE FUNCTION is_sent(state order_state) RETURNS boolean LANGUAGE sql AS $$ SELECT state = 'sent' $$;";
        project.by_hand(function, &orders(ENUM, false));
        let sql = project.change("").expect("a plan");
        assert!(!sql.contains("DROP TYPE"), "{sql}");
        assert_eq!(project.labels(), ["draft", "sent"]);
        // The types take the type over again.
        project.change(&orders(ENUM, false)).expect("a plan");
    });
}

#[test]
fn reports_an_enum_type_that_was_changed_by_hand() {
    on_each_release("reports_an_enum_type_that_was_changed_by_hand", |database| {
        let mut project = Project::new(database);
        project.change(&orders(ENUM, false)).expect("a plan");
        execute(&database.url, "ALTER TYPE order_state ADD VALUE 'lost'");
        let snapshot = latest(&project.migrations)
            .expect("one")
            .snapshot
            .expect("a snapshot");
        let found = drift(&database.url, &snapshot).expect("a comparison");
        let objects: Vec<&str> = found.differences.iter().map(|one| one.object.as_str()).collect();
        assert_eq!(objects, ["type order_state"]);
        let repair = &found.differences[0].repair;
        assert!(
            repair.contains("ALTER TYPE order_state ADD VALUE") && !repair.contains("DROP"),
            "{repair}"
        );
    });
}

#[test]
fn another_name_of_an_enum_type_changes_no_row() {
    on_each_release("another_name_of_an_enum_type_changes_no_row", |database| {
        let url = &database.url;
        let mut project = Project::new(database);
        project.change(&orders(ENUM, true)).expect("a plan");
        execute(
            url,
            "INSERT INTO orders (id) VALUES (1); INSERT INTO events VALUES (1, 'sent')",
        );
        let place = "SELECT xmin || ' ' || ctid FROM orders UNION ALL SELECT xmin || ' ' || ctid FROM events";
        let before = query(url, place);
        project.by_hand(
            "CREATE VIEW drafts AS SELECT id FROM orders WHERE state = 'draft'::order_state;",
            &orders(ENUM, true),
        );
        // With one more value.
        let renamed = MORE
            .replace("order_state", "stage")
            .replace("\"new\" | ", "")
            .replace("\"new\"", "\"draft\"");
        let previous = latest(&project.migrations).expect("they fit together").snapshot;
        let planned = plan(previous.as_ref(), &schema(&orders(&renamed, true))).expect("a plan");
        let summaries: Vec<String> = planned.changes.iter().map(PlannedChange::summary).collect();
        assert_eq!(
            summaries,
            [
                "rename enum type order_state to stage (breaks the running application)",
                "add value 'packed' to enum type stage"
            ]
        );
        assert!(planned.changes[0].alternative.is_none());
        assert!(planned.changes_foreign(), "the view names the type");
        let migration =
            Migration::create("20260101000009", "m", &planned, previous.as_ref()).expect("a migration");
        project.migrations.push(migration);
        let last = project.migrations.len() - 1;
        record(url, &mut project.migrations, last).expect("the SQL runs");
        project.apply(&orders(&renamed, true));
        assert_eq!(query(url, place), before);
        assert_eq!(
            query(
                url,
                "SELECT enumlabel FROM pg_enum JOIN pg_type t ON t.oid = enumtypid WHERE typname = 'stage' ORDER BY enumsortorder"
            ),
            ["draft", "packed", "sent"]
        );
    });
}

#[test]
fn an_enum_type_is_no_new_name_if_a_column_keeps_the_former_type_or_a_value_is_missing() {
    let types = |order: &str, event: &str| {
        orders("STATE", true)
            .replacen("STATE", order, 1)
            .replacen("STATE", event, 1)
    };
    let (one, two) = (ENUM.to_owned(), ENUM.replace("order_state", "stage"));
    let text = TEXT.to_owned();
    let fewer = two.replace(" | \"sent\"", "");
    for (before, after) in [
        (types(&one, &one), types(&two, &one)),
        (types(&one, &one), types(&two, &text)),
        (types(&one, &two), types(&two, &two)),
        (types(&one, &text), types(&fewer, &text)),
    ] {
        let first = plan(None, &schema(&before)).expect("a plan");
        let migration = Migration::create("20260101000000", "m", &first, None).expect("a migration");
        let planned = plan(migration.snapshot.as_ref(), &schema(&after)).expect("a plan");
        assert!(!planned.sql().contains("RENAME TO stage"), "{}", planned.sql());
    }
}

#[test]
fn converts_a_text_with_an_index_and_a_check_that_have_conditions() {
    on_each_release(
        "converts_a_text_with_an_index_and_a_check_that_have_conditions",
        |database| {
            let url = &database.url;
            let mut project = Project::new(database);
            let types = |state: &str| {
                format!(
                    "/**\n * @table orders\n * @index drafts (id) where state = 'draft'\n * @index by_state (state) where id > 0\n \
                     * @check sent_once (state <> 'sent' or id > 0)\n */\n\
                     export interface Order {{\n  /** @id @integer */\n  id: number;\n  {state};\n}}\n"
                )
            };
            project.change(&types(TEXT)).expect("a plan");
            execute(
                url,
                "INSERT INTO orders SELECT n, 'draft' FROM generate_series(1, 100) AS n",
            );
            for state in [ENUM, TEXT] {
                let sql = project.change(&types(state)).expect("a plan");
                assert!(
                    !sql.contains("ALTER COLUMN state TYPE"),
                    "the rows are not rewritten at once: {sql}"
                );
                let refused = with_client(url, async |client| {
                    client
                        .batch_execute("INSERT INTO orders VALUES (-1, 'sent')")
                        .await
                });
                assert_eq!(
                    refused
                        .err()
                        .and_then(|error| error.code().map(|code| code.code().to_owned())),
                    Some("23514".to_owned())
                );
                assert_eq!(
                    query(
                        url,
                        "SELECT count(*) FROM pg_index WHERE indrelid = 'orders'::regclass AND indisvalid"
                    ),
                    ["3"]
                );
            }
            // A unique index must not be dropped, because rows could become equal meanwhile.
            let unique =
                |state: &str| types(state).replace(" * @index drafts (id)", " * @unique drafts (id)");
            project.change(&unique(TEXT)).expect("a plan");
            let error = project.change(&unique(ENUM)).expect_err("an error").to_string();
            assert!(
                error.contains("the condition of the unique index drafts uses the column"),
                "{error}"
            );
            assert!(error.contains("first remove the tag of the index"), "{error}");
            // The steps of the help.
            let without =
                |state: &str| types(state).replace(" * @index drafts (id) where state = 'draft'\n", "");
            project.change(&without(TEXT)).expect("a plan");
            project.change(&unique(ENUM)).expect("a plan");
        },
    );
}
