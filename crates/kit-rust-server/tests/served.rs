//! Tests of generated servers on PostgreSQL, both the oldest version that kit supports and the embedded one.
//! Migrations create the tables, every statement matches them, every function of the database modules works, and the
//! handlers respond correctly without changes by the user.

// A helper function may fail the test that calls it.
#![allow(clippy::unwrap_used)]

mod project_directory;
mod projects;
mod served_contracts;
mod served_http;
mod served_keys;
mod served_owners;
mod served_wrappers;
mod statements;

use kit_test_postgres as postgres;
use kit_test_programs as support;
use std::sync::LazyLock;

use postgres::{Database, execute, on_each_release, with_client};
use project_directory::ProjectDirectory;

/// Applies the generated migrations to a database, in the order of their names.
fn migrate(project: &ProjectDirectory, database: &Database) {
    // The generated server uses UTC, even if the database has another time zone.
    let name = database.url.rsplit('/').next().unwrap();
    execute(
        &database.url,
        &format!("ALTER DATABASE {name} SET timezone = 'Asia/Tokyo'"),
    );
    let files = project.files(".kit/migrations", ".sql");
    assert!(!files.is_empty());
    for (number, file) in files.iter().enumerate() {
        let begin = format!(".kit/migrations/{:012}_create_", number + 1);
        assert!(file.starts_with(&begin), "{file}");
        execute(&database.url, &project.read(file));
    }
}

#[test]
fn prepares_every_statement_on_the_tables() {
    for (name, program) in projects::all() {
        let project = ProjectDirectory::project(name, &program);
        if program.entities.is_empty() {
            continue;
        }
        on_each_release("prepares_every_statement_on_the_tables", |database| {
            migrate(&project, database);
            let mut count = 0;
            for file in project.files(".kit/db", ".rs") {
                for statement in statements::of(&project.read(&file)) {
                    with_client(&database.url, async |client| {
                        let prepared = client.prepare(&statement).await;
                        assert!(prepared.is_ok(), "{file}: {statement}\n{:?}", prepared.err());
                    });
                    count += 1;
                }
            }
            assert!(
                count >= 5 * program.entities.len(),
                "{name} has {count} statements"
            );
        });
    }
}

/// Returns the project of the application `shop`, with a file of tests for its database functions. Two tests share
/// the project.
fn shop() -> &'static ProjectDirectory {
    static SHOP: LazyLock<ProjectDirectory> = LazyLock::new(|| {
        let project = ProjectDirectory::named("shop-queries", "shop", &projects::shop());
        let queries = projects::tests().join("inputs/shop/queries.rs");
        project.write("tests/queries.rs", &project_directory::text(&queries));
        project
    });
    &SHOP
}

#[test]
fn runs_every_function_of_the_database_modules() {
    let project = shop();
    let queries = project.read("tests/queries.rs");
    for file in project.files(".kit/db", ".rs") {
        let module = file.trim_start_matches(".kit/db/").trim_end_matches(".rs");
        let module = if module == "shop" { "shops" } else { module };
        for function in project.read(&file).split("pub async fn ").skip(1) {
            let name = function.split('(').next().unwrap();
            let call = format!("{module}::{name}(");
            assert!(
                name == "connect" || queries.contains(&call),
                "nothing calls {call}"
            );
        }
    }
    ask(project, "runs_every_function_of_the_database_modules");
}

#[test]
fn keeps_the_values_of_columns_of_every_type() {
    let project = ProjectDirectory::named("names-queries", "names", &projects::names());
    let queries = projects::tests().join("inputs/names/queries.rs");
    project.write("tests/queries.rs", &project_directory::text(&queries));
    ask(&project, "keeps_the_values_of_columns_of_every_type");
}

#[test]
fn runs_every_function_on_timestamp_columns_of_earlier_migrations() {
    let program = projects::shop();
    let output = projects::generated_on("shop-earlier", &program, vec![projects::earlier(&program)]);
    let project = ProjectDirectory::of("shop-earlier", "shop-earlier", &output);
    let tables = project.read(".kit/migrations/000000000001_create_shops.sql");
    assert!(
        tables.contains("opened_at timestamp DEFAULT now() NOT NULL"),
        "{tables}"
    );
    // The package needs another name, because cargo would mix up the programs of two packages with the same name.
    let queries = shop()
        .read("tests/queries.rs")
        .replace("use shop::", "use shop_earlier::");
    project.write("tests/queries.rs", &queries);
    ask(
        &project,
        "runs_every_function_on_timestamp_columns_of_earlier_migrations",
    );
}

/// Runs the tests in the project's `tests/queries.rs` on each version of PostgreSQL. `test` is the name of the
/// calling test.
fn ask(project: &ProjectDirectory, test: &str) {
    on_each_release(test, |database| {
        migrate(project, database);
        let mut cargo = project.cargo();
        cargo
            // Run the tests one after another: they share the database, and some count all rows of a table.
            .args(["test", "--quiet", "--test", "queries", "--", "--test-threads=1"])
            .env("DATABASE_URL", &database.url);
        project_directory::succeed(&mut cargo);
    });
}

#[test]
fn serves_requests_with_unedited_handlers() {
    let project = shop();
    project_directory::succeed(project.cargo().args(["build", "--quiet"]));
    on_each_release("serves_requests_with_unedited_handlers", |database| {
        migrate(project, database);
        served_http::shop(&project_directory::target().join("debug/shop"), &database.url);
    });
}

/// A user cannot read or change rows of another user, or refer to them.
#[test]
fn handlers_return_only_rows_of_the_user_who_requests_them() {
    let project = ProjectDirectory::named("owners-served", "owners", &projects::owners());
    for name in ["log", "require_user", "require_account"] {
        let middleware = projects::tests().join(format!("inputs/owners/{name}.rs"));
        project.write(
            &format!("src/middleware/{name}.rs"),
            &project_directory::text(&middleware),
        );
    }
    project_directory::succeed(project.cargo().args(["build", "--quiet"]));
    on_each_release(
        "handlers_return_only_rows_of_the_user_who_requests_them",
        |database| {
            migrate(&project, database);
            served_owners::owners(&project_directory::target().join("debug/owners"), &database.url);
        },
    );
}

/// Returns the project of the application `tokens`. Two tests share it.
fn tokens() -> &'static ProjectDirectory {
    static TOKENS: LazyLock<ProjectDirectory> = LazyLock::new(|| {
        let project = ProjectDirectory::named("tokens-served", "tokens", &projects::tokens());
        project_directory::succeed(project.cargo().args(["build", "--quiet"]));
        project
    });
    &TOKENS
}

#[test]
fn creates_reads_and_deletes_rows_whose_key_is_a_generated_bigint() {
    let project = tokens();
    on_each_release(
        "creates_reads_and_deletes_rows_whose_key_is_a_generated_bigint",
        |database| {
            migrate(project, database);
            served_keys::bigint(&project_directory::target().join("debug/tokens"), &database.url);
        },
    );
}

/// A path parameter without rules accepts any text. If it is not a UUID, no row has this key, so the response is 404.
/// A path parameter with the rules of the column is validated, so the response is 400.
#[test]
fn returns_404_or_400_if_a_parameter_is_not_a_uuid() {
    let project = tokens();
    on_each_release("returns_404_or_400_if_a_parameter_is_not_a_uuid", |database| {
        migrate(project, database);
        served_keys::uuid(&project_directory::target().join("debug/tokens"), &database.url);
    });
}

/// Builds an application that has no database, and returns the path of its program.
fn built(name: &str, program: &kit_ir::Program) -> std::path::PathBuf {
    let project = ProjectDirectory::named(&format!("{name}-served"), name, program);
    project_directory::succeed(project.cargo().args(["build", "--quiet"]));
    project_directory::target().join("debug").join(name)
}

#[test]
fn validates_headers_and_cookies_before_handlers_that_are_not_written() {
    served_contracts::contracts(&built("contracts", &support::contracts::program()));
}

#[test]
fn responds_with_problem_details_to_errors_of_the_server_and_of_other_sites() {
    served_contracts::problem(&built("problem", &projects::problem()));
}

#[test]
fn responds_with_the_error_format_that_the_user_has_written() {
    served_contracts::own_errors(&built("own-errors", &projects::own_errors()));
}

#[test]
fn runs_the_wrappers_that_the_user_wrote() {
    let project = ProjectDirectory::named("wrappers-served", "wrappers", &projects::wrappers());
    let written = projects::tests().join("inputs/wrappers/written");
    for path in [
        "handlers/exports.rs",
        "handlers/reports.rs",
        "middleware/cached.rs",
        "middleware/limited.rs",
        "middleware/log.rs",
        "middleware/require_reader.rs",
        "middleware/timed.rs",
    ] {
        project.write(
            &format!("src/{path}"),
            &project_directory::text(&written.join(path)),
        );
    }
    project_directory::succeed(project.cargo().args(["build", "--quiet"]));
    served_wrappers::reports(&project_directory::target().join("debug/wrappers"));
}
