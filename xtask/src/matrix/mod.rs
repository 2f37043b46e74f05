//! `cargo xtask platforms`: builds the addons of each platform, loads them, builds an example with them and runs tests of the
//! servers, each on the platform's own Node. Other platforms run with an emulator or a loader; a missing program is named.

mod cell;
mod placed;
mod project;
mod runner;
mod servers;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use serde_json::{Value, json};

use self::cell::{Cell, Row, STEPS, merged, table};
use self::placed::Placed;
use self::runner::{Runner, last_line};
use crate::addons::{ADDONS, Addon};
use crate::platforms::{self, GLIBC, Platform, Target};
use crate::progress::Step;
use crate::repository::Repository;
use crate::{interrupt, optimized, run, toolchain};

/// Options of the command.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Test only this platform, such as linux-arm64-musl; may be given several times.
    #[arg(long = "platform", value_name = "PLATFORM")]
    platforms: Vec<String>,
    /// Build the addons with optimizations, as published. Takes minutes for each platform.
    #[arg(long)]
    optimized: bool,
    /// Directory with the C libraries of other platforms, such as linux-x64-musl/lib/ld-musl-x86_64.so.1.
    #[arg(long, value_name = "DIR", default_value = "target/platforms/roots")]
    roots: PathBuf,
    /// Also write the results into xtask/platforms.json and docs/platforms.md. Rows of other platforms stay unchanged.
    #[arg(long)]
    record: bool,
}

/// Results that are kept in the repository.
const RECORDED: &str = "xtask/platforms.json";
/// Page that shows these results.
const PAGE: &str = "docs/platforms.md";

/// Maximum duration of one step on a platform. An emulator needs minutes for a step of seconds.
const TIMEOUT: Duration = Duration::from_mins(20);

/// Tries the platforms. The exit code is 0 if no step failed; steps that this machine cannot run do not count.
pub(crate) fn run(repository: &Repository, options: &Options) -> anyhow::Result<ExitCode> {
    let mut wanted: Vec<&Platform> = Vec::new();
    for name in &options.platforms {
        wanted.push(platforms::of(name)?);
    }
    if wanted.is_empty() {
        wanted.extend(&platforms::ALL);
    }
    toolchain::install(repository)?;
    let commit = commit(repository)?;
    let mut rows = Vec::new();
    for platform in wanted {
        rows.push(row(repository, options, platform, &commit)?);
        if interrupt::interrupted() {
            return Ok(ExitCode::from(130));
        }
    }
    println!("\n{}", table(&rows));
    let is_good = rows.iter().all(Row::is_good);
    let path = if options.record {
        repository.path(RECORDED)
    } else {
        repository.path("target/platforms/results.json")
    };
    let rows = write(&path, rows)?;
    if options.record {
        write_page(repository, &rows)?;
    }
    println!("results: {}", path.display());
    Ok(if is_good {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Returns the short name of the commit, with `+` if files have changed since.
fn commit(repository: &Repository) -> anyhow::Result<String> {
    let git = |arguments: &[&str]| -> anyhow::Result<String> {
        let output = run::command(repository, "git")?.args(arguments).output()?;
        Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let changed = git(&["status", "--porcelain", "--untracked-files=no"])?;
    let mark = if changed.is_empty() { "" } else { "+" };
    Ok(format!("{}{mark}", git(&["rev-parse", "--short", "HEAD"])?))
}

/// Runs all steps for a platform.
fn row(repository: &Repository, options: &Options, platform: &Platform, commit: &str) -> anyhow::Result<Row> {
    let target = platform.tried();
    let mut cells = Vec::new();
    let mut libraries = Vec::new();
    for addon in &ADDONS {
        let (cell, built) = build(repository, options, platform, target, addon)?;
        cells.push(cell);
        libraries.push(built.map(|path| (addon, path)));
    }
    let built: Vec<(&Addon, PathBuf)> = libraries.into_iter().flatten().collect();
    cells.push(glibc(repository, platform, &built)?);
    let wanted = ADDONS.iter().filter(|addon| addon.exists_on(platform)).count();
    let runner = match Runner::of(repository, platform, &repository.path(&options.roots))? {
        Ok(runner) if built.len() == wanted => Ok(runner),
        Ok(_) => Err("the addons were not built".to_owned()),
        Err(reason) => Err(reason),
    };
    let name = match runner {
        Ok(runner) => {
            let placed = Placed::new(repository, platform, &built)?;
            cells.push(load(repository, &runner, &placed)?);
            cells.push(project::build(repository, platform, &runner)?);
            for group in servers::groups(platform) {
                cells.push(group.run(repository, platform, &runner)?);
            }
            runner.name
        }
        Err(reason) => {
            cells.resize(STEPS.len(), Cell::Untried(reason));
            "–".to_owned()
        }
    };
    Ok(Row {
        platform: platform.name.to_owned(),
        target: target.name(),
        runner: name,
        commit: commit.to_owned(),
        cells,
    })
}

/// Builds one addon. Also returns the path of the library.
fn build(
    repository: &Repository,
    options: &Options,
    platform: &Platform,
    target: Target,
    addon: &Addon,
) -> anyhow::Result<(Cell, Option<PathBuf>)> {
    if !addon.exists_on(platform) {
        return Ok((Cell::Good("none: node:http".to_owned()), None));
    }
    if let Some(reason) = platform.missing_for(target) {
        return Ok((Cell::Untried(reason), None));
    }
    let (mut cargo, profile) = if options.optimized {
        (optimized::build_for(repository, target)?, "release")
    } else {
        let mut cargo = run::command(repository, "cargo")?;
        cargo.args([target.tool.subcommand(), "--locked", "--target", &target.name()]);
        target.prepare(repository, &mut cargo)?;
        (cargo, "debug")
    };
    cargo.args(["-p", &addon.crate_name()]);
    let title = format!("building {} for {}", addon.crate_name(), platform.name);
    let step = Step::start(&title);
    let finished = run::finish(cargo, &step)?;
    if !finished.success {
        step.failed("");
        eprintln!("{}", finished.output.trim_end());
        let reason = reason_of(&finished.output);
        let cell = if finished.output.lines().any(lacks_framework) {
            Cell::Untried(format!("only a Mac can link the addon: {reason}"))
        } else {
            Cell::Bad(reason)
        };
        return Ok((cell, None));
    }
    step.done("");
    let path = addon.built(repository, platform, target, profile);
    let size = std::fs::metadata(&path)
        .with_context(|| format!("cannot read {}", path.display()))?
        .len();
    Ok((
        Cell::Good(format!("{:.1} MB, {profile}", megabytes(size))),
        Some(path),
    ))
}

#[allow(clippy::cast_precision_loss)] // The size of a file is far below 2^52.
fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}

/// Returns true for a line in which Zig reports that a framework of macOS is missing: `unable to find system framework "Security"`.
/// Earlier versions do not write "system".
fn lacks_framework(line: &str) -> bool {
    let missing = line.split_once("unable to find ").map(|(_, missing)| missing);
    missing.is_some_and(|missing| missing.trim_start_matches("system ").starts_with("framework "))
}

/// Returns the reason for which a build failed: the parts that the linker does not find, or the first error.
fn reason_of(output: &str) -> String {
    let mut missing: Vec<&str> = output
        .lines()
        .map(str::trim)
        .filter(|line| {
            let parts = [
                "unable to find dynamic system library",
                "undefined symbol",
                "lld-link: error",
            ];
            lacks_framework(line) || parts.iter().any(|part| line.contains(part))
        })
        .map(|line| line.trim_start_matches("= note: ").trim_start_matches("error: "))
        .collect();
    missing.sort_unstable();
    missing.dedup();
    if missing.is_empty() {
        return toolchain::error_of(output);
    }
    missing.truncate(6);
    missing.join("; ")
}

/// Checks the newest symbol of glibc that the addons need.
fn glibc(repository: &Repository, platform: &Platform, built: &[(&Addon, PathBuf)]) -> anyhow::Result<Cell> {
    if !platform.name.ends_with("gnu") {
        return Ok(Cell::Good("–".to_owned()));
    }
    if built.is_empty() {
        return Ok(Cell::Untried("the addons were not built".to_owned()));
    }
    let mut newest = Vec::new();
    for (_, path) in built {
        let mut readelf = run::command(repository, "readelf")?;
        readelf.arg("--version-info").arg(path);
        let Ok(output) = readelf.output() else {
            return Ok(Cell::Untried(
                "readelf is not installed (Debian: binutils)".to_owned(),
            ));
        };
        newest = newest.max(newest_glibc(&String::from_utf8_lossy(&output.stdout)));
    }
    let text = shown(&newest);
    Ok(if newest.is_empty() {
        Cell::Bad("the addons name no version of glibc".to_owned())
    } else if newest > numbers(GLIBC) {
        Cell::Bad(format!(
            "the addons need glibc {text}, which is newer than {GLIBC}"
        ))
    } else {
        Cell::Good(text)
    })
}

/// Returns the newest version in a text with words such as `GLIBC_2.25`, number by number.
fn newest_glibc(text: &str) -> Vec<u32> {
    text.split("GLIBC_")
        .skip(1)
        .map(|rest| {
            let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.');
            numbers(&rest[..end.unwrap_or(rest.len())])
        })
        .max()
        .unwrap_or_default()
}

fn numbers(version: &str) -> Vec<u32> {
    version.split('.').filter_map(|part| part.parse().ok()).collect()
}

fn shown(version: &[u32]) -> String {
    let parts: Vec<String> = version.iter().map(u32::to_string).collect();
    parts.join(".")
}

/// Loads the addons.
fn load(repository: &Repository, runner: &Runner, placed: &Placed) -> anyhow::Result<Cell> {
    let script = "for (const path of process.argv.slice(1)) {
        if (Object.keys(require(path)).length === 0) throw new Error(`${path} exports nothing`);
    }";
    let mut node = runner.node(repository)?;
    node.args(["--eval", script, "--"]).args(placed.paths());
    let ended = timed(&format!("loading the addons, {}", runner.name), node)?;
    Ok(match ended {
        Ok((_, seconds)) => Cell::Good(format!("yes, {seconds:.1} s")),
        Err(output) => Cell::Bad(error_in(&output)),
    })
}

/// Runs a command. Returns its output and its duration in seconds, or its output if it fails.
fn timed(title: &str, command: Command) -> anyhow::Result<Result<(String, f64), String>> {
    let step = Step::start(title);
    let started = Instant::now();
    let finished = run::finish_within(command, &step, TIMEOUT)?;
    if !finished.success {
        step.failed("");
        return Ok(Err(finished.output));
    }
    step.done("");
    Ok(Ok((finished.output, started.elapsed().as_secs_f64())))
}

/// Returns the line of an output that names an error, or its last line.
fn error_in(output: &str) -> String {
    let error = output
        .lines()
        .map(str::trim)
        .find(|line| line.starts_with("Error") || line.starts_with("error") || line.contains("Error: "));
    error.unwrap_or_else(|| last_line(output)).to_owned()
}

/// Writes the rows into a file, together with the rows of other platforms that the file has. Returns all rows.
fn write(path: &Path, rows: Vec<Row>) -> anyhow::Result<Vec<Row>> {
    let text = std::fs::read_to_string(path).unwrap_or_else(|_| "[]".to_owned());
    let value: Value =
        serde_json::from_str(&text).with_context(|| format!("{} is not JSON", path.display()))?;
    let earlier = value
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Row::of)
        .collect();
    let order: Vec<&str> = platforms::ALL.iter().map(|platform| platform.name).collect();
    let rows = merged(earlier, rows, &order);
    let value = json!(rows.iter().map(Row::to_json).collect::<Vec<_>>());
    std::fs::write(path, format!("{}\n", serde_json::to_string_pretty(&value)?))
        .with_context(|| format!("cannot write {}", path.display()))?;
    Ok(rows)
}

/// Replaces the table of the page.
fn write_page(repository: &Repository, rows: &[Row]) -> anyhow::Result<()> {
    let path = repository.path(PAGE);
    let page = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    std::fs::write(&path, with_table(&page, &table(rows))?)
        .with_context(|| format!("cannot write {}", path.display()))
}

/// Returns the page with another table between its two comments.
fn with_table(page: &str, table: &str) -> anyhow::Result<String> {
    let (open, close) = ("<!-- results -->\n", "<!-- /results -->");
    let (before, rest) = page
        .split_once(open)
        .with_context(|| format!("{PAGE} has no `{open}`"))?;
    let Some((_, after)) = rest.split_once(close) else {
        bail!("{PAGE} has no `{close}`");
    };
    Ok(format!("{before}{open}\n{table}\n{close}{after}"))
}

#[cfg(test)]
mod tests {
    use super::{Row, newest_glibc, reason_of, table, with_table};

    #[test]
    fn finds_the_newest_version_of_glibc() {
        let text = "0x0010: Name: GLIBC_2.9  Flags: none\n0x0020: Name: GLIBC_2.28 Flags\n Name: GLIBC_2.2.5";
        assert_eq!(newest_glibc(text), [2, 28]);
        assert!(newest_glibc("no versions").is_empty());
    }

    #[test]
    fn names_what_a_linker_does_not_find() {
        for found in ["framework 'Security'", "system framework \"Security\""] {
            let text = format!("unable to find {found}. searched paths: none");
            let output = format!(
                "error: linking with `zig` failed\n  = note: error: {text}\nerror: could not compile\n"
            );
            assert_eq!(reason_of(&output), text);
        }
        assert_eq!(
            reason_of("error[E0432]: unresolved import\n"),
            "error[E0432]: unresolved import"
        );
    }

    #[test]
    fn the_page_shows_the_recorded_results() {
        let recorded: serde_json::Value = serde_json::from_str(include_str!("../../platforms.json")).unwrap();
        let rows: Vec<Row> = recorded
            .as_array()
            .unwrap()
            .iter()
            .map(|row| Row::of(row).unwrap())
            .collect();
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/platforms.md");
        let page = std::fs::read_to_string(path).unwrap();
        let expected = with_table(&page, &table(&rows)).unwrap();
        if std::env::var_os("KIT_BLESS").is_some() {
            std::fs::write(path, &expected).unwrap();
        }
        assert!(
            page == expected || std::env::var_os("KIT_BLESS").is_some(),
            "docs/platforms.md does not show xtask/platforms.json; write it with KIT_BLESS=1"
        );
    }
}
