//! `llms.txt`: the list of documentation pages for language models. `cargo xtask llms` writes the file, and tidy checks that it
//! is up to date.

use std::fmt::Write as _;

use super::Tree;

/// Path of the generated file.
pub(crate) const PATH: &str = "llms.txt";

/// List of the pages of the guide.
const GUIDE: &str = "docs/README.md";

/// Reports that the file is out of date, and pages that the guide does not list.
pub(super) fn llms_txt_is_current(tree: &Tree) -> Vec<String> {
    let Some(guide) = tree.text(GUIDE) else {
        return Vec::new();
    };
    let mut problems: Vec<String> = tree
        .matching("docs/guide/", ".md")
        .filter_map(|file| file.path.strip_prefix("docs/"))
        .filter(|path| !guide.contains(&format!("]({path})")))
        .map(|path| format!("docs/{path}: {GUIDE} does not list this page; add a line about it"))
        .collect();
    if tree.text(PATH) != Some(text(tree).as_str()) {
        problems.push(format!(
            "{PATH}: does not match the pages of docs/; run `cargo xtask llms`"
        ));
    }
    problems
}

/// Returns the content of the file: the purpose of kit, the pages of the guide in their order, and the reference pages.
pub(crate) fn text(tree: &Tree) -> String {
    let summary = tree
        .text("README.md")
        .and_then(first_paragraph)
        .unwrap_or_default();
    let mut text = format!("# kit\n\n> {summary}\n\n## Guide\n\n");
    let guide = tree.text(GUIDE).unwrap_or_default();
    for (title, path, about) in guide.lines().filter_map(entry) {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "- [{title}](docs/{path}): {}", without_links(about));
    }
    text.push_str("\n## Reference\n\n");
    let pages = tree
        .matching("docs/", ".md")
        .filter(|file| file.path.matches('/').count() == 1);
    for page in pages.filter(|page| page.path != GUIDE) {
        let title = page
            .text
            .lines()
            .find_map(|line| line.strip_prefix("# "))
            .unwrap_or(&page.path);
        let about = first_paragraph(&page.text).unwrap_or_default();
        let sentence = about.split_inclusive(". ").next().unwrap_or_default().trim_end();
        let _ = writeln!(text, "- [{}]({}): {sentence}", title.replace('`', ""), page.path);
    }
    text
}

/// Returns the title, the path and the description of a line such as `- [Errors](guide/errors.md): how to respond`.
fn entry(line: &str) -> Option<(&str, &str, &str)> {
    let (title, rest) = line.strip_prefix("- [")?.split_once("](")?;
    let (path, about) = rest.split_once("): ")?;
    Some((title, path, about))
}

/// Returns the first paragraph of a page on one line, without links. Skips headings.
fn first_paragraph(page: &str) -> Option<String> {
    let paragraph = page
        .split("\n\n")
        .map(str::trim)
        .find(|part| !part.is_empty() && !part.starts_with('#'))?;
    Some(without_links(
        &paragraph.split_whitespace().collect::<Vec<_>>().join(" "),
    ))
}

/// Replaces each link by its text.
fn without_links(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, link)) = rest.split_once('[') {
        plain.push_str(before);
        let parts = link
            .split_once("](")
            .and_then(|(name, after)| Some((name, after.split_once(')')?.1)));
        let Some((name, after)) = parts.filter(|(name, _)| !name.contains('[')) else {
            plain.push('[');
            rest = link;
            continue;
        };
        plain.push_str(name);
        rest = after;
    }
    plain + rest
}

#[cfg(test)]
mod tests {
    use super::{llms_txt_is_current, text};
    use crate::tidy::Tree;

    const FILES: [(&str, &str); 5] = [
        (
            "README.md",
            "# kit\n\nTyped [APIs](docs/README.md)\nfrom types.\n\nMore.\n",
        ),
        (
            "docs/README.md",
            "# Guide\n\n- [Errors](guide/errors.md): respond with [an error](errors.md), a[b]\n",
        ),
        ("docs/guide/errors.md", "# Errors\n\nThis page.\n"),
        ("docs/cli.md", "# The `kit` command\n\nIt runs. It ends.\n"),
        ("docs/decisions/0001-a.md", "# 0001\n\nA decision.\n"),
    ];

    #[test]
    fn lists_the_pages_of_the_guide_in_order_and_the_reference_pages() {
        let expected = "# kit\n\n> Typed APIs from types.\n\n## Guide\n\n\
                        - [Errors](docs/guide/errors.md): respond with an error, a[b]\n\n## Reference\n\n\
                        - [The kit command](docs/cli.md): It runs.\n";
        assert_eq!(text(&Tree::of(&FILES)), expected);
    }

    #[test]
    fn reports_an_old_file_and_pages_that_are_not_listed() {
        let found = text(&Tree::of(&FILES));
        let mut files = FILES.to_vec();
        files.push(("llms.txt", &found));
        assert_eq!(llms_txt_is_current(&Tree::of(&files)), Vec::<String>::new());
        files.push(("docs/guide/new.md", "# New\n\nText.\n"));
        let problems = llms_txt_is_current(&Tree::of(&files));
        assert_eq!(
            problems,
            ["docs/guide/new.md: docs/README.md does not list this page; add a line about it"]
        );
        assert_eq!(
            llms_txt_is_current(&Tree::of(&FILES)),
            ["llms.txt: does not match the pages of docs/; run `cargo xtask llms`"]
        );
    }
}
