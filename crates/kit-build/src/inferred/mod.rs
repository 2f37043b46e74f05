//! Types that only TypeScript can infer, such as the type of a constant that a function of a library returns.
//!
//! The compiler lists the source files that need such types. This module runs the project's own TypeScript, which
//! emits declarations for these files, and compiles the program again with the declarations. TypeScript only reads
//! types: no code of the application runs. Programs without such types never start TypeScript.
//!
//! The declarations are kept in `node_modules/.cache/kit` until a file changes from which TypeScript made them.

mod cache;
mod typescript;

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use kit_diagnostics::{Diagnostic, Label, codes};
use kit_typescript::{FileSystem, Input, Output, Session};

use self::cache::Declarations;
use self::typescript::{Failure, Message, Running, TypeScript};
use crate::disk;
use crate::globs::relative;

/// Maximum time that TypeScript may take.
const TIME_LIMIT: Duration = Duration::from_mins(1);

/// Maximum number of runs of TypeScript in one build. A run finds more files only if the declarations of one file
/// need types of another file that TypeScript did not read.
const MAX_RUNS: usize = 4;

/// Declarations that TypeScript emitted in earlier builds of the same process.
#[derive(Debug, Default)]
pub(crate) struct InferredTypes {
    declarations: Option<Declarations>,
    /// True if the cache on the disk was read.
    loaded: bool,
    /// True if the next compilation must ask TypeScript again, although no file changed.
    outdated: bool,
    /// Reason why the last run of TypeScript failed.
    failure: Option<Failure>,
    /// Files that the last compilation without TypeScript needed.
    needs: Needs,
    /// True if declarations of [`InferredTypes::take`] are not in the cache on the disk yet.
    unsaved: bool,
}

/// State of a [`TypeRun`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TypeRunState {
    /// TypeScript has not ended.
    Running,
    /// The next analysis uses the types.
    Inferred,
    /// The next analysis reports the reason.
    Failed,
}

/// Files that a compilation without TypeScript needed.
#[derive(Debug, Default)]
struct Needs {
    /// Source files with types that only TypeScript can infer.
    uninferred: Vec<PathBuf>,
    /// Source files with declarations that the compilation used.
    inferred: Vec<PathBuf>,
    /// Configurations that the compilation read.
    configurations: Vec<PathBuf>,
}

/// Run of the project's TypeScript in its own process, for a [`Session`](crate::Session). Dropping the value ends the process.
pub struct TypeRun {
    running: Result<Running, Option<Failure>>,
    requested: BTreeSet<PathBuf>,
    configurations: Vec<PathBuf>,
}

impl InferredTypes {
    /// Compiles a program with the types of earlier runs of TypeScript. Does not report types that no run has inferred yet:
    /// the next call of [`InferredTypes::compile`] decides about them.
    pub(crate) fn compile_without_typescript(&mut self, compiler: &mut Session, input: &Input<'_>) -> Output {
        if !self.loaded {
            self.loaded = true;
            self.declarations = Declarations::load(input.root);
        }
        let known = self.declarations.take().unwrap_or_default();
        let mut output = compiler.compile(&with(input, &known));
        if let Some(failure) = &self.failure {
            report(&mut output, input.root, failure);
        } else {
            report_messages(&mut output, input.root, &known);
            let undecided: Vec<String> = output
                .uninferred
                .iter()
                .filter(|path| !known.requested.contains(*path))
                .map(|path| relative(input.root, path))
                .collect();
            output.diagnostics.retain(|diagnostic| {
                diagnostic.code != codes::UNINFERRED_TYPE
                    || diagnostic
                        .primary()
                        .is_none_or(|label| !undecided.contains(&label.path))
            });
        }
        if std::mem::take(&mut self.unsaved) && !output.diagnostics.has_errors() {
            known.save(input.root);
        }
        self.needs = Needs {
            uninferred: output.uninferred.clone(),
            inferred: output.inferred.clone(),
            configurations: configurations(&output).collect(),
        };
        self.declarations = Some(known);
        output
    }

    /// Starts TypeScript if the last compilation without TypeScript needed types that are missing or out of date.
    pub(crate) fn start(&mut self, root: &Path) -> Option<TypeRun> {
        let known = self.declarations.take().unwrap_or_default();
        let Needs {
            uninferred,
            inferred,
            configurations,
        } = &self.needs;
        let is_missing = |path: &PathBuf| !known.requested.contains(path) && disk::is_file(path);
        let is_needed = uninferred.iter().any(is_missing) || (!inferred.is_empty() && !known.is_current());
        self.declarations = Some(known);
        if !is_needed {
            self.failure = None;
            return None;
        }
        let requested: BTreeSet<PathBuf> = uninferred.iter().chain(inferred).cloned().collect();
        let mut configurations = configurations.clone();
        let running = match start(root, &requested) {
            Ok((running, manifest)) => {
                configurations.push(manifest);
                Ok(running)
            }
            Err(failure) => Err(Some(failure)),
        };
        Some(TypeRun {
            running,
            requested,
            configurations,
        })
    }

    /// Takes over the types of a run, or the reason why the run failed.
    pub(crate) fn take(&mut self, root: &Path, run: &mut TypeRun) -> TypeRunState {
        let result = match &mut run.running {
            Ok(running) => running.poll(),
            Err(failure) => failure.take().map(Err),
        };
        match result {
            None => TypeRunState::Running,
            Some(Ok(emitted)) => {
                let configurations = run.configurations.iter().cloned();
                self.declarations = Some(Declarations::new(root, &run.requested, emitted, configurations));
                self.failure = None;
                self.unsaved = true;
                TypeRunState::Inferred
            }
            Some(Err(failure)) => {
                self.failure = Some(failure);
                TypeRunState::Failed
            }
        }
    }

    /// Compiles a program, and runs TypeScript if the program needs types that only TypeScript can infer.
    pub(crate) fn compile(&mut self, compiler: &mut Session, input: &Input<'_>) -> Output {
        let mut known = self.current(input.root);
        let mut output = compiler.compile(&with(input, &known));
        let mut runs = 0;
        let mut failure = None;
        while runs < MAX_RUNS && failure.is_none() {
            let needs_run = output
                .uninferred
                .iter()
                .any(|path| !known.requested.contains(path) && disk::is_file(path));
            if !needs_run {
                break;
            }
            let mut requested: BTreeSet<PathBuf> = output.uninferred.iter().cloned().collect();
            requested.extend(output.inferred.iter().cloned());
            match typescript(input.root, &requested, &output) {
                Ok(emitted) => {
                    known = emitted;
                    output = compiler.compile(&with(input, &known));
                }
                Err(reason) => failure = Some(reason),
            }
            runs += 1;
        }
        if let Some(failure) = &failure {
            report(&mut output, input.root, failure);
        } else {
            report_messages(&mut output, input.root, &known);
        }
        if !output.inferred.is_empty() {
            output.dependencies.extend(known.own_inputs());
            output.dependencies.sort();
            output.dependencies.dedup();
            // After an error, the next build asks TypeScript again: the error may go away with a file that does
            // not exist yet.
            self.outdated = output.diagnostics.has_errors();
            if runs > 0 && !self.outdated {
                known.save(input.root);
            }
            self.declarations = Some(known);
        }
        self.failure = failure;
        output
    }

    /// Returns the declarations of the last build, or no declarations if a file from which they were made has
    /// changed.
    fn current(&mut self, root: &Path) -> Declarations {
        if !self.loaded {
            self.loaded = true;
            self.declarations = Declarations::load(root);
        }
        let known = self.declarations.take();
        let outdated = std::mem::take(&mut self.outdated);
        known
            .filter(|known| !outdated && known.is_current())
            .unwrap_or_default()
    }
}

/// Returns the directory for files of kit that are not part of the output of a build.
fn directory(root: &Path) -> PathBuf {
    root.join("node_modules/.cache/kit")
}

/// Runs TypeScript on source files.
fn typescript(root: &Path, requested: &BTreeSet<PathBuf>, output: &Output) -> Result<Declarations, Failure> {
    let (running, manifest) = start(root, requested)?;
    let emitted = running.wait()?;
    let configurations = configurations(output).chain([manifest]);
    Ok(Declarations::new(root, requested, emitted, configurations))
}

/// Starts TypeScript on source files. Also returns the path of the `package.json` of TypeScript.
fn start(root: &Path, requested: &BTreeSet<PathBuf>) -> Result<(Running, PathBuf), Failure> {
    let program = TypeScript::find(root).ok_or(Failure::NotInstalled)?;
    Ok((program.start(root, requested, TIME_LIMIT)?, program.manifest))
}

/// Returns the configurations that a compilation read, such as `tsconfig.json`.
fn configurations(output: &Output) -> impl Iterator<Item = PathBuf> {
    let is_json = |path: &&PathBuf| path.extension().is_some_and(|ending| ending == "json");
    output.dependencies.iter().filter(is_json).cloned()
}

/// Returns the input of the compiler with declarations.
fn with<'a>(input: &Input<'a>, declarations: &Declarations) -> Input<'a> {
    if declarations.texts.is_empty() {
        return input.clone();
    }
    Input {
        files: Arc::new(WithDeclarations {
            files: Arc::clone(&input.files),
            texts: Arc::clone(&declarations.texts),
        }),
        ..input.clone()
    }
}

/// A file system that also provides the declarations of TypeScript.
struct WithDeclarations {
    files: Arc<dyn FileSystem>,
    texts: Arc<BTreeMap<PathBuf, String>>,
}

impl FileSystem for WithDeclarations {
    fn read(&self, path: &Path) -> io::Result<String> {
        self.files.read(path)
    }

    fn is_file(&self, path: &Path) -> bool {
        self.files.is_file(path)
    }

    fn is_dir(&self, path: &Path) -> bool {
        self.files.is_dir(path)
    }

    fn list(&self, path: &Path) -> io::Result<Vec<String>> {
        self.files.list(path)
    }

    fn stamp(&self, path: &Path) -> Option<u128> {
        self.files.stamp(path)
    }

    fn real_path(&self, path: &Path) -> io::Result<PathBuf> {
        self.files.real_path(path)
    }

    fn declarations(&self, path: &Path) -> Option<String> {
        self.texts.get(path).cloned()
    }
}

/// Adds the reason why TypeScript gave no types to the errors about these types. If only exported types need the types, which
/// no route and no entity uses, adds a warning.
fn report(output: &mut Output, root: &Path, failure: &Failure) {
    let (note, help) = failure.text();
    let mut found = false;
    for diagnostic in &mut output.diagnostics {
        if diagnostic.code == codes::UNINFERRED_TYPE {
            found = true;
            diagnostic.notes.push(note.clone());
            if let Some(by_hand) = &diagnostic.help {
                diagnostic.help = Some(format!("{help}, or {by_hand}"));
            }
        }
    }
    if let (false, Some(file)) = (found, output.uninferred.first()) {
        let message = "kit leaves out types that follow from values in this file, because only TypeScript can infer them";
        output.diagnostics.push(
            Diagnostic::warning(codes::UNINFERRED_TYPE, message)
                .label(Label::primary(relative(root, file), 0..0))
                .note(note)
                .help(format!(
                    "{help}, or write the types of these values after a colon"
                )),
        );
    }
}

/// Reports the messages of TypeScript about files without declarations.
fn report_messages(output: &mut Output, root: &Path, known: &Declarations) {
    let has_errors = output.diagnostics.has_errors();
    for message in &known.messages {
        let Message {
            path,
            line,
            column,
            code,
            text,
        } = message;
        if known.texts.contains_key(path) || !output.uninferred.contains(path) {
            continue;
        }
        let text = format!("TypeScript cannot write the types of this file as declarations: {code}: {text}");
        let diagnostic = if has_errors {
            Diagnostic::new(codes::UNINFERRED_TYPE, text)
        } else {
            Diagnostic::warning(codes::UNINFERRED_TYPE, text)
        };
        let offset = disk::read_text(path)
            .ok()
            .and_then(|text| offset(&text, *line, *column))
            .unwrap_or_default();
        let label = Label::primary(relative(root, path), offset..offset).at(*line, *column);
        output.diagnostics.push(
            diagnostic.label(label).help(
                "write the type of this value after a colon, so that TypeScript need not infer the type",
            ),
        );
    }
}

/// Returns the offset of a line and a column, both counted from 1, the column in UTF-16 code units.
fn offset(text: &str, line: u32, column: u32) -> Option<usize> {
    let before = usize::try_from(line).ok()?.checked_sub(1)?;
    let start: usize = text.split_inclusive('\n').take(before).map(str::len).sum();
    let mut units = column.saturating_sub(1);
    let mut end = start;
    for letter in text.get(start..)?.chars() {
        let width = u32::try_from(letter.len_utf16()).ok()?;
        if units < width || letter == '\n' {
            break;
        }
        units -= width;
        end += letter.len_utf8();
    }
    Some(end)
}

#[cfg(test)]
mod tests {
    use super::offset;

    #[test]
    fn offset_of_a_line_and_a_column_counts_utf_16_code_units() {
        let text = "a\n\"😀\" x\ny";
        let found = |line, column| offset(text, line, column).map(|offset| &text[offset..]);
        assert_eq!(found(1, 1), Some(text));
        assert_eq!(found(2, 6), Some("x\ny"));
        assert_eq!(found(3, 9), Some(""));
        assert_eq!(found(2, 99), Some("\ny"));
        assert_eq!(found(0, 1), None);
    }
}
