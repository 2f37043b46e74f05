//! Fuzz targets of the compiler, tables, the HTTP engine, the SQL of migrations and the Rust runtime. Their inputs are random
//! bytes, random TypeScript, random requests (see [`http`]), and random JSON and headers (see [`runtime`]).
//!
//! This crate is not a part of the product. The targets in `fuzz/` call functions such as [`text`] and [`types`] with the
//! inputs of libFuzzer (`cargo xtask fuzz`, which needs a nightly compiler). The tests of this crate call them with the
//! corpus in `fuzz/corpus/` and with fixed seeds, on stable.
//!
//! The targets check for any input: no panic, no endless loop, no stack overflow; the same input gives the same program and
//! the same diagnostics; every diagnostic renders; a program without errors can be emitted.

mod generate;
pub mod http;
mod migration;
mod paths;
mod pipeline;
pub mod runtime;
mod tables;
mod websocket;

use arbitrary::Unstructured;

pub use generate::source;
pub use migration::migration;
pub use paths::paths;
pub use tables::tables;
pub use websocket::websocket;

/// A function that receives the bytes of a fuzzer.
pub type Target = fn(&[u8]);

/// All fuzz targets, with the names of their files in `fuzz/fuzz_targets`. A test runs each target with its corpus, and
/// fails if a file in this directory is missing in the list.
pub const TARGETS: &[(&str, Target)] = &[
    ("http-guard", http::guard),
    ("http-splits", http::splits),
    ("http-traffic", http::traffic),
    ("migration", migration),
    ("multipart", runtime::multipart),
    ("paths", paths),
    ("runtime-json", runtime::json),
    ("tables", |data| {
        tables(data);
    }),
    ("text", text),
    ("trust-proxy", runtime::trust_proxy),
    ("types", types),
    ("websocket", websocket),
];

/// Compiles source files with any content. A line `=== path` starts a file. The text before the first such line is a file
/// with types.
pub fn text(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let mut files: Vec<(String, String)> = Vec::new();
    for line in text.split_inclusive('\n') {
        if let Some(path) = line.strip_prefix("=== ").and_then(path) {
            files.push((path, String::new()));
        } else {
            if files.is_empty() {
                files.push(("src/a.types.ts".to_owned(), String::new()));
            }
            if let Some((_, text)) = files.last_mut() {
                text.push_str(line);
            }
        }
    }
    pipeline::check(&files);
}

/// Compiles a random source file without syntax errors.
pub fn types(data: &[u8]) {
    let source = source(&mut Unstructured::new(data));
    pipeline::check(&[("src/a.types.ts".to_owned(), source)]);
}

/// Returns the path unless it leaves the project.
fn path(name: &str) -> Option<String> {
    let name = name.trim();
    let plain = name
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'.' | b'_' | b'-' | b'@'));
    let stays = !name.is_empty()
        && name
            .split('/')
            .all(|part| !part.is_empty() && part != "." && part != "..");
    (plain && stays).then(|| name.to_owned())
}
