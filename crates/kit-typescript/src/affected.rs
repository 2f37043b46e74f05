//! Finds the statements of a program that an edit can affect.

use std::ops::Range;
use std::path::{Path, PathBuf};

use kit_ir::{EntityOwner, Program, Span};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::factory::{CREATE_APP, DECLARE_API, MIDDLEWARE_MAKERS, WRAPPER_MAKERS};
use crate::modules::{Chunk, ChunkKind, DeclId, Graph, ParsedFile, ParsedFiles, Word};

/// The part of a program that an edit can affect. Only this part is compiled again.
#[derive(Debug, Default)]
pub(crate) struct Affected {
    /// Ranges of the affected statements of each file, sorted. The files have their paths relative to the project's root.
    ranges: FxHashMap<String, Vec<Range<u32>>>,
    /// Names that affected statements declare.
    names: FxHashSet<Word>,
    /// True if each entity must be read again, because an `@owner` tag depends on the types of middleware.
    pub(crate) all_entities: bool,
    /// True if each route must be compiled again, because middleware of the routes is affected.
    pub(crate) all_routes: bool,
}

/// Maximum number of names that are searched in the sorted words of a statement. For more names, each word is looked up in the
/// set of names.
const FEW_NAMES: usize = 8;

/// A statement, as the index of its file and its index in the file.
type StatementId = (usize, usize);

/// Statements of a program by their words.
struct Statements<'p> {
    files: Vec<(&'p Path, &'p ParsedFile)>,
}

impl<'p> Statements<'p> {
    /// Returns the statements of the project's own files. Installed packages cannot name types of the project, because the
    /// edited files are modules.
    fn new(parsed: &'p ParsedFiles) -> Self {
        let own = parsed.iter().filter(|(path, _)| {
            path.extension().is_some_and(|ending| ending != "json")
                && path.components().all(|part| part.as_os_str() != "node_modules")
        });
        Self { files: own.collect() }
    }

    /// Returns all statements with their ids.
    fn iter(&self) -> impl Iterator<Item = (StatementId, &'p Chunk)> {
        self.files.iter().enumerate().flat_map(|(file, (_, parsed))| {
            let chunks = parsed.outline().chunks.iter().enumerate();
            chunks.map(move |(index, chunk)| ((file, index), chunk))
        })
    }
}

impl Affected {
    /// Returns the statements that the edits of the statements `edited` can affect: those that contain the name of an affected
    /// declaration, until no statement is added. `program` is the program before the edits.
    pub(crate) fn new(
        parsed: &ParsedFiles,
        edited: &FxHashMap<PathBuf, FxHashSet<usize>>,
        program: &Program,
    ) -> Self {
        let all_entities = program
            .entities
            .iter()
            .any(|entity| matches!(entity.owner, Some(EntityOwner::Property { .. })));
        if edited.is_empty() {
            return Self {
                all_entities,
                ..Self::default()
            };
        }
        let statements = Statements::new(parsed);
        let mut names: FxHashSet<Word> = FxHashSet::default();
        let mut found: FxHashSet<StatementId> = FxHashSet::default();
        for (file, (path, parsed)) in statements.files.iter().enumerate() {
            let edited = edited.get(*path);
            for (index, chunk) in parsed.outline().chunks.iter().enumerate() {
                if chunk.is_opaque || edited.is_some_and(|edited| edited.contains(&index)) {
                    found.insert((file, index));
                    names.extend(chunk.names.iter().copied());
                }
            }
        }
        // Each round looks for the names that the round before found.
        let mut new: Vec<Word> = names.iter().copied().collect();
        while !new.is_empty() {
            let mut next = Vec::new();
            for (id, chunk) in statements.iter() {
                for (from, to) in &chunk.renamed {
                    if names.contains(from) && names.insert(*to) {
                        next.push(*to);
                    }
                }
                if found.contains(&id) {
                    continue;
                }
                let mentions = if new.len() <= FEW_NAMES {
                    new.iter().any(|name| chunk.has(*name))
                } else {
                    chunk.words.iter().any(|word| names.contains(word))
                };
                if mentions {
                    found.insert(id);
                    next.extend(chunk.names.iter().copied().filter(|name| names.insert(*name)));
                }
            }
            new = next;
        }
        let has_typed_middleware = program
            .routes
            .iter()
            .any(|route| !route.wrappers.is_empty() || !route.scopes.is_empty());
        let all_routes = has_typed_middleware && affects_middleware(&statements, &found);
        let mut ranges: FxHashMap<String, Vec<Range<u32>>> = FxHashMap::default();
        for (file, index) in found {
            let (_, parsed) = statements.files[file];
            let ranges = ranges.entry(parsed.source().display.clone()).or_default();
            ranges.push(parsed.outline().chunks[index].range.clone());
        }
        for ranges in ranges.values_mut() {
            ranges.sort_unstable_by_key(|range| range.start);
        }
        Self {
            ranges,
            names,
            all_entities,
            all_routes,
        }
    }

    /// Returns true if the edits can affect the declaration.
    pub(crate) fn contains(&self, graph: &Graph<'_>, decl: DeclId) -> bool {
        let decl = graph.decl(decl);
        self.contains_offset(&graph.module(decl.module).display, decl.span.start)
    }

    /// Returns true if the edits can affect the statement at a location of the program.
    pub(crate) fn contains_span(&self, program: &Program, span: Span) -> bool {
        self.contains_offset(program.path(span), span.start)
    }

    fn contains_offset(&self, path: &str, offset: u32) -> bool {
        self.ranges.get(path).is_some_and(|ranges| {
            let next = ranges.partition_point(|range| range.end <= offset);
            ranges.get(next).is_some_and(|range| range.contains(&offset))
        })
    }

    /// Returns true if a word of a text is the name of an affected declaration.
    pub(crate) fn names_one_of(&self, text: &str) -> bool {
        let is_part = |part: char| part.is_alphanumeric() || part == '_' || part == '$';
        text.split(|part| !is_part(part))
            .any(|word| self.names.contains(&Word::new(word)))
    }
}

/// Returns true if an affected type is part of a value that `createApp` or `declareApi` reads, other than a handler map. Such values
/// are middleware.
fn affects_middleware(statements: &Statements<'_>, affected: &FxHashSet<StatementId>) -> bool {
    let word = Word::new;
    let handlers = word("defineHandlers");
    let makers: Vec<Word> = MIDDLEWARE_MAKERS
        .into_iter()
        .chain(WRAPPER_MAKERS)
        .map(word)
        .collect();
    let is_value = |kind: ChunkKind| matches!(kind, ChunkKind::Value | ChunkKind::TypeAndValue);
    let mut types: FxHashSet<Word> = FxHashSet::default();
    for (id, chunk) in statements.iter() {
        if affected.contains(&id) && matches!(chunk.kind, ChunkKind::Type | ChunkKind::TypeAndValue) {
            types.extend(chunk.names.iter().copied());
        }
    }
    let mut read: FxHashSet<StatementId> = FxHashSet::default();
    let mut words: FxHashSet<Word> = FxHashSet::default();
    let registers = [CREATE_APP, DECLARE_API].map(word);
    words.extend(registers);
    loop {
        let before = (read.len(), words.len(), types.len());
        for (id, chunk) in statements.iter() {
            for (from, to) in &chunk.renamed {
                if words.contains(to) {
                    words.insert(*from);
                }
                if types.contains(from) {
                    types.insert(*to);
                }
            }
            let is_handler_map = chunk.has(handlers) && !makers.iter().any(|maker| chunk.has(*maker));
            if !is_value(chunk.kind) || is_handler_map || read.contains(&id) {
                continue;
            }
            let is_call = registers.iter().any(|function| chunk.has(*function));
            if is_call || chunk.names.iter().any(|name| words.contains(name)) {
                read.insert(id);
                words.extend(chunk.words.iter().copied());
            }
        }
        if before == (read.len(), words.len(), types.len()) {
            break;
        }
    }
    statements
        .iter()
        .filter(|(id, _)| read.contains(id))
        .any(|(_, chunk)| chunk.words.iter().any(|word| types.contains(word)))
}
