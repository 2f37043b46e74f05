//! Checks the normal form of paths with the vectors that the TypeScript servers use too.

#![allow(clippy::disallowed_methods)] // Reason: the vectors are read from a file.
#![allow(clippy::unwrap_used)] // Reason: test helpers may panic like tests.

use std::path::Path;

use kit_guard::{has_dot_segment, normal_path};
use serde_json::Value;

fn vectors() -> Value {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/paths.json");
    serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap()
}

#[test]
fn normalizes_the_paths_of_the_conformance_vectors() {
    let vectors = vectors();
    let paths = vectors["paths"].as_array().unwrap();
    assert!(paths.len() > 35);
    for pair in paths {
        let path = pair[0].as_str().unwrap();
        let normal = normal_path(path);
        assert_eq!(normal.as_deref(), pair[1].as_str(), "{path}");
        if let Some(normal) = normal {
            assert_eq!(normal_path(&normal).as_deref(), Some(&*normal), "{path} twice");
        }
    }
}

#[test]
fn finds_dot_segments_of_the_conformance_vectors() {
    let vectors = vectors();
    for (list, expected) in [("dots", true), ("noDots", false)] {
        for path in vectors[list].as_array().unwrap() {
            let path = path.as_str().unwrap();
            assert_eq!(has_dot_segment(path.as_bytes()), expected, "{path}");
        }
    }
}
