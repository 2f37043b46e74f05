//! Builds a project in one call and returns the result as data, for the compiler as WebAssembly.
//!
//! Place in the workspace: `main.rs` is compiled to `wasm32-wasip1`. A page or a test gives the program a file system, calls
//! it, and reads the artifacts from the output directory.
//!
//! Invariants:
//! - The artifacts are those of `kit build`, byte for byte, except for the time of the build.
//! - Mistakes of the user are diagnostics, never panics.
//!
//! ```no_run
//! use std::path::Path;
//! use std::time::SystemTime;
//! use kit_build::BuildTime;
//!
//! # fn main() -> Result<(), kit_build::BuildError> {
//! let time = BuildTime::new(None, SystemTime::now())?;
//! let answer = kit_playground::build(Path::new("/project"), &time)?;
//! println!("{} Rust files", answer.rust.len());
//! # Ok(())
//! # }
//! ```

use std::path::Path;
use std::sync::Arc;

use kit_build::{BuildError, BuildRequest, BuildTime, Disk, Session, find_config_file, resolve};
use kit_diagnostics::{Diagnostic, Diagnostics, Severity};
use kit_ir::{Program, Span};
use kit_rust_server::{File, Options, generate};
use serde::Serialize;

/// Directory of a Rust server with the sources of kit-runtime.
const RUNTIME: &str = "runtime/";

/// Result of a build.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Answer {
    /// Output directory, relative to the project's root. `kit build` writes the same files there.
    pub output_dir: String,
    /// Mistakes in the project. If one is an error, the output directory was not changed.
    pub diagnostics: Vec<Mistake>,
    /// Files of the Rust server, as `@kit/plugin-rust-server` generates them, without the library in `runtime`, which is the same in
    /// each project. Empty if the project has errors.
    pub rust: Vec<File>,
    /// Types and routes that Rust code cannot express, and handlers that the Rust server only has in part.
    pub rust_mistakes: Vec<Mistake>,
}

/// A mistake with its location, as an editor shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Mistake {
    /// Code of the kind of mistake, such as `KIT1302`. `None` for a mistake that only the Rust server reports.
    pub code: Option<String>,
    /// True for an error, false for a warning.
    pub is_error: bool,
    /// Description of the mistake.
    pub message: String,
    /// Correction that the user can make.
    pub help: Option<String>,
    /// Location of the mistake. `None` if the mistake belongs to no file.
    pub place: Option<Place>,
}

/// A location in a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Place {
    /// Path of the file, relative to the project's root.
    pub path: String,
    /// Offset of the first byte in the UTF-8 text.
    pub start: usize,
    /// Offset after the last byte in the UTF-8 text.
    pub end: usize,
    /// Line of the first byte, counted from 1. 0 if the mistake belongs to the whole file.
    pub line: u32,
    /// Column of the first byte, counted from 1 in UTF-16 code units.
    pub column: u32,
}

/// Builds the project in the directory `root`. The output directory is written as by `kit build`, and the Rust server is
/// generated in memory, because its files in `src/` would become a part of the project.
///
/// # Errors
/// Returns an error if the environment fails, for example if a file cannot be written, or if the project has a
/// `kit.config.ts`. Its code cannot run here, and a build without its options would differ from `kit build`.
pub fn build(root: &Path, time: &BuildTime) -> Result<Answer, BuildError> {
    let mut answer = Answer::default();
    if let Some(path) = find_config_file(root)? {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        answer.diagnostics.push(Mistake {
            code: None,
            is_error: true,
            message: format!("`{name}` is a program, which the playground does not run"),
            help: Some("write the options into the field `kit` of `package.json`".to_owned()),
            place: None,
        });
        return Ok(answer);
    }
    let resolution = resolve(root, None)?;
    answer.diagnostics = mistakes(&resolution.diagnostics);
    if resolution.diagnostics.has_errors() {
        return Ok(answer);
    }
    let config = resolution.config;
    answer.output_dir.clone_from(&config.output_dir);
    let request = BuildRequest {
        root,
        config: &config,
        files: Arc::new(Disk),
        time,
    };
    let report = Session::default().build(&request, &())?;
    answer.diagnostics.extend(mistakes(&report.diagnostics));
    if report.succeeded() {
        add_rust_server(&mut answer, &request)?;
    }
    Ok(answer)
}

fn add_rust_server(answer: &mut Answer, request: &BuildRequest<'_>) -> Result<(), BuildError> {
    let program = kit_build::analyze(request, &())?.program;
    let options = Options {
        name: request.config.project.name.clone(),
        output_dir: request.config.output_dir.clone(),
        ..Options::default()
    };
    let made = generate(&program, &options);
    let mistake = |is_error, message: String, span, help: String| Mistake {
        code: None,
        is_error,
        message,
        help: Some(help),
        place: Some(place(&program, span)),
    };
    let problems = made
        .problems
        .into_iter()
        .map(|problem| mistake(true, problem.message, problem.span, problem.help));
    let warnings = made
        .warnings
        .into_iter()
        .map(|warning| mistake(false, warning.message, warning.span, warning.help));
    answer.rust_mistakes = problems.chain(warnings).collect();
    answer.rust = made
        .files
        .into_iter()
        .filter(|file| !file.path.starts_with(RUNTIME))
        .collect();
    Ok(())
}

fn place(program: &Program, span: Span) -> Place {
    Place {
        path: program.path(span).to_owned(),
        start: span.start as usize,
        end: span.end as usize,
        line: span.line,
        column: span.column,
    }
}

fn mistakes(diagnostics: &Diagnostics) -> Vec<Mistake> {
    diagnostics.iter().map(mistake).collect()
}

fn mistake(diagnostic: &Diagnostic) -> Mistake {
    Mistake {
        code: Some(diagnostic.code.name()),
        is_error: diagnostic.severity == Severity::Error,
        message: diagnostic.message.clone(),
        help: diagnostic.help.clone(),
        place: diagnostic.primary().map(|label| Place {
            path: label.path.clone(),
            start: label.range.start,
            end: label.range.end,
            line: label.line,
            column: label.column,
        }),
    }
}
