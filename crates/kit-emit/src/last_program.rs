//! Facts about the program of the last build. Most edits change few types, and the facts about all others stay true.

use std::collections::BTreeSet;
use std::sync::Arc;

use kit_analysis::each_child;
use kit_ir::{Declaration, DeclarationId, Program, TypeId};

use crate::analysis::Facts;
use crate::fingerprint::{Fingerprints, own_fingerprints};
use crate::options::OpenApiVersion;
use crate::references::References;

/// The program of the last build with its facts. The program shares its types with that of the next build.
pub(crate) struct LastProgram {
    program: Program,
    openapi: OpenApiVersion,
    facts: Arc<Facts>,
    fingerprints: Fingerprints,
    /// For each type, the declarations whose own types contain the type, and perhaps some that contained the type earlier. Sorted.
    /// Empty until the first edit.
    owners: Vec<Vec<DeclarationId>>,
}

impl std::fmt::Debug for LastProgram {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("LastProgram").finish_non_exhaustive()
    }
}

/// Facts about a program.
pub(crate) struct ProgramFacts {
    pub(crate) facts: Arc<Facts>,
    pub(crate) fingerprints: Fingerprints,
    /// For each declaration, true if all texts about the declaration are equal to those of the last build. Empty if this is not
    /// known of any declaration.
    pub(crate) unchanged: Vec<bool>,
    owners: Vec<Vec<DeclarationId>>,
}

impl ProgramFacts {
    /// Returns the facts about a program. Most of them are taken from the last build if the program is similar.
    pub(crate) fn new(program: &Program, openapi: OpenApiVersion, last: Option<LastProgram>) -> Self {
        let similar = last.filter(|last| last.openapi == openapi);
        similar
            .and_then(|last| last.facts_of(program))
            .unwrap_or_else(|| Self::of_unknown(program))
    }

    fn of_unknown(program: &Program) -> Self {
        let facts = Facts::new(program, References::new(program));
        let ids: Vec<DeclarationId> = program.declarations.iter_ids().map(|(id, _)| id).collect();
        let own = own_fingerprints(program, &ids);
        Self {
            fingerprints: Fingerprints::new(program, own, facts.groups(), facts.references()),
            facts: Arc::new(facts),
            unchanged: Vec::new(),
            owners: Vec::new(),
        }
    }

    /// Keeps the facts for the next build.
    pub(crate) fn keep(self, program: &Program, openapi: OpenApiVersion) -> LastProgram {
        LastProgram {
            program: program.clone(),
            openapi,
            facts: self.facts,
            fingerprints: self.fingerprints,
            owners: self.owners,
        }
    }
}

impl LastProgram {
    /// Returns the facts about a program that differs from this one only in the contents of types. Returns `None` if more is
    /// different.
    fn facts_of(mut self, program: &Program) -> Option<ProgramFacts> {
        if !self.has_same_parts(program) {
            return None;
        }
        let touched = self.touched(program);
        for id in &touched {
            add_owner(&mut self.owners, program, *id);
        }
        let references = self.facts.references();
        let keeps_references = touched
            .iter()
            .all(|id| references.of(*id) == References::of_declaration(program, &program.declarations[*id]));
        if !keeps_references {
            return None;
        }
        let mut own = self.fingerprints.own().to_vec();
        for (id, new) in touched.iter().zip(own_fingerprints(program, &touched)) {
            own[usize::from(*id)] = new;
        }
        let fingerprints = Fingerprints::new(program, own, self.facts.groups(), self.facts.references());
        let ids = || program.declarations.iter_ids();
        let is_equal = |id: DeclarationId| self.fingerprints.of(id) == fingerprints.of(id);
        let changed: Vec<DeclarationId> = ids().map(|(id, _)| id).filter(|id| !is_equal(*id)).collect();
        if !self.facts.are_true_for(program, &self.program, &changed) {
            return None;
        }
        // Documents contain the lines of declarations.
        let is_same_line =
            |id, declaration: &Declaration| self.program.declarations[id].span.line == declaration.span.line;
        let unchanged = ids()
            .map(|(id, declaration)| is_equal(id) && is_same_line(id, declaration))
            .collect();
        Some(ProgramFacts {
            facts: self.facts,
            fingerprints,
            unchanged,
            owners: self.owners,
        })
    }

    /// Returns true if a program has the same routes, entities and options as this one, and declarations with the same names and
    /// origins.
    fn has_same_parts(&self, program: &Program) -> bool {
        let Program {
            sources,
            types,
            declarations,
            entities,
            routes,
            groups,
            application,
        } = program;
        let last = &self.program;
        types.len() == last.types.len()
            && declarations.len() == last.declarations.len()
            && *groups == last.groups
            && *application == last.application
            && sources.is_equal(&last.sources)
            && entities.is_equal(&last.entities)
            && routes.is_equal(&last.routes)
            && declarations.iter_ids().all(|(id, declaration)| {
                let before = &last.declarations[id];
                std::ptr::eq(before, declaration)
                    || (before.name == declaration.name
                        && before.origin == declaration.origin
                        && before.span.source == declaration.span.source)
            })
    }

    /// Returns the declarations whose own types may differ from those of this program.
    fn touched(&mut self, program: &Program) -> Vec<DeclarationId> {
        let mut touched = BTreeSet::new();
        for (id, declaration) in program.declarations.iter_ids() {
            let before = &self.program.declarations[id];
            // Items that both programs share are equal.
            let is_same = std::ptr::eq(before, declaration)
                || (before.documentation == declaration.documentation && before.r#type == declaration.r#type);
            if !is_same {
                touched.insert(id);
            }
        }
        let types = program.types.iter_ids();
        let changed: Vec<TypeId> = types
            .filter(|(id, r#type)| !std::ptr::eq(*r#type, &raw const self.program.types[*id]))
            .map(|(id, _)| id)
            .collect();
        if !changed.is_empty() && self.owners.is_empty() {
            self.owners.resize_with(program.types.len(), Vec::new);
            for (id, _) in self.program.declarations.iter_ids() {
                add_owner(&mut self.owners, &self.program, id);
            }
        }
        // On each way from a declaration to a new type, the first type that differs was also in the declaration before.
        for id in changed {
            touched.extend(&self.owners[usize::from(id)]);
        }
        touched.into_iter().collect()
    }
}

/// Adds a declaration to the owners of all types that its own type contains.
fn add_owner(owners: &mut [Vec<DeclarationId>], program: &Program, declaration: DeclarationId) {
    let mut open = vec![program.declarations[declaration].r#type];
    while let Some(id) = open.pop() {
        let known = &mut owners[usize::from(id)];
        if let Err(place) = known.binary_search(&declaration) {
            known.insert(place, declaration);
        }
        each_child(&program.types[id].kind, |child| open.push(child));
    }
}
