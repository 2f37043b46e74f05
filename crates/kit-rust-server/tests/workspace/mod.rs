//! The cargo workspace of the generated projects that tests compile and run.
//!
//! All projects are members of one workspace, and Clippy is its compiler. So cargo compiles each dependency once, and
//! each project once: the programs that tests run are those that Clippy has accepted.
//!
//! Each combination of features of `kit-runtime` is a package of its own. Otherwise, cargo would give every project
//! the features of all projects, and a missing feature in a manifest would not be noticed.

#![allow(dead_code, unreachable_pub)]
// each test binary uses its own part, and none has an outside
// Projects are files, and a helper of a test may fail the test.
#![allow(clippy::disallowed_methods, clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use kit_rust_server::{Output, Owner};

use crate::project_directory::{self, ProjectDirectory, write};
use crate::{projects, support};

/// Clippy lints that generated code must satisfy in addition to the default ones, because a request must never cause
/// a panic.
const NO_PANIC: [&str; 5] = [
    "unwrap_used",
    "expect_used",
    "panic",
    "indexing_slicing",
    "string_slice",
];

/// The same lints without those for indexing, because the runtime indexes bytes at positions that it has checked.
const NO_PANIC_OF_THE_RUNTIME: [&str; 3] = ["unwrap_used", "expect_used", "panic"];

/// Line of a manifest, in the table of Clippy's lints, that denies the group `pedantic`.
pub const PEDANTIC: &str = "pedantic = { level = \"deny\", priority = -1 }\n";

/// Start of the names of projects with the OpenTelemetry exporter. They are compiled by themselves, because the exporter
/// changes features of most dependencies.
const WITH_EXPORTER: &str = "shop";

/// End of the names of projects that cargo must refuse.
pub const BROKEN: &str = "-broken";

/// All projects on disk.
pub struct Workspace {
    projects: BTreeMap<String, ProjectDirectory>,
}

/// Programs of the projects.
pub struct Programs {
    /// Directory of the servers.
    servers: PathBuf,
    /// Programs of `tests/queries.rs`, each with the name of its project.
    queries: BTreeMap<String, PathBuf>,
    /// Programs of `tests/contract.rs`, each with the name of its project.
    contract_tests: BTreeMap<String, PathBuf>,
}

impl Programs {
    /// Returns the path of the server of a project.
    pub fn server(&self, project: &str) -> PathBuf {
        self.servers.join(project)
    }

    /// Returns the path of the compiled `tests/queries.rs` of a project.
    pub fn queries(&self, project: &str) -> &Path {
        &self.queries[project]
    }

    /// Returns the path of the compiled `tests/contract.rs` of a project.
    pub fn contract_tests(&self, project: &str) -> &Path {
        &self.contract_tests[project]
    }
}

impl Workspace {
    /// Returns the workspace. The first call writes it.
    pub fn written() -> &'static Self {
        static WRITTEN: LazyLock<Workspace> = LazyLock::new(Workspace::write);
        &WRITTEN
    }

    /// Returns the project with this name.
    pub fn project(&self, name: &str) -> &ProjectDirectory {
        &self.projects[name]
    }

    /// Compiles all projects, except the broken ones. The first call compiles them. Panics if one has a warning. The variable
    /// `KIT_PROJECTS` selects some projects, for a test of these projects only: `KIT_PROJECTS=notes,notes-tested`.
    pub fn compiled() -> &'static Programs {
        static COMPILED: LazyLock<Programs> = LazyLock::new(|| {
            let names = Workspace::written().projects.keys();
            let selected = env::var("KIT_PROJECTS").ok();
            let is_selected = |name: &str| {
                let mut selected = selected.iter().flat_map(|names| names.split(','));
                selected.clone().next().is_none() || selected.any(|other| other == name)
            };
            let working = names.filter(|name| !name.ends_with(BROKEN) && is_selected(name));
            let (with, without): (Vec<_>, Vec<_>) = working.partition(|name| name.starts_with(WITH_EXPORTER));
            let mut queries = BTreeMap::new();
            let mut contract_tests = BTreeMap::new();
            // cargo refuses the name of a test that none of the packages has.
            let tests_without: &[&str] = &["--test", "queries", "--test", "contract"];
            for (names, tests) in [(without, tests_without), (with, &["--test", "queries"])] {
                if names.is_empty() {
                    continue;
                }
                let mut build = build(names);
                build.args(["--lib", "--bins"]).args(tests);
                build.arg("--message-format=json-render-diagnostics");
                let output = project_directory::output(&mut build);
                let messages = String::from_utf8(output.stdout).unwrap();
                queries.extend(test_programs(&messages, "queries"));
                contract_tests.extend(test_programs(&messages, "contract"));
            }
            Programs {
                servers: project_directory::target().join("debug"),
                queries,
                contract_tests,
            }
        });
        &COMPILED
    }

    /// Returns a command that makes the documentation of all projects, except those that are broken or have the exporter. A
    /// warning is an error.
    pub fn documentation() -> Command {
        let names = Workspace::written().projects.keys();
        let mut cargo = Command::new("cargo");
        cargo
            .args(["doc", "--quiet", "--keep-going", "--lib", "--no-deps"])
            .current_dir(project_directory::directory_of_all())
            .env("CARGO_TARGET_DIR", project_directory::target())
            .env("RUSTC_WORKSPACE_WRAPPER", "clippy-driver")
            .env("RUSTDOCFLAGS", "-D warnings");
        for name in names.filter(|name| !name.ends_with(BROKEN) && !name.starts_with(WITH_EXPORTER)) {
            cargo.args(["--package", name]);
        }
        cargo
    }

    fn write() -> Self {
        let mut runtimes = BTreeSet::new();
        let mut members = BTreeMap::new();
        for (name, mut output, written) in all() {
            // Files that the user has written need not satisfy the group.
            let is_generated = written.iter().all(|(path, _)| path.starts_with("tests/"));
            if !is_generated {
                deny_pedantic_in_modules(&mut output);
            }
            let manifest = project_directory::manifest(&output);
            let runtime = Runtime::of(manifest);
            if runtimes.insert(runtime.name.clone()) {
                runtime.write(&output);
            }
            let mut manifest = runtime.used_by(manifest);
            if is_generated {
                manifest.push_str(PEDANTIC);
            }
            let project = ProjectDirectory::of(&name, &output, written, &manifest);
            members.insert(name, project);
        }
        let root = project_directory::directory_of_all();
        let names: Vec<_> = members.keys().map(|name| format!("    \"{name}\",\n")).collect();
        // The profile is that of generated projects.
        let workspace = format!(
            "[workspace]\nresolver = \"3\"\nmembers = [\n{}]\nexclude = [\"random\"]\n\n[profile.dev]\ndebug = \"line-tables-only\"\n\n[profile.dev.package.\"*\"]\ndebug = false\nincremental = false\n",
            names.concat()
        );
        write(&root.join("Cargo.toml"), &workspace);
        // With the versions of the example, cargo uses dependencies that are already compiled for it.
        let lock = projects::repository().join("examples/notes-rust/Cargo.lock");
        fs::copy(lock, root.join("Cargo.lock")).unwrap();
        Self { projects: members }
    }
}

/// Denies Clippy's group `pedantic` in the modules of `.kit/`.
fn deny_pedantic_in_modules(output: &mut Output) {
    let library = output.files.iter_mut().find(|file| file.path == "src/lib.rs");
    let library = library.expect("a library");
    let module = "#[path = \"../.kit/";
    assert!(library.text.contains(module), "{}", library.text);
    library.text = library
        .text
        .replace(module, &format!("#[deny(clippy::pedantic)]\n{module}"));
}

/// Returns a command that compiles the projects with these names, with Clippy as the compiler.
pub fn build<'n>(names: impl IntoIterator<Item = &'n String>) -> Command {
    let mut cargo = Command::new("cargo");
    cargo
        .args(["build", "--quiet", "--keep-going"])
        .current_dir(project_directory::directory_of_all())
        .env("CARGO_TARGET_DIR", project_directory::target())
        .env("RUSTC_WORKSPACE_WRAPPER", "clippy-driver");
    for name in names {
        cargo.args(["--package", name]);
    }
    cargo
}

/// Returns a command that compiles a project together with the projects without the exporter. So its dependencies have the
/// same features as theirs, and are already compiled.
pub fn build_with_others(name: &str) -> Command {
    let names = Workspace::written().projects.keys();
    let is_selected =
        |other: &&String| *other == name || !other.ends_with(BROKEN) && !other.starts_with(WITH_EXPORTER);
    build(names.filter(is_selected))
}

/// Reads the messages of cargo. Returns the programs of the test with this name, each with the name of its project.
fn test_programs(messages: &str, test: &str) -> Vec<(String, PathBuf)> {
    let messages = messages
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    messages
        .filter(|message| message["target"]["name"] == test)
        .filter_map(|message| {
            let project = Path::new(message["manifest_path"].as_str()?).parent()?;
            let name = project.file_name()?.to_str()?.to_owned();
            Some((name, message["executable"].as_str()?.into()))
        })
        .collect()
}

/// Files that the user has written, with their paths in the project.
type Written = Vec<(String, String)>;

/// Returns the name of every project, its generated files and its files of the user.
fn all() -> Vec<(String, Output, Written)> {
    let mut all = Vec::new();
    for (name, program) in projects::all() {
        let mut written = projects::handwritten(name);
        let queries = projects::tests().join(format!("inputs/{name}/queries.rs"));
        if queries.exists() {
            written.push(tests_without_lints(&project_directory::text(&queries)));
        }
        all.push((name.to_owned(), projects::generated(name, &program), written));
    }

    all.push((
        "notes-tested".to_owned(),
        projects::with_contract_tests("notes-tested", &projects::notes_example()),
        notes_of_the_example(),
    ));
    // The user has not changed the test program of this project.
    all.push((
        "contracts-tested".to_owned(),
        projects::with_test_values("contracts-tested", &support::contracts::program()),
        projects::handwritten("contracts"),
    ));

    let shop = projects::shop();
    let earlier = projects::generated_on("shop-earlier", &shop, vec![projects::earlier(&shop)]);
    let queries = project_directory::text(&projects::tests().join("inputs/shop/queries.rs"));
    let queries = queries.replace("use shop::", "use shop_earlier::");
    let written = vec![tests_without_lints(&queries)];
    all.push(("shop-earlier".to_owned(), earlier, written));

    let adopted = projects::adopted();
    let baseline = projects::baseline(&adopted);
    let output = projects::generated_on("adopted", &adopted, vec![baseline]);
    all.push(("adopted".to_owned(), output, Vec::new()));

    let of = |program: &kit_ir::Program, name: &str, directory: &str, files: &[&str]| {
        let directory = projects::tests().join(directory);
        let written = files
            .iter()
            .map(|file| {
                let name = Path::new(file).file_name().unwrap();
                let input = [directory.join(file), directory.join(name)];
                let input = input.iter().find(|path| path.exists()).expect(file);
                (format!("src/{file}"), project_directory::text(input))
            })
            .collect();
        (name.to_owned(), projects::generated(name, program), written)
    };
    all.push(of(
        &projects::owners(),
        "owners-written",
        "inputs/owners",
        &[
            "middleware/limited.rs",
            "middleware/log.rs",
            "middleware/require_user.rs",
            "middleware/require_account.rs",
        ],
    ));
    all.push(of(
        &projects::wrappers(),
        "wrappers-written",
        "inputs/wrappers/written",
        &[
            "handlers/exports.rs",
            "handlers/reports.rs",
            "middleware/cached.rs",
            "middleware/limited.rs",
            "middleware/log.rs",
            "middleware/require_reader.rs",
            "middleware/timed.rs",
        ],
    ));
    let identity = projects::identity();
    let features = r#""api-keys", "decimal", "jiff", "jwt", "oidc", "passwords", "sessions", "valkey""#;
    all.push((
        "identity".to_owned(),
        projects::generated_with_features("identity", &identity, features),
        projects::identity_files(),
    ));
    let mut without_caller = projects::identity_files();
    for (_, text) in &mut without_caller {
        *text = text.replace("impl Caller for RequireAuth", "impl RequireAuth");
    }
    all.push((
        format!("identity{BROKEN}"),
        projects::generated_with_features("identity-broken", &identity, features),
        without_caller,
    ));
    for (name, program, services) in [
        (
            "contracts-broken",
            support::contracts::program(),
            contracts_broken(),
        ),
        (
            "nothing-broken",
            kit_ir::Program::default(),
            "pub fn first(names: &[String]) -> &str { names.first().unwrap() }\n".to_owned(),
        ),
    ] {
        let written = vec![("src/services/mod.rs".to_owned(), services)];
        all.push((name.to_owned(), projects::generated(name, &program), written));
    }
    all
}

/// Returns the files of the user in `examples/notes-rust`, for a project with the name `notes-tested`.
fn notes_of_the_example() -> Written {
    let root = projects::repository().join("examples/notes-rust");
    let paths = [
        "src/handlers/notes.rs",
        "src/middleware/require_auth.rs",
        "tests/contract.rs",
    ];
    let files = paths.map(|path| {
        let text = project_directory::text(&root.join(path));
        (path.to_owned(), text.replace("notes_rust", "notes_tested"))
    });
    files.into()
}

/// Returns the file `tests/queries.rs` with a text to which the lints for generated code do not apply.
fn tests_without_lints(text: &str) -> (String, String) {
    let text = format!("#![allow(clippy::all, clippy::pedantic, clippy::restriction)]\n{text}");
    ("tests/queries.rs".to_owned(), text)
}

/// Functions for handlers of the golden `contracts`, each with the name of its case in `conformance/contracts.json` and the
/// error of the Rust compiler.
pub const BREAKING: [(&str, &str, &str); 6] = [
    (
        "a reply without a required header: 500",
        "fn header(body: Order) -> CreateOrderReply { let location = String::new(); CreateOrderReply::Created { body, headers: PostOrdersReply201Headers { location } } }",
        "E0063",
    ),
    (
        "a reply without its body: 500",
        "fn body() -> CreateOrderReply { CreateOrderReply::Accepted {} }",
        "E0063",
    ),
    (
        "a value in place of a reply: 500",
        "fn value(body: Order) -> CreateOrderReply { body }",
        "E0308",
    ),
    (
        "a reply with an undeclared status: 500",
        "fn status(body: Job) -> CreateOrderReply { CreateOrderReply::Ok { body } }",
        "E0599",
    ),
    (
        "ctx.send beside replies: 500",
        "fn send() -> CreateOrderReply { kit_runtime::Reply::text(\"text\") }",
        "E0308",
    ),
    (
        "details that break the contract: 500",
        "fn details() -> AppError { AppError::SoldOut(SoldOut { left: (), again: None }) }",
        "E0308",
    ),
];

/// Returns a module with the functions of [`BREAKING`], each on a line of its own after the first line.
fn contracts_broken() -> String {
    let imports = "use crate::{error::AppError, models::*, router::CreateOrderReply};";
    let functions = BREAKING
        .map(|(_, function, _)| format!("pub {function}"))
        .join("\n");
    format!("{imports}\n{functions}\n")
}

/// A copy of `kit-runtime` for the projects that use the same features.
pub struct Runtime {
    /// Name of the package and of its directory. The packages of a workspace have different names.
    name: String,
}

impl Runtime {
    /// Returns the runtime with the features in the manifest of a project, also with those for its tests.
    pub fn of(manifest: &str) -> Self {
        let mut name = "kit-runtime".to_owned();
        let lines = manifest.lines().filter(|line| line.starts_with("kit-runtime = "));
        for line in lines {
            let mut quoted = line.split('"').skip(1).step_by(2);
            assert_eq!(quoted.next(), Some(".kit/runtime"), "{line}");
            for feature in quoted {
                let _ = write!(name, "-{feature}");
            }
        }
        assert!(
            manifest.contains("kit-runtime = "),
            "the manifest does not name the runtime"
        );
        Self { name }
    }

    /// Changes the manifest of a project to that of a workspace member that uses this runtime and must satisfy the lints.
    fn used_by(&self, manifest: &str) -> String {
        let lints = lints(&NO_PANIC);
        format!("{}{lints}", self.without_profile(manifest, ".."))
    }

    /// Returns the manifest of a project without its profiles, which uses this runtime. `up` is the path from the
    /// project to the directory of all projects.
    pub fn without_profile(&self, manifest: &str, up: &str) -> String {
        let own = manifest.split("[profile.dev]").next().unwrap();
        let there = format!("path = \"{up}/{0}\", package = \"{0}\"", self.name);
        own.replace("path = \".kit/runtime\"", &there)
    }

    /// Writes the runtime into the directory of all projects.
    pub fn write(&self, output: &Output) {
        let root = project_directory::directory_of_all();
        let lints = lints(&NO_PANIC_OF_THE_RUNTIME);
        // Crates in directories of the runtime, such as `guard`, which all runtimes of the workspace share.
        let in_runtime = |path: &str| path.strip_prefix(project_directory::RUNTIME).map(str::to_owned);
        let shared: Vec<String> = output
            .files
            .iter()
            .filter_map(|file| {
                in_runtime(&file.path)?
                    .strip_suffix("/Cargo.toml")
                    .map(str::to_owned)
            })
            .collect();
        for file in output.files.iter().filter(|file| file.owner == Owner::Output) {
            let Some(path) = file.path.strip_prefix(project_directory::RUNTIME) else {
                continue;
            };
            match path {
                "Cargo.toml" => {
                    let name = format!("name = \"{}\"", self.name);
                    let text = file.text.replacen("name = \"kit-runtime\"", &name, 1);
                    let text = shared.iter().fold(text, |text, name| {
                        text.replace(&format!("path = \"{name}\""), &format!("path = \"../{name}\""))
                    });
                    let library = "\n[lib]\nname = \"kit_runtime\"\n";
                    write(
                        &root.join(&self.name).join(path),
                        &format!("{text}{library}{lints}"),
                    );
                }
                _ if shared.iter().any(|name| path.starts_with(&format!("{name}/"))) => {
                    let lints = if path.ends_with("/Cargo.toml") { &lints } else { "" };
                    write(&root.join(path), &format!("{}{lints}", file.text));
                }
                _ => write(&root.join(&self.name).join(path), &file.text),
            }
        }
    }
}

/// Returns the lines of a manifest that forbid all warnings and the given lints of Clippy.
fn lints(of_clippy: &[&str]) -> String {
    let lines: Vec<_> = of_clippy
        .iter()
        .map(|lint| format!("{lint} = \"deny\"\n"))
        .collect();
    format!(
        "\n[lints.rust]\nwarnings = \"deny\"\n\n[lints.clippy]\n{}",
        lines.concat()
    )
}
