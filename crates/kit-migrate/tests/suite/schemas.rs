//! Tests of tables in several schemas of the database: `@table billing.invoices`.

use kit_test_postgres as support;

use kit_database::{Index, Risk, Table};
use kit_migrate::{Half, MigrateError, Options, State, apply, drift};

use crate::hand_written::Project;
use crate::two_builds::{SPLIT, clean, first, in_two_halves, next_people, people, run};
use support::{execute, on_each_release, query};

/// Tables with equal names, constraints and indexes in two schemas, which refer to each other.
const SHOP: &str = r#"
/** @table users */
export interface User {
  /** @id @generated */
  id: bigint;
  /** @maxLength 80 @unique */
  name: string;
}
/**
 * Bills of the accounting.
 *
 * @table billing.invoices
 * @index invoices_open (dueOn desc) where state = 'open'
 * @check invoices_paid (paid <= total)
 */
export interface Invoice {
  /** @id @generated */
  id: bigint;
  /** @references User.id on delete cascade @index */
  userId: bigint;
  /** Day of the payment. @storedAs date */
  dueOn: string;
  state: "open" | "paid";
  /** @integer @minimum 0 @maximum 100000 */
  total: number;
  /** @integer @minimum 0 @default 0 */
  paid: number;
  /** @unique */
  number: string;
}
/** @table invoices @index invoices_open (number) */
export interface Draft {
  /** @id @generated */
  id: bigint;
  /** @unique */
  number: string;
  /** @references Invoice.id @index */
  invoiceId?: bigint;
}
/** @table billing.order @tenant tenantId */
export interface Order {
  /** @id @generated uuid */
  id: string;
  tenantId: string;
  /** @references Invoice.id @index */
  invoiceId: bigint;
}
"#;

fn shop(test: &str) -> Option<Project> {
    Project::new(test, SHOP)
}

fn assert_clean(project: &Project) {
    let found = project.drift();
    assert_eq!(found.differences, []);
    assert_eq!(found.unknown, [""; 0]);
}

fn summaries(plan: &kit_database::Plan) -> Vec<String> {
    plan.changes.iter().map(|step| step.change.summary()).collect()
}

#[test]
fn tables_of_two_schemas_are_as_the_migrations_describe_them() {
    let Some(mut project) = shop("tables_of_two_schemas_are_as_the_migrations_describe_them") else {
        return;
    };
    let url = project.database.url.clone();
    assert_eq!(
        query(
            &url,
            "SELECT n.nspname || '.' || relname FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace \
             WHERE relkind = 'r' AND nspname IN ('public', 'billing') ORDER BY 1"
        ),
        [
            "billing.invoices",
            "billing.order",
            "public.invoices",
            "public.kit_migrations",
            "public.users"
        ]
    );
    assert_clean(&project);
    assert_eq!(summaries(&project.generate(SHOP).expect("a plan")), [""; 0]);
    execute(
        &url,
        "INSERT INTO users (name) VALUES ('Ada'); \
         INSERT INTO billing.invoices (user_id, due_on, state, total, number) VALUES (1, '2026-01-01', 'open', 5, 'a'); \
         INSERT INTO invoices (number, invoice_id) VALUES ('a', 1)",
    );
    execute(
        &url,
        "ALTER TABLE billing.invoices DROP COLUMN total, ADD COLUMN extra text; DROP INDEX billing.invoices_open; \
         CREATE INDEX extra ON billing.\"order\" (tenant_id); COMMENT ON COLUMN billing.invoices.due_on IS NULL; \
         ALTER TABLE billing.\"order\" DROP CONSTRAINT order_invoice_id_invoices_id_fk; CREATE TABLE billing.mine (id integer)",
    );
    let found = project.drift();
    let mut repairs: Vec<String> = found
        .differences
        .iter()
        .map(|difference| format!("{}: {}", difference.object, difference.repair))
        .collect();
    repairs.sort();
    assert_eq!(
        repairs,
        [
            "column billing.invoices.extra: declare the column in the entity, or write a migration by hand that drops the column and its values",
            "column billing.invoices.total: ALTER TABLE billing.invoices ADD COLUMN total integer NOT NULL",
            "comment of column billing.invoices.due_on: COMMENT ON COLUMN billing.invoices.due_on IS 'Day of the payment.'",
            "constraint invoices_paid of billing.invoices: ALTER TABLE billing.invoices ADD CONSTRAINT invoices_paid CHECK (paid <= total)",
            "constraint invoices_total_range_check of billing.invoices: ALTER TABLE billing.invoices ADD CONSTRAINT invoices_total_range_check CHECK (total >= 0 AND total <= 100000)",
            "constraint order_invoice_id_invoices_id_fk of billing.order: ALTER TABLE billing.\"order\" ADD CONSTRAINT order_invoice_id_invoices_id_fk FOREIGN KEY (invoice_id) REFERENCES billing.invoices(id)",
            "index extra of billing.order: DROP INDEX CONCURRENTLY billing.extra",
            "index invoices_open of billing.invoices: CREATE INDEX invoices_open ON billing.invoices USING btree (due_on DESC) WHERE state = 'open'::text",
        ]
    );
    assert_eq!(found.unknown, ["billing.mine"]);
    // Each repair of the list that is a statement runs.
    execute(
        &url,
        "ALTER TABLE billing.invoices DROP COLUMN extra; ALTER TABLE billing.invoices ADD COLUMN total integer; \
         UPDATE billing.invoices SET total = 5; ALTER TABLE billing.invoices ALTER total SET NOT NULL; DROP TABLE billing.mine",
    );
    for difference in &found.differences {
        if !difference.object.starts_with("column ") {
            execute(&url, &difference.repair);
        }
    }
    assert_clean(&project);
}

#[test]
fn changes_a_table_of_another_schema_while_applications_use_it() {
    let Some(mut project) = shop("changes_a_table_of_another_schema_while_applications_use_it") else {
        return;
    };
    let url = project.database.url.clone();
    execute(
        &url,
        "INSERT INTO users (name) VALUES ('Ada'); INSERT INTO billing.invoices (user_id, due_on, state, total, number) \
         SELECT 1, '2026-01-01', 'open', n, n::text FROM generate_series(1, 300) n",
    );
    let next = SHOP
        .replace(
            "@integer @minimum 0 @maximum 100000 */\n  total: number;",
            "@integer @minimum 0 @maximum 9000000000 @unique */\n  total: number;",
        )
        .replace(
            "  state: \"open\" | \"paid\";",
            "  /** @renamedFrom state */\n  status: \"open\" | \"paid\" | \"lost\";\n  /** @generated uuid */\n  token: string;\n  /** @index */\n  note?: string;",
        )
        .replace("@index invoices_open (dueOn desc) where state = 'open'", "@index invoices_due (dueOn desc)")
        .replace("@index invoices_open (number)", "@index invoices_by_number (number)")
        .replace("on delete cascade @index", "on delete cascade");
    let plan = project.generate(&next).expect("a plan");
    let steps = summaries(&plan);
    for wanted in [
        "rename column billing.invoices.state to status",
        "change the type of billing.invoices.total from integer to bigint",
        "drop index invoices_user_id_idx of billing.invoices",
        "rename index invoices_open of invoices to invoices_by_number",
    ] {
        assert!(steps.iter().any(|step| step == wanted), "{steps:#?}");
    }
    assert_clean(&project);
    assert_eq!(
        query(
            &url,
            "SELECT count(DISTINCT token), sum(total) FROM billing.invoices"
        )[0],
        "300"
    );
    let back = SHOP.replace("  state: ", "  /** @renamedFrom status */\n  state: ");
    project.generate(&back).expect("a plan");
    assert_clean(&project);
}

#[test]
fn a_table_moves_to_another_schema_and_back_with_its_rows() {
    let notes = |table: &str| {
        format!(
            "/** @table {table} */\nexport interface Note {{\n  /** @id @generated */\n  id: bigint;\n  /** @unique @index */\n  title: string;\n}}\n\
             /** @table tags */\nexport interface Tag {{\n  /** @id @generated */\n  id: bigint;\n  /** @references Note.id @index */\n  noteId: bigint;\n}}\n"
        )
    };
    let test = "a_table_moves_to_another_schema_and_back_with_its_rows";
    let Some(mut project) = Project::new(test, &notes("notes")) else {
        return;
    };
    let url = project.database.url.clone();
    execute(
        &url,
        "INSERT INTO notes (title) VALUES ('a'), ('b'); INSERT INTO tags (note_id) VALUES (1)",
    );
    project.by_hand("CREATE VIEW titles AS SELECT title FROM notes;");
    for (from, to, statements) in [
        (
            "notes",
            "archive.notes",
            &["ALTER TABLE notes SET SCHEMA archive"][..],
        ),
        (
            "archive.notes",
            "\"other\".papers",
            &[
                "ALTER TABLE archive.notes SET SCHEMA other",
                "ALTER TABLE other.notes RENAME TO papers",
                "ALTER TABLE other.papers RENAME CONSTRAINT notes_pkey TO papers_pkey",
                "ALTER INDEX other.notes_title_idx RENAME TO papers_title_idx",
            ],
        ),
        (
            "other.papers",
            "notes",
            &["EXECUTE format('ALTER TABLE other.papers SET SCHEMA %I', current_schema())"],
        ),
    ] {
        let to = to.replace('"', "");
        let plan = project
            .generate(&notes(&format!("{to} @renamedFrom {from}")))
            .unwrap_or_else(|error| panic!("{error}"));
        for statement in statements {
            assert!(plan.sql().contains(statement), "{}", plan.sql());
        }
        let rename = plan
            .changes
            .iter()
            .find(|step| step.change.summary() == format!("rename table {from} to {to}"))
            .expect("the move");
        assert!(rename.risks().contains(&Risk::BreaksRunningApp));
        assert_clean(&project);
        assert_eq!(
            query(&url, &format!("SELECT title FROM {to} ORDER BY id")),
            ["a", "b"]
        );
        assert_eq!(query(&url, "SELECT * FROM titles ORDER BY 1"), ["a", "b"]);
        execute(
            &url,
            &format!("INSERT INTO {to} (title) VALUES ('c'); DELETE FROM {to} WHERE title = 'c'"),
        );
    }
}

#[test]
fn a_dropped_table_leaves_its_schema() {
    let Some(mut project) = shop("a_dropped_table_leaves_its_schema") else {
        return;
    };
    let url = project.database.url.clone();
    let without = SHOP.split("/**\n * Bills").next().expect("the first table");
    let plan = project.generate(without).expect("a plan");
    assert!(plan.is_destructive());
    assert_eq!(
        query(&url, "SELECT nspname FROM pg_namespace WHERE nspname = 'billing'"),
        ["billing"]
    );
    assert_clean(&project);
    // The schema may be there when a table returns.
    project.generate(SHOP).expect("a plan");
    assert_clean(&project);
}

#[test]
fn hand_written_sql_may_use_several_schemas() {
    let Some(mut project) = shop("hand_written_sql_may_use_several_schemas") else {
        return;
    };
    let url = project.database.url.clone();
    project.by_hand(
        "CREATE SCHEMA audit;
CREATE TYPE audit.kind AS ENUM ('new', 'gone');
CREATE TABLE audit.\"Log\" (id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, kind audit.kind NOT NULL, body text NOT NULL);
CREATE INDEX log_body ON audit.\"Log\" (lower(body));
CREATE SEQUENCE billing.numbers;
CREATE FUNCTION audit.note(kind audit.kind) RETURNS void LANGUAGE sql AS $$ INSERT INTO audit.\"Log\" (kind, body) VALUES (kind, '') $$;
CREATE FUNCTION audit.touch() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM audit.note('new'); RETURN NEW; END $$;
CREATE TRIGGER touched BEFORE INSERT ON billing.invoices FOR EACH ROW EXECUTE FUNCTION audit.touch();
CREATE VIEW billing.open_invoices AS SELECT id, total FROM billing.invoices WHERE state = 'open';
COMMENT ON VIEW billing.open_invoices IS 'Not paid.';
CREATE TABLE audit.papers (id uuid DEFAULT gen_random_uuid() NOT NULL PRIMARY KEY, title text NOT NULL);",
    );
    assert_clean(&project);
    let foreign = project.foreign();
    for title in [
        "type audit.kind",
        "table audit.Log",
        "index log_body of audit.Log",
        "sequence billing.numbers",
        "function audit.note(kind audit.kind)",
        "trigger touched of billing.invoices",
        "view billing.open_invoices",
        "comment of view billing.open_invoices",
    ] {
        assert!(
            foreign.iter().any(|known| known == title),
            "{title}: {foreign:#?}"
        );
    }
    // A plan does not break the view, and an entity takes over a table.
    let error = project
        .generate(
            &SHOP
                .replace(
                    "  /** @integer @minimum 0 @maximum 100000 */\n  total: number;\n",
                    "",
                )
                .replace(" * @check invoices_paid (paid <= total)\n", ""),
        )
        .expect_err("the view uses the column");
    assert!(
        error.to_string().contains("view billing.open_invoices"),
        "{error}"
    );
    let papers = format!(
        "{SHOP}/** @table audit.papers */\nexport interface Paper {{\n  /** @id @generated uuid */\n  id: string;\n  title: string;\n}}\n"
    );
    let plan = project.generate(&papers).expect("a plan");
    assert_eq!(summaries(&plan), [""; 0], "{}", plan.sql());
    assert_clean(&project);
    execute(
        &url,
        "DROP VIEW billing.open_invoices; DROP FUNCTION audit.note(audit.kind) CASCADE",
    );
    let mut differences = project.differences();
    differences.sort();
    assert_eq!(
        differences,
        [
            "comment of view billing.open_invoices",
            "function audit.note(kind audit.kind)",
            "view billing.open_invoices"
        ]
    );
}

#[test]
fn the_search_path_does_not_decide_where_a_table_with_a_schema_is() {
    let Some(project) = shop("the_search_path_does_not_decide_where_a_table_with_a_schema_is") else {
        return;
    };
    let snapshot = kit_database::latest(&project.migrations)
        .expect("they fit together")
        .snapshot
        .expect("a snapshot");
    let with_path = |path: &str| format!("{}?options=-csearch_path%3D{path}", project.database.url);
    for path in ["public,billing", "public,billing,pg_catalog"] {
        let found = drift(&with_path(path), &snapshot).expect("a comparison");
        assert_eq!(found.differences, [], "{path}");
        assert_eq!(found.unknown, [""; 0], "{path}");
    }
    let error = drift(&with_path("billing,public"), &snapshot).expect_err("two names");
    assert!(
        matches!(&error, MigrateError::SchemaIsFirst { schema } if schema == "billing"),
        "{error}"
    );
}

#[test]
fn both_builds_use_a_table_of_another_schema_between_the_halves() {
    on_each_release(
        "both_builds_use_a_table_of_another_schema_between_the_halves",
        |database| {
            let url = database.url.as_str();
            let in_schema = |table: Table| Table {
                name: format!("staff.{}", table.name),
                indexes: table
                    .indexes
                    .into_iter()
                    .map(|index| Index {
                        name: format!("own_{}", index.name),
                        ..index
                    })
                    .collect(),
                ..table
            };
            let one = first(&[in_schema(people())]);
            run(url, std::slice::from_ref(&one), Half::Both).expect("the first migration");
            execute(
                url,
                "INSERT INTO staff.people (name, cents) SELECT 'Ada L' || n, n FROM generate_series(1, 50) AS n",
            );
            let next = Table {
                name: "staff.persons".to_owned(),
                renamed_from: Some("staff.people".to_owned()),
                ..in_schema(next_people())
            };
            let using: Vec<String> = SPLIT.iter().map(|text| format!("staff.{text}")).collect();
            let using: Vec<&str> = using.iter().map(String::as_str).collect();
            let all = [one.clone(), in_two_halves(2, &one, &[next], &using)];
            run(url, &all, Half::First).expect("the first half");
            assert!(matches!(clean(url, &all), State::Expanded { .. }));
            execute(
                url,
                "INSERT INTO staff.people (name, cents) VALUES ('Bob Old', 1001)",
            );
            execute(
                url,
                "INSERT INTO staff.persons (first_name, last_name, amount) VALUES ('Cy', 'Dee', '1002')",
            );
            assert_eq!(
                query(
                    url,
                    "SELECT concat_ws('|', name, cents, first_name, last_name, amount) FROM staff.people WHERE cents > 1000 ORDER BY cents"
                ),
                ["Bob Old|1001|Bob|Old|1001", "Cy Dee|1002|Cy|Dee|1002"]
            );
            run(url, &all, Half::Undo).expect("the way back");
            assert!(matches!(clean(url, &all), State::Pending { .. }));
            run(url, &all, Half::First).expect("the first half again");
            run(url, &all, Half::Second).expect("the second half");
            assert!(matches!(clean(url, &all), State::Applied { .. }));
            assert_eq!(query(url, "SELECT count(*) FROM staff.persons"), ["52"]);
        },
    );
}

#[test]
fn a_table_of_another_schema_may_have_an_enum_type() {
    let types = |values: &str| {
        format!(
            "/** @table billing.invoices */\nexport interface Invoice {{\n  /** @id @generated uuid */\n  id: string;\n  \
             /** @storedAs enum invoice_state */\n  state: {values};\n}}\n\
             /** @table invoices */\nexport interface Draft {{\n  /** @id @generated uuid */\n  id: string;\n  \
             /** @storedAs enum invoice_state */\n  state: {values};\n}}\n"
        )
    };
    let test = "a_table_of_another_schema_may_have_an_enum_type";
    let Some(mut project) = Project::new(test, &types("\"open\" | \"paid\"")) else {
        return;
    };
    assert_clean(&project);
    project
        .generate(&types("\"open\" | \"paid\" | \"lost\""))
        .expect("a plan");
    assert_clean(&project);
    execute(
        &project.database.url,
        "INSERT INTO billing.invoices (state) VALUES ('lost')",
    );
}

#[test]
fn a_table_moves_beside_a_table_that_had_the_same_name() {
    let types = |first: &str| {
        format!(
            "/** @table {first} */\nexport interface One {{\n  /** @id @generated */\n  id: bigint;\n}}\n\
             /** @table other.papers */\nexport interface Two {{\n  /** @id @generated */\n  id: bigint;\n}}\n"
        )
    };
    let test = "a_table_moves_beside_a_table_that_had_the_same_name";
    let Some(mut project) = Project::new(test, &types("papers")) else {
        return;
    };
    let error = project
        .generate(&types("other.notes @renamedFrom papers"))
        .expect_err("the names are taken");
    assert!(
        error.to_string().contains("`@table notes @renamedFrom papers`"),
        "{error}"
    );
    project
        .generate(&types("notes @renamedFrom papers"))
        .expect("a rename");
    project
        .generate(&types("other.notes @renamedFrom notes"))
        .expect("a move");
    assert_clean(&project);
    // No statement needs a permission to lose data.
    let other = support::database(test).expect("a database");
    apply(&other.url, &project.migrations, &Options::default()).expect("it applies");
    execute(
        &project.database.url,
        "INSERT INTO other.notes DEFAULT VALUES; INSERT INTO other.papers DEFAULT VALUES",
    );
}
