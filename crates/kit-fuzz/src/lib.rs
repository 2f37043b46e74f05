//! What is tried on the compiler and on the HTTP engine with input that nobody wrote: any bytes, random TypeScript that is
//! well formed, and random requests (see [`http`]).
//!
//! Where it stands: beside the product, and no part of it. The targets in `fuzz/` call [`text`] and [`types`] with what
//! libFuzzer comes up with (`cargo xtask fuzz`, which needs a nightly compiler); the tests of this crate call them with the
//! corpus in `fuzz/corpus/` and with fixed seeds, on stable.
//!
//! What must hold, whatever the input: no panic, no endless loop, no overflowing stack; the same input gives the same
//! program and the same diagnostics; every diagnostic renders; a program without errors can be emitted.

mod generate;
pub mod http;
mod pipeline;

use arbitrary::Unstructured;

pub use generate::source;

/// Compiles files of any content. A line `=== path` begins a file; what stands before the first is a type file.
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

/// Compiles a random file of well-formed declarations.
pub fn types(data: &[u8]) {
    let source = source(&mut Unstructured::new(data));
    pipeline::check(&[("src/a.types.ts".to_owned(), source)]);
}

/// A path that stays below the project.
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
