//! Tests of the documentation page of all tags: it lists every tag, and its example compiles and uses each
//! tag.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{TagName, Target};
use crate::{AnyMeaning, Input, MemoryFiles, compile};

const PAGE: &str = include_str!("../../../../../docs/tags.md");

#[test]
fn the_documentation_page_lists_every_tag_with_its_targets() {
    let listed: Vec<(&str, &str)> = PAGE
        .lines()
        .filter_map(|line| line.strip_prefix("| `@")?.split_once("` | "))
        .map(|(form, rest)| {
            let name = form.split(' ').next().unwrap_or_default();
            (name, rest.split(" | ").next().unwrap_or_default())
        })
        .collect();
    let known: Vec<(&str, String)> = TagName::ALL
        .iter()
        .map(|tag| {
            let locations: Vec<&str> = tag
                .targets()
                .iter()
                .map(|target| match target {
                    Target::Property => "property",
                    Target::Object => "interface",
                    Target::Alias => "alias",
                    Target::Route => "route",
                    Target::Middleware => "middleware",
                })
                .collect();
            (tag.name(), locations.join(", "))
        })
        .collect();
    let known: Vec<(&str, &str)> = known
        .iter()
        .map(|(name, locations)| (*name, locations.as_str()))
        .collect();
    assert_eq!(listed, known);
}

#[test]
fn the_example_on_the_documentation_page_compiles_and_uses_every_tag() {
    let files: Vec<(PathBuf, &str)> = PAGE
        .split("```ts file=")
        .skip(1)
        .filter_map(|block| block.split_once("```")?.0.split_once('\n'))
        .map(|(path, text)| (Path::new("/app").join(path), text))
        .collect();
    let all: String = files.iter().map(|(_, text)| *text).collect();
    for tag in TagName::ALL {
        assert!(
            all.contains(&format!("@{}", tag.name())),
            "@{} is not shown",
            tag.name()
        );
    }
    let named = |end: &str| {
        let of_kind = |path: &&PathBuf| path.to_string_lossy().ends_with(end);
        files
            .iter()
            .map(|(path, _)| path)
            .filter(of_kind)
            .cloned()
            .collect()
    };
    let output = compile(&Input {
        root: Path::new("/app"),
        type_files: named(".types.ts"),
        route_files: named(".routes.ts"),
        any: AnyMeaning::Error,
        entry_files: Vec::new(),
        files: Arc::new(MemoryFiles::new(files.clone())),
    });
    assert!(output.diagnostics.is_empty(), "{:#?}", output.diagnostics);
    assert_eq!(output.program.routes.len(), 2);
}
