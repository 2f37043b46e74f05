//! Check of all regular expressions in kit's TypeScript: in the packages, in the templates of new projects,
//! and in generated code (the golden files).
//!
//! Clients and users choose the texts that these expressions are matched with, so none of them may take so
//! long that it blocks a server. The test finds literals and `new RegExp("text")` in the syntax trees,
//! translates them to the syntax of `kit-pattern`, and checks them. Any other expression, and each one that
//! does not take linear time, needs an entry with a reason in `exceptions.rs`. An entry that is not needed
//! fails the test.

#![allow(clippy::disallowed_methods)] // Reason: the test reads kit's own sources.

mod exceptions;
mod translate;

use std::fs;
use std::path::{Path, PathBuf};

use kit_pattern::{Verdict, check};
use oxc_allocator::Allocator;
use oxc_ast::ast::{Argument, CallExpression, Expression, NewExpression, RegExpLiteral};
use oxc_ast_visit::{Visit, walk};
use oxc_parser::Parser;
use oxc_span::SourceType;

use exceptions::EXCEPTIONS;
use translate::in_unicode_mode;

/// Directories relative to the root of the repository. Only files whose path contains the second text are
/// checked.
const DIRECTORIES: [(&str, &str); 4] = [
    ("packages", "/src/"),
    ("crates/kit-scaffold/templates", "/"),
    ("crates/kit-emit/tests/goldens", "/"),
    ("crates/kit-database/tests/goldens", "/"),
];

/// A regular expression that is not proven to take linear time.
#[derive(Debug)]
struct Finding {
    line: usize,
    /// Text between the slashes, or the source text of the argument of `RegExp`.
    expression: String,
    problem: String,
}

struct Finder<'t> {
    text: &'t str,
    findings: Vec<Finding>,
    judged: usize,
}

impl Finder<'_> {
    fn judge(&mut self, at: u32, pattern: &str, flags: &str) {
        self.judged += 1;
        let problem = match in_unicode_mode(pattern, flags).map(|translated| check(&translated)) {
            Ok(Verdict::Linear) => return,
            Ok(verdict) => match verdict {
                Verdict::Polynomial { degree, .. } => {
                    format!("takes time with the length of the text to the power of {degree}")
                }
                Verdict::Exponential { attack } => {
                    format!("takes exponential time, for example on {attack:?}")
                }
                Verdict::Unsupported { reason } => format!("cannot be judged: {reason}"),
                Verdict::Linear => unreachable!("handled above"),
            },
            Err(reason) => format!("cannot be judged: {reason}"),
        };
        self.report(at, pattern, problem);
    }

    fn report(&mut self, at: u32, expression: &str, problem: String) {
        let line = self.text[..at as usize].matches('\n').count() + 1;
        self.findings.push(Finding {
            line,
            expression: expression.to_owned(),
            problem,
        });
    }

    fn constructed(&mut self, callee: &Expression<'_>, arguments: &[Argument<'_>], at: u32) {
        if !callee.is_specific_id("RegExp") {
            return;
        }
        let flags = match arguments.get(1) {
            None => Some(""),
            Some(Argument::StringLiteral(flags)) => Some(flags.value.as_str()),
            Some(_) => None,
        };
        match (arguments.first(), flags) {
            (Some(Argument::StringLiteral(pattern)), Some(flags)) => {
                self.judge(at, pattern.value.as_str(), flags);
            }
            (Some(argument), _) => {
                let span = oxc_span::GetSpan::span(argument);
                let source = &self.text[span.start as usize..span.end as usize];
                self.report(at, source, "is made at run time".to_owned());
            }
            (None, _) => {}
        }
    }
}

impl<'a> Visit<'a> for Finder<'_> {
    fn visit_reg_exp_literal(&mut self, literal: &RegExpLiteral<'a>) {
        let flags = literal.regex.flags.to_string();
        self.judge(literal.span.start, literal.regex.pattern.text.as_str(), &flags);
    }

    fn visit_new_expression(&mut self, new: &NewExpression<'a>) {
        self.constructed(&new.callee, &new.arguments, new.span.start);
        walk::walk_new_expression(self, new);
    }

    fn visit_call_expression(&mut self, call: &CallExpression<'a>) {
        self.constructed(&call.callee, &call.arguments, call.span.start);
        walk::walk_call_expression(self, call);
    }
}

/// Returns the findings in a source file, and the number of expressions that were checked.
fn check_file(path: &str, text: &str) -> (Vec<Finding>, usize) {
    let allocator = Allocator::default();
    let source_type = SourceType::from_path(path).expect("the file is TypeScript");
    let parsed = Parser::new(&allocator, text, source_type).parse();
    assert!(!parsed.panicked, "{path} cannot be parsed");
    let mut finder = Finder {
        text,
        findings: Vec::new(),
        judged: 0,
    };
    finder.visit_program(&parsed.program);
    (finder.findings, finder.judged)
}

fn files_below(directory: &Path, found: &mut Vec<PathBuf>) {
    let entries = fs::read_dir(directory).unwrap_or_else(|error| panic!("{}: {error}", directory.display()));
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    for path in paths {
        let name = path
            .file_name()
            .and_then(|name| name.to_str())
            .unwrap_or_default();
        if path.is_dir() {
            if !matches!(name, "node_modules" | "dist" | "target") {
                files_below(&path, found);
            }
        } else if path
            .extension()
            .is_some_and(|ending| ending == "ts" || ending == "tsx")
        {
            found.push(path);
        }
    }
}

#[test]
fn every_regular_expression_of_kit_takes_linear_time_or_has_an_exception_with_a_reason() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut unused: Vec<_> = EXCEPTIONS.iter().collect();
    let mut problems = Vec::new();
    let mut judged = 0;
    for (directory, part) in DIRECTORIES {
        let mut files = Vec::new();
        files_below(&root.join(directory), &mut files);
        for file in files {
            let path = file.strip_prefix(&root).expect("it is below the root");
            let path = path.to_string_lossy().replace('\\', "/");
            if !path.contains(part) {
                continue;
            }
            let (findings, count) =
                check_file(&path, &fs::read_to_string(&file).expect("the file can be read"));
            judged += count;
            for Finding {
                line,
                expression,
                problem,
            } in findings
            {
                let is_same = |(known, text, _): &(&str, &str, &str)| *known == path && *text == expression;
                unused.retain(|entry| !is_same(entry));
                if !EXCEPTIONS.iter().any(is_same) {
                    problems.push(format!("{path}:{line}: /{expression}/ {problem}"));
                }
            }
        }
    }
    for (path, expression, _) in unused {
        problems.push(format!(
            "exceptions.rs: /{expression}/ of {path} needs no exception"
        ));
    }
    assert!(
        problems.is_empty(),
        "{}\nWrite an expression that is linear, scan the text by hand, or add a reason to exceptions.rs.",
        problems.join("\n")
    );
    assert!(judged > 100, "only {judged} expressions were found");
}

#[test]
fn finds_a_slow_regular_expression_in_every_position_of_a_program() {
    for (source, found) in [
        ("export const a = /^(a+)+$/;", "takes exponential time"),
        (
            "const f = (t: string) => t.replace(/x*y/g, \"\");",
            "to the power of 2",
        ),
        (
            "class A { static b = new RegExp(\"(?:a|a)*b\"); }",
            "takes exponential time",
        ),
        (
            "const c = `${RegExp(\"[a-z]+[A-Z]+[0-9]\", \"i\").test(t)}`;",
            "to the power of",
        ),
        ("const d = /^(.)\\1+$/;", "cannot be judged"),
        ("const e = new RegExp(input);", "is made at run time"),
        ("const f = /^(?:\\n|[^])*$/;", "takes exponential time"),
        ("const g = /(?:^a*)*$/m;", "takes"),
    ] {
        let (findings, _) = check_file("planted.ts", source);
        assert!(
            findings.iter().any(|finding| finding.problem.contains(found)),
            "{source}: {findings:?}"
        );
    }
    for source in [
        "const a = /^[a-z]+$/i;",
        "const b = 1 / 2 / 3;",
        "// /(a+)+/",
        "const c = \"/(a+)+/\";",
    ] {
        let (findings, _) = check_file("planted.ts", source);
        assert!(findings.is_empty(), "{source}: {findings:?}");
    }
}
