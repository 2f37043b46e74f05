//! `cargo xtask check`: format, lints, types, licences of crates, and the rules of tidy. It runs no tests.

use std::process::{Command, ExitCode};

use crate::clippy::{self, Compiler};
use crate::progress::Step;
use crate::repository::Repository;
use crate::test::Outcome;
use crate::{addons, dashboard, deny, playground, release, run, tidy, toolchain};

/// Options of the command.
#[derive(clap::Args, Default)]
pub(crate) struct Options {
    /// Format the sources before the checks.
    #[arg(long)]
    fix: bool,
}

/// A check that failed.
pub(crate) struct Failure {
    /// Name of the check.
    pub(crate) name: String,
    /// Complete output of the check.
    pub(crate) output: String,
}

/// Results of all checks.
#[derive(Default)]
pub(crate) struct Checked {
    /// Number of checks that passed.
    pub(crate) passed: usize,
    /// Checks that failed.
    pub(crate) failures: Vec<Failure>,
    /// Checks that cannot run on this machine, each as `name: reason`.
    pub(crate) skipped: Vec<String>,
}

/// Runs all checks and prints the failures.
pub(crate) fn run(repository: &Repository, options: &Options) -> anyhow::Result<ExitCode> {
    toolchain::install(repository)?;
    addons::build(repository, addons::Build::Quick)?;
    if options.fix {
        for command in [
            cargo(repository, &["fmt", "--all"])?,
            tool(repository, "oxfmt", &["."])?,
        ] {
            run::step("formatting", command)?;
        }
    }
    let checked = all(repository, Compiler::Rustc)?;
    for failure in &checked.failures {
        eprintln!("\n---- {} ----\n{}", failure.name, failure.output.trim_end());
    }
    for skipped in &checked.skipped {
        println!("skipped: {skipped}");
    }
    let outcome = Outcome {
        passed: checked.passed,
        failed: checked.failures.len(),
        skipped: checked.skipped,
        ..Outcome::default()
    };
    println!("{}", outcome.counts());
    Ok(if outcome.failed == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Name of the check of lints, whose warnings count as failures.
const LINTS: &str = "Rust lints (clippy)";

/// Runs all checks and returns their results. `compiler` is the compiler of the tests. The checks of TypeScript, which use one
/// processor, run beside those of Rust.
pub(crate) fn all(repository: &Repository, compiler: Compiler) -> anyhow::Result<Checked> {
    let (of_rust, of_typescript) = run::beside(
        || checks_of_rust(repository, compiler),
        || checks_of_typescript(repository),
    );
    let mut checked = of_rust?;
    let others = of_typescript?;
    checked.passed += others.passed;
    checked.failures.extend(others.failures);
    checked.skipped.extend(others.skipped);
    let step = Step::start("tidy");
    let problems = tidy::problems(repository)?;
    if problems.is_empty() {
        step.done("");
        checked.passed += 1;
    } else {
        step.failed("");
        checked.failures.push(Failure {
            name: "tidy".to_owned(),
            output: problems.join("\n"),
        });
    }
    Ok(checked)
}

fn checks_of_rust(repository: &Repository, compiler: Compiler) -> anyhow::Result<Checked> {
    let mut checked = Checked::default();
    checked.run("Rust format", cargo(repository, &["fmt", "--all", "--check"])?)?;
    checked.run(LINTS, compiler.lints(repository)?)?;
    // rustdoc uses the dependencies that cargo has checked for Clippy, but not those that cargo has compiled for tests.
    if compiler == Compiler::Rustc {
        checked.run("Rust documentation (rustdoc)", documentation(repository)?)?;
    }
    match deny::check(repository)? {
        deny::Check::Ready(command) => checked.run(deny::NAME, command)?,
        deny::Check::Unavailable(reason) => checked.skipped.push(format!("{}: {reason}", deny::NAME)),
    }
    Ok(checked)
}

/// Returns the command that makes the documentation of the published crates. A warning, such as a link to nothing, is an error.
fn documentation(repository: &Repository) -> anyhow::Result<Command> {
    let mut cargo = cargo(
        repository,
        &["doc", "--locked", "--quiet", "--no-deps", "--all-features"],
    )?;
    for name in release::PUBLISHED_CRATES {
        cargo.args(["--package", name]);
    }
    cargo.env("RUSTDOCFLAGS", "-D warnings");
    Ok(cargo)
}

fn checks_of_typescript(repository: &Repository) -> anyhow::Result<Checked> {
    build_examples(repository)?;
    let mut checked = Checked::default();
    for (name, program, arguments) in [
        ("TypeScript format (oxfmt)", "oxfmt", ["--check", "."]),
        ("TypeScript lints (oxlint)", "oxlint", ["--deny-warnings", "."]),
        ("types of the packages (tsc)", "tsc", ["--project", "."]),
        (
            "types of the dashboard (tsc)",
            "tsc",
            ["--project", dashboard::SOURCES],
        ),
        (
            "types of the playground (tsc)",
            "tsc",
            ["--project", playground::SOURCES],
        ),
    ] {
        checked.run(name, tool(repository, program, &arguments)?)?;
    }
    for example in examples(repository)? {
        // The front end of an example has the types of browsers, and so a project of its own.
        for project in [example.clone(), format!("{example}/web")] {
            if repository.path(&project).join("tsconfig.json").is_file() {
                let tsc = tool(repository, "tsc", &["--noEmit", "--project", &project])?;
                checked.run("types of the examples (tsc)", tsc)?;
            }
        }
    }
    Ok(checked)
}

impl Checked {
    /// Runs a check and adds its result.
    fn run(&mut self, name: &str, command: Command) -> anyhow::Result<()> {
        let step = Step::start(name);
        let shown = run::display(&command);
        let mut finished = run::finish(command, &step)?;
        if name == LINTS {
            let warnings = clippy::warnings(&finished.stdout);
            finished.success &= warnings.is_empty();
            // Without a message, cargo itself has failed.
            if !warnings.is_empty() {
                finished.output = warnings;
            }
        }
        if finished.success {
            step.done("");
            self.passed += 1;
        } else {
            step.failed("");
            self.failures.push(Failure {
                name: name.to_owned(),
                output: format!("$ {shown}\n{}", finished.output),
            });
        }
        Ok(())
    }
}

/// Builds the examples with `kit build`, because their code imports types that a build generates.
pub(crate) fn build_examples(repository: &Repository) -> anyhow::Result<()> {
    for example in examples(repository)? {
        let mut kit = tool(repository, "kit", &["build"])?;
        kit.current_dir(repository.path(&example));
        run::step(&format!("kit build in {example}"), kit)?;
    }
    Ok(())
}

/// The example with a Rust server, which other generated projects take their dependency versions from.
pub(crate) const RUST_EXAMPLE: &str = "examples/notes-rust";

/// Returns cargo's target directory for generated Rust code. All generated projects share it, so that dependencies
/// are compiled once.
pub(crate) fn generated_target(repository: &Repository) -> std::path::PathBuf {
    repository.target().join("generated")
}

/// The other example with a Rust server. Its handlers are written by hand.
const RUST_REALWORLD: &str = "examples/realworld-rust";

/// The Rust server of the shop, which has sessions and passwords.
const RUST_SHOP: &str = "examples/shop-rust";

/// Directory of the application of the conformance suite whose handlers are written in Rust.
const RUST_CONFORMANCE: &str = "tests/conformance/rust-server";

/// The application with types of every kind, for `tests/differential`, and the same with an error format of its own.
const RUST_TYPES: &str = "tests/differential/fixtures/echo";
const RUST_ERRORS: &str = "tests/differential/fixtures/echo-errors";

/// The application with tables and keys of every kind, for `tests/garbage`. All its handlers are generated.
const RUST_KEYS: &str = "tests/garbage/fixtures/keys";

/// The application with idempotency keys, for `tests/conformance`.
const RUST_PAYMENTS: &str = "tests/conformance/rust-payments";

/// Builds the Rust server with idempotency keys.
pub(crate) fn build_rust_payments(repository: &Repository) -> anyhow::Result<()> {
    let lock = |project: &str| repository.path(project).join("Cargo.lock");
    std::fs::copy(lock(RUST_EXAMPLE), lock(RUST_PAYMENTS))?;
    build_rust_server(repository, RUST_PAYMENTS)
}

fn build_rust_server(repository: &Repository, project: &str) -> anyhow::Result<()> {
    let mut kit = tool(repository, "kit", &["build"])?;
    kit.current_dir(repository.path(project))
        .env("CARGO_TARGET_DIR", generated_target(repository));
    run::step(&format!("kit build in {project}, with cargo"), kit)?;
    Ok(())
}

/// Builds the Rust servers of the examples and of the tests with cargo.
pub(crate) fn build_rust_servers(repository: &Repository) -> anyhow::Result<()> {
    let lock = |project: &str| repository.path(project).join("Cargo.lock");
    // These projects use the lock file of the example.
    for project in [RUST_TYPES, RUST_ERRORS, RUST_KEYS, RUST_PAYMENTS] {
        std::fs::copy(lock(RUST_EXAMPLE), lock(project))?;
    }
    // A build does not overwrite handlers, so remove those of an earlier build.
    let handlers = repository.path(RUST_KEYS).join("src/handlers");
    if handlers.exists() {
        std::fs::remove_dir_all(handlers)?;
    }
    for project in [
        RUST_EXAMPLE,
        RUST_REALWORLD,
        RUST_SHOP,
        RUST_CONFORMANCE,
        RUST_TYPES,
        RUST_ERRORS,
        RUST_KEYS,
        RUST_PAYMENTS,
    ] {
        build_rust_server(repository, project)?;
    }
    Ok(())
}

/// Returns the directories of all examples, relative to the root of the repository.
pub(crate) fn examples(repository: &Repository) -> anyhow::Result<Vec<String>> {
    let mut found = vec![
        "bench/arena/entry".to_owned(),
        "bench/http/app".to_owned(),
        "bench/http/edge-app".to_owned(),
        "bench/http/identity-app".to_owned(),
    ];
    for entry in std::fs::read_dir(repository.path("examples"))? {
        let entry = entry?;
        if entry.path().join("package.json").is_file() {
            found.push(format!("examples/{}", entry.file_name().to_string_lossy()));
        }
    }
    found.retain(|example| repository.path(example).join("tsconfig.json").is_file());
    found.sort();
    Ok(found)
}

fn cargo(repository: &Repository, arguments: &[&str]) -> anyhow::Result<Command> {
    let mut command = run::command(repository, "cargo")?;
    command.args(arguments);
    Ok(command)
}

fn tool(repository: &Repository, name: &str, arguments: &[&str]) -> anyhow::Result<Command> {
    let mut command = run::command(repository, repository.bin().join(name))?;
    command.args(arguments);
    Ok(command)
}
