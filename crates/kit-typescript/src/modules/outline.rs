//! Outline of a file: its statements, with the names that they declare and the words in their texts.
//!
//! A statement can only depend on a declaration if its text contains the name of the declaration, or the name of
//! something that depends on the declaration. The outlines of all files therefore show which statements an edit can
//! affect, without an evaluation of types.

use std::hash::Hasher;
use std::ops::Range;

use oxc_ast::ast::{
    BindingPattern, Declaration, ExportDefaultDeclarationKind, ImportDeclarationSpecifier, ModuleExportName,
    Statement,
};
use oxc_span::GetSpan;
use rustc_hash::FxHasher;

use super::module::Source;

/// Hash of a word. Equal hashes of different words only make more statements depend on each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Word(u64);

impl Word {
    pub(crate) fn new(text: &str) -> Self {
        let mut hasher = FxHasher::default();
        hasher.write(text.as_bytes());
        Self(hasher.finish())
    }
}

/// The statements of a file, in the order of the source.
#[derive(Debug)]
pub(crate) struct Outline {
    pub(crate) chunks: Vec<Chunk>,
    /// True if the file has an import or an export, so that its names are not global.
    pub(crate) is_module: bool,
    /// Offset of the text after the last statement.
    pub(crate) end: u32,
}

/// Kind of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ChunkKind {
    /// An interface or a type alias.
    Type,
    /// A declaration that is a type and a value, such as a class or an enum, or a block with declarations.
    TypeAndValue,
    /// Any other declaration or expression.
    Value,
    /// An import, or a list of exports.
    Link,
}

/// A statement, with the comments before it.
#[derive(Debug)]
pub(crate) struct Chunk {
    /// Range of the text, from the end of the statement before.
    pub(crate) range: Range<u32>,
    pub(crate) kind: ChunkKind,
    /// True if the statement is an export.
    pub(crate) is_exported: bool,
    /// True if the statement declares a type with type parameters.
    pub(crate) is_generic: bool,
    /// Names that the statement declares. Whatever depends on the statement contains one of these words.
    pub(crate) names: Vec<Word>,
    /// Names that an import or export renames: the name that depends on the statement follows the name on which the
    /// statement depends.
    pub(crate) renamed: Vec<(Word, Word)>,
    /// All words of the text, sorted, including those in comments and strings.
    pub(crate) words: Vec<Word>,
    /// True if the words do not show all declarations on which the statement may depend.
    pub(crate) is_opaque: bool,
}

impl Outline {
    pub(super) fn new(source: &Source<'_>) -> Self {
        let mut start = 0;
        let mut is_module = false;
        let chunks = source.program.body.iter().map(|statement| {
            let range = start..statement.span().end;
            start = range.end;
            is_module |= statement.as_module_declaration().is_some();
            Chunk::new(source, statement, range)
        });
        Self {
            chunks: chunks.collect(),
            end: start,
            is_module,
        }
    }

    /// Returns the index of the statement that contains an offset, or whose comments contain the offset.
    pub(crate) fn at(&self, offset: u32) -> Option<usize> {
        let index = self.chunks.partition_point(|chunk| chunk.range.end <= offset);
        (index < self.chunks.len()).then_some(index)
    }
}

impl Chunk {
    fn new(source: &Source<'_>, statement: &Statement<'_>, range: Range<u32>) -> Self {
        let text = &source.text[range.start as usize..range.end as usize];
        // A name with an escape sequence is another word than the name itself. An import in a type may name no export.
        let is_opaque = text.contains("\\u") || text.contains("import(") || text.contains("import (");
        let mut chunk = Self {
            range,
            kind: ChunkKind::Link,
            is_exported: false,
            is_generic: false,
            names: Vec::new(),
            renamed: Vec::new(),
            words: words(text),
            is_opaque,
        };
        chunk.read(source, statement);
        chunk
    }

    fn read(&mut self, source: &Source<'_>, statement: &Statement<'_>) {
        match statement {
            Statement::ImportDeclaration(import) => {
                for specifier in import.specifiers.iter().flatten() {
                    match specifier {
                        ImportDeclarationSpecifier::ImportSpecifier(specifier) => {
                            self.rename(name_of(&specifier.imported), specifier.local.name.as_str());
                        }
                        ImportDeclarationSpecifier::ImportDefaultSpecifier(specifier) => {
                            self.rename("default", specifier.local.name.as_str());
                        }
                        ImportDeclarationSpecifier::ImportNamespaceSpecifier(specifier) => {
                            self.declare(specifier.local.name.as_str());
                            self.is_opaque = true;
                        }
                    }
                }
            }
            Statement::ExportNamedDeclaration(export) => {
                for specifier in &export.specifiers {
                    self.rename(name_of(&specifier.local), name_of(&specifier.exported));
                }
            }
            Statement::ExportFromDeclaration(export) => {
                for specifier in &export.specifiers {
                    self.rename(name_of(&specifier.local), name_of(&specifier.exported));
                }
            }
            Statement::ExportAllDeclaration(export) => {
                if let Some(name) = &export.exported {
                    self.declare(name_of(name));
                    self.is_opaque = true;
                }
            }
            Statement::ExportDeclaration(export) => {
                self.is_exported = true;
                self.declaration(source, &export.declaration);
            }
            Statement::ExportDefaultDeclaration(export) => {
                self.is_exported = true;
                self.declare("default");
                self.kind = ChunkKind::Value;
                match &export.declaration {
                    ExportDefaultDeclarationKind::TSInterfaceDeclaration(interface) => {
                        self.declare(interface.id.name.as_str());
                        self.kind = ChunkKind::Type;
                        self.is_generic = interface.type_parameters.is_some();
                    }
                    ExportDefaultDeclarationKind::ClassDeclaration(class) => {
                        if let Some(id) = &class.id {
                            self.declare(id.name.as_str());
                        }
                        self.kind = ChunkKind::TypeAndValue;
                    }
                    ExportDefaultDeclarationKind::FunctionDeclaration(function) => {
                        if let Some(id) = &function.id {
                            self.declare(id.name.as_str());
                        }
                    }
                    _ => {}
                }
            }
            Statement::TSExportAssignment(_) | Statement::TSNamespaceExportDeclaration(_) => {
                self.names.clone_from(&self.words);
                self.is_opaque = true;
            }
            other => {
                self.kind = ChunkKind::Value;
                if let Some(declaration) = other.as_declaration() {
                    self.declaration(source, declaration);
                }
            }
        }
    }

    fn declaration(&mut self, source: &Source<'_>, declaration: &Declaration<'_>) {
        self.kind = ChunkKind::Value;
        match declaration {
            Declaration::TSInterfaceDeclaration(interface) => {
                self.declare(interface.id.name.as_str());
                self.kind = ChunkKind::Type;
                self.is_generic = interface.type_parameters.is_some();
            }
            Declaration::TSTypeAliasDeclaration(alias) => {
                self.declare(alias.id.name.as_str());
                self.kind = ChunkKind::Type;
                self.is_generic = alias.type_parameters.is_some();
            }
            Declaration::TSEnumDeclaration(declared) => {
                self.declare(declared.id.name.as_str());
                self.kind = ChunkKind::TypeAndValue;
            }
            Declaration::ClassDeclaration(class) => {
                if let Some(id) = &class.id {
                    self.declare(id.name.as_str());
                }
                self.kind = ChunkKind::TypeAndValue;
            }
            Declaration::FunctionDeclaration(function) => {
                if let Some(id) = &function.id {
                    self.declare(id.name.as_str());
                }
            }
            Declaration::VariableDeclaration(variables) => {
                for declarator in &variables.declarations {
                    match &declarator.id {
                        BindingPattern::BindingIdentifier(identifier) => {
                            self.declare(identifier.name.as_str());
                        }
                        pattern => self.names.extend(words(source.slice(pattern.span()))),
                    }
                }
            }
            // A block can declare each of its words.
            Declaration::TSNamespaceDeclaration(_)
            | Declaration::TSExternalModuleDeclaration(_)
            | Declaration::TSGlobalDeclaration(_) => {
                self.names.clone_from(&self.words);
                self.kind = ChunkKind::TypeAndValue;
            }
            Declaration::TSImportEqualsDeclaration(_) => {
                self.names.clone_from(&self.words);
                self.kind = ChunkKind::TypeAndValue;
                self.is_opaque = true;
            }
        }
    }

    fn declare(&mut self, name: &str) {
        self.names.push(Word::new(name));
    }

    fn rename(&mut self, from: &str, to: &str) {
        if from != to {
            self.renamed.push((Word::new(from), Word::new(to)));
        }
    }

    /// Returns true if a type file with this statement declares a type that the program has even if nothing refers to it.
    pub(crate) fn exports_a_type(&self) -> bool {
        self.kind == ChunkKind::Type && self.is_exported && !self.is_generic
    }

    /// Returns true if the text contains the word.
    pub(crate) fn has(&self, word: Word) -> bool {
        self.words.binary_search(&word).is_ok()
    }
}

fn name_of<'a>(name: &ModuleExportName<'a>) -> &'a str {
    match name {
        ModuleExportName::IdentifierName(identifier) => identifier.name.as_str(),
        ModuleExportName::IdentifierReference(identifier) => identifier.name.as_str(),
        ModuleExportName::StringLiteral(literal) => literal.value.as_str(),
    }
}

/// Returns the words of a text, sorted, each once. A word consists of characters that a name can contain.
fn words(text: &str) -> Vec<Word> {
    let is_ascii_part = |byte: char| byte.is_ascii_alphanumeric() || byte == '_' || byte == '$';
    let mut words = Vec::new();
    for word in text.split(|part: char| part.is_ascii() && !is_ascii_part(part)) {
        if word.is_empty() {
            continue;
        }
        words.push(Word::new(word));
        if !word.is_ascii() {
            // Not every character outside of ASCII can be part of a name: some are spaces or dashes.
            let names = word.split(|part: char| !(part.is_alphanumeric() || part == '_' || part == '$'));
            let plain = word.split(|part: char| !is_ascii_part(part));
            words.extend(names.chain(plain).filter(|part| !part.is_empty()).map(Word::new));
        }
    }
    words.sort_unstable();
    words.dedup();
    words
}
