//! Commands of this repository: `cargo xtask <command>`.
//!
//! They install what is missing (Node 24 and the npm packages), build the addons, and then do one task. CI runs only
//! `cargo xtask test`; a new contributor starts with `cargo xtask demo`.
//!
//! Invariants: a command that fails reports the problem and what to do; a child process never outlives its command;
//! progress is drawn only on a terminal.

// xtask is a tool that writes files and prints. The lints against printing and file access are for the published crates.
#![allow(clippy::disallowed_methods, clippy::print_stdout, clippy::print_stderr)]

mod addons;
mod bench;
mod check;
mod clippy;
mod cluster;
mod cpu;
mod dashboard;
mod demo;
mod deny;
mod fuzz;
mod interrupt;
mod matrix;
mod mutate;
mod notices;
mod optimized;
mod pack;
mod platforms;
mod playground;
mod progress;
mod release;
mod repository;
mod run;
mod sbom;
mod setup;
mod site;
mod soak;
mod test;
mod tidy;
mod toolchain;
mod viewer;
mod vsix;

use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::repository::Repository;

/// Commands of this repository.
#[derive(Parser)]
#[command(
    name = "cargo xtask",
    bin_name = "cargo xtask",
    disable_version_flag = true,
    arg_required_else_help = true
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run the Notes example: install, build, migrate, serve.
    #[command(after_help = "Examples:\n  cargo xtask demo\n  cargo xtask demo --port 8080 --seconds 60")]
    Demo(demo::Options),
    /// Run all checks and all tests. CI runs the same command.
    #[command(
        after_help = "Examples:\n  cargo xtask test\n  cargo xtask test --changed\n  cargo xtask test --changed=v0.1.0\n  cargo xtask test --only rust --only packages\n  cargo xtask test --long"
    )]
    Test(test::Options),
    /// Check format, lints, types, licences of crates, and the rules of `tidy`. `cargo xtask test` starts with these checks.
    Check(check::Options),
    /// Check rules of this repository that no other tool checks, such as the layers in ARCHITECTURE.md.
    Tidy,
    /// Write llms.txt, the list of documentation pages for language models.
    Llms,
    /// Install npm packages, Node 24 and the viewer of the API reference if they are missing, and build the addons
    /// and the dashboard.
    Setup,
    /// Build the two native addons with optimizations, and copy them to their packages.
    #[command(
        after_help = "Examples:\n  cargo xtask addons\n  cargo xtask addons --platform linux-x64-musl --platform linux-arm64-gnu"
    )]
    Addons(addons::Options),
    /// Test the addons of each platform: build and load them, build an example, and run the HTTP conformance tests. Emulators run the
    /// platforms that this machine does not have.
    #[command(
        after_help = "Examples:\n  cargo xtask platforms\n  cargo xtask platforms --platform linux-arm64-gnu --optimized\n  cargo xtask platforms --platform win32-x64 --record\n\nNeeds cargo-zigbuild, and a program for each platform; docs/platforms.md lists them."
    )]
    Platforms(matrix::Options),
    /// Fetch the viewer of the API reference and copy it to @kit/api-docs.
    Viewer,
    /// Build the dashboard of the debug sidecar and copy it to @kit/plugin-debug.
    Dashboard,
    /// Fuzz the compiler and the HTTP engine: run them on generated input, with libFuzzer.
    #[command(
        after_help = "Examples:\n  cargo xtask fuzz\n  cargo xtask fuzz types --seconds 600\n  cargo xtask fuzz http --seconds 600"
    )]
    Fuzz(fuzz::Options),
    /// Break rules in the contracts of an example, and check that its contract tests fail.
    #[command(after_help = "Examples:\n  cargo xtask mutate contracts\n  cargo xtask mutate contracts notes")]
    Mutate(mutate::Options),
    /// Pack the npm packages as users install them.
    #[command(after_help = "Examples:\n  cargo xtask pack --out /tmp/kit-packages")]
    Pack(pack::Options),
    /// Build all files of a release, check them, and write the steps of the publication into a file.
    #[command(
        after_help = "Examples:\n  cargo xtask release --version 0.2.0 --prepare\n  cargo xtask release --version 0.2.0\n  cargo xtask release --version 0.2.0 --no-build --registry http://localhost:4873"
    )]
    Release(release::Options),
    /// Pack the extension for Visual Studio Code as a .vsix file.
    #[command(after_help = "Examples:\n  cargo xtask vsix\n  code --install-extension target/vsix/kit.vsix")]
    Vsix(vsix::Options),
    /// Write a software bill of materials for each addon and each npm package into target/sbom, in the JSON format of
    /// `CycloneDX`.
    #[command(after_help = "Examples:\n  cargo xtask sbom\n  ls target/sbom")]
    Sbom,
    /// Build the documentation site: the pages of docs/, the reference of packages and crates, and the playground.
    #[command(
        after_help = "Examples:\n  cargo xtask site\n  cargo xtask site --pages-only\n  cargo xtask site --base /0.1/ --out public/0.1"
    )]
    Site(site::Options),
    /// Measure kit and comparable tools in one run.
    #[command(
        after_help = "Examples:\n  cargo xtask bench http --quick\n  cargo xtask bench http --subjects kit-native,axum --scenarios get-param,db-read\n  cargo xtask bench http --json bench/results/http.json"
    )]
    Bench(bench::Options),
    /// Run the native server for minutes under bad load, and check that the server frees all resources. The load is idle
    /// connections, slow readers and mixed requests, also with the sidecar and telemetry. At the end, SIGTERM stops the server
    /// under load, again and again, and no request may be lost.
    #[command(after_help = "Examples:\n  cargo xtask soak\n  cargo xtask soak mixed --minutes 30")]
    Soak(soak::Options),
    /// Run an application in a small cluster under load. Kill and pause each part, deploy a release with a migration, and check that
    /// no request and no job is lost or done twice.
    #[command(
        after_help = "Examples:\n  cargo xtask cluster\n  cargo xtask cluster --minutes 3\n  cargo xtask cluster --minutes 2 --only postgres\n\nNeeds haproxy, pgbouncer, and valkey-server or redis-server: `apt-get install haproxy pgbouncer redis-server`."
    )]
    Cluster(cluster::Options),
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    interrupt::install();
    match execute(arguments.command) {
        Ok(code) => code,
        Err(error) => {
            // `eprintln!` would panic if nobody reads standard error any more.
            let _ = writeln!(std::io::stderr(), "error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn execute(command: Command) -> anyhow::Result<ExitCode> {
    let repository = Repository::find(Path::new(env!("CARGO_MANIFEST_DIR")))?;
    match command {
        Command::Demo(options) => demo::run(&repository, &options),
        Command::Test(options) => test::run(&repository, &options),
        Command::Check(options) => check::run(&repository, &options),
        Command::Tidy => tidy::run(&repository),
        Command::Llms => tidy::write_llms(&repository),
        Command::Setup => {
            setup::run(&repository, addons::Build::Quick)?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Viewer => {
            toolchain::install(&repository)?;
            viewer::install(&repository)?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Dashboard => {
            toolchain::install(&repository)?;
            dashboard::build(&repository)?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Addons(options) => addons::run(&repository, &options),
        Command::Platforms(options) => matrix::run(&repository, &options),
        Command::Fuzz(options) => fuzz::run(&repository, &options),
        Command::Mutate(options) => mutate::run(&repository, &options),
        Command::Pack(options) => pack::run(&repository, &options),
        Command::Release(options) => release::run(&repository, &options),
        Command::Vsix(options) => vsix::run(&repository, &options),
        Command::Sbom => sbom::run(&repository),
        Command::Site(options) => site::run(&repository, &options),
        Command::Bench(options) => bench::run(&repository, &options),
        Command::Soak(options) => soak::run(&repository, &options),
        Command::Cluster(options) => cluster::run(&repository, &options),
    }
}
