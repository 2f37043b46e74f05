//! Tests of generated servers on PostgreSQL, both the oldest version that kit supports and the embedded one.
//! Migrations create the tables, every statement matches them, every function of the database modules works, and the
//! handlers respond correctly without changes by the user.

// A helper function may fail the test that calls it.
#![allow(clippy::unwrap_used)]

mod project_directory;
mod projects;
mod served_adopted;
mod served_bodies;
mod served_contracts;
mod served_http;
mod served_keys;
mod served_owners;
mod served_store;
mod served_wrappers;
mod statements;
mod workspace;

use kit_test_postgres as postgres;
use kit_test_programs as support;
use std::path::Path;
use std::process::Command;

use postgres::{Database, execute, on_each_release, with_client};
use project_directory::ProjectDirectory;
use workspace::Workspace;

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
fn postgresql_accepts_every_generated_statement() {
    for (name, program) in projects::all() {
        let project = Workspace::written().project(name);
        if program.entities.is_empty() {
            continue;
        }
        on_each_release("postgresql_accepts_every_generated_statement", |database| {
            migrate(project, database);
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

#[test]
fn runs_every_function_of_the_database_modules() {
    let project = Workspace::written().project("shop");
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
    ask("shop", "runs_every_function_of_the_database_modules");
}

#[test]
fn reads_stored_values_from_columns_of_every_type() {
    ask("names", "reads_stored_values_from_columns_of_every_type");
}

#[test]
fn runs_every_function_on_timestamp_columns_of_earlier_migrations() {
    let project = Workspace::written().project("shop-earlier");
    let tables = project.read(".kit/migrations/000000000001_create_shops.sql");
    assert!(
        tables.contains("opened_at timestamp DEFAULT now() NOT NULL"),
        "{tables}"
    );
    ask(
        "shop-earlier",
        "runs_every_function_on_timestamp_columns_of_earlier_migrations",
    );
}

/// Runs the tests in the `tests/queries.rs` of a project on each version of PostgreSQL. `test` is the name of the
/// calling test.
fn ask(name: &str, test: &str) {
    let project = Workspace::written().project(name);
    on_each_release(test, |database| {
        migrate(project, database);
        let mut queries = Command::new(Workspace::compiled().queries(name));
        queries
            // Run the tests one after another: they share the database, and some count all rows of a table.
            .arg("--test-threads=1")
            .current_dir(project.root())
            .env("DATABASE_URL", &database.url);
        let output = project_directory::output(&mut queries);
        let output = String::from_utf8(output.stdout).unwrap();
        assert!(!output.contains("running 0 tests"), "{output}");
    });
}

/// Serves a project on each version of PostgreSQL. `test` is the name of the calling test, and `requests` gets the path of
/// the server and the URL of the database.
fn serve(name: &str, test: &str, requests: impl Fn(&Path, &str)) {
    let server = Workspace::compiled().server(name);
    on_each_release(test, |database| {
        migrate(Workspace::written().project(name), database);
        requests(&server, &database.url);
    });
}

#[test]
fn passes_the_generated_contract_tests() {
    let test = "passes_the_generated_contract_tests";
    on_each_release(test, |database| {
        let project = Workspace::written().project("notes-tested");
        migrate(project, database);
        let random = ["--runs", "10", "--seed", "42"];
        let output = contract_tests("notes-tested", Some(&database.url), &random);
        for line in [
            "random requests: 10 runs a test, seed 42\n",
            "test POST /notes: takes 10 random requests ... ok",
            "test POST /notes: refuses 10 random requests ... ok",
            "test POST /notes: answers a valid request ... ok",
            "test POST /notes: refuses body $.title: missing ... ok",
            "test GET /notes/:id: answers a valid request ... ok",
            "0 failed; 0 ignored",
        ] {
            assert!(output.contains(line), "{line}\n{output}");
        }
    });
    let without = contract_program("notes-tested", None, &[]).output().unwrap();
    assert_eq!(without.status.code(), Some(101));
    let said = String::from_utf8(without.stderr).unwrap();
    assert!(
        said.starts_with("error: the tests need a database, and TEST_DATABASE_URL is not set\nhelp: set"),
        "{said}"
    );
}

/// The handlers of this project respond with 501. Its test program is the generated one.
#[test]
fn contract_tests_use_the_options_of_the_configuration_and_name_those_that_they_cannot_use() {
    let run = |arguments: &[&str]| contract_tests("contracts-tested", None, arguments);
    let names = run(&["--list"]);
    for line in [
        "POST /orders: answers a valid request: test\n",
        "GET /stock: is left out: test\n",
    ] {
        assert!(names.contains(line), "{line}\n{names}");
    }
    assert!(!names.contains("GET /stock: answers"), "{names}");
    let stock = run(&["GET /stock"]);
    for line in [
        "note: `tests.app` and `tests.fixtures` of kit.config.ts are for the tests on Node only",
        "test GET /stock: is left out ... ignored, the stock changes",
    ] {
        assert!(stock.contains(line), "{line}\n{stock}");
    }
}

/// Runs the contract tests of a project with these arguments. Returns the output.
fn contract_tests(name: &str, database: Option<&str>, arguments: &[&str]) -> String {
    let output = project_directory::output(&mut contract_program(name, database, arguments));
    String::from_utf8(output.stdout).unwrap()
}

/// Returns the command that runs the contract tests of a project.
fn contract_program(name: &str, database: Option<&str>, arguments: &[&str]) -> Command {
    let mut tests = Command::new(Workspace::compiled().contract_tests(name));
    tests
        .args(arguments)
        .current_dir(Workspace::written().project(name).root())
        .env_remove("DATABASE_URL")
        .env_remove("TEST_DATABASE_URL")
        .envs(database.map(|url| ("TEST_DATABASE_URL", url)));
    tests
}

#[test]
fn serves_requests_with_unedited_handlers() {
    serve(
        "shop",
        "serves_requests_with_unedited_handlers",
        served_http::shop,
    );
}

/// Orders are stored and read with their items, and products with their tags.
#[test]
fn serves_rows_of_several_tables_with_unedited_handlers() {
    serve(
        "store",
        "serves_rows_of_several_tables_with_unedited_handlers",
        served_store::store,
    );
}

#[test]
fn reads_and_writes_columns_of_an_adopted_database() {
    serve(
        "adopted",
        "reads_and_writes_columns_of_an_adopted_database",
        served_adopted::machines,
    );
}

/// A user cannot read or change rows of another user, or refer to them.
#[test]
fn handlers_return_only_rows_of_the_user_who_requests_them() {
    serve(
        "owners-written",
        "handlers_return_only_rows_of_the_user_who_requests_them",
        served_owners::owners,
    );
}

/// The languages of a survey are an array of an enum, which refers to the key of another table.
#[test]
fn serves_arrays_of_enums_that_refer_to_rows_with_unedited_handlers() {
    serve(
        "nested",
        "serves_arrays_of_enums_that_refer_to_rows_with_unedited_handlers",
        served_store::surveys,
    );
}

#[test]
fn creates_reads_and_deletes_rows_whose_key_is_a_generated_bigint() {
    serve(
        "tokens",
        "creates_reads_and_deletes_rows_whose_key_is_a_generated_bigint",
        served_keys::bigint,
    );
}

/// A path parameter without rules accepts any text. If it is not a UUID, no row has this key, so the response is 404.
/// A path parameter with the rules of the column is validated, so the response is 400.
#[test]
fn returns_404_or_400_if_a_parameter_is_not_a_uuid() {
    serve(
        "tokens",
        "returns_404_or_400_if_a_parameter_is_not_a_uuid",
        served_keys::uuid,
    );
}

#[test]
fn validates_headers_and_cookies_before_handlers_that_are_not_written() {
    served_contracts::contracts(&Workspace::compiled().server("contracts"));
}

#[test]
fn reads_request_bodies_that_are_not_json() {
    let server = Workspace::compiled().server("bodies");
    served_bodies::fields(&server);
    served_bodies::unchanged(&server);
    served_bodies::multipart(&server);
    served_bodies::lines(&server);
}

#[test]
fn writes_response_bodies_that_are_not_json() {
    served_bodies::responses(&Workspace::compiled().server("bodies"));
}

#[test]
fn responds_with_problem_details_to_errors_of_handlers_and_to_requests_of_other_sites() {
    served_contracts::problem(&Workspace::compiled().server("problem"));
}

#[test]
fn applies_the_options_of_create_app_unless_a_variable_replaces_them() {
    served_contracts::settings(&Workspace::compiled().server("problem"));
}

#[test]
fn responds_with_the_error_format_that_the_user_has_written() {
    served_contracts::own_errors(&Workspace::compiled().server("own-errors"));
}

#[test]
fn runs_the_wrappers_that_the_user_wrote() {
    served_wrappers::reports(&Workspace::compiled().server("wrappers-written"));
}

#[test]
fn refuses_to_start_with_wrong_environment_variables() {
    let mut server = Command::new(Workspace::compiled().server("problem"));
    server.envs([
        ("PORT", "0"),
        ("GREETING", "Dear friends, Romans, countrymen, lend me your ears"),
        ("RETRIES", "10"),
        ("API_KEY", "hunter2"),
        ("SHELVES", ""),
    ]);
    let output = server.output().unwrap();
    assert!(!output.status.success());
    let expected = "error: 3 environment variables are not valid
  - GREETING: expected string, at most 40 characters; received \"Dear friends, Romans, countrymen, lend m…\"; make it at least 11 characters shorter
  - RETRIES: expected integer, at most 9; received \"10\"; use 9 or less
  - API_KEY: expected string, at least 8 characters; received a value that is not shown
  declared at src/environment.ts:4
help: set the variables before the start; in development, write them into .env
";
    assert_eq!(String::from_utf8_lossy(&output.stderr), expected);
}
