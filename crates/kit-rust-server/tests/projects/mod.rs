//! The applications whose projects are golden files. Some are built in code; the others are TypeScript in `inputs/`
//! and `examples/`.

#![allow(clippy::disallowed_methods)] // projects are files
#![allow(dead_code, unreachable_pub)] // each test binary uses its own part, and none has an outside

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::SystemTime;

use kit_build::{BuildRequest, BuildTime, Disk, analyze, resolve};
use kit_database::{ForeignObject, ObjectKind, Schema, Snapshot};
use kit_ir::{Method, Program, RouteSlots};
use kit_rust_server::{Committed, Options, Output, Owner, RouteTests, TestValues, generate};

use crate::support;

/// Returns the name and the program of every application from which a project can be generated.
pub fn all() -> Vec<(&'static str, Program)> {
    vec![
        ("notes", support::notes::program()),
        ("kitchen-sink", kitchen_sink()),
        ("shop", shop()),
        ("teams", teams()),
        ("names", names()),
        ("owners", owners()),
        ("store", store()),
        ("tokens", tokens()),
        ("nested", nested()),
        ("contracts", support::contracts::program()),
        ("bodies", support::bodies::program()),
        ("formats", support::formats::program()),
        ("chat", chat()),
        ("problem", problem()),
        ("own-errors", own_errors()),
        ("wrappers", wrappers()),
        ("nothing", Program::default()),
    ]
}

/// An application with references, keys of every kind, constraints on several columns, nullable columns, JSON,
/// several groups and middleware.
pub fn shop() -> Program {
    of_sources(&tests().join("inputs/shop"))
}

/// The application `examples/teams`, unchanged.
pub fn teams() -> Program {
    of_sources(&repository().join("examples/teams"))
}

/// The application `examples/notes`, unchanged. `examples/notes-rust` is its Rust server.
pub fn notes_example() -> Program {
    of_sources(&repository().join("examples/notes"))
}

/// An application with names that Rust or generated code already use, defaults of every kind, and columns of every
/// type.
pub fn names() -> Program {
    of_sources(&tests().join("inputs/names"))
}

/// An application whose rows belong to users. Its routes have or lack middleware, and have references, keys and
/// bodies that name the owner.
pub fn owners() -> Program {
    of_sources(&tests().join("inputs/owners"))
}

/// An application whose requests and responses contain rows of several tables: orders with items, and products with tags.
pub fn store() -> Program {
    of_sources(&tests().join("inputs/store"))
}

/// An application whose request inserts rows of several tables with keys of every kind, and rows that refer to each other.
pub fn nested() -> Program {
    of_sources(&tests().join("inputs/nested"))
}

/// An application with keys that the database generates: a bigint, and a UUID. Some path parameters have the rules of
/// the key's column, and some have no rules.
pub fn tokens() -> Program {
    of_sources(&tests().join("inputs/tokens"))
}

/// An application on an adopted database.
pub fn adopted() -> Program {
    of_sources(&tests().join("inputs/adopted"))
}

/// Returns the baseline of the adopted database, whose columns have types that no tag selects.
pub fn baseline(program: &Program) -> Committed {
    let (mut schema, _) = Schema::from_program(program);
    let column = |(name, definition): (&str, &str)| ForeignObject {
        kind: ObjectKind::Column,
        table: Some("machines".to_owned()),
        name: name.to_owned(),
        definition: Some(definition.to_owned()),
        uses: Vec::new(),
    };
    let foreign = [
        ("code", "character(3) NOT NULL"),
        ("name", "character varying(8) NOT NULL"),
        ("address", "inet NOT NULL"),
        ("mask", "bit(3) NOT NULL"),
        ("opens", "time without time zone NOT NULL"),
        ("ratio", "real NOT NULL"),
        ("size", "smallint NOT NULL"),
        ("mood", "mood NOT NULL"),
        ("labels", "character varying[] NOT NULL"),
        ("backup", "cidr"),
        ("settings", "json DEFAULT '{\"speed\": 1}'::json NOT NULL"),
        ("manual", "xml NOT NULL"),
        ("words", "tsvector NOT NULL"),
    ];
    // The database has a name of its own for the unique constraint.
    for table in &mut schema.tables {
        for unique in &mut table.uniques {
            "one_name".clone_into(&mut unique.name);
            table.kept_names.insert("one_name".to_owned());
        }
    }
    let foreign = foreign.map(column).to_vec();
    let snapshot = Snapshot::recorded(None, schema.tables, foreign, None);
    Committed {
        name: "20260101000000_baseline".to_owned(),
        snapshot: Some(snapshot.to_json()),
    }
}

/// An application with every option that applies to all responses, and with problem details.
pub fn problem() -> Program {
    of_sources(&tests().join("inputs/problem"))
}

/// An application with its own error format: the format of the page `error-formats.md` of the guide.
pub fn own_errors() -> Program {
    of_sources(&tests().join("inputs/own-errors"))
}

/// Returns the files that the user of an application has written, with their paths.
pub fn handwritten(name: &str) -> Vec<(String, String)> {
    if name == "bodies" {
        let handlers = fs::read_to_string(tests().join("inputs/bodies/photos.rs")).expect("handlers");
        return vec![("src/handlers/photos.rs".to_owned(), handlers)];
    }
    if name == "chat" {
        let path = "src/handlers/chats.rs";
        let handlers = guide_file("sockets.md", "rust", path);
        return vec![(path.to_owned(), handlers), state_of("chat")];
    }
    let page = match name {
        "own-errors" => "error-formats.md",
        "contracts" => "cookies.md",
        _ => return Vec::new(),
    };
    let path = "src/services/mod.rs";
    vec![(path.to_owned(), guide_file(page, "rust", path))]
}

/// Returns the file with the state of an application.
fn state_of(name: &str) -> (String, String) {
    let text = fs::read_to_string(tests().join(format!("inputs/{name}/app.rs"))).expect("the state");
    ("src/app.rs".to_owned(), text)
}

/// Returns a file that a page of the guide shows.
pub fn guide_file(page: &str, language: &str, path: &str) -> String {
    let text = fs::read_to_string(repository().join("docs/guide").join(page)).expect("a page");
    let block = text.split_once(&format!("```{language} file={path}\n"));
    let (_, rest) = block.unwrap_or_else(|| panic!("{page} shows no file {path}"));
    rest.split_once("```\n")
        .expect("the end of the block")
        .0
        .to_owned()
}

/// An application whose routes have wrappers with and without replies and failures, mixed with other middleware.
pub fn wrappers() -> Program {
    of_sources(&tests().join("inputs/wrappers"))
}

/// An application whose middleware is that of the guide's pages about identity and limits.
pub fn identity() -> Program {
    of_sources(&tests().join("inputs/identity"))
}

/// Files of [`identity`] that pages of the guide show, each with its page.
const GUIDE_FILES: [(&str, &str); 13] = [
    ("scopes.md", "src/middleware/authenticate.rs"),
    ("jwt.md", "src/middleware/require_auth.rs"),
    ("jwt.md", "src/services/tokens.rs"),
    ("rate-limits.md", "src/middleware/limited.rs"),
    ("rate-limits.md", "src/middleware/limited_in_valkey.rs"),
    ("rust-middleware.md", "src/middleware/timed.rs"),
    ("rust-types.md", "src/services/prices.rs"),
    ("idempotency.md", "src/middleware/once.rs"),
    ("idempotency.md", "src/handlers/banks.rs"),
    ("sessions.md", "src/middleware/require_session.rs"),
    ("sessions.md", "src/services/accounts.rs"),
    ("openid-connect.md", "src/handlers/logins.rs"),
    ("openid-connect.md", "src/services/logins.rs"),
];

/// Returns the files of [`identity`] that the user has written, with their paths.
pub fn identity_files() -> Vec<(String, String)> {
    let mut files: Vec<_> = GUIDE_FILES
        .map(|(page, path)| (path.to_owned(), guide_file(page, "rust", path)))
        .into();
    let services = "pub mod accounts;\npub mod logins;\npub mod prices;\npub mod tokens;\n";
    files.push(("src/services/mod.rs".to_owned(), services.to_owned()));
    files.push(state_of("identity"));
    files
}

/// Generates the project of an application again after its user has added features of `kit-runtime` to the manifest.
pub fn generated_with_features(name: &str, program: &Program, features: &str) -> Output {
    let first = generated(name, program);
    let manifest = first.files.iter().find(|file| file.path == "Cargo.toml");
    let manifest = &manifest.expect("a manifest").text;
    let manifest = manifest.replacen("features = [", &format!("features = [{features}, "), 1);
    let options = Options {
        name: name.to_owned(),
        output_dir: ".kit".to_owned(),
        manifest: Some(manifest),
        ..Options::default()
    };
    generate(program, &options)
}

/// An application with WebSockets, plain ones and ones with wrappers, middleware and limits of their own.
pub fn chat() -> Program {
    of_sources(&tests().join("inputs/chat"))
}

/// Returns the kitchen sink application with one more route for each of its types, which accepts and returns a value
/// of the type.
pub fn kitchen_sink() -> Program {
    let mut program = support::kitchen_sink::program();
    let mut route = program.routes[kit_ir::RouteId(0)].clone();
    route.method = Method::Post;
    "EchoRoutes".clone_into(&mut route.group);
    route.parameters.clear();
    route.status = 200;
    for (id, declaration) in program.declarations.clone().iter_ids() {
        route.path = format!("/echo/{}", declaration.name).parse().unwrap();
        route.key = format!("POST {}", route.path);
        route.slots = RouteSlots {
            body: Some(id),
            response: Some(id),
            ..RouteSlots::default()
        };
        program.routes.push(route.clone());
    }
    program
}

/// Compiles an application from its sources. Panics if it has errors.
fn of_sources(root: &Path) -> Program {
    understood(root).unwrap_or_else(|errors| panic!("{}: {errors:#?}", root.display()))
}

/// Compiles an application from its sources. Returns the messages of its errors if it has any.
pub fn understood(root: &Path) -> Result<Program, Vec<String>> {
    let root = root.canonicalize().expect("the project is there");
    let config = resolve(&root, None).expect("a configuration").config;
    let time = BuildTime::new(None, SystemTime::UNIX_EPOCH).expect("a time");
    let request = BuildRequest {
        root: &root,
        config: &config,
        files: Arc::new(Disk),
        time: &time,
    };
    let analysis = analyze(&request, &()).expect("sources that can be read");
    let errors: Vec<_> = analysis
        .diagnostics
        .iter()
        .filter(|diagnostic| diagnostic.severity == kit_diagnostics::Severity::Error)
        .map(|diagnostic| format!("{diagnostic:?}"))
        .collect();
    if errors.is_empty() {
        Ok(analysis.program)
    } else {
        Err(errors)
    }
}

/// Generates the project of an application.
pub fn generated(name: &str, program: &Program) -> Output {
    generated_on(name, program, Vec::new())
}

/// Returns the migration of an earlier version of kit that created the tables of an application. It has a `timestamp`
/// column for each `Date`.
pub fn earlier(program: &Program) -> Committed {
    let (schema, _) = Schema::from_program(program);
    let snapshot = Snapshot::of(&schema).to_json();
    assert!(snapshot.contains("\"timestamptz\""));
    Committed {
        name: "20260101000000_earlier".to_owned(),
        snapshot: Some(snapshot.replace("\"timestamptz\"", "\"timestamp\"")),
    }
}

/// Generates the project of an application that already has migrations.
pub fn generated_on(name: &str, program: &Program, migrations: Vec<Committed>) -> Output {
    let options = Options {
        name: name.to_owned(),
        output_dir: ".kit".to_owned(),
        // Only projects whose name begins with `shop` have this option.
        otlp: name.starts_with("shop"),
        api_docs: name == "problem",
        migrations,
        ..Options::default()
    };
    generate(program, &options)
}

/// Generates the project of an application with its client.
pub fn with_client(name: &str, program: &Program) -> Output {
    let options = Options {
        name: name.to_owned(),
        output_dir: ".kit".to_owned(),
        client: true,
        ..Options::default()
    };
    generate(program, &options)
}

/// Generates the project of an application with its contract tests.
pub fn with_contract_tests(name: &str, program: &Program) -> Output {
    let options = Options {
        name: name.to_owned(),
        output_dir: ".kit".to_owned(),
        contract_tests: true,
        ..Options::default()
    };
    generate(program, &options)
}

/// Generates the project of an application with its contract tests, and [`test_values`] for their requests.
pub fn with_test_values(name: &str, program: &Program) -> Output {
    let options = Options {
        name: name.to_owned(),
        output_dir: ".kit".to_owned(),
        contract_tests: true,
        tests: test_values(),
        ..Options::default()
    };
    generate(program, &options)
}

/// Returns values of the configuration for the requests of [`support::contracts`].
fn test_values() -> TestValues {
    let texts = |name: &str, value: &str| BTreeMap::from([(name.to_owned(), value.to_owned())]);
    let order = RouteTests {
        headers: texts("X-Trace", "7"),
        params: texts("id", "from-config"),
        skip: None,
    };
    let stock = RouteTests {
        skip: Some("the stock changes".to_owned()),
        ..RouteTests::default()
    };
    TestValues {
        app: Some("src/app.ts".to_owned()),
        fixtures: Some("tests/fixtures.ts".to_owned()),
        headers: texts("Authorization", "Bearer tester"),
        routes: BTreeMap::from([
            ("GET /orders/:id".to_owned(), order),
            ("GET /stock".to_owned(), stock),
        ]),
    }
}

/// Asserts that rustfmt would not change the generated client.
pub fn assert_client_formatted(name: &str, output: &Output) {
    let directory = std::env::temp_dir().join(format!("kit-rust-client-{name}-{}", std::process::id()));
    for file in &output.files {
        let Some(path) = file.path.strip_prefix("rust-client/") else {
            continue;
        };
        let path = directory.join(path);
        fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
        fs::write(path, &file.text).expect("a file");
    }
    let formatted = Command::new("rustfmt")
        .args(["--check", "--edition", "2024", "src/lib.rs"])
        .current_dir(&directory)
        .output()
        .expect("rustfmt");
    fs::remove_dir_all(&directory).expect("the directory");
    assert!(
        formatted.status.success(),
        "{name}: {}{}",
        String::from_utf8_lossy(&formatted.stdout),
        String::from_utf8_lossy(&formatted.stderr)
    );
}

/// Asserts that rustfmt would not change the generated code.
pub fn assert_formatted(name: &str, output: &Output) {
    let directory = std::env::temp_dir().join(format!("kit-rust-server-{name}-{}", std::process::id()));
    for file in &output.files {
        let path = match file.owner {
            Owner::Output => directory.join(".kit").join(&file.path),
            Owner::Project | Owner::User => directory.join(&file.path),
        };
        fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
        fs::write(path, &file.text).expect("a file");
    }
    // rustfmt finds the other files by the module declarations.
    let formatted = Command::new("rustfmt")
        .args(["--check", "--edition", "2024", "src/lib.rs", "src/main.rs"])
        .current_dir(&directory)
        .output()
        .expect("rustfmt");
    fs::remove_dir_all(&directory).expect("the directory");
    assert!(
        formatted.status.success(),
        "{name}: {}{}",
        String::from_utf8_lossy(&formatted.stdout),
        String::from_utf8_lossy(&formatted.stderr)
    );
}

/// Returns the directory `tests` of this crate.
pub fn tests() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")
}

/// Returns the root of the repository.
pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
