//! Functions for tests that compile files in memory and compare the program and its diagnostics with expected
//! text.

// Each test file is a separate crate and uses only some of the functions.
#![allow(dead_code, unreachable_pub)]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use kit_diagnostics::Severity;
use kit_typescript::{AnyMeaning, Input, MemoryFiles, Output, compile, program_text};

/// Compiles files, each with its path below the root and its text. `*.types.ts` are type files, `*.routes.ts`
/// are route files, files in `node_modules` belong to packages, and all others are entry files.
pub fn output(files: &[(&str, &str)]) -> Output {
    let root = Path::new("/app");
    let select = |wanted: &dyn Fn(&str) -> bool| -> Vec<PathBuf> {
        files
            .iter()
            .filter(|(path, _)| wanted(path))
            .map(|(path, _)| root.join(path))
            .collect()
    };
    let is_type = |path: &str| path.ends_with(".types.ts");
    let is_route = |path: &str| path.ends_with(".routes.ts");
    compile(&Input {
        root,
        type_files: select(&is_type),
        route_files: select(&is_route),
        any: AnyMeaning::Error,
        entry_files: select(&|path| !is_type(path) && !is_route(path) && !path.contains("node_modules")),
        files: Arc::new(MemoryFiles::new(
            files.iter().map(|(path, text)| (root.join(path), *text)),
        )),
    })
}

/// Returns a program and its diagnostics as text.
pub fn text(output: &Output) -> String {
    program_text(&output.program) + &mistakes(output)
}

/// Returns diagnostics as text: `path:line:column CODE message`, with the help on the next line.
pub fn mistakes(output: &Output) -> String {
    let mut text = String::new();
    for diagnostic in &output.diagnostics {
        let location = diagnostic.primary().map_or_else(String::new, |label| {
            format!("{}:{}:{}", label.path, label.line, label.column)
        });
        let severity = if diagnostic.severity == Severity::Warning {
            "warning "
        } else {
            ""
        };
        writeln!(
            text,
            "{location} {severity}{} {}",
            diagnostic.code, diagnostic.message
        )
        .expect("a string takes everything");
        if let Some(help) = &diagnostic.help {
            writeln!(text, "  help: {help}").expect("a string takes everything");
        }
    }
    text
}

/// Compiles files and compares the program and its diagnostics with `expected`. Common indentation of
/// `expected` is ignored.
#[track_caller]
pub fn check(files: &[(&str, &str)], expected: &str) {
    compare(&text(&output(files)), expected);
}

/// Compiles files and compares only the diagnostics with `expected`.
#[track_caller]
pub fn check_mistakes(files: &[(&str, &str)], expected: &str) {
    compare(&mistakes(&output(files)), expected);
}

/// Compiles the text of one type file, and compares the program and its diagnostics with `expected`.
#[track_caller]
pub fn check_types(source: &str, expected: &str) {
    check(&[("src/a.types.ts", &dedent(source))], expected);
}

#[track_caller]
fn compare(found: &str, expected: &str) {
    let expected = dedent(expected);
    assert!(
        found.trim_end() == expected.trim_end(),
        "\nexpected:\n{expected}\nfound:\n{found}"
    );
}

pub fn dedent(text: &str) -> String {
    let text = text.strip_prefix('\n').unwrap_or(text).trim_end();
    let indent = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| line.len() - line.trim_start().len())
        .min()
        .unwrap_or(0);
    text.lines()
        .map(|line| line.get(indent..).unwrap_or_default())
        .collect::<Vec<_>>()
        .join("\n")
        + "\n"
}
