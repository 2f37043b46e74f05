//! `cargo xtask bench`: measures kit and comparable tools in the same run, and prints the results as ratios.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{ExitCode, Stdio};

use anyhow::{Context, bail};
use clap::ValueEnum;

use crate::repository::Repository;
use crate::{addons, interrupt, optimized, pack, run, toolchain};

/// Benchmark and its duration.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Benchmark to run.
    name: Name,
    /// Take less than a minute, for a first impression.
    #[arg(long)]
    quick: bool,
    /// Also write the measured values to this file.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Measure only these subjects, separated by commas; `http` and `arena` only.
    #[arg(long, value_name = "NAMES")]
    subjects: Option<String>,
    /// Run only these scenarios, separated by commas; `http`, `arena` and `rust-server` only.
    #[arg(long, value_name = "NAMES")]
    scenarios: Option<String>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Name {
    /// Requests: server CPU per request, throughput and latency.
    Http,
    /// Profiles of the public benchmark `HttpArena`, compared with Fastify, Elysia on Bun and axum: server CPU per
    /// request. Needs the program wrk.
    Arena,
    /// Cost of a request with one worker and with two, compared with Fastify in a cluster, Elysia on Bun and axum: server
    /// CPU per request.
    Workers,
    /// Requests and new connections over TLS, with HTTP/1.1 and HTTP/2, compared with node:http2 and axum: server CPU per
    /// request. Needs the program h2load.
    Tls,
    /// The generated Rust server of Notes, compared with one written by hand with axum and sqlx: CPU per request,
    /// throughput, latency, memory.
    RustServer,
    /// Files of multipart bodies that a handler reads while they arrive, compared with Fastify and busboy: CPU time for
    /// each MiB.
    Upload,
    /// Builds of a large project, compared with tsc, typia and a schema generator: milliseconds.
    Compile,
    /// Validators, decoders and serializers of generated code, compared with typia, ajv and others: nanoseconds per
    /// value.
    Validate,
    /// Time from process start to the first response of an application with fifty routes, compared with Fastify and
    /// Express: milliseconds.
    Start,
    /// Time from saving a file to the first response of the new code under `kit dev`: milliseconds, and the effect on
    /// a client's open requests.
    Dev,
    /// Time from an edit in an editor to the diagnostics of `kit lsp`, in a project of 1,003 types: milliseconds.
    Editor,
    /// Typed clients of 300 routes, compared with openapi-fetch and Hono: cost for type checker and editor.
    Client,
    /// Finding the route of a request, compared with matchit, find-my-way and others: nanoseconds and bytes.
    Router,
    /// Messages on WebSockets, compared with ws, Bun and axum: server CPU per message.
    Sockets,
    /// Server-Sent Events to 1,000 readers, compared with Fastify, Bun and axum: server CPU per delivery.
    Events,
    /// Static files of 4 KiB and of 1 MiB, compared with @fastify/static and tower-http: server CPU per file.
    Static,
    /// Creation of a database for one test, fifty times: milliseconds.
    Database,
    /// Longest wait of other sessions while a migration changes a table that they use: milliseconds; takes minutes.
    Migrations,
    /// No measurement: changes of existing rows by kit and drizzle-kit in ten migrations that often cause problems;
    /// takes minutes.
    DrizzleKit,
    /// No measurement: write the tables and the picture of docs/performance.md from recorded results.
    Page,
    /// All results of docs/performance.md, measured in full and written: about twenty minutes on a machine without
    /// other load.
    Record,
}

/// Builds the programs that measure Rust code. The programs are examples of a crate.
fn build_examples(repository: &Repository, package: &str, names: &[&str]) -> anyhow::Result<()> {
    let mut cargo = optimized::build(repository)?;
    cargo.args(["-p", package]);
    for name in names {
        cargo.args(["--example", name]);
    }
    run::step(&format!("building what measures {package}"), cargo)?;
    Ok(())
}

/// Directory from which `bench/start/run.ts` installs packages.
const PACKAGES: &str = "target/packages";

/// A program that a benchmark runs, with its arguments.
struct Stage {
    script: &'static str,
    arguments: Vec<OsString>,
}

impl Stage {
    fn writing(script: &'static str, result: &str) -> Self {
        Self {
            script,
            arguments: vec!["--json".into(), result.into()],
        }
    }
}

/// Runs one benchmark and passes its output through.
pub(crate) fn run(repository: &Repository, options: &Options) -> anyhow::Result<ExitCode> {
    let stages = stages(options)?;
    toolchain::install(repository)?;
    // The benchmark `router` needs no addons.
    if !matches!(options.name, Name::Router) {
        addons::build(repository, addons::Build::Release)?;
    }
    match options.name {
        Name::Compile => build_examples(repository, "kit-build", &["measure"])?,
        Name::Router => build_examples(repository, "kit-router", &["compare", "memory"])?,
        // These benchmarks start an application with the packages as users install them.
        Name::Start | Name::Record => {
            let packages = repository.path(PACKAGES);
            if packages.exists() {
                std::fs::remove_dir_all(&packages)
                    .with_context(|| format!("cannot empty {}", packages.display()))?;
            }
            pack::make(repository, &packages)?;
        }
        _ => {}
    }
    let mut result = ExitCode::SUCCESS;
    for stage in stages {
        match run_stage(repository, &stage)? {
            StageResult::Succeeded => {}
            // Run the other programs all the same, because their results are useful too.
            StageResult::Failed => result = ExitCode::FAILURE,
            StageResult::Interrupted => return Ok(ExitCode::from(130)),
        }
    }
    Ok(result)
}

/// Returns the programs of a benchmark. An option that the benchmark does not support is an error, so that nobody
/// takes a result for something else than it is.
fn stages(options: &Options) -> anyhow::Result<Vec<Stage>> {
    let filters = [
        (
            "--subjects",
            &options.subjects,
            matches!(options.name, Name::Http | Name::Arena),
        ),
        (
            "--scenarios",
            &options.scenarios,
            matches!(options.name, Name::Http | Name::Arena | Name::RustServer),
        ),
    ];
    for (name, value, is_known) in filters {
        if value.is_some() && !is_known {
            bail!("{name} is for `cargo xtask bench http` and `arena`; this benchmark has no such filter");
        }
    }
    let script = match options.name {
        Name::Http => "bench/http/run.ts",
        Name::Arena => "bench/arena/run.ts",
        Name::Workers => "bench/workers/run.ts",
        Name::Tls => "bench/tls/run.ts",
        Name::RustServer => "bench/rust-server/run.ts",
        Name::Upload => "bench/upload/run.ts",
        Name::Compile => "bench/compile/run.ts",
        Name::Validate => "bench/validate/run.ts",
        Name::Start => "bench/start/run.ts",
        Name::Dev => "bench/dev/run.ts",
        Name::Editor => "bench/editor/run.ts",
        Name::Client => "bench/client/run.ts",
        Name::Router => "bench/router/run.ts",
        Name::Sockets if options.json.is_some() => bail!("`sockets` writes no file: leave out `--json`"),
        Name::Sockets => "bench/sockets/run.ts",
        Name::Events if options.json.is_some() => bail!("`events` writes no file: leave out `--json`"),
        Name::Events => "bench/events/run.ts",
        Name::Static if options.json.is_some() => bail!("`static` writes no file: leave out `--json`"),
        Name::Static => "bench/static/run.ts",
        Name::Database => "bench/database/run.ts",
        Name::Migrations => "bench/migrations/run.ts",
        Name::DrizzleKit if options.quick || options.json.is_some() => {
            bail!("`drizzle-kit` takes no options: it measures nothing")
        }
        Name::DrizzleKit => "bench/drizzle-kit/run.ts",
        Name::Page | Name::Record if options.quick || options.json.is_some() => {
            bail!(
                "`page` and `record` take no options: `page` measures nothing, and `record` always measures everything"
            )
        }
        Name::Page => "bench/page/run.ts",
        Name::Record => {
            return Ok(vec![
                Stage::writing("bench/http/run.ts", "bench/results/http.json"),
                Stage::writing("bench/start/run.ts", "bench/results/start.json"),
                Stage::writing("bench/dev/run.ts", "bench/results/dev.json"),
                Stage {
                    script: "bench/page/run.ts",
                    arguments: Vec::new(),
                },
            ]);
        }
    };
    let mut arguments: Vec<OsString> = Vec::new();
    if options.quick {
        arguments.push("--quick".into());
    }
    for (name, value, _) in filters {
        if let Some(value) = value {
            arguments.push(format!("{name}={value}").into());
        }
    }
    if let Some(file) = &options.json {
        let file = std::path::absolute(file).with_context(|| format!("{} is not a path", file.display()))?;
        arguments.extend(["--json".into(), file.into()]);
    }
    Ok(vec![Stage { script, arguments }])
}

enum StageResult {
    Succeeded,
    Failed,
    Interrupted,
}

fn run_stage(repository: &Repository, stage: &Stage) -> anyhow::Result<StageResult> {
    let mut node = run::command(repository, "node")?;
    node.arg(stage.script)
        .args(&stage.arguments)
        .stdout(Stdio::inherit())
        .stderr(Stdio::inherit());
    let mut child = node.spawn().context("Node could not be started")?;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(if interrupt::interrupted() {
                StageResult::Interrupted
            } else if status.success() {
                StageResult::Succeeded
            } else {
                StageResult::Failed
            });
        }
        if interrupt::interrupted() {
            interrupt::stop(&mut child)?;
            return Ok(StageResult::Interrupted);
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
}

#[cfg(test)]
mod tests {
    use super::{Name, Options, stages};

    fn options(name: Name) -> Options {
        Options {
            name,
            quick: false,
            json: None,
            subjects: None,
            scenarios: None,
        }
    }

    #[test]
    fn refuses_an_option_that_the_benchmark_does_not_support() {
        let mut chosen = options(Name::Validate);
        chosen.subjects = Some("ajv".to_owned());
        assert!(stages(&chosen).is_err_and(|error| error.to_string().contains("--subjects")));
        chosen.name = Name::Http;
        assert_eq!(stages(&chosen).unwrap()[0].arguments, ["--subjects=ajv"]);
        chosen.name = Name::Arena;
        assert_eq!(stages(&chosen).unwrap()[0].script, "bench/arena/run.ts");
        chosen = options(Name::RustServer);
        chosen.scenarios = Some("read".to_owned());
        assert_eq!(stages(&chosen).unwrap()[0].arguments, ["--scenarios=read"]);
        chosen.subjects = Some("axum".to_owned());
        assert!(stages(&chosen).is_err());
    }

    #[test]
    fn refuses_quick_for_record_and_writes_the_page_after_all_measurements() {
        let mut chosen = options(Name::Record);
        chosen.quick = true;
        assert!(stages(&chosen).is_err());
        chosen.quick = false;
        let scripts: Vec<_> = stages(&chosen)
            .unwrap()
            .iter()
            .map(|stage| stage.script)
            .collect();
        assert_eq!(
            scripts,
            [
                "bench/http/run.ts",
                "bench/start/run.ts",
                "bench/dev/run.ts",
                "bench/page/run.ts"
            ]
        );
    }
}
