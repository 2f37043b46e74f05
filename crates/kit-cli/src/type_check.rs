//! Finds type errors in the project's code with the project's own `tsc --noEmit`. kit itself reads types, but does not check
//! code.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use kit_build::{Compiler, read_text};
use kit_diagnostics::{Frame, Label, Severity, Sources, Style, render_frame};

use crate::console::{Console, quantity};
use crate::context::Context;
use crate::failure::{CHECK_TYPES, CommandError, Problem, Reason};
use crate::host::TypeCheck;
use crate::{Stream, compiler, compiler_errors, tsconfig};

/// Maximum number of type errors that the terminal shows at once.
const MAX_ERRORS: usize = 20;

/// The project's type checker with its arguments.
#[derive(Debug, Clone)]
pub(crate) struct Checker {
    program: PathBuf,
    args: Vec<String>,
}

/// A condition of the type check that a project does not satisfy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MissingRequirement {
    /// The package `typescript` is not installed.
    TypeScript,
    /// `tsconfig.json` is missing in the project's root.
    Configuration,
}

impl MissingRequirement {
    /// Returns a message about the missing package or file, and the help.
    pub(crate) fn text(self) -> (&'static str, &'static str) {
        match self {
            Self::TypeScript => (
                "TypeScript is not installed in the project",
                "install TypeScript: `npm install --save-dev typescript`",
            ),
            Self::Configuration => (
                "there is no tsconfig.json in the project's root",
                "write a tsconfig.json; a project of `kit scaffold init` contains an example",
            ),
        }
    }
}

impl Checker {
    /// Finds the type checker. `purpose` becomes part of the name of its cache, so that checks for different
    /// purposes can run at the same time.
    pub(crate) fn find(root: &Path, purpose: &str) -> Result<Self, MissingRequirement> {
        let program = compiler::find(root, Compiler::Tsc.name()).ok_or(MissingRequirement::TypeScript)?;
        if !root.join("tsconfig.json").is_file() {
            return Err(MissingRequirement::Configuration);
        }
        if tsconfig::is_solution(root) {
            let args = ["-b", ".", "--noEmit", "--pretty", "false"]
                .map(str::to_owned)
                .to_vec();
            return Ok(Self { program, args });
        }
        let mut args: Vec<String> = ["-p", ".", "--noEmit", "--pretty", "false"]
            .map(str::to_owned)
            .to_vec();
        // Otherwise, TypeScript refuses a tsconfig.json with `emitDeclarationOnly` together with `--noEmit`.
        args.extend(["--emitDeclarationOnly", "false"].map(str::to_owned));
        let installed = root.join("node_modules");
        if installed.is_dir() {
            // Projects may share `node_modules` through a symbolic link, so the name of the cache contains the project's
            // path.
            let project = root
                .to_string_lossy()
                .replace(|letter: char| !letter.is_ascii_alphanumeric(), "-");
            let name = format!("{}.{purpose}.tsbuildinfo", last_bytes(&project, 100));
            let cache = installed.join(".cache/kit").join(name);
            args.extend(["--incremental", "--tsBuildInfoFile"].map(str::to_owned));
            args.push(cache.to_string_lossy().into_owned());
        }
        Ok(Self { program, args })
    }

    /// Returns the program and arguments for the host, which runs the checker.
    pub(crate) fn request(self) -> TypeCheck {
        TypeCheck {
            program: self.program.to_string_lossy().into_owned(),
            args: self.args,
        }
    }
}

/// Returns the last `count` bytes of an ASCII string. Of a long path, the end differs more often than the start.
fn last_bytes(text: &str, count: usize) -> &str {
    &text[text.len().saturating_sub(count)..]
}

/// A type error.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TypeMistake {
    /// Path of the file, relative to the project's root.
    path: Option<String>,
    /// Code, such as `TS2322`.
    code: String,
    /// First line of the message, without the code.
    message: String,
    /// Other lines of the message, which explain the error.
    more: Vec<String>,
    /// Line and column, from 1.
    position: Option<(u32, u32)>,
}

impl TypeMistake {
    /// Returns everything except the position, so that the error is recognized after an edit that moves it to
    /// another line.
    fn key(&self) -> (Option<&str>, &str, &str, &[String]) {
        (self.path.as_deref(), &self.code, &self.message, &self.more)
    }

    fn reason(&self) -> Reason {
        let lines: Vec<&str> = std::iter::once(self.message.as_str())
            .chain(self.more.iter().map(String::as_str))
            .collect();
        Reason {
            path: self.path.clone(),
            position: self.position,
            code: Some(self.code.clone()),
            ..Reason::new(lines.join("\n"))
        }
    }

    /// Formats the error like kit's own errors.
    fn draw(&self, root: &Path, style: Style) -> String {
        let mut sources = OneSource::default();
        let mut labels = Vec::new();
        if let Some(path) = &self.path {
            let text = read_text(&root.join(path)).ok().flatten();
            let (line, column) = self.position.unwrap_or_default();
            let range = text.as_deref().and_then(|text| span(text, line, column));
            labels.push(Label::primary(path.clone(), range.clone().unwrap_or_default()).at(line, column));
            // If the position is unknown, an excerpt of another line would mislead.
            sources.text = text.filter(|_| range.is_some());
        }
        let notes: Vec<String> = match self.more.as_slice() {
            [] => Vec::new(),
            more => vec![more.join("\n")],
        };
        let frame = Frame {
            severity: Severity::Error,
            code: &self.code,
            message: &self.message,
            labels: &labels,
            notes: &notes,
            help: None,
        };
        render_frame(frame, &sources, style)
    }
}

/// Text of the file that contains a type error.
#[derive(Default)]
struct OneSource {
    text: Option<String>,
}

impl Sources for OneSource {
    fn text(&self, _path: &str) -> Option<&str> {
        self.text.as_deref()
    }
}

/// Returns the range of bytes to mark: the word, string literal or sign that starts at a line and column. The column counts
/// UTF-16 code units. tsc reports only the start of an error.
fn span(text: &str, line: u32, column: u32) -> Option<Range<usize>> {
    let number = usize::try_from(line).ok()?.checked_sub(1)?;
    let row = text.split('\n').nth(number)?;
    let before: usize = text.split('\n').take(number).map(|row| row.len() + 1).sum();
    let mut units = usize::try_from(column).ok()?.checked_sub(1)?;
    let mut start = 0;
    for letter in row.chars() {
        if units == 0 {
            break;
        }
        units = units.saturating_sub(letter.len_utf16());
        start += letter.len_utf8();
    }
    let rest = row.get(start..)?.trim_end();
    let is_word = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '$');
    let length = match rest.chars().next() {
        Some(quote @ ('"' | '\'' | '`')) => rest
            .get(1..)
            .and_then(|inner| inner.find(quote))
            .map_or(rest.len(), |end| end + 2),
        Some(first) if is_word(first) => rest.find(|letter| !is_word(letter)).unwrap_or(rest.len()),
        Some(first) => first.len_utf8(),
        None => 0,
    };
    Some(before + start..before + start + length)
}

/// Parses the output of tsc. Returns an error if tsc failed without reporting type errors.
pub(crate) fn read(code: Option<i32>, text: &str) -> Result<Vec<TypeMistake>, String> {
    let found: Vec<TypeMistake> = compiler_errors::read(Compiler::Tsc, text)
        .into_iter()
        .map(|reason| {
            let mut lines = reason.message.lines();
            let first = lines.next().unwrap_or_default();
            let (code, message) = first.split_once(": ").unwrap_or(("TS", first));
            TypeMistake {
                path: reason.path,
                code: code.to_owned(),
                message: message.to_owned(),
                // Lines below an error are indented by two spaces. Deeper indentation shows their structure, so it stays.
                more: lines
                    .map(|line| line.strip_prefix("  ").unwrap_or(line).trim_end().to_owned())
                    .collect(),
                position: reason.position,
            }
        })
        .collect();
    if !found.is_empty() || code == Some(0) {
        return Ok(found);
    }
    let end = code.map_or_else(
        || "it was not started or was ended".to_owned(),
        |code| format!("exit code {code}"),
    );
    let said = text.trim();
    Err(if said.is_empty() {
        format!("`tsc` failed ({end})")
    } else {
        format!("`tsc` failed ({end}): {said}")
    })
}

/// Type errors and failures that `kit dev` has already printed, so that it does not repeat them.
#[derive(Debug, Default)]
pub(crate) struct PrintedTypeErrors {
    known: Vec<TypeMistake>,
    failure: Option<String>,
    absent: Option<MissingRequirement>,
}

impl PrintedTypeErrors {
    /// Prints that a package or file is missing, unless this was already printed.
    pub(crate) fn absent(&mut self, absent: MissingRequirement, console: &Console<'_>) {
        if self.absent != Some(absent) {
            let (missing, help) = absent.text();
            console.note(&format!("type errors are not shown: {missing}; {help}"));
        }
        self.absent = Some(absent);
    }

    /// Prints the type errors that are new, and the number of type errors if it changed.
    pub(crate) fn print(&mut self, code: Option<i32>, text: &str, root: &Path, console: &Console<'_>) {
        self.absent = None;
        let now = match read(code, text) {
            Ok(now) => now,
            Err(failure) => {
                if self.failure.as_ref() != Some(&failure) {
                    console.warning(&format!("types are not checked: {failure}"));
                }
                self.failure = Some(failure);
                return;
            }
        };
        self.failure = None;
        let fresh = new_errors(&self.known, &now);
        if !fresh.is_empty() {
            console.note(render_all(&fresh, root, console).trim_end());
        }
        if !fresh.is_empty() || self.known.len() != now.len() {
            console.note(&match (now.len(), fresh.len()) {
                (0, _) => "no type errors any more".to_owned(),
                (all, new) if new == all => {
                    format!("{}; the application still runs", quantity(all, "type error"))
                }
                (all, _) => format!(
                    "{} in total; the application still runs",
                    quantity(all, "type error")
                ),
            });
        }
        self.known = now;
    }
}

/// Returns the errors in `now` that are not in `before`, in order. Counts equal errors: if an error occurs
/// twice in `now` and once in `before`, it is returned once.
fn new_errors<'a>(before: &[TypeMistake], now: &'a [TypeMistake]) -> Vec<&'a TypeMistake> {
    let mut left: BTreeMap<_, usize> = BTreeMap::new();
    for mistake in before {
        *left.entry(mistake.key()).or_default() += 1;
    }
    now.iter()
        .filter(|mistake| match left.get_mut(&mistake.key()) {
            Some(count) if *count > 0 => {
                *count -= 1;
                false
            }
            _ => true,
        })
        .collect()
}

/// Formats errors with excerpts of the sources. An empty line follows each error.
fn render_all(mistakes: &[&TypeMistake], root: &Path, console: &Console<'_>) -> String {
    let style = if console.colors(Stream::Err) {
        Style::Colored
    } else {
        Style::Plain
    };
    let mut text = String::new();
    for mistake in mistakes.iter().take(MAX_ERRORS) {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}\n", mistake.draw(root, style));
    }
    if let Some(more @ 1..) = mistakes.len().checked_sub(MAX_ERRORS) {
        let _ = writeln!(text, "… and {}\n", quantity(more, "more type error"));
    }
    text
}

/// Checks the types of a built project for `kit build --check-types`, and returns the duration. Fails if there are type
/// errors.
pub(crate) fn check(root: &Path, context: &Context<'_>) -> Result<Duration, CommandError> {
    let checker = Checker::find(root, "build").map_err(|absent| {
        let (missing, help) = absent.text();
        CommandError::from(Problem::build(CHECK_TYPES, missing).help(help))
    })?;
    let start = Instant::now();
    let output = context.environment.output(&checker.program, &checker.args, root);
    let output = output.map_err(|error| {
        let program = checker.program.display();
        Problem::build(CHECK_TYPES, format!("{program} could not be started: {error}"))
            .help("reinstall the project's packages with `npm install`")
    })?;
    let found = read(output.status.code(), &compiler::output_text(&output))
        .map_err(|failure| Problem::build(CHECK_TYPES, failure))?;
    if found.is_empty() {
        return Ok(start.elapsed());
    }
    let console = context.console;
    if console.is_json() {
        return Err(Problem::check_types(found.iter().map(TypeMistake::reason).collect()).into());
    }
    let all: Vec<&TypeMistake> = found.iter().collect();
    console.write(Stream::Err, &render_all(&all, root, console));
    let count = quantity(found.len(), "type error");
    Err(Problem::check_types(vec![Reason::new(format!("{count}; the artifacts are written"))]).into())
}

#[cfg(test)]
mod tests {
    use super::{new_errors, read, span};

    const TEXT: &str = "src/a.ts(2,14): error TS2322: Type 'A' is not assignable to type 'B'.\n  \
                        Property 'x' is missing.\nerror TS18003: No inputs were found.\n";

    #[test]
    fn parses_the_location_code_and_message_lines_of_type_errors() {
        let found = read(Some(2), TEXT).unwrap();
        assert_eq!(found.len(), 2);
        assert_eq!(
            (found[0].code.as_str(), found[0].position),
            ("TS2322", Some((2, 14)))
        );
        assert_eq!(found[0].message, "Type 'A' is not assignable to type 'B'.");
        assert_eq!(found[0].more, ["Property 'x' is missing."]);
        assert_eq!(
            (found[1].code.as_str(), found[1].path.as_deref()),
            ("TS18003", None)
        );
    }

    #[test]
    fn reports_an_error_if_tsc_fails_without_type_errors() {
        assert_eq!(read(Some(0), ""), Ok(Vec::new()));
        assert_eq!(read(Some(3), ""), Err("`tsc` failed (exit code 3)".to_owned()));
        assert_eq!(
            read(None, "no such file\n"),
            Err("`tsc` failed (it was not started or was ended): no such file".to_owned())
        );
    }

    #[test]
    fn moved_type_error_is_not_new_but_a_second_identical_error_is_new() {
        let before = read(Some(2), TEXT).unwrap();
        let moved = read(Some(2), &TEXT.replace("(2,14)", "(9,1)")).unwrap();
        assert!(new_errors(&before, &moved).is_empty());
        let twice = read(Some(2), &format!("{TEXT}{TEXT}")).unwrap();
        assert_eq!(new_errors(&before, &twice).len(), 2);
        assert_eq!(new_errors(&[], &before).len(), 2);
    }

    #[test]
    fn marks_the_word_string_or_sign_at_the_start_of_a_type_error() {
        let text = "const 𝒳é = 'a b';\nreturn  x + 1;\n";
        let at = |line, column| span(text, line, column).map(|range| &text[range]);
        assert_eq!(at(1, 1), Some("const"));
        assert_eq!(at(1, 7), Some("𝒳é"));
        assert_eq!(at(1, 13), Some("'a b'"));
        assert_eq!(at(2, 11), Some("+"));
        assert_eq!(at(2, 99), Some(""));
        assert_eq!(at(9, 1), None);
        assert_eq!(at(0, 0), None);
    }
}
