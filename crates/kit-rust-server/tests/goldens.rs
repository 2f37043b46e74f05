//! Tests that compare complete projects with golden files, byte by byte.
//! `KIT_BLESS=1 cargo test -p kit-rust-server --test goldens` rewrites the golden files for review.
//! `tests/vectors_*.rs` compile their models and check them with the conformance vectors; `tests/built.rs` compiles all
//! of them.

// Goldens are files, and a helper of a test may fail the test.
#![allow(clippy::disallowed_methods, clippy::unwrap_used)]

mod projects;

use kit_test_programs as support;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use kit_ir::{Program, RouteId};
use kit_rust_server::{Output, Owner};
use projects::generated;

/// Content of each file, by path.
type Files = BTreeMap<String, String>;

#[test]
fn generates_the_golden_project_notes() {
    check("notes", files(&whole("notes", &support::notes::program())));
}

#[test]
fn generates_the_golden_project_shop() {
    check("shop", files(&whole("shop", &projects::shop())));
}

#[test]
fn generates_the_golden_contract_tests_of_contracts_with_headers_cookies_replies_and_failures() {
    let output = projects::with_contract_tests("contracts", &support::contracts::program());
    let mut files = files(&output);
    files.retain(|path, _| path.contains("contract") && !path.contains("/runtime/"));
    check("contract-tests", files);
}

#[test]
fn contract_tests_have_the_headers_params_and_skipped_routes_of_the_configuration() {
    let program = support::contracts::program();
    let output = projects::with_test_values("contracts", &program);
    let tables = output
        .files
        .iter()
        .find(|file| file.path == "contract-tests.json");
    let document: serde_json::Value = serde_json::from_str(&tables.unwrap().text).unwrap();
    let expected = serde_json::json!({ "Authorization": "Bearer tester" });
    assert_eq!(document["headers"], expected);
    assert_eq!(document["unused"], serde_json::json!(["app", "fixtures"]));
    let of = |route: &str| {
        let mut tables = document["routes"].as_array().unwrap().iter();
        tables.find(|table| table["route"] == route).unwrap()
    };
    let order = of("GET /orders/:id");
    assert_eq!(order["headers"], serde_json::json!({ "X-Trace": "7" }));
    assert_eq!(order["request"]["params"]["id"], "from-config");
    assert_eq!(order["keptParams"], serde_json::json!(["id"]));
    let stock = of("GET /stock").as_object().unwrap();
    let names: Vec<_> = stock.keys().map(String::as_str).collect();
    assert_eq!(
        (stock["skip"].as_str(), names.contains(&"request")),
        (Some("the stock changes"), false)
    );
}

/// Compares only the handlers, because the other files resemble those of the other projects.
#[test]
fn generates_the_golden_project_teams() {
    let mut files = files(&whole("teams", &projects::teams()));
    files.retain(|path, _| path.starts_with("src/handlers/"));
    check("teams", files);
}

#[test]
fn generates_the_golden_project_names() {
    check("names", files(&whole("names", &projects::names())));
}

#[test]
fn generates_the_golden_project_owners() {
    check("owners", files(&whole("owners", &projects::owners())));
}

/// Compares only the handlers and the modules of tables.
#[test]
fn generates_the_golden_project_store() {
    let mut files = files(&whole("store", &projects::store()));
    files.retain(|path, _| path.starts_with("src/handlers/") || path.starts_with("kit/db/"));
    check("store", files);
}

#[test]
fn sorts_nested_rows_by_the_rows_to_which_they_refer_unless_they_refer_to_each_other() {
    let output = whole("nested", &projects::nested());
    assert!(output.warnings.is_empty(), "{:?}", output.warnings);
    let files = files(&output);
    let handlers = &files["src/handlers/surveys.rs"];
    let sorted = |name: &str| {
        let (_, rest) = handlers.split_once(&format!("let mut items = body.{name};\n"))?;
        let (statement, _) = rest.split_once("\n        for ")?;
        Some(statement.lines().last()?.trim())
    };
    assert_eq!(sorted("samples"), Some("items.sort_unstable();"), "{handlers}");
    assert_eq!(sorted("visits"), Some("items.sort_by_key(|item| item.begin);"));
    assert_eq!(sorted("pictures"), Some("items.sort_by_key(|item| item.room);"));
    // The request has a question before those that belong to it, and codes of languages have no order.
    assert_eq!((sorted("questions"), sorted("languages")), (None, None));
    for unsorted in ["for item in body.questions {", "for item in body.languages {"] {
        assert!(handlers.contains(unsorted), "{unsorted}\n{handlers}");
    }
}

#[test]
fn warns_with_the_reason_of_each_handler_that_types_do_not_determine() {
    let output = whole("store", &projects::store());
    let messages: Vec<&str> = output
        .warnings
        .iter()
        .map(|warning| warning.message.as_str())
        .collect();
    let expected = [
        "`GET /found/products` answers 501, because kit cannot generate its handler: types do not tell which rows `search` of the query selects, because neither `Product` nor one table that connects `Product` with other values has such a property",
        "`GET /totals/orders/:id` answers 501, because kit cannot generate its handler: the property `total` of the response is neither a property of `Order` nor rows of a table with one foreign key to it",
        "`POST /logins` answers 501, because kit cannot generate its handler: neither the response `CustomerName` nor the path names the table of an entity",
        "`GET /translated/products/:id` answers 501, because kit cannot generate its handler: types do not tell the meaning of the header `accept-language` of the request",
        "`PUT /products/:id` answers 501, because kit cannot generate its handler: the database creates the key of a new row of `Product`, so that the path cannot choose it",
    ];
    assert_eq!(messages, expected);
}

/// `cargo test --test built` compiles the handler with the wrapper that the user has written.
#[test]
fn queries_of_a_handler_with_idempotency_keys_belong_to_the_transaction_of_the_wrapper() {
    let files = files(&whole("identity", &projects::identity()));
    let handlers = &files["src/handlers/bookings.rs"];
    let connection = "let mut transaction = input.once.transaction.connection().await?;";
    assert!(handlers.contains(connection), "{handlers}");
    assert!(
        handlers.contains("booking::insert(&mut *transaction, &new)"),
        "{handlers}"
    );
    assert!(!handlers.contains("self.pool"), "{handlers}");
    let wrapper = &files["src/middleware/once.rs"];
    let field = "pub transaction: kit_runtime::postgres::RequestTransaction,";
    assert!(wrapper.contains(field), "{wrapper}");
}

#[test]
fn scopes_are_checked_before_the_wrapper_that_the_program_names_or_after_all_middleware() {
    let router = |before: Option<&str>| {
        let mut program = support::wrappers::program();
        let route = &mut program.routes[RouteId(0)];
        route.scopes = vec![vec!["reports:read".to_owned()]];
        route.authenticator = Some("tagged".to_owned());
        route.scopes_before = before.map(str::to_owned);
        files(&whole("wrappers", &program))
            .remove("kit/router.rs")
            .unwrap()
    };
    let statement = "request.require_scopes(&tagged, &[&[\"reports:read\"]], false)?;";
    for (before, next) in [
        (Some("cached"), "let rest = move |cached: Cached|"),
        (None, "let params = request.params()?;"),
        (Some("unknown"), "let params = request.params()?;"),
    ] {
        let text = router(before);
        let [_, after] = &text.split(statement).collect::<Vec<_>>()[..] else {
            panic!("one route has scopes: {text}");
        };
        assert!(after.trim_start().starts_with(next), "{after}");
    }
}

#[test]
fn generates_the_golden_project_contracts() {
    check(
        "contracts",
        files(&whole("contracts", &support::contracts::program())),
    );
}

/// Compares only the code for the routes, because the models are those of the server.
#[test]
fn generates_the_golden_clients() {
    for (name, program) in [
        ("client-contracts", support::contracts::program()),
        ("client-bodies", support::bodies::program()),
        ("client-formats", support::formats::program()),
        ("client-sockets", support::sockets::program()),
    ] {
        let mut files = files(&projects::with_client(name, &program));
        files.retain(|path, _| {
            path.strip_prefix("kit/rust-client/").is_some_and(|path| {
                path == "Cargo.toml" || path == "src/lib.rs" || path.starts_with("src/routes/")
            })
        });
        check(name, files);
    }
}

#[test]
fn formats_clients_like_rustfmt() {
    let sockets = ("client-sockets", support::sockets::program());
    for (name, program) in projects::all().into_iter().chain([sockets]) {
        projects::assert_client_formatted(name, &projects::with_client(name, &program));
    }
}

#[test]
fn clients_have_decimals_if_a_model_has() {
    for (name, program) in projects::all() {
        let files = files(&projects::with_client(name, &program));
        let has_decimals = files
            .iter()
            .any(|(path, text)| path.starts_with("kit/rust-client/src/models/") && text.contains("Decimal"));
        let manifest = &files["kit/rust-client/Cargo.toml"];
        assert_eq!(
            manifest.contains("\"decimal\""),
            has_decimals,
            "{name}: {manifest}"
        );
    }
}

#[test]
fn the_package_of_a_client_has_a_name_that_cargo_accepts() {
    for (project, package) in [
        ("@acme/todos", "todos-client"),
        ("@acme/3d-shop", "app-3d-shop-client"),
        ("möbel", "m-bel-client"),
        ("...", "app-client"),
        ("kit", "kit-app-client"),
    ] {
        let files = files(&projects::with_client(project, &Program::default()));
        let manifest = &files["kit/rust-client/Cargo.toml"];
        assert!(
            manifest.contains(&format!("name = \"{package}\"\n")),
            "{project}: {manifest}"
        );
    }
}

#[test]
fn clients_have_the_library_of_websockets_only_if_a_contract_has_sockets() {
    for (name, program) in projects::all() {
        let has_sockets = program.routes.iter().any(kit_ir::Route::is_socket);
        let files = files(&projects::with_client(name, &program));
        let manifest = &files["kit/rust-client/Cargo.toml"];
        assert_eq!(
            manifest.contains("\"sockets\""),
            has_sockets,
            "{name}: {manifest}"
        );
    }
}

#[test]
fn clients_open_websockets_with_each_kind_of_message() {
    let output = projects::with_client("chat", &projects::chat());
    let messages = output.warnings.iter().map(|warning| &warning.message);
    let about_the_client: Vec<_> = messages.filter(|message| message.contains("client")).collect();
    assert!(about_the_client.is_empty(), "{about_the_client:?}");
    let calls = &files(&output)["kit/rust-client/src/routes/watchs.rs"];
    let dense: String = calls.split_whitespace().collect();
    for (types, kinds) in [
        ("models::OrderInput,models::Order", "JSON,JSON"),
        ("String,kit_client::TextOrBinary<String>", "TEXT,TEXT_OR_BYTES"),
        (
            "kit_client::TextOrBinary<models::OrderInput>,kit_client::Bytes",
            "JSON_OR_BYTES,BYTES",
        ),
    ] {
        let returned = format!("kit_client::Socket<{types}");
        let (_, rest) = dense
            .split_once(&returned)
            .unwrap_or_else(|| panic!("{returned}\n{calls}"));
        let (call, _) = rest.split_once(".await").unwrap();
        let kinds = kinds.replace(',', ",kit_client::Messages::");
        let kinds = format!(".open(&[],kit_client::Messages::{kinds}");
        assert!(call.contains(&kinds), "{kinds}\n{calls}");
    }
}

/// Compares only the files with code for bodies.
#[test]
fn generates_the_golden_project_bodies() {
    let mut files = files(&whole("bodies", &support::bodies::program()));
    files.retain(|path, _| ["kit/router.rs", "src/handlers/photos.rs"].contains(&path.as_str()));
    check("bodies", files);
}

/// Compares only the files with code for bodies.
#[test]
fn matches_the_golden_of_formats() {
    let mut files = files(&whole("formats", &support::formats::program()));
    files.retain(|path, _| ["kit/router.rs", "src/handlers/orders.rs"].contains(&path.as_str()));
    check("formats", files);
}

/// Compares only the files that WebSockets change.
#[test]
fn generates_the_golden_project_chat() {
    let mut files = files(&whole("chat", &projects::chat()));
    let shown = [
        "Cargo.toml",
        "kit/router.rs",
        "src/handlers/chats.rs",
        "src/handlers/watchs.rs",
    ];
    files.retain(|path, _| shown.contains(&path.as_str()));
    check("chat", files);
}

/// Compares only the files that the options change.
#[test]
fn generates_the_golden_project_problem() {
    let mut files = files(&whole("problem", &projects::problem()));
    let shown = [
        "Cargo.toml",
        "kit/environment.rs",
        "kit/models/environment.rs",
        "kit/router.rs",
        "src/app.rs",
        "src/main.rs",
    ];
    files.retain(|path, _| shown.contains(&path.as_str()));
    check("problem", files);
}

/// Compares only the files that the options change.
#[test]
fn generates_the_golden_project_own_errors() {
    let mut files = files(&whole("own-errors", &projects::own_errors()));
    files.retain(|path, _| ["Cargo.toml", "kit/router.rs", "kit/models/errors.rs"].contains(&path.as_str()));
    check("own-errors", files);
}

#[test]
fn declares_the_error_format_of_the_guide_in_the_golden_of_own_errors() {
    let shown = projects::guide_file("error-formats.md", "ts", "src/errors.ts");
    let used = projects::tests().join("inputs/own-errors/src/errors.ts");
    assert_eq!(fs::read_to_string(used).unwrap(), shown);
}

/// Other tests compile this state with the handlers and middleware of the pages.
#[test]
fn has_the_state_that_the_guide_shows() {
    let app = fs::read_to_string(projects::tests().join("inputs/identity/app.rs")).unwrap();
    let dense = |text: &str| text.split_whitespace().collect::<String>();
    for page in ["api-keys.md", "idempotency.md", "rate-limits.md"] {
        let text = fs::read_to_string(projects::repository().join("docs/guide").join(page)).unwrap();
        let mut values = text.split("in `connect`:\n\n```rust\n").skip(1).peekable();
        assert!(values.peek().is_some(), "{page}");
        for value in values {
            let (value, _) = value.split_once("```\n").unwrap();
            assert!(dense(&app).contains(&dense(value)), "{page}: {value}");
        }
    }
    let sessions = projects::guide_file("sessions.md", "rust", "src/app.rs");
    let (_, connect) = sessions.split_once("Ok(Self {").unwrap();
    let (values, _) = connect.split_once("})").unwrap();
    assert!(dense(&app).contains(&dense(values)), "{values}");
}

#[test]
fn generates_the_golden_project_wrappers() {
    check("wrappers", files(&whole("wrappers", &projects::wrappers())));
}

#[test]
fn generates_the_golden_project_kitchen_sink() {
    let program = projects::kitchen_sink();
    check("kitchen-sink", files(&whole("kitchen-sink", &program)));
}

#[test]
fn writes_all_sources_of_the_runtime() {
    let output = projects::with_client("notes", &Program::default());
    for (own, written) in [
        ("kit-runtime", "runtime/src"),
        ("kit-guard", "runtime/guard/src"),
        ("kit-http2", "runtime/http2/src"),
        ("kit-static", "runtime/static/src"),
        ("kit-tls", "runtime/tls/src"),
        ("kit-websocket", "runtime/websocket/src"),
        ("kit-client", "rust-client/kit-client/src"),
    ] {
        let source = projects::repository().join("crates").join(own).join("src");
        for (path, text) in read_tree(&source) {
            let written = format!("{written}/{path}");
            let file = output.files.iter().find(|file| file.path == written);
            let file = file.unwrap_or_else(|| panic!("the generator does not write {written}"));
            assert_eq!(file.text, text);
        }
    }
}

#[test]
fn formats_code_like_rustfmt() {
    for (name, program) in projects::all() {
        projects::assert_formatted(name, &generated(name, &program));
    }
}

#[test]
fn refuses_an_application_with_jobs() {
    let program = support::jobs::program();
    let output = generated("jobs", &program);
    let [problem] = output.problems.as_slice() else {
        panic!("{:?}", output.problems);
    };
    assert_eq!(
        problem.message,
        "the Rust server has no jobs, but the application calls `createJobs`"
    );
    assert_eq!(Some(problem.span), program.application.jobs.map(|jobs| jobs.span));
}

/// Generates the project of a program. Asserts that there are no problems.
fn whole(name: &str, program: &Program) -> Output {
    let output = generated(name, program);
    assert_eq!(output.problems, []);
    output
}

/// Returns the files of a golden: without the runtime, which is the same in all projects.
fn files(output: &Output) -> Files {
    let files = output.files.iter();
    files
        .filter(|file| !file.path.starts_with("runtime/"))
        .map(|file| {
            let path = match file.owner {
                Owner::Output => format!("kit/{}", file.path),
                Owner::Project | Owner::User => file.path.clone(),
            };
            (path, file.text.clone())
        })
        .collect()
}

/// Asserts that the golden contains the same files with the same contents.
fn check(name: &str, files: Files) {
    let directory = projects::tests().join("goldens").join(name);
    if std::env::var_os("KIT_BLESS").is_some() {
        if directory.exists() {
            fs::remove_dir_all(&directory).unwrap();
        }
        for (path, text) in files {
            let path = directory.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        return;
    }
    let expected = read_tree(&directory);
    let names = |files: &Files| files.keys().cloned().collect::<Vec<_>>();
    assert_eq!(
        names(&files),
        names(&expected),
        "the files of {}",
        directory.display()
    );
    for (path, text) in &files {
        assert_eq!(text, &expected[path], "{path} of {} differs", directory.display());
    }
}

/// Reads all files below a directory.
fn read_tree(root: &Path) -> Files {
    let mut files = Files::new();
    let mut pending = vec![root.to_owned()];
    while let Some(directory) = pending.pop() {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                pending.push(path);
                continue;
            }
            let relative = path.strip_prefix(root).unwrap().to_str().unwrap();
            files.insert(relative.replace('\\', "/"), fs::read_to_string(&path).unwrap());
        }
    }
    files
}
