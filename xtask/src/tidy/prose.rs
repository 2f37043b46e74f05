//! Rules of plain English that a program can check: the first word of doc comments and test names, and "where" in the meaning of "if".
//!
//! `prose-exceptions.txt` lists the lines that break a rule with a reason. An exception that matches no line is a problem too.

use super::{TextFile, Tree};

/// Path of the list of exceptions.
const EXCEPTIONS: &str = "xtask/src/tidy/prose-exceptions.txt";

/// Words that no doc comment and no test name begins with.
const RIDDLES: [&str; 13] = [
    "What", "Who", "Whose", "Whom", "Where", "Whether", "How", "Which", "Whoever", "Whatever", "Wherever",
    "So", "That",
];

/// A comment line or a test name, with the number of its line.
#[derive(Debug, PartialEq, Eq)]
struct Prose<'a> {
    line: usize,
    kind: Kind,
    text: &'a str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// The first line of a doc comment, which must begin with a verb or a noun.
    DocOpening,
    /// Any other line of a comment.
    Comment,
    TestName,
}

/// Reports doc comments and test names with a wrong first word, and comments with "where" in place of "if".
pub(super) fn prose_is_plain(tree: &Tree) -> Vec<String> {
    let list = tree.text(EXCEPTIONS).unwrap_or_default();
    let exceptions: Vec<(usize, &str)> = list
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'))
        .map(|(index, line)| (index + 1, line.trim()))
        .collect();
    let mut used = vec![false; exceptions.len()];
    let mut problems = Vec::new();
    for file in sources(tree) {
        for prose in prose_of(file) {
            let Some(problem) = problem_of(&prose) else {
                continue;
            };
            let excused = exceptions.iter().position(|(_, exception)| {
                exception
                    .split_once(": ")
                    .is_some_and(|(path, text)| path == file.path && prose.text.contains(text))
            });
            match excused {
                Some(index) => used[index] = true,
                None => problems.push(format!("{}:{}: {problem}: {}", file.path, prose.line, prose.text)),
            }
        }
    }
    problems.extend(
        exceptions
            .iter()
            .zip(used)
            .filter(|(_, used)| !used)
            .map(|((line, text), _)| format!("{EXCEPTIONS}:{line}: no comment needs this exception: {text}")),
    );
    problems
}

fn sources(tree: &Tree) -> impl Iterator<Item = &TextFile> {
    tree.files.iter().filter(|file| {
        let code = ["rs", "ts", "tsx", "mjs"].contains(&extension(file));
        let generated = [
            "/goldens/",
            "/fixtures/",
            "/inputs/",
            "/corpus/",
            "/resources/",
            "/templates/",
        ]
        .iter()
        .any(|part| file.path.contains(part));
        code && !generated && !file.path.starts_with("xtask/src/tidy/prose")
    })
}

fn extension(file: &TextFile) -> &str {
    file.path.rsplit('.').next().unwrap_or_default()
}

fn problem_of(prose: &Prose<'_>) -> Option<&'static str> {
    let first = prose.text.split([' ', '_', ',', '`', '\'']).next().unwrap_or("");
    let is_riddle = RIDDLES.iter().any(|word| word.eq_ignore_ascii_case(first));
    match prose.kind {
        Kind::DocOpening if is_riddle => Some("a doc comment begins with a verb or a noun (\"Returns …\")"),
        Kind::TestName if is_riddle => {
            Some("a test name says behaviour and condition (\"returns 413 if …\")")
        }
        Kind::DocOpening | Kind::Comment if prose.text.contains(", where ") => {
            Some("write \"if\" for a condition, or begin a new sentence for a place")
        }
        _ => None,
    }
}

fn prose_of(file: &TextFile) -> Vec<Prose<'_>> {
    if extension(file) == "rs" {
        prose_of_rust(&file.text)
    } else {
        prose_of_typescript(&file.text)
    }
}

fn prose_of_rust(text: &str) -> Vec<Prose<'_>> {
    let mut found = Vec::new();
    let mut inside = false;
    let mut is_test = false;
    for (index, line) in text.lines().enumerate() {
        let line_number = index + 1;
        let code = line.trim_start();
        let doc = ["///", "//!"].iter().find_map(|start| code.strip_prefix(start));
        let mut add = |kind, text| {
            found.push(Prose {
                line: line_number,
                kind,
                text,
            });
        };
        if let Some(doc) = doc {
            let kind = if inside { Kind::Comment } else { Kind::DocOpening };
            add(kind, doc.trim());
        } else if let Some(comment) = code.strip_prefix("//") {
            add(Kind::Comment, comment.trim());
        } else if is_test && let Some((_, name)) = code.split_once("fn ") {
            add(Kind::TestName, name.split('(').next().unwrap_or(name));
            is_test = false;
        }
        inside = doc.is_some();
        is_test |= code.starts_with("#[test]") || code.starts_with("#[tokio::test");
    }
    found
}

fn prose_of_typescript(text: &str) -> Vec<Prose<'_>> {
    let mut found = Vec::new();
    let mut in_comment = false;
    let mut opens = false;
    for (index, line) in text.lines().enumerate() {
        let line_number = index + 1;
        let code = line.trim_start();
        let mut add = |kind, text| {
            found.push(Prose {
                line: line_number,
                kind,
                text,
            });
        };
        if let Some(doc) = code.strip_prefix("/**") {
            let words = doc.trim_end_matches("*/").trim();
            opens = words.is_empty();
            in_comment = !doc.contains("*/");
            if !opens {
                add(Kind::DocOpening, words);
            }
        } else if in_comment {
            in_comment = !code.contains("*/");
            let words = code.trim_end_matches("*/").trim_start_matches('*').trim();
            if !words.is_empty() {
                add(if opens { Kind::DocOpening } else { Kind::Comment }, words);
                opens = false;
            }
        } else if let Some(comment) = code.strip_prefix("//") {
            add(Kind::Comment, comment.trim());
        } else if let Some(name) = test_name(code) {
            add(Kind::TestName, name);
        }
    }
    found
}

/// Returns the first argument of `test("…")`, `it("…")` or `describe("…")`.
fn test_name(code: &str) -> Option<&str> {
    let rest = ["test(", "it(", "describe("]
        .iter()
        .find_map(|call| code.trim_start_matches("await ").strip_prefix(call))?;
    let quote = rest
        .chars()
        .next()
        .filter(|quote| matches!(quote, '"' | '`' | '\''))?;
    rest[1..].split(quote).next()
}

#[cfg(test)]
mod tests {
    use super::{EXCEPTIONS, prose_is_plain};
    use crate::tidy::Tree;

    #[test]
    fn reports_doc_comments_and_test_names_with_a_wrong_first_word_and_where_in_place_of_if() {
        let tree = Tree::of(&[
            (
                "crates/a/src/lib.rs",
                "/// Whether it is.\n/// What follows is not an opening.\nfn a() {}\n#[test]\nfn what_is_is() {}\n// nothing, where it is\n",
            ),
            (
                "packages/a/src/a.ts",
                "/**\n * How it is.\n */\n/** Returns all. */\ntest(\"what is\", () => {});\nconst where = `a, where b`;\n",
            ),
            ("crates/a/tests/goldens/a.ts", "/** What is generated. */\n"),
        ]);
        let places: Vec<String> = prose_is_plain(&tree)
            .iter()
            .map(|problem| problem.splitn(3, ':').take(2).collect::<Vec<_>>().join(":"))
            .collect();
        assert_eq!(
            places,
            [
                "crates/a/src/lib.rs:1",
                "crates/a/src/lib.rs:5",
                "crates/a/src/lib.rs:6",
                "packages/a/src/a.ts:2",
                "packages/a/src/a.ts:5"
            ]
        );
    }

    #[test]
    fn accepts_a_line_with_an_exception_and_reports_an_exception_without_a_line() {
        let tree = Tree::of(&[
            ("a.rs", "/// How HTTP says it.\nfn a() {}\n"),
            (
                EXCEPTIONS,
                "# reasons\na.rs: How HTTP says it\na.rs: Where nothing is\n",
            ),
        ]);
        assert_eq!(
            prose_is_plain(&tree),
            [format!(
                "{EXCEPTIONS}:3: no comment needs this exception: a.rs: Where nothing is"
            )]
        );
    }
}
