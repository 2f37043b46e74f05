//! Compilation of the part of a program that an edit can affect.
//!
//! After an edit of types, [`compile`] finds the statements that the edit can affect (`affected`), compiles only the
//! entities, routes and exported types in these statements, and puts their declarations into the program of the last
//! compilation (`splice`). The result is equal to the result of a whole compilation.
//!
//! Only simple edits are compiled in this way, and [`compile`] returns `None` for all others. An edit is simple if
//! - only the text of interfaces and type aliases is different,
//! - the program has no mistakes and no warnings, before and after the edit,
//! - no file has to be read that was not read before, and each file that was read is still needed,
//! - the program has the same declarations as before, in the same order, which refer to the same declarations.

mod merge;
mod splice;

use std::path::PathBuf;

use kit_diagnostics::Sources as _;
use kit_ir::SourceId;
use oxc_ast::AstKind;
use oxc_ast::ast::{Declaration, ExportDefaultDeclarationKind, Statement};
use oxc_ast_visit::Visit;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::affected::Affected;
use crate::compile::compile as compile_program;
use crate::modules::{ChangedFile, ChunkKind, Outline, ParsedFile, ParsedFiles};
use crate::source::display_path;
use crate::{Input, Output};

/// Maximum number of edited files. More files change at once if a branch is checked out, not if somebody edits.
const MAX_FILES: usize = 16;

/// Source of a location that no longer exists.
const GONE: SourceId = SourceId(u32::MAX);

/// Input and output of the last compilation, if it found no mistakes.
pub(crate) struct Previous {
    root: PathBuf,
    type_files: Vec<PathBuf>,
    route_files: Vec<PathBuf>,
    entry_files: Vec<PathBuf>,
    output: Output,
}

impl Previous {
    /// Keeps the result of a compilation. Returns `None` if the next compilation cannot use it.
    pub(crate) fn new(input: &Input<'_>, output: &Output) -> Option<Self> {
        let is_usable =
            output.diagnostics.is_empty() && output.inferred.is_empty() && output.uninferred.is_empty();
        is_usable.then(|| Self {
            root: input.root.to_path_buf(),
            type_files: input.type_files.clone(),
            route_files: input.route_files.clone(),
            entry_files: input.entry_files.clone(),
            output: output.clone(),
        })
    }

    fn has_files_of(&self, input: &Input<'_>) -> bool {
        self.root == input.root
            && self.type_files == input.type_files
            && self.route_files == input.route_files
            && self.entry_files == input.entry_files
    }
}

/// Result of a compilation of the affected part.
pub(crate) struct Partial {
    pub(crate) output: Output,
    /// Number of declarations that were compiled again.
    pub(crate) compiled: usize,
}

/// Compiles the part of a program that the edits of files can affect. Returns `None` if the whole program must be
/// compiled.
pub(crate) fn compile(
    input: &Input<'_>,
    parsed: &ParsedFiles,
    changed: &[ChangedFile],
    previous: Previous,
) -> Option<Partial> {
    // The first compilation of a session reads some files after the session compared the files that it knows.
    let is_known = |file: &ChangedFile| {
        let known = previous
            .output
            .sources
            .text(&display_path(input.root, &file.path));
        let now = parsed.file(&file.path).map(|file| file.source().text);
        file.before.is_none() && known.is_some() && known == now
    };
    let changed: Vec<&ChangedFile> = changed.iter().filter(|file| !is_known(file)).collect();
    if changed.len() > MAX_FILES || !previous.has_files_of(input) {
        return None;
    }
    let mut edits = Vec::new();
    for file in &changed {
        let is_named = input.type_files.contains(&file.path) || input.route_files.contains(&file.path);
        if !is_named {
            return None;
        }
        let is_type_file = input.type_files.contains(&file.path);
        edits.push(Edit::new(file, parsed.file(&file.path)?, is_type_file)?);
    }
    let edited: FxHashMap<PathBuf, FxHashSet<usize>> = changed
        .iter()
        .zip(&edits)
        .map(|(file, edit)| (file.path.clone(), edit.chunks.clone()))
        .collect();
    let affected = Affected::new(parsed, &edited, &previous.output.program);
    let part = compile_program(input, parsed, Some(&affected));
    let files_are_known = part
        .dependencies
        .iter()
        .all(|path| previous.output.dependencies.binary_search(path).is_ok());
    let is_clean = part.diagnostics.is_empty() && part.inferred.is_empty() && part.uninferred.is_empty();
    if !files_are_known || !is_clean {
        return None;
    }
    let mut output = previous.output;
    let compiled = splice::splice(&mut output.program, part.program, &affected, &edits)?;
    for edit in &edits {
        let source = edit.after.source();
        output.sources.insert(source.display.clone(), source.text);
    }
    Some(Partial { output, compiled })
}

/// Edit of interfaces and type aliases in one file.
struct Edit<'p> {
    before: &'p ParsedFile,
    after: &'p ParsedFile,
    /// Indexes of the statements whose texts differ.
    chunks: FxHashSet<usize>,
}

impl<'p> Edit<'p> {
    /// Returns `None` if more has changed than the texts of types.
    fn new(file: &'p ChangedFile, after: &'p ParsedFile, is_type_file: bool) -> Option<Self> {
        let before = file.before.as_ref()?;
        let (old, new) = (before.outline(), after.outline());
        let (old_text, new_text) = (before.source().text, after.source().text);
        let is_comparable = after.source().syntax_error.is_none()
            && before.source().syntax_error.is_none()
            && old.is_module
            && new.is_module
            && old.chunks.len() == new.chunks.len()
            && old_text[old.end as usize..] == new_text[new.end as usize..];
        if !is_comparable {
            return None;
        }
        let text = |text: &'p str, outline: &Outline, index: usize| {
            let range = &outline.chunks[index].range;
            &text[range.start as usize..range.end as usize]
        };
        let mut chunks = FxHashSet::default();
        for (index, (was, is)) in old.chunks.iter().zip(&new.chunks).enumerate() {
            if text(old_text, old, index) == text(new_text, new, index) {
                continue;
            }
            let is_edit_of_type = was.kind == ChunkKind::Type
                && is.kind == ChunkKind::Type
                && declared_name(before, index) == declared_name(after, index)
                && was.is_exported == is.is_exported
                && !was.is_opaque
                && !is.is_opaque;
            if !is_edit_of_type || !needs_the_same_files(before, after, index, is_type_file) {
                return None;
            }
            chunks.insert(index);
        }
        Some(Self {
            before,
            after,
            chunks,
        })
    }
}

/// Returns true if the new version of a statement needs the same other files as the old version: if both refer to the same
/// names, apart from names of types that the program has anyway.
fn needs_the_same_files(before: &ParsedFile, after: &ParsedFile, chunk: usize, is_type_file: bool) -> bool {
    let mut own: FxHashSet<&str> = FxHashSet::default();
    if is_type_file {
        let chunks = after.outline().chunks.iter().enumerate();
        let exported = chunks.filter(|(_, chunk)| chunk.exports_a_type());
        own.extend(exported.filter_map(|(index, _)| declared_name(after, index)));
    }
    let (mut old, mut new) = (references(before, chunk), references(after, chunk));
    old.retain(|name| !own.contains(name));
    new.retain(|name| !own.contains(name));
    old == new
}

/// Returns the name of the interface or type alias that a statement declares.
fn declared_name(file: &ParsedFile, chunk: usize) -> Option<&str> {
    let declaration = match &file.source().program.body[chunk] {
        Statement::ExportDeclaration(export) => &export.declaration,
        Statement::ExportDefaultDeclaration(export) => match &export.declaration {
            ExportDefaultDeclarationKind::TSInterfaceDeclaration(interface) => {
                return Some(interface.id.name.as_str());
            }
            _ => return None,
        },
        other => other.as_declaration()?,
    };
    match declaration {
        Declaration::TSInterfaceDeclaration(interface) => Some(interface.id.name.as_str()),
        Declaration::TSTypeAliasDeclaration(alias) => Some(alias.id.name.as_str()),
        _ => None,
    }
}

/// Returns the names to which a statement refers.
fn references(file: &ParsedFile, chunk: usize) -> FxHashSet<&str> {
    struct References<'a>(FxHashSet<&'a str>);

    impl<'a> Visit<'a> for References<'a> {
        fn enter_node(&mut self, kind: AstKind<'a>) {
            if let AstKind::IdentifierReference(name) = kind {
                self.0.insert(name.name.as_str());
            }
        }
    }

    let source = file.source();
    let mut references = References(FxHashSet::default());
    let statement = &source.program.body[chunk];
    source.stack_size.run(|| references.visit_statement(statement));
    references.0
}
