//! The projects of the goldens: programs written down, and programs of TypeScript below `inputs/` and in `examples/`.

#![allow(dead_code, unreachable_pub)] // each test binary uses its own part, and none has an outside

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use kit_build::{BuildRequest, BuildTime, Disk, analyze, resolve};
use kit_database::{Schema, Snapshot};
use kit_ir::{Method, Program, RouteSlots};
use kit_rust_server::{Committed, Options, Output, generate};

use crate::support;

/// Every project that has a Rust form as a whole.
pub fn all() -> Vec<(&'static str, Program)> {
    vec![
        ("notes", support::notes::program()),
        ("kitchen-sink", kitchen_sink()),
        ("shop", shop()),
        ("teams", teams()),
        ("names", names()),
        ("owners", owners()),
        ("nothing", Program::default()),
    ]
}

/// References, keys of every kind, constraints of several columns, null, JSON, several groups and middleware.
pub fn shop() -> Program {
    of_sources(&tests().join("inputs/shop"))
}

/// The types and contracts of `examples/teams`, as they are.
pub fn teams() -> Program {
    of_sources(&repository().join("examples/teams"))
}

/// Names that Rust and generated modules have for something else, defaults of every kind, columns of every type.
pub fn names() -> Program {
    of_sources(&tests().join("inputs/names"))
}

/// Rows that belong to users: behind middleware and not, with references, keys and bodies that name the owner.
pub fn owners() -> Program {
    of_sources(&tests().join("inputs/owners"))
}

/// The kitchen sink with a route beside its own for each type, which a request brings and an answer takes away.
pub fn kitchen_sink() -> Program {
    let mut program = support::kitchen_sink::program();
    let mut route = program.routes[kit_ir::RouteId(0)].clone();
    route.method = Method::Post;
    "EchoRoutes".clone_into(&mut route.group);
    route.parameters.clear();
    route.status = 200;
    for (id, declaration) in program.declarations.clone().iter_ids() {
        route.path = format!("/echo/{}", declaration.name);
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

/// What the compiler understands of a project that has no mistake.
fn of_sources(root: &Path) -> Program {
    understood(root).unwrap_or_else(|errors| panic!("{}: {errors:#?}", root.display()))
}

/// What the compiler understands of a project, or the messages of its errors.
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

/// The project of a program.
pub fn generated(name: &str, program: &Program) -> Output {
    generated_on(name, program, Vec::new())
}

/// The migration of an earlier kit that made the tables of a program: a `Date` was a `timestamp`.
pub fn earlier(program: &Program) -> Committed {
    let (schema, _) = Schema::from_program(program);
    let snapshot = Snapshot::of(&schema).to_json();
    assert!(snapshot.contains("\"timestamptz\""));
    Committed {
        name: "20260101000000_earlier".to_owned(),
        snapshot: Some(snapshot.replace("\"timestamptz\"", "\"timestamp\"")),
    }
}

/// The same where migrations are committed.
pub fn generated_on(name: &str, program: &Program, migrations: Vec<Committed>) -> Output {
    let options = Options {
        name: name.to_owned(),
        output_dir: ".kit".to_owned(),
        // One has all that there is.
        otlp: name.starts_with("shop"),
        migrations,
        manifest: None,
    };
    generate(program, &options)
}

/// The directory of these tests.
pub fn tests() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")
}

/// The root of the repository.
pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
