//! Notices of third parties: the licences of all crates that are linked into an addon, or into the compiler of the playground. Each
//! package with an addon and the playground contain them, because most licences require it.
//!
//! A crate's own licence files are used. Some crates have none: for them, the notices contain the text of one licence
//! that the crate's manifest allows, with its authors.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context, bail};

use crate::repository::Repository;
use crate::sbom::crates::{Graph, Linked};

/// Name of the file in packages.
pub(crate) const FILE: &str = "THIRD-PARTY-NOTICES.txt";

/// Beginnings of the names of files with a licence, in upper case.
const NAMES: [&str; 6] = [
    "LICENSE",
    "LICENCE",
    "COPYING",
    "COPYRIGHT",
    "NOTICE",
    "UNLICENSE",
];

/// Texts for crates without a licence file. The first licence that a crate allows is used.
const TEXTS: [(&str, &str); 5] = [
    ("Apache-2.0", include_str!("notices/Apache-2.0.txt")),
    ("MIT", include_str!("notices/MIT.txt")),
    ("BSD-3-Clause", include_str!("notices/BSD-3-Clause.txt")),
    ("ISC", include_str!("notices/ISC.txt")),
    ("Zlib", include_str!("notices/Zlib.txt")),
];

/// Licences of the C library of `wasm32-wasip1`, which Rust links into programs.
const WASI_LIBC: &str = include_str!("notices/wasi-libc.txt");

/// Returns the notices of an addon.
pub(crate) fn of_addon(repository: &Repository, graph: &Graph, addon: &str) -> anyhow::Result<String> {
    of(repository, graph, addon, "addon", None)
}

/// Returns the notices of a program of the target `wasm32-wasip1`.
pub(crate) fn of_wasi_program(
    repository: &Repository,
    graph: &Graph,
    program: &str,
) -> anyhow::Result<String> {
    of(repository, graph, program, "program", Some(WASI_LIBC))
}

fn of(
    repository: &Repository,
    graph: &Graph,
    root: &str,
    subject: &str,
    libc: Option<&str>,
) -> anyhow::Result<String> {
    let mut linked = Vec::new();
    for one in graph.linked(root)? {
        let texts = texts(&one)?;
        linked.push((one, texts));
    }
    let own = std::fs::read_to_string(repository.path("LICENSE")).context("cannot read LICENSE")?;
    Ok(format(&linked, &own, subject, libc))
}

/// Returns the texts of the licences of a crate, in the order of the names of their files.
fn texts(linked: &Linked) -> anyhow::Result<Vec<String>> {
    let mut files: Vec<_> = std::fs::read_dir(&linked.directory)
        .with_context(|| format!("cannot list {}", linked.directory.display()))?
        .collect::<Result<Vec<_>, _>>()?
        .into_iter()
        .map(|entry| entry.path())
        .filter(|path| path.is_file() && is_licence(path))
        .collect();
    files.sort();
    let mut texts = Vec::new();
    for file in files {
        let bytes = std::fs::read(&file).with_context(|| format!("cannot read {}", file.display()))?;
        texts.push(normal(&String::from_utf8_lossy(&bytes)));
    }
    if texts.is_empty() {
        texts.push(without_file(linked)?);
    }
    Ok(texts)
}

/// Returns true if the name of a file says that the file is a licence.
fn is_licence(path: &Path) -> bool {
    let name = path
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .to_uppercase();
    let is_code = path
        .extension()
        .is_some_and(|extension| ["rs", "toml", "json"].iter().any(|code| extension == *code));
    !is_code && NAMES.iter().any(|start| name.starts_with(start))
}

/// Returns the text for a crate without a licence file.
fn without_file(linked: &Linked) -> anyhow::Result<String> {
    let allowed = |licence: &str| linked.licence.split(['(', ')', ' ']).any(|word| word == licence);
    let Some((_, text)) = TEXTS.iter().find(|(licence, _)| allowed(licence)) else {
        bail!(
            "{} {} has no licence file, and its licence `{}` is not in `TEXTS` of xtask/src/notices.rs; add the text of the licence",
            linked.name,
            linked.version,
            linked.licence
        );
    };
    let holders = if linked.authors.is_empty() {
        format!("the authors of {}", linked.name)
    } else {
        linked.authors.join(", ")
    };
    Ok(normal(&text.replace("{holders}", &holders)))
}

/// Returns a text with line breaks of Unix and without spaces at the ends of lines, so that equal licences are equal texts.
fn normal(text: &str) -> String {
    let lines: Vec<&str> = text
        .trim_start_matches('\u{feff}')
        .lines()
        .map(str::trim_end)
        .collect();
    lines.join("\n").trim_matches('\n').to_owned()
}

/// Formats notices. Each text occurs once, with the crates that it applies to.
fn format(linked: &[(Linked, Vec<String>)], own: &str, subject: &str, libc: Option<&str>) -> String {
    let mut of_text: BTreeMap<&str, Vec<&Linked>> = BTreeMap::new();
    for (one, texts) in linked {
        for text in texts {
            of_text.entry(text).or_default().push(one);
        }
    }
    let mut groups: Vec<_> = of_text.into_iter().collect();
    // The order of the first crates, so that a new crate changes few lines.
    groups.sort_by_key(|(text, crates)| (&crates[0].name, &crates[0].version, *text));
    let mut out = format!(
        "This {subject} contains kit and the crates below. Their licences follow: first kit's own, then each text with the\n\
         crates that it applies to. The {subject} also contains the standard library of Rust (MIT OR Apache-2.0), copyright\n\
         The Rust Project Contributors.\n\n",
    );
    for (one, _) in linked {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "{} {} ({})", one.name, one.version, one.licence);
    }
    let _ = write!(out, "\n{}\nkit\n\n{}\n", "-".repeat(80), normal(own));
    for (text, crates) in groups {
        let names: Vec<String> = crates
            .iter()
            .map(|one| format!("{} {}", one.name, one.version))
            .collect();
        let _ = write!(out, "\n{}\n{}\n\n{text}\n", "-".repeat(80), names.join(", "));
    }
    if let Some(libc) = libc {
        let _ = write!(out, "\n{}\nwasi-libc\n\n{}\n", "-".repeat(80), normal(libc));
    }
    out
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::{format, is_licence, normal, without_file};
    use crate::sbom::crates::Linked;

    fn linked(name: &str, licence: &str) -> Linked {
        Linked {
            name: name.to_owned(),
            version: "1.0.0".to_owned(),
            licence: licence.to_owned(),
            authors: vec!["Ada <ada@example.org>".to_owned()],
            directory: PathBuf::new(),
            is_own: false,
        }
    }

    #[test]
    fn recognizes_licence_files_by_their_names() {
        for name in [
            "LICENSE",
            "LICENSE-MIT",
            "license-apache",
            "COPYING.md",
            "Notice.txt",
        ] {
            assert!(is_licence(Path::new(name)), "{name}");
        }
        for name in ["license.rs", "README.md", "deny.toml"] {
            assert!(!is_licence(Path::new(name)), "{name}");
        }
    }

    #[test]
    fn names_each_crate_and_contains_each_text_once() {
        let own = "kit's licence\n";
        let all = [
            (linked("alpha", "MIT"), vec!["shared".to_owned()]),
            (
                linked("beta", "MIT"),
                vec!["shared".to_owned(), "only beta".to_owned()],
            ),
        ];
        let text = format(&all, own, "addon", None);
        assert!(text.contains("\nalpha 1.0.0 (MIT)\nbeta 1.0.0 (MIT)\n"), "{text}");
        assert!(text.contains("\nalpha 1.0.0, beta 1.0.0\n\nshared\n"), "{text}");
        assert!(text.contains("\nbeta 1.0.0\n\nonly beta\n"), "{text}");
        assert_eq!(text.matches("shared").count(), 1);
        assert!(text.contains("\nkit\n\nkit's licence\n"), "{text}");
        assert!(!text.contains("musl"), "{text}");
    }

    #[test]
    fn a_program_of_wasi_has_the_licences_of_its_c_library() {
        let text = format(&[], "kit's licence\n", "program", Some(super::WASI_LIBC));
        assert!(text.starts_with("This program contains kit"), "{text}");
        for holder in ["Rich Felker", "Nuxi"] {
            assert!(text.contains(holder), "{text}");
        }
    }

    #[test]
    fn crates_without_a_licence_file_get_the_text_of_a_licence_with_their_authors() {
        let text = without_file(&linked("alpha", "MIT")).unwrap();
        assert!(text.contains("Ada <ada@example.org>"), "{text}");
        let text = without_file(&linked("alpha", "(MIT OR Apache-2.0) AND Unicode-3.0")).unwrap();
        assert!(text.contains("Apache License"), "{text}");
        let error = without_file(&linked("alpha", "GPL-3.0")).unwrap_err().to_string();
        assert!(error.contains("alpha 1.0.0 has no licence file"), "{error}");
    }

    #[test]
    fn texts_that_differ_only_in_spaces_at_line_ends_are_equal() {
        assert_eq!(normal("\u{feff}a \r\nb\n\n"), normal("a\nb"));
    }
}
