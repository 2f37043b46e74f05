//! Tests of the patterns of generated servers.

// Projects are directories of files, and a helper of a test may fail the test.
#![allow(clippy::disallowed_methods, clippy::unwrap_used)]

mod projects;

use kit_test_programs as support;

use projects::generated;

/// The crate `regress` never ends for some lazy repetitions, so one request would occupy a thread of the server for ever.
#[test]
fn texts_are_tested_with_patterns_without_lazy_repetitions() {
    let mut program = projects::store();
    let types = program.types.iter_ids();
    let texts: Vec<_> = types
        .filter(|(_, text)| text.kind == kit_ir::TypeKind::String)
        .map(|(id, _)| id)
        .collect();
    for text in texts {
        program.types[text].constraints.pattern = Some("^(?:b?)+?$".to_owned());
    }
    let output = generated("store", &program);
    let mut models = output
        .files
        .iter()
        .filter(|file| file.path.starts_with("models/"));
    let expected = r#"Pattern::tested_as("^(?:b?)+?$", "^(?:b?)+$");"#;
    assert!(models.any(|file| file.text.contains(expected)));
}
