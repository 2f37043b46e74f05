//! Tests with random TypeScript projects from which Rust servers are generated. Clippy compiles all of them, and
//! PostgreSQL accepts their tables and statements, and their servers answer random requests without a 500. `KIT_SEED` and
//! `KIT_RUNS` set the seed and the number of projects, `KIT_FIRST` the number of the first project, and `KIT_REQUESTS` the number of requests to each server:
//! `KIT_RUNS=100 cargo test -p kit-rust-server --test random_projects`. With `KIT_SERVERS`, only so many projects become programs
//! and get requests. The compiler checks the others, which takes a quarter of the time.

// Projects are directories of files, a helper function may fail its test, generated TypeScript is joined from short strings,
// and a long run prints its progress.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::format_collect,
    clippy::print_stderr
)]

mod project_directory;
mod projects;
mod random;
#[allow(dead_code)] // this test needs only the server
mod served_http;
mod statements;
mod workspace;

use kit_test_postgres as postgres;
use kit_test_programs as support;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use kit_ir::Program;
use kit_rust_server::{Output, Owner};
use postgres::{Release, database_on, execute, with_client};
use random::Random;
use random::requests::Requests;
use served_http::Server;
use workspace::Runtime;

/// Seed without `KIT_SEED`.
const SEED: u64 = 2027;

/// Number of projects without `KIT_RUNS`.
const USUAL: u64 = 5;

/// Number of requests to each server without `KIT_REQUESTS`.
const REQUESTS: u64 = 200;

/// Returns the number of projects whose servers run.
fn servers() -> usize {
    usize::try_from(variable("KIT_SERVERS", u64::MAX)).unwrap_or(usize::MAX)
}

/// A random project, and the files that were generated for it.
struct GeneratedProject {
    name: String,
    program: Program,
    output: Output,
}

fn variable(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).map_or(otherwise, |text| text.parse().expect(name))
}

fn directory() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("rust-servers/random")
}

/// Returns all projects. Asserts that the compiler and the generator accept each of them.
fn all() -> &'static [GeneratedProject] {
    static ALL: LazyLock<Vec<GeneratedProject>> = LazyLock::new(|| {
        let (seed, runs) = (variable("KIT_SEED", SEED), variable("KIT_RUNS", USUAL));
        let first = variable("KIT_FIRST", 0);
        let mut made = Vec::new();
        let mut refused = String::new();
        for number in first..first + runs {
            let name = format!("random-{number}");
            let root = directory().join("sources").join(&name);
            project_directory::write(
                &root.join("package.json"),
                &format!("{{ \"name\": \"{name}\", \"type\": \"module\" }}\n"),
            );
            for (path, text) in random::project(seed, number) {
                project_directory::write(&root.join(path), &text);
            }
            match projects::understood(&root) {
                Err(errors) => {
                    let _ = writeln!(refused, "{}: {errors:#?}", root.display());
                }
                Ok(program) => {
                    let output = projects::generated(&name, &program);
                    if !output.problems.is_empty() {
                        let _ = writeln!(refused, "{}: {:#?}", root.display(), output.problems);
                    }
                    made.push(GeneratedProject {
                        name,
                        program,
                        output,
                    });
                }
            }
        }
        assert!(
            refused.is_empty(),
            "kit refuses projects of seed {seed}:\n{refused}"
        );
        made
    });
    &ALL
}

/// Returns a file of the user. The middleware lets all requests pass, because otherwise no request would reach its handler.
fn written_by_user(path: &str, text: &str) -> String {
    let refusal = "        Err(Error::not_implemented(";
    let Some((before, _)) = text
        .split_once(refusal)
        .filter(|_| path.starts_with("src/middleware/"))
    else {
        return text.to_owned();
    };
    let value = if text.contains("pub user_id: String") {
        "Self { user_id: \"1\".to_owned() }"
    } else {
        "Self"
    };
    format!("{before}        Ok({value})\n    }}\n}}\n")
}

/// Compiles all projects. They are members of one workspace, so that shared dependencies are compiled once. Returns the
/// directory of the servers.
fn compiled() -> &'static Path {
    static COMPILED: LazyLock<PathBuf> = LazyLock::new(|| {
        compile();
        project_directory::target().join("debug")
    });
    &COMPILED
}

#[test]
fn compiles_every_project_without_warnings() {
    compiled();
}

fn compile() {
    let root = directory().join("workspace");
    let earlier = root.join("projects");
    if earlier.exists() {
        fs::remove_dir_all(earlier).unwrap();
    }
    for GeneratedProject { name, output, .. } in all() {
        let runtime = Runtime::of(project_directory::manifest(output));
        runtime.write(output);
        let project = root.join("projects").join(name);
        for document in ["openapi", "asyncapi"] {
            let path = project.join(format!(".kit/schemas/{document}.json"));
            project_directory::write(&path, "{}\n");
        }
        for file in &output.files {
            let path = match file.owner {
                Owner::Output => format!(".kit/{}", file.path),
                Owner::Project | Owner::User => file.path.clone(),
            };
            if path.starts_with(".kit/runtime/") {
                continue;
            }
            if path == "Cargo.toml" {
                // The project is in `random/workspace/projects/`.
                let manifest = runtime.without_profile(&file.text, "../../../..");
                let manifest = format!("{manifest}\n[lints.clippy]\n{}", workspace::PEDANTIC);
                project_directory::write(&project.join(path), &manifest);
            } else {
                let text = written_by_user(&path, &file.text);
                project_directory::write(&project.join(path), &text);
            }
        }
    }
    project_directory::write(
        &root.join("Cargo.toml"),
        "[workspace]\nresolver = \"3\"\nmembers = [\"projects/*\"]\n\n[profile.dev]\ndebug = \"line-tables-only\"\n",
    );
    let lock = projects::repository().join("examples/notes-rust/Cargo.lock");
    fs::copy(lock, root.join("Cargo.lock")).unwrap();
    let names: Vec<&str> = all().iter().map(|project| project.name.as_str()).collect();
    let mut reports = String::new();
    let (built, checked) = names.split_at(servers().min(names.len()));
    // A build takes less time than a check, which would compile all dependencies once more.
    for (command, names) in [("build", built), ("check", checked)] {
        // Few at a time, so that the report of a failure is short.
        for names in names.chunks(25) {
            let mut cargo = Command::new("cargo");
            cargo
                .args([command, "--keep-going", "--quiet", "--message-format=short"])
                .args(names.iter().flat_map(|name| ["--package", name]))
                .current_dir(&root)
                .env("CARGO_TARGET_DIR", project_directory::target())
                .env("RUSTC_WORKSPACE_WRAPPER", "clippy-driver");
            let output = cargo.output().unwrap();
            let reported = String::from_utf8(output.stderr).unwrap();
            let is_clean = output.status.success() && !reported.contains("warning");
            eprintln!("{command} of {} projects: {is_clean}", names.len());
            if !is_clean {
                reports.push_str(&reported);
            }
        }
    }
    assert!(reports.is_empty(), "{reports}");
}

#[test]
fn generates_code_that_rustfmt_does_not_change() {
    for GeneratedProject { name, output, .. } in all() {
        projects::assert_formatted(name, output);
    }
}

#[test]
fn accepts_tables_and_statements_of_every_project_in_postgresql() {
    for GeneratedProject { name, output, .. } in all() {
        let Some(database) = database_on(
            Release::Embedded,
            "accepts_tables_and_statements_of_every_project_in_postgresql",
        ) else {
            return;
        };
        migrate(name, output, &database.url);
        let modules = output.files.iter().filter(|file| file.path.starts_with("db/"));
        let statements: Vec<_> = modules.flat_map(|module| statements::of(&module.text)).collect();
        with_client(&database.url, async |client| {
            for statement in statements {
                let prepared = client.prepare(&statement).await;
                assert!(prepared.is_ok(), "{name}: {statement}\n{:?}", prepared.err());
            }
        });
    }
}

/// Creates the tables of a project.
fn migrate(name: &str, output: &Output, database: &str) {
    let files = output.files.iter();
    let mut migrations: Vec<_> = files
        .filter(|file| file.path.starts_with("migrations/"))
        .collect();
    migrations.sort_by(|one, other| one.path.cmp(&other.path));
    assert!(!migrations.is_empty(), "{name} has no table");
    let migrations: Vec<_> = migrations
        .iter()
        .map(|migration| migration.text.as_str())
        .collect();
    execute(database, &migrations.concat());
}

/// In development, a server also responds with 500 if a response breaks its contract.
#[test]
fn answers_no_random_request_with_500() {
    let (seed, count) = (variable("KIT_SEED", SEED), variable("KIT_REQUESTS", REQUESTS));
    let mut statuses: BTreeMap<u16, usize> = BTreeMap::new();
    let mut failures = String::new();
    for (
        number,
        GeneratedProject {
            name,
            program,
            output,
        },
    ) in (0_u64..).zip(all()).take(servers())
    {
        let Some(database) = database_on(Release::Embedded, "answers_no_random_request_with_500") else {
            return;
        };
        migrate(name, output, &database.url);
        let variables = [("NODE_ENV", "development"), ("LOG_LEVEL", "fatal")];
        let server = Server::start_with(&variables, &compiled().join(name), &database.url);
        let mut requests = Requests::new(program, Random::new(seed, number));
        let valid = requests.number_of_routes();
        for at in 0..valid + usize::try_from(count).unwrap() {
            let request = if at < valid {
                requests.valid(at)
            } else {
                requests.any()
            };
            let method = request.method.to_string();
            let body = request.body.clone().unwrap_or_default();
            let json = ("content-type", "application/json");
            let headers = request.body.is_some().then_some(json);
            let answer = server.send(
                &method,
                &request.path,
                headers.as_slice(),
                body.clone().into_bytes(),
            );
            *statuses.entry(answer.status).or_default() += 1;
            if answer.status == 500 || answer.status > 501 {
                let text = &answer.body;
                let _ = writeln!(failures, "{name}: {method} {} {body}\n  {text}", request.path);
            } else if answer.status < 300
                && let Ok(value) = serde_json::from_str(&answer.body)
            {
                requests.learn(&value);
            }
        }
    }
    eprintln!("seed {seed}: {statuses:?}");
    assert!(failures.is_empty(), "seed {seed}: {statuses:?}\n{failures}");
    let successes: usize = statuses.range(200..300).map(|(_, count)| count).sum();
    let all: usize = statuses.values().sum();
    assert!(
        all == 0 || successes * 10 > all,
        "only {successes} of {all} requests succeeded"
    );
}
