//! Imports between files and folders of packages, read from the text of their sources.

use std::collections::BTreeSet;

use super::{Imports, TextFile, Tree};

/// Returns the imports between files, and the imports between folders. The file `src/index.ts` of a package imports most
/// of the package and is imported by nothing in the package, so it belongs to no folder.
pub(super) fn imports(tree: &Tree) -> (Imports, Imports) {
    let sources: Vec<&TextFile> = tree
        .matching("packages/", "")
        .filter(|file| is_source(file))
        .collect();
    let paths: BTreeSet<&str> = sources.iter().map(|file| file.path.as_str()).collect();
    let mut files = Imports::default();
    let mut folders = Imports::default();
    for TextFile { path, text } in &sources {
        for specifier in specifiers(text) {
            let imported = joined(folder(path), specifier);
            if !paths.contains(imported.as_str()) {
                continue;
            }
            files.add(path, &imported, "values");
            if !is_face(path) && !is_face(&imported) {
                folders.add(folder(path), folder(&imported), &imported);
            }
        }
    }
    (files, folders)
}

fn is_source(file: &TextFile) -> bool {
    let extension = file.path.rsplit('.').next().unwrap_or_default();
    ["ts", "tsx"].contains(&extension) && file.path.contains("/src/") && !file.path.ends_with(".d.ts")
}

fn is_face(path: &str) -> bool {
    path.ends_with("/src/index.ts") && path.matches('/').count() == 3
}

fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Returns the relative paths that a source imports. Lines of comments do not count.
fn specifiers(text: &str) -> impl Iterator<Item = &str> {
    text.lines()
        .filter(|line| !line.trim_start().starts_with(['*', '/']))
        .filter_map(|line| {
            let start = ["from \"", "import(\"", "import \""]
                .iter()
                .find_map(|before| line.find(before).map(|index| index + before.len()))?;
            let specifier = line[start..].split('"').next()?;
            specifier.starts_with('.').then_some(specifier)
        })
}

/// Returns a relative path seen from a folder.
fn joined(folder: &str, relative: &str) -> String {
    let mut parts: Vec<&str> = folder.split('/').collect();
    for part in relative.split('/') {
        match part {
            "." => {}
            ".." => drop(parts.pop()),
            name => parts.push(name),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::super::folders_have_no_circles;
    use crate::tidy::Tree;

    #[test]
    fn reports_folders_that_import_each_other() {
        let tree = Tree::of(&[
            ("packages/a/src/one/x.ts", "import { y } from \"../two/y.ts\";\n"),
            ("packages/a/src/two/y.ts", "export const y = 1;\n"),
            (
                "packages/a/src/two/z.ts",
                "import type { W } from \"../one/w.ts\";\n",
            ),
            ("packages/a/src/one/w.ts", "export type W = 1;\n"),
        ]);
        let problems = folders_have_no_circles(&tree);
        assert_eq!(problems.len(), 1, "{problems:?}");
        assert!(problems[0].starts_with("packages/a/src/one, packages/a/src/two: a circle of imports"));
        assert!(problems[0].contains("packages/a/src/one imports packages/a/src/two/y.ts"));
    }

    #[test]
    fn reports_files_of_one_folder_that_import_each_other() {
        let tree = Tree::of(&[
            ("packages/a/src/x.ts", "const y = await import(\"./y.ts\");\n"),
            ("packages/a/src/y.ts", "export * from \"./x.ts\";\n"),
        ]);
        assert_eq!(folders_have_no_circles(&tree).len(), 1);
    }

    #[test]
    fn reports_an_exception_without_a_circle() {
        let tree = Tree::of(&[
            (
                "xtask/src/tidy/circles/exceptions.txt",
                "folder: packages/a/src/one, packages/a/src/two\n",
            ),
            ("packages/a/src/one/x.ts", "export const x = 1;\n"),
        ]);
        assert_eq!(
            folders_have_no_circles(&tree),
            [
                "xtask/src/tidy/circles/exceptions.txt:1: there is no such circle: packages/a/src/one, packages/a/src/two"
            ]
        );
    }

    #[test]
    fn accepts_an_entry_that_imports_everything_and_comments_with_imports() {
        let tree = Tree::of(&[
            ("packages/a/src/index.ts", "export { x } from \"./one/x.ts\";\n"),
            (
                "packages/a/src/one/x.ts",
                "import { y } from \"../y.ts\";\n * import { x } from \"../index.ts\";\n",
            ),
            ("packages/a/src/y.ts", "export const y = 1;\n"),
        ]);
        assert_eq!(folders_have_no_circles(&tree), [] as [&str; 0]);
    }
}
