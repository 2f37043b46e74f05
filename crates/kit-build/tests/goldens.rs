//! Golden tests of whole projects: the build of `goldens/<name>/input` must equal `goldens/<name>/output`, byte for byte.
//! A file name that starts with a dot starts with `dot-` there, because git and other tools treat dot files differently.
//!
//! `KIT_BLESS=1 cargo test -p kit-build --test goldens` rewrites the output; review the changes.
#![allow(clippy::disallowed_methods)] // Reason: goldens are files.
#![allow(clippy::unwrap_used)] // Reason: helpers of tests may panic like tests.

mod support;

use std::fs;

use support::{Files, Project, beside, bless, read_tree};

fn plain_names(files: Files) -> Files {
    files
        .into_iter()
        .map(|(path, text)| {
            let plain: Vec<String> = path
                .split('/')
                .map(|part| {
                    part.strip_prefix('.')
                        .map_or(part.to_owned(), |rest| format!("dot-{rest}"))
                })
                .collect();
            (plain.join("/"), text)
        })
        .collect()
}

fn check(name: &str) {
    let golden = beside("goldens").join(name);
    let input = read_tree(&golden.join("input"));
    assert!(!input.is_empty(), "goldens/{name}/input is empty");
    let project = Project::new(input);
    let report = project.build();
    assert!(report.diagnostics.is_empty(), "{:#?}", report.diagnostics);
    let output = plain_names(project.output());

    let target = golden.join("output");
    if bless() {
        let _ = fs::remove_dir_all(&target);
        for (path, text) in &output {
            let path = target.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
    }
    let expected = read_tree(&target);
    assert_eq!(
        output.keys().collect::<Vec<_>>(),
        expected.keys().collect::<Vec<_>>(),
        "which files there are"
    );
    for (path, text) in &output {
        assert_eq!(text, &expected[path], "{path}; KIT_BLESS=1 rewrites it");
    }
}

#[test]
fn builds_the_golden_files_of_the_entities_in_the_documentation() {
    check("entities");
}
