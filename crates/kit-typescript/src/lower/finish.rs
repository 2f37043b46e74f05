//! Last step of lowering: sorts the declarations and gives them unique names. The order and the names depend
//! only on the source.

use kit_diagnostics::Diagnostics;
use kit_ir::{Arena, Declaration, DeclarationId, DeclarationOrigin, Program, SourceFile, SourceId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Lowering;
use super::each::{each_declaration, each_span};
use super::shared::sort_types;
use crate::eval::Evaluator;

impl<'a> Lowering<'a> {
    /// Returns the program with sorted declarations and unique names, and the diagnostics. Also returns the
    /// evaluator, from which the caller learns the files that were read.
    pub(crate) fn into_program(mut self) -> (Program, Diagnostics, Evaluator<'a>) {
        self.sort_sources();
        self.sort_declarations();
        sort_types(&mut self.program);
        (self.program, self.diagnostics, self.eval)
    }

    /// Lowers the types that are still in the queue, then reads the doc tags and examples.
    pub(crate) fn lower_remaining(&mut self) {
        self.drain();
        self.read_tags();
        self.read_examples();
    }

    fn sort_sources(&mut self) {
        let mut files: Vec<(&str, u32)> = self
            .eval
            .graph
            .files()
            .map(|(id, module)| (module.display.as_str(), id.0))
            .collect();
        files.sort_unstable();
        let mut new_ids = FxHashMap::default();
        let mut sources: Arena<SourceId, SourceFile> = Arena::default();
        for (path, module) in files {
            new_ids.insert(
                SourceId(module),
                sources.push(SourceFile {
                    path: path.to_owned(),
                }),
            );
        }
        self.program.sources = sources;
        each_span(&mut self.program, &mut |span| {
            if let Some(id) = new_ids.get(&span.source) {
                span.source = *id;
            }
        });
    }

    fn sort_declarations(&mut self) {
        let program = &mut self.program;
        let mut order: Vec<DeclarationId> = program.declarations.iter_ids().map(|(id, _)| id).collect();
        // Sources are sorted by path, so sorting by span sorts by path and position.
        order.sort_by_key(|id| {
            let declaration = &program.declarations[*id];
            match declaration.origin {
                DeclarationOrigin::Named { .. } => (0, declaration.span.source, declaration.span.start, *id),
                _ => (1, SourceId(0), 0, *id),
            }
        });
        // Entities keep their names, because `@references` of other entities names them.
        let entities: FxHashSet<DeclarationId> =
            program.entities.iter().map(|entity| entity.declaration).collect();
        let mut names = Names::default();
        let mut unique = FxHashMap::default();
        let (first, others): (Vec<_>, Vec<_>) = order.iter().partition(|id| entities.contains(*id));
        for id in first.into_iter().chain(others) {
            unique.insert(id, names.unique(&program.declarations[id].name));
        }
        let mut sorted: Arena<DeclarationId, Declaration> = Arena::default();
        let mut new_ids = FxHashMap::default();
        for old in order {
            let mut declaration = program.declarations[old].clone();
            declaration.name.clone_from(&unique[&old]);
            new_ids.insert(old, sorted.push(declaration));
        }
        program.declarations = sorted;
        let mut renew = |id: &mut DeclarationId| {
            if let Some(new) = new_ids.get(id) {
                *id = *new;
            }
        };
        each_declaration(program, &mut renew);
    }
}

/// Names of declarations. Two names that differ only in case count as equal, because some file systems ignore
/// case.
#[derive(Default)]
struct Names {
    /// For each name in lower case, the number that the next declaration of this name tries to append first.
    taken: FxHashMap<String, u32>,
}

impl Names {
    /// Returns the name if it is free. Otherwise appends the first free number: `Note2`, `Note3`.
    fn unique(&mut self, name: &str) -> String {
        let key = name.to_lowercase();
        let Some(next) = self.taken.get(&key) else {
            self.taken.insert(key, 2);
            return name.to_owned();
        };
        let mut number = *next;
        while self.taken.contains_key(&format!("{key}{number}")) {
            number += 1;
        }
        self.taken.insert(format!("{key}{number}"), 2);
        self.taken.insert(key, number + 1);
        format!("{name}{number}")
    }
}
