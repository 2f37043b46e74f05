//! Runs all steps of a build that need no disk, and checks what must be true for every program.
//!
//! The time of a build is limited, because its output is limited. The compiler counts its steps, so a program without
//! errors has a maximum number of types for each byte of its sources.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use kit_database::Schema;
use kit_diagnostics::{BuildFailure, Style, render};
use kit_emit::{ContractTests, EmitOptions, TestRunner, emit};
use kit_router::{ParsedRoute, RouteTree};
use kit_typescript::{AnyMeaning, Input, MemoryFiles, Output, compile};

/// Maximum number of types in a program, in addition to a number for each byte of its sources. The compiler
/// creates at most two types in each step, and limits the number of steps.
const MAX_TYPES: usize = 4_000_000;
const TYPES_PER_BYTE: usize = 32;

/// Maximum size of all artifacts in bytes, in addition to a size for each byte of `types.ts`, because this
/// artifact contains every nested type.
const MAX_OUTPUT_BYTES: usize = 1_000_000;
const OUTPUT_BYTES_PER_BYTE: usize = 200;

/// Compiles files in memory twice and compares the results. Generates artifacts if the files have no errors.
pub(crate) fn check(files: &[(String, String)]) {
    let output = run(files);
    let again = run(files);
    assert_eq!(
        output.diagnostics, again.diagnostics,
        "the same input, other diagnostics"
    );
    assert_eq!(output.program, again.program, "the same input, another program");

    for diagnostic in &output.diagnostics {
        assert!(!diagnostic.message.is_empty(), "{diagnostic:?}");
        render(diagnostic, &output.sources, Style::Plain);
    }
    let _ = BuildFailure::new(&output.diagnostics);
    if output.diagnostics.has_errors() {
        return;
    }

    let bytes: usize = files.iter().map(|(_, text)| text.len()).sum();
    let most = MAX_TYPES + TYPES_PER_BYTE * bytes;
    let types = output.program.types.len();
    assert!(types <= most, "{types} types of {bytes} bytes, and no error");

    let (_, problems) = Schema::from_program(&output.program);
    let tree = RouteTree::compile_parsed(output.program.routes.iter().map(|route| ParsedRoute {
        method: route.method,
        path: route.path.clone(),
        reference: route.reference(),
        validators: Vec::new(),
    }));
    if let (false, Ok(tree)) = (problems.has_errors(), tree) {
        let options = EmitOptions {
            generated_at: "2026-01-01T00:00:00.000Z".to_owned(),
            output_dir_to_root: "..".to_owned(),
            title: "fuzz".to_owned(),
            version: "1.0.0".to_owned(),
            about: kit_emit::ApiInfo::default(),
            openapi: kit_emit::OpenApiVersion::default(),
            client: true,
            replaced: std::collections::BTreeSet::new(),
            tests: Some(ContractTests {
                runner: TestRunner::Node,
                app: "src/app.ts".to_owned(),
                database: false,
                fixtures: None,
                headers: std::collections::BTreeMap::default(),
                routes: std::collections::BTreeMap::default(),
            }),
        };
        let artifacts = emit(&output.program, &tree, &options);
        let written: usize = artifacts.iter().map(|artifact| artifact.text.len()).sum();
        let printed = artifacts.iter().find(|artifact| artifact.path == "types.ts");
        let printed = printed.map_or(0, |artifact| artifact.text.len());
        let most = MAX_OUTPUT_BYTES + OUTPUT_BYTES_PER_BYTE * printed;
        assert!(
            written <= most,
            "{written} bytes are made of types of {printed} bytes"
        );
        for (index, artifact) in artifacts.iter().enumerate() {
            assert!(
                artifacts[..index]
                    .iter()
                    .all(|earlier| !earlier.path.eq_ignore_ascii_case(&artifact.path)),
                "{} is made twice",
                artifact.path
            );
        }
    }
}

/// Compiles files in memory.
pub(crate) fn run(files: &[(String, String)]) -> Output {
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
    #[allow(clippy::case_sensitive_file_extension_comparisons)] // Reason: paths are spelled as in a build.
    let is_entry = |path: &str| {
        path.ends_with(".ts") && !is_type(path) && !is_route(path) && !path.contains("node_modules")
    };
    compile(&Input {
        root,
        type_files: select(&is_type),
        route_files: select(&is_route),
        any: AnyMeaning::Error,
        entry_files: select(&is_entry),
        files: Arc::new(MemoryFiles::new(
            files.iter().map(|(path, text)| (root.join(path), text.as_str())),
        )),
    })
}
