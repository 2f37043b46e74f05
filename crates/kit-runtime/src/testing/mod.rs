//! Tests that follow from the contracts, for the program `tests/contract.rs` of a project.
//!
//! The build writes tables of requests that the contracts accept, and of requests that they refuse. [`ContractTests`] sends these
//! requests to the application in the same process, and compares the responses with the contracts. The output and the arguments of the
//! program are those of other test programs, so that `cargo test` runs it.

mod arguments;
mod bodies;
pub(crate) mod captured;
mod case;
mod choices;
mod client;
#[cfg(feature = "sockets")]
mod closed;
mod contents;
mod curl;
mod database;
mod document;
mod downloads;
mod expect;
mod fixture;
mod lists;
mod outcome;
mod plan;
mod random;
mod report;
mod request;
mod run;
mod setup;
#[cfg(feature = "sockets")]
mod sockets;
#[cfg(feature = "sockets")]
mod talk;
mod values;

use std::env;
use std::io::Write as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, ExitCode};

pub use client::{TestClient, TestRequest, TestResponse};
#[doc(hidden)] // Only generated code uses it.
pub use expect::NamedShape;
pub use fixture::Fixture;
pub use setup::TestSetup;

use crate::{Error, serve};
use arguments::Arguments;
use document::{Document, Table};
use expect::Expectations;
use outcome::Stop;
use plan::{Test, check_names, tests_of};
use report::{Report, print, print_coverage, print_randomness, print_unused};
use run::{Running, lock};

/// Variable that tells the program that its environment is complete.
const PREPARED: &str = "KIT_CONTRACT_TESTS_PREPARED";

/// Exit code of Rust's own test programs if a test has failed.
const FAILED: u8 = 101;

/// Tests of all contracts of an application.
///
/// ```no_run
/// use std::process::ExitCode;
///
/// use kit_runtime::testing::{ContractTests, TestSetup};
/// use kit_runtime::{Application, Router};
///
/// fn test<A: Application>(tests: ContractTests, router: impl Fn() -> Router<A>) -> ExitCode {
///     let tests = tests.variable("AUTH_SECRET", "a secret that is used by tests only");
///     tests.run(async || Ok(TestSetup::new(router())))
/// }
/// ```
#[must_use = "`run` runs the tests"]
pub struct ContractTests {
    tables: &'static str,
    shapes: &'static [NamedShape],
    requests: &'static [NamedShape],
    root: &'static str,
    needs_database: bool,
    variables: Vec<(String, String)>,
}

/// Returns a random UUID, for values that must be unique, such as the address of a new account.
///
/// ```
/// let (first, second) = (kit_runtime::testing::unique_id(), kit_runtime::testing::unique_id());
/// assert!(first != second && first.len() == 36);
/// ```
pub fn unique_id() -> String {
    request::uuid()
}

impl ContractTests {
    /// Creates the tests from the generated tables. `root` is the directory of the project. Generated code calls this function.
    #[doc(hidden)] // Called only by generated code.
    pub fn new(tables: &'static str, shapes: &'static [NamedShape], root: &'static str) -> Self {
        Self {
            tables,
            shapes,
            requests: &[],
            root,
            needs_database: false,
            variables: Vec::new(),
        }
    }

    /// Sets the types of params, queries, headers, cookies and bodies. Generated code calls this function.
    #[doc(hidden)] // Called only by generated code.
    pub fn requests(mut self, requests: &'static [NamedShape]) -> Self {
        self.requests = requests;
        self
    }

    /// Marks the application as one that needs the database of `TEST_DATABASE_URL`. Generated code calls this function.
    #[doc(hidden)] // Called only by generated code.
    pub fn needs_database(mut self) -> Self {
        self.needs_database = true;
        self
    }

    /// Sets an environment variable of the application, unless the environment has the variable.
    pub fn variable(mut self, name: &str, value: impl Into<String>) -> Self {
        self.variables.push((name.to_owned(), value.into()));
        self
    }

    /// Runs the tests that the arguments of the program select. `start` creates the application.
    ///
    /// If the application needs a database, the tests use the one of `TEST_DATABASE_URL`, never the one of `DATABASE_URL`. They apply
    /// the migrations of the project first. Without the variable, the program fails, as the tests on Node do.
    ///
    /// The log of the application is shown with the failed tests; `cargo test -- --nocapture` writes it as it comes.
    pub fn run(self, start: impl AsyncFnOnce() -> Result<TestSetup, Error>) -> ExitCode {
        match self.checked(start) {
            Ok(true) => ExitCode::SUCCESS,
            Ok(false) => FAILED.into(),
            Err(message) => {
                let _ = writeln!(std::io::stderr(), "error: {message}");
                FAILED.into()
            }
        }
    }

    /// Returns true if no test failed, or the reason why the tests cannot run.
    fn checked(self, start: impl AsyncFnOnce() -> Result<TestSetup, Error>) -> Result<bool, String> {
        let arguments = Arguments::read(env::args().skip(1))?;
        let document: Document = serde_json::from_str(self.tables).map_err(|error| {
            format!("the generated tests are not readable: {error}\nhelp: run `kit build`")
        })?;
        let randomness = arguments.randomness();
        let all = tests_of(&document.routes, randomness);
        let count = all.len();
        let selected: Vec<Test> = all
            .into_iter()
            .filter(|test| arguments.selects(&test.name))
            .collect();
        if arguments.is_list {
            for test in &selected {
                print(&format!("{}: test\n", test.name));
            }
            if !arguments.is_quiet {
                print(&format!("\n{} tests, 0 benchmarks\n", selected.len()));
            }
            return Ok(true);
        }
        let filtered = count - selected.len();
        if selected.is_empty() {
            return Ok(Report::new(0, arguments.is_quiet).finish(filtered));
        }
        if self.needs_database && database::url().is_none() {
            return Err(format!(
                "the tests need a database, and {0} is not set\n\
                 help: set {0} to a database whose rows the tests may change, such as postgres://localhost/app_test; \
                 `cargo test --lib --bins` leaves these tests out",
                database::VARIABLE
            ));
        }
        if env::var_os(PREPARED).is_none() {
            return Err(self.start_again()?);
        }
        let (shapes, requests) = (self.shapes, self.requests);
        serve::run_tests(async move {
            let Document {
                errors,
                headers,
                unused,
                routes,
            } = document;
            let expect = Expectations {
                errors,
                shapes,
                requests,
            };
            if !arguments.shows_log {
                captured::start();
            }
            client::set_first_headers(headers);
            let started = start().await;
            if started.is_err() {
                for line in captured::stop() {
                    print(&format!("{line}\n"));
                }
            }
            let setup = started.map_err(|error| format!("the application does not start: {error}"))?;
            if !arguments.is_quiet {
                print_unused(&unused);
                print_randomness(randomness);
            }
            if let Some(mistake) = &setup.mistake {
                return Err(format!("the application does not start: {mistake}"));
            }
            check_names(&routes, &setup)?;
            Ok(run_all(&arguments, &routes, &selected, filtered, setup, expect).await)
        })
        .map_err(|error| error.to_string())?
    }

    /// Starts the program again with the environment of the tests, in the same process. Returns only if that fails.
    fn start_again(&self) -> Result<String, String> {
        let program = env::current_exe().map_err(|error| format!("the test program has no path: {error}"))?;
        let mut command = Command::new(program);
        command.args(env::args_os().skip(1)).env(PREPARED, "1");
        let defaults = [
            ("NODE_ENV", "test"),
            ("LOG_LEVEL", "error"),
            ("LOG_CLIENT_ERRORS", "debug"),
        ];
        let defaults = defaults.map(|(name, value)| (name.to_owned(), value.to_owned()));
        for (name, value) in defaults.iter().chain(&self.variables) {
            if env::var_os(name).is_none() {
                command.env(name, value);
            }
        }
        if let Some(url) = self.needs_database.then(database::url).flatten() {
            database::migrate(Path::new(self.root), &url)?;
            command.env("DATABASE_URL", url);
        }
        Ok(format!(
            "the test program does not start again: {}",
            command.exec()
        ))
    }
}

async fn run_all(
    arguments: &Arguments,
    tables: &[Table],
    tests: &[Test],
    filtered: usize,
    mut setup: TestSetup,
    expect: Expectations,
) -> bool {
    let skipped = std::mem::take(&mut setup.skipped);
    let running = Running::new(setup, expect);
    let mut report = Report::new(tests.len(), arguments.is_quiet);
    for test in tests {
        let Some(table) = tables.get(test.table) else {
            continue;
        };
        // Lines of the start, or of the time after the last test, belong to no test.
        drop(captured::take());
        let result = match skipped.get(&table.route) {
            Some(reason) => Err(Stop::Ignored(reason.clone())),
            None => running.run(test.kind, table).await,
        };
        report.add(&test.name, &table.place, result, captured::take());
    }
    let passes = report.finish(filtered);
    if arguments.is_complete() {
        print_coverage(tables, &lock(&running.seen));
    }
    passes
}

#[cfg(test)]
mod tests {
    use super::case::Kind;
    use super::outcome::Checked;
    use super::*;
    use crate::shape::{Property, Shape};
    use crate::{Application, Reply, Response, Router, Routes, Segment, StatusCode};

    const TABLES: &str = r#"{"routes":[{
        "place": "api/notes.routes.ts:3", "route": "GET /notes/:id",
        "replies": [{ "status": 200, "body": "Note" }], "errors": ["404 NOTE_NOT_FOUND"],
        "wrongMethod": { "method": "PATCH", "allow": "GET, HEAD" },
        "request": { "params": { "id": "7" } }, "list": { "limit": 2, "filters": [] }
    }]}"#;

    const EVENTS: &str = r#"{"routes":[{
        "place": "api/notes.routes.ts:3", "route": "GET /notes/:id", "request": { "params": { "id": "7" } },
        "replies": [{ "status": 200, "content": {
            "kind": "events", "type": "text/event-stream", "events": { "done": null }
        } }]
    }]}"#;

    const NOTE: Shape = Shape::object("Note", &[Property::required("title", Shape::TEXT.min_length(1))]);

    #[derive(serde::Serialize, serde::Deserialize)]
    struct Note {}

    impl crate::Contract for Note {
        const NAME: &'static str = "Note";

        fn shape() -> &'static Shape {
            &NOTE
        }
    }

    const SHAPES: &[NamedShape] = &[NamedShape::of::<Note>()];

    #[derive(Clone)]
    struct App(StatusCode, &'static str);

    impl Application for App {
        async fn ready(&self) -> Result<(), Error> {
            Ok(())
        }
    }

    /// Returns the router of an application whose only route answers with a status, and with a JSON value or events.
    fn router(status: StatusCode, json: &'static str) -> Router<App> {
        Routes::new(App(status, json))
            .route(
                "GET /notes/:id",
                &[Segment::Static("notes"), Segment::Parameter("id")],
                async |App(status, json), request| {
                    let context = request.into_context()?;
                    if status == StatusCode::NOT_IMPLEMENTED {
                        return Err(Error::not_implemented("GET /notes/:id", "src/handlers/notes.rs"));
                    }
                    if status.is_client_error() {
                        return Err(Error::new(status, json, "refused"));
                    }
                    let is_json = json.starts_with('{');
                    let media_type = if is_json {
                        "application/json"
                    } else {
                        "text/event-stream"
                    };
                    let reply = Reply::text(json).content_type(media_type);
                    Response::reply(&context, status, reply)
                },
            )
            .into_router()
    }

    /// Runs a test of the route.
    async fn run(kind: Kind, setup: TestSetup) -> Checked {
        run_of(TABLES, kind, setup).await
    }

    /// Runs a test of the only route of a document.
    async fn run_of(tables: &str, kind: Kind, setup: TestSetup) -> Checked {
        let Document { errors, routes, .. } = serde_json::from_str(tables).expect("tables");
        let running = Running::new(
            setup,
            Expectations {
                errors,
                shapes: SHAPES,
                requests: &[],
            },
        );
        running.run(kind, &routes[0]).await
    }

    /// Returns the message of the failure of the valid request.
    async fn failure(status: StatusCode, json: &'static str) -> String {
        match run(Kind::Valid, TestSetup::new(router(status, json))).await {
            Err(Stop::Failed(message)) => message,
            other => panic!("{other:?}"),
        }
    }

    #[tokio::test]
    async fn passes_if_the_response_matches_its_contract() {
        let right = || TestSetup::new(router(StatusCode::OK, r#"{ "title": "Milk" }"#));
        assert_eq!(run(Kind::Valid, right()).await, Ok(()));
        assert_eq!(run(Kind::WrongMethod, right()).await, Ok(()));
        let missing = TestSetup::new(router(StatusCode::NOT_FOUND, "NOTE_NOT_FOUND"));
        assert_eq!(run(Kind::Valid, missing).await, Ok(()));
    }

    #[tokio::test]
    async fn fails_with_request_and_response_if_a_property_is_missing_or_breaks_a_rule() {
        assert_eq!(
            failure(StatusCode::OK, "{}").await,
            "The response of GET /notes/:id does not match its contract: $.title: expected string, at least 1 character, received nothing\n\
             curl -i 'http://localhost:3000/notes/7'\nanswered: 200 {}"
        );
        let empty = failure(StatusCode::OK, r#"{ "title": "" }"#).await;
        assert!(empty.contains("$.title"), "{empty}");
    }

    #[tokio::test]
    async fn fails_if_the_status_or_the_error_is_not_declared() {
        let created = failure(StatusCode::CREATED, r#"{ "title": "Milk" }"#).await;
        assert!(
            created.starts_with("GET /notes/:id answered 201 with neither a declared response nor an error"),
            "{created}"
        );
        let gone = failure(StatusCode::GONE, "NOTE_DELETED").await;
        assert!(
            gone.contains("the error 410 NOTE_DELETED, which its contract does not declare"),
            "{gone}"
        );
        let refused = failure(StatusCode::UNAUTHORIZED, "UNAUTHORIZED").await;
        assert!(refused.contains("refused the test's credentials"), "{refused}");
    }

    #[tokio::test]
    async fn ignores_a_handler_that_is_not_implemented() {
        let setup = TestSetup::new(router(StatusCode::NOT_IMPLEMENTED, ""));
        let reason =
            "`GET /notes/:id` is not implemented yet: write the code in src/handlers/notes.rs".to_owned();
        assert_eq!(run(Kind::Valid, setup).await, Err(Stop::Ignored(reason)));
    }

    #[tokio::test]
    async fn a_declared_error_fails_the_test_if_the_route_has_a_fixture() {
        let setup = TestSetup::new(router(StatusCode::NOT_FOUND, "NOTE_NOT_FOUND"))
            .fixture("GET /notes/:id", async |_client| {
                Ok(Fixture::new().param("id", "a b"))
            });
        let Err(Stop::Failed(message)) = run(Kind::Valid, setup).await else {
            panic!("the test did not fail");
        };
        assert!(
            message.contains("though its fixture should make the request succeed"),
            "{message}"
        );
        assert!(message.contains("/notes/a%20b"), "{message}");
    }

    #[tokio::test]
    async fn blocks_without_an_event_are_no_undeclared_event() {
        let valid = async |text| {
            let setup = TestSetup::new(router(StatusCode::OK, text));
            run_of(EVENTS, Kind::Valid, setup).await
        };
        assert_eq!(
            valid(":\n\nretry: 2000\n\nid: 7\n\nevent: done\ndata:\n\n").await,
            Ok(())
        );
        for (undeclared, name) in [("data: 1\n\n", "message"), ("event: other\n\n", "other")] {
            let Err(Stop::Failed(message)) = valid(undeclared).await else {
                panic!("{undeclared} passed");
            };
            let expected = format!("the event {name}, which its contract does not declare");
            assert!(message.contains(&expected), "{message}");
        }
    }

    #[tokio::test]
    async fn tests_of_a_list_are_ignored_if_the_route_has_no_fixture_and_responds_with_a_declared_error() {
        let missing = || TestSetup::new(router(StatusCode::NOT_FOUND, "NOTE_NOT_FOUND"));
        for kind in [Kind::FollowsCursors, Kind::ForgedCursors] {
            let reason = "the response is an error: add a fixture for the route".to_owned();
            assert_eq!(run(kind, missing()).await, Err(Stop::Ignored(reason)));
            let undeclared = TestSetup::new(router(StatusCode::NOT_FOUND, "LIST_NOT_FOUND"));
            assert!(matches!(run(kind, undeclared).await, Err(Stop::Failed(_))));
            let with_fixture = missing().fixture("GET /notes/:id", async |_client| Ok(Fixture::new()));
            assert!(matches!(run(kind, with_fixture).await, Err(Stop::Failed(_))));
        }
    }

    #[tokio::test]
    async fn names_of_unknown_routes_are_mistakes() {
        let setup = TestSetup::new(router(StatusCode::OK, "{}")).skip("GET /note/:id", "reason");
        let Document { routes, .. } = serde_json::from_str(TABLES).expect("tables");
        let mistake = check_names(&routes, &setup).expect_err("a mistake");
        assert!(
            mistake.contains("`GET /note/:id`") && mistake.contains("GET /notes/:id"),
            "{mistake}"
        );
    }
}
