//! Measures the time of builds of one project in one process, for `cargo xtask bench compile` and for profilers.
//!
//! `measure ROOT ROUNDS FILE FROM TO` prints one line of JSON per build. Each round has five builds: without an output
//! directory, without changes, twice after an edit that replaces `FROM` by `TO` in `FILE` (the second time in a session),
//! and in that session after the edit is reversed.
#![allow(clippy::disallowed_methods)] // Reason: the program edits source files, like a user does.
#![allow(clippy::print_stdout)] // Reason: the program's result goes to the standard output.

use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::{Instant, SystemTime};

use kit_build::{BuildReport, BuildRequest, BuildTime, Disk, Session, build, project_root, resolve};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [root, rounds, file, from, to] = arguments.as_slice() else {
        return Err("measure ROOT ROUNDS FILE FROM TO".into());
    };
    let root = project_root(Path::new(root))?;
    let file = root.join(file);
    let original = fs::read_to_string(&file)?;
    let edited = original.replace(from.as_str(), to);
    let mut old = Vec::new();
    let mut session = Session::default();
    for round in 0..rounds.parse()? {
        // The directory is moved, not removed. After the removal of thousands of files, some file systems create files
        // slowly for seconds.
        let (output, aside) = (root.join(".kit"), root.join(format!(".kit-measured-{round}")));
        if output.is_dir() {
            fs::rename(&output, &aside)?;
            old.push(aside);
        }
        once("cold", &root, None)?;
        once("unchanged", &root, None)?;
        fs::write(&file, if round % 2 == 0 { &edited } else { &original })?;
        once("edited", &root, None)?;
        once("again", &root, Some(&mut session))?;
        fs::write(&file, if round % 2 == 0 { &original } else { &edited })?;
        once("incremental", &root, Some(&mut session))?;
    }
    fs::write(&file, &original)?;
    for directory in old {
        fs::remove_dir_all(directory)?;
    }
    Ok(())
}

fn once(scenario: &str, root: &Path, session: Option<&mut Session>) -> Result<(), Box<dyn Error>> {
    let start = Instant::now();
    let resolution = resolve(root, None)?;
    let time = BuildTime::new(None, SystemTime::now())?;
    let request = BuildRequest {
        root,
        config: &resolution.config,
        files: Arc::new(Disk),
        time: &time,
    };
    let report = match session {
        Some(session) => session.build(&request, &())?,
        None => build(&request, &())?,
    };
    print(scenario, &report, start)
}

fn print(scenario: &str, report: &BuildReport, start: Instant) -> Result<(), Box<dyn Error>> {
    let total = start.elapsed();
    if !report.succeeded() {
        return Err(format!("the project does not build: {:?}", report.diagnostics).into());
    }
    let mut steps = String::new();
    for (step, took) in &report.steps {
        write!(steps, r#""{}":{:.2},"#, step.name(), took.as_secs_f64() * 1000.0)?;
    }
    println!(
        r#"{{"scenario":"{scenario}",{steps}"total":{:.2},"written":{},"typeCount":{},"routeCount":{}}}"#,
        total.as_secs_f64() * 1000.0,
        report.files.written.len(),
        report.counts.types,
        report.counts.routes,
    );
    Ok(())
}
