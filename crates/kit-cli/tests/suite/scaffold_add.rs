//! Tests of `kit scaffold add`: written files, registrations and refusals. `tests/scaffold` tests that the additions work.

#![allow(clippy::disallowed_methods)] // Reason: tests read the files that commands write.

use crate::support::Project;
use serde_json::json;

/// Creates a new project in the directory `shelf/`.
fn shelf(database: &str) -> Project {
    let mut project = Project::new(&[]);
    project.host.config = Some(Ok(json!({})));
    let outcome = project.kit(&[
        "scaffold",
        "init",
        "shelf",
        "--db",
        database,
        "--no-install",
        "--no-git",
    ]);
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    project
}

/// Returns the text of a file in the project.
fn text(project: &Project, path: &str) -> String {
    String::from_utf8_lossy(&project.tree("shelf")[path]).into_owned()
}

/// Runs `scaffold add` in the project.
fn add(project: &Project, args: &[&str]) -> crate::support::Outcome {
    let command = ["scaffold", "add", "--root", "shelf"];
    project.kit(&[&command[..], args].concat())
}

#[test]
fn message_names_the_project_if_the_command_runs_in_its_subdirectory() {
    let project = shelf("drizzle");
    let before = project.tree("shelf");
    let root = project.root.join("shelf").display().to_string();
    for what in [["route", "orders"], ["middleware", "log"], ["entity", "order"]] {
        let command = ["scaffold", "add", "--root", "shelf/src"];
        let outcome = project.kit(&[&command[..], &what].concat());
        assert_eq!(
            outcome.parts(),
            (
                1,
                "",
                format!(
                    "error: {root}/src is not the root of a project, but a directory inside one\n\
                     help: the project is {root}: go there, or name it with `--root {root}`\n"
                )
                .as_str()
            )
        );
    }
    assert_eq!(project.tree("shelf"), before);
}

#[test]
fn writes_files_and_registers_the_addition() {
    let project = shelf("drizzle");
    let before = project.tree("shelf");
    let outcome = add(&project, &["route", "order-items"]);
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    let report = add(&project, &["middleware", "request-log", "--json"]).json();
    assert_eq!(
        report,
        json!({ "status": "added", "files": ["src/request-log.ts"], "changed": ["src/app.ts"] })
    );
    let after = project.tree("shelf");
    let new: Vec<_> = after.keys().filter(|path| !before.contains_key(*path)).collect();
    assert_eq!(
        new,
        [
            "src/order-items.handlers.ts",
            "src/order-items.routes.ts",
            "src/request-log.ts"
        ]
    );
    let application = String::from_utf8(after["src/app.ts"].clone()).unwrap();
    for part in [
        "import { orderItemsHandlers } from \"./order-items.handlers.ts\";\n",
        "import { requestLog } from \"./request-log.ts\";\n",
        "  routes: [\n    { prefix: \"/order-items\", handlers: orderItemsHandlers },\n    {\n      prefix: \"/todos\",",
        "middleware: [{ name: \"requestLog\", middleware: requestLog, priority: 0 }],",
    ] {
        assert!(application.contains(part), "{application}");
    }
    // A second run fails, because the files exist, and changes nothing.
    for args in [
        ["route", "order-items"],
        ["middleware", "request-log"],
        ["route", "todos"],
    ] {
        let outcome = add(&project, &args);
        assert_eq!(outcome.code, 1);
        assert!(outcome.err.contains("already exists"), "{}", outcome.err);
    }
    assert_eq!(project.tree("shelf"), after);
}

#[test]
fn changes_nothing_if_the_addition_cannot_be_registered() {
    let project = shelf("drizzle");
    project.write(
        "shelf/src/app.ts",
        "import { createApp } from \"@kit/core\";\ncreateApp(options);\n",
    );
    let before = project.tree("shelf");
    let outcome = add(&project, &["route", "orders"]);
    assert_eq!(outcome.code, 1);
    assert!(
        outcome
            .err
            .contains("kit can edit only options of `createApp` that are an object literal"),
        "{}",
        outcome.err
    );
    assert!(
        outcome
            .err
            .contains("`{ prefix: \"/orders\", handlers: ordersHandlers }` in `routes`"),
        "{}",
        outcome.err
    );
    for args in [
        ["route", "Orders"],
        ["route", "../x"],
        ["route", "a--b"],
        ["route", ""],
        ["middleware", "while"],
    ] {
        assert_eq!(add(&project, &args).code, 1, "{args:?}");
    }
    assert_eq!(project.tree("shelf"), before);
}

#[test]
fn entity_has_type_contracts_handlers_test_and_migration() {
    for (database, asks) in [
        ("drizzle", ".values({ ...body, userId: ctx.userId })"),
        ("kysely", ".where(\"userId\", \"=\", ctx.userId)"),
        ("raw", "insert(table, { ...body, userId: ctx.userId })"),
    ] {
        let project = shelf(database);
        let before = project.tree("shelf");
        let outcome = add(&project, &["entity", "order-item", "--json"]);
        assert_eq!((outcome.code, outcome.err.as_str()), (0, ""), "{}", outcome.out);
        let migration = "migrations/20260921141321_create_order_items";
        assert_eq!(
            outcome.json(),
            json!({
                "status": "added",
                "files": [
                    "src/order-items.types.ts",
                    "src/order-items.routes.ts",
                    "src/order-items.handlers.ts",
                    "tests/order-items.test.ts",
                ],
                "changed": ["src/app.ts"],
                "migration": migration,
            })
        );
        let after = project.tree("shelf");
        let new: Vec<_> = after.keys().filter(|path| !before.contains_key(*path)).collect();
        assert_eq!(
            new,
            [
                &format!("{migration}/changes.json"),
                &format!("{migration}/migration.sql"),
                &format!("{migration}/snapshot.json"),
                "src/order-items.handlers.ts",
                "src/order-items.routes.ts",
                "src/order-items.types.ts",
                "tests/order-items.test.ts",
            ]
        );
        let changed: Vec<_> = before
            .keys()
            .filter(|path| before[*path] != after[*path])
            .collect();
        assert_eq!(changed, ["src/app.ts"]);
        let application = text(&project, "src/app.ts");
        assert!(
            application.contains(
                "    { prefix: \"/order-items\", handlers: orderItemHandlers, middleware: [{ name: \"requireAuth\", middleware: requireAuth, priority: 10 }] },\n"
            ),
            "{application}"
        );
        let handlers = text(&project, "src/order-items.handlers.ts");
        assert!(handlers.contains(asks), "{handlers}");
        assert!(
            text(&project, "src/order-items.types.ts")
                .contains(" * @table order_items\n * @owner userId = ctx.userId\n")
        );
        assert!(text(&project, "tests/order-items.test.ts").contains("UNAUTHORIZED"));
        assert!(text(&project, &format!("{migration}/migration.sql")).contains("CREATE TABLE order_items ("));
        let check = project.kit(&["migrate:generate", "--root", "shelf", "--name", "left", "--json"]);
        assert_eq!(check.json()["status"], "unchanged", "{}", check.out);
        // A second run fails, because the files exist, and changes nothing.
        let outcome = add(&project, &["entity", "order-item"]);
        assert_eq!(outcome.code, 1);
        assert!(
            outcome.err.contains("there is a type `OrderItem` already"),
            "{}",
            outcome.err
        );
        assert_eq!(project.tree("shelf"), after);
    }
}

#[test]
fn entity_has_no_guard_if_the_application_has_no_guard() {
    let project = shelf("raw");
    let application = text(&project, "src/app.ts")
        .replace("import { requireAuth } from \"./auth.ts\";\n", "")
        .replace(
            "{ name: \"requireAuth\", middleware: requireAuth, priority: 10 }",
            "",
        );
    project.write("shelf/src/app.ts", &application);
    let todos = text(&project, "src/todos.types.ts").replace(" * @owner userId = ctx.userId\n", "");
    project.write("shelf/src/todos.types.ts", &todos);
    let outcome = add(&project, &["entity", "book"]);
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    assert!(
        outcome
            .out
            .contains("next: add the properties of the entity in src/books.types.ts"),
        "{}",
        outcome.out
    );
    assert!(text(&project, "src/app.ts").contains("{ prefix: \"/books\", handlers: bookHandlers },"));
    for path in ["types", "routes", "handlers"].map(|part| format!("src/books.{part}.ts")) {
        assert!(!text(&project, &path).contains("userId"), "{path}");
    }
    assert!(!text(&project, "tests/books.test.ts").contains("UNAUTHORIZED"));
}

#[test]
fn names_the_files_and_table_of_an_entity_with_its_plural_or_the_option_plural() {
    let project = shelf("drizzle");
    for (args, path, table) in [
        (vec!["entity", "person"], "src/people.types.ts", "people"),
        (
            vec!["entity", "settings", "--plural", "settings"],
            "src/settings.types.ts",
            "settings",
        ),
        (
            vec!["entity", "ship-crew", "--plural", "crew"],
            "src/crew.types.ts",
            "crew",
        ),
    ] {
        let outcome = add(&project, &args);
        assert_eq!(outcome.code, 0, "{}", outcome.err);
        assert!(
            text(&project, path).contains(&format!(" * @table {table}\n")),
            "{path}"
        );
    }
}

#[test]
fn changes_nothing_if_the_entity_is_invalid() {
    let project = shelf("drizzle");
    project.write(
        "shelf/src/more.types.ts",
        "/** @table volumes */\nexport interface Tome { /** @id */ id: string }\n",
    );
    project.write(
        "shelf/src/more.routes.ts",
        "import type { RouteContract } from \"@kit/types\";\nexport interface MoreRoutes {\n  \"GET /pages/:id\": RouteContract<{ id: string }, void, void, { a: string }>;\n}\n",
    );
    project.write(
        "shelf/src/more.handlers.ts",
        "import { defineHandlers } from \"@kit/core\";\nimport type { MoreRoutes } from \"./more.routes.ts\";\nexport const moreHandlers = defineHandlers<MoreRoutes>({ \"GET /pages/:id\": () => ({ a: \"\" }) });\n",
    );
    let application = text(&project, "src/app.ts")
        .replace(
            "import { createApp }",
            "import { moreHandlers } from \"./more.handlers.ts\";\nimport { createApp }",
        )
        .replace("routes: [", "routes: [{ handlers: moreHandlers },");
    project.write("shelf/src/app.ts", &application);
    project.write("shelf/src/chapters.routes.ts", "// mine\n");
    let before = project.tree("shelf");
    for (args, message) in [
        (vec!["todo"], "there is a type `Todo` already"),
        (vec!["tome"], "there is a type `Tome` already"),
        (vec!["volume"], "there is a table `volumes` already"),
        (vec!["chapter"], "src/chapters.routes.ts already exists"),
        // This conflict is found by the build after the files were written.
        (vec!["page"], "GET /pages/:id"),
        (vec!["books"], "looks like a plural"),
        (
            vec!["Book"],
            "a name is lower-case words joined by `-`, like `order-item`",
        ),
        (vec!["../book"], "a name is lower-case words"),
        (vec!["date"], "would hide the existing name `Date`"),
        (
            vec!["fish", "--plural", "Fish"],
            "`Fish`: a name is lower-case words",
        ),
    ] {
        let outcome = add(&project, &[&["entity"], &args[..]].concat());
        assert_eq!((outcome.code, outcome.out.as_str()), (1, ""), "{args:?}");
        assert!(outcome.err.contains(message), "{args:?}: {}", outcome.err);
        assert_eq!(project.tree("shelf"), before, "{args:?}");
    }
    let failure = add(&project, &["entity", "todo", "--json"]).json();
    assert_eq!(failure["code"], "SCAFFOLD_ERROR");
    assert_eq!(add(&project, &["route", "fish", "--plural", "fish"]).code, 1);
    assert_eq!(project.tree("shelf"), before);
}

#[test]
fn refuses_an_entity_for_an_unsuitable_project() {
    // A mistake that the project had before is reported as such.
    let project = shelf("drizzle");
    project.write("shelf/src/bad.types.ts", "export interface Bad { title: }\n");
    let before = project.tree("shelf");
    let outcome = add(&project, &["entity", "book"]);
    assert_eq!(outcome.code, 1);
    assert!(outcome.err.contains("src/bad.types.ts"), "{}", outcome.err);
    assert_eq!(project.tree("shelf"), before);

    for path in ["src/database.ts", "tests/support.ts"] {
        let project = shelf("drizzle");
        project.remove(&format!("shelf/{path}"));
        let before = project.tree("shelf");
        let outcome = add(&project, &["entity", "book"]);
        assert_eq!(outcome.code, 1);
        assert!(
            outcome
                .err
                .contains(&format!("there is no {path}: an entity needs this file")),
            "{}",
            outcome.err
        );
        assert_eq!(project.tree("shelf"), before);
    }

    // The globs in the configuration do not match the files of the entity.
    let mut project = shelf("drizzle");
    project.host.config = Some(Ok(
        json!({ "typeFiles": ["src/todos.types.ts"], "routeFiles": ["src/todos.routes.ts"] }),
    ));
    let before = project.tree("shelf");
    let outcome = add(&project, &["entity", "book"]);
    assert_eq!(outcome.code, 1);
    assert!(
        outcome
            .err
            .contains("of the configuration does not include src/books."),
        "{}",
        outcome.err
    );
    assert_eq!(project.tree("shelf"), before);
}

#[test]
fn writes_no_migration_if_earlier_changes_have_no_migration() {
    let project = shelf("drizzle");
    let types = text(&project, "src/todos.types.ts").replace(
        "  /** @default false */\n",
        "  note?: string;\n  /** @default false */\n",
    );
    project.write("shelf/src/todos.types.ts", &types);
    let report = add(&project, &["entity", "book", "--json"]).json();
    assert_eq!(
        (&report["status"], &report["migration"]),
        (&json!("added"), &json!(null))
    );
    let migrations = project.tree("shelf/migrations");
    assert!(
        migrations.keys().all(|path| path.contains("create_todos")),
        "{:?}",
        migrations.keys()
    );
    let outcome = add(&project, &["entity", "page"]);
    assert!(
        outcome.out.contains("the types already had changes that no migration contains: review them, then run `kit migrate:generate --name create_pages`"),
        "{}",
        outcome.out
    );
}
