//! Projects of the goldens: programs built in code, and programs in TypeScript below `inputs/` and in `examples/`.

#![allow(clippy::disallowed_methods)] // projects are files
#![allow(dead_code, unreachable_pub)] // each test binary uses its own part, and none has an outside

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::SystemTime;

use kit_build::{BuildRequest, BuildTime, Disk, analyze, resolve};
use kit_database::{Schema, Snapshot};
use kit_ir::{Method, Program, RouteSlots};
use kit_rust_server::{Committed, Options, Output, Owner, generate};

use crate::support;

/// Returns every project that can be generated without problems.
pub fn all() -> Vec<(&'static str, Program)> {
    vec![
        ("notes", support::notes::program()),
        ("kitchen-sink", kitchen_sink()),
        ("shop", shop()),
        ("teams", teams()),
        ("names", names()),
        ("owners", owners()),
        ("keys", keys()),
        ("nothing", Program::default()),
    ]
}

/// Covers references, keys of every kind, constraints on several columns, null, JSON, several groups and middleware.
pub fn shop() -> Program {
    of_sources(&tests().join("inputs/shop"))
}

/// Returns the unchanged types and contracts of `examples/teams`.
pub fn teams() -> Program {
    of_sources(&repository().join("examples/teams"))
}

/// Covers names that Rust and generated modules already use, defaults of every kind, and columns of every type.
pub fn names() -> Program {
    of_sources(&tests().join("inputs/names"))
}

/// Covers rows that belong to users: with and without middleware, and with references, keys and bodies that name the
/// owner.
pub fn owners() -> Program {
    of_sources(&tests().join("inputs/owners"))
}

/// Covers generated keys: a bigint, and a UUID with path parameters that have the rules of the column or no rules.
pub fn keys() -> Program {
    of_sources(&tests().join("inputs/keys"))
}

/// Returns the kitchen sink with an additional route for each type, which accepts and returns a value of the type.
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

/// Compiles a project. Panics if it has errors.
fn of_sources(root: &Path) -> Program {
    understood(root).unwrap_or_else(|errors| panic!("{}: {errors:#?}", root.display()))
}

/// Compiles a project. Returns the messages of its errors if it has any.
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

/// Generates the project of a program.
pub fn generated(name: &str, program: &Program) -> Output {
    generated_on(name, program, Vec::new())
}

/// Returns a migration of an earlier version of kit that created the tables of a program, with `timestamp` columns for
/// each `Date`.
pub fn earlier(program: &Program) -> Committed {
    let (schema, _) = Schema::from_program(program);
    let snapshot = Snapshot::of(&schema).to_json();
    assert!(snapshot.contains("\"timestamptz\""));
    Committed {
        name: "20260101000000_earlier".to_owned(),
        snapshot: Some(snapshot.replace("\"timestamptz\"", "\"timestamp\"")),
    }
}

/// Generates the project of a program with committed migrations.
pub fn generated_on(name: &str, program: &Program, migrations: Vec<Committed>) -> Output {
    let options = Options {
        name: name.to_owned(),
        output_dir: ".kit".to_owned(),
        // The project `shop` uses all options.
        otlp: name.starts_with("shop"),
        migrations,
        manifest: None,
    };
    generate(program, &options)
}

/// Asserts that rustfmt would not change the code of a project.
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
    // rustfmt follows the module declarations itself.
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

/// Returns the directory of these tests.
pub fn tests() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")
}

/// Returns the root of the repository.
pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
