//! Selects the declarations that become components, with their directions and names.

use std::collections::BTreeSet;

use kit_ir::{DeclarationId, Program, Route, Slot};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::direction::{Direction, differs_inline};
use crate::fingerprint::{Fingerprint, fingerprint};
use crate::references::References;

/// A declaration in one direction.
pub(crate) type Use = (DeclarationId, Direction);

/// Names of components. A declaration has its own name in both directions, unless both are used and differ: then each
/// direction has its own component.
///
/// For `Note`, the response is `Note` and the request is `NoteInput`. For `NoteInput`, whose name already means a request, the
/// request is `NoteInput` and the response is `NoteOutput`. A created name must differ from all declarations of the project,
/// used or not: if needed, it gets the first free number, from 2.
#[derive(Debug, Default)]
pub(crate) struct ComponentNames {
    /// Declarations with two components: the direction with the created name, and that name.
    made: FxHashMap<DeclarationId, (Direction, String)>,
}

impl ComponentNames {
    /// Creates names for all declarations that differ by direction and are used in both.
    pub(crate) fn new(program: &Program, references: &References) -> Self {
        let routes: Vec<_> = program.routes.iter().collect();
        let roots: Vec<_> = program.entities.iter().map(|entity| entity.declaration).collect();
        let used = used(references, &routes, &roots);
        let with_input_form = with_input_form(program, references);
        let mut taken: FxHashSet<String> = program
            .declarations
            .iter()
            .map(|declaration| declaration.name.clone())
            .collect();
        let mut made = FxHashMap::default();
        for (id, declaration) in program.declarations.iter_ids() {
            let both = [Direction::Input, Direction::Output];
            if !with_input_form.contains(&id)
                || !both.iter().all(|direction| used.contains(&(id, *direction)))
            {
                continue;
            }
            let (direction, base) = match declaration.name.strip_suffix("Input") {
                Some(stem) => (Direction::Output, format!("{stem}Output")),
                None => (Direction::Input, format!("{}Input", declaration.name)),
            };
            let mut name = base.clone();
            let mut number = 2;
            while !taken.insert(name.clone()) {
                name = format!("{base}{number}");
                number += 1;
            }
            made.insert(id, (direction, name));
        }
        Self { made }
    }

    /// Returns the fingerprint of all created names.
    pub(crate) fn fingerprint(&self, program: &Program) -> Fingerprint {
        let mut names: Vec<_> = self
            .made
            .iter()
            .map(|(id, made)| (&program.declarations[*id].name, made))
            .collect();
        names.sort_unstable();
        fingerprint(names)
    }

    /// Returns the name of a declaration's component in a direction.
    pub(crate) fn name<'a>(&'a self, program: &'a Program, (id, direction): Use) -> &'a str {
        match self.made.get(&id) {
            Some((made_for, name)) if *made_for == direction => name,
            _ => &program.declarations[id].name,
        }
    }
}

/// Returns all declarations that the routes refer to, and the `roots` with their references in responses. Sorted by
/// declaration, with a response before a request.
pub(crate) fn used(references: &References, routes: &[&Route], roots: &[DeclarationId]) -> BTreeSet<Use> {
    let mut pending: Vec<Use> = roots.iter().map(|id| (*id, Direction::Output)).collect();
    for route in routes {
        pending.extend(route.slots.body.map(|id| (id, Direction::Input)));
        pending.extend(route.slots.response.map(|id| (id, Direction::Output)));
        // Parameters are printed inline, but the types in them are components.
        for id in [Slot::Params, Slot::Query]
            .into_iter()
            .filter_map(|slot| route.slots.get(slot))
        {
            pending.extend(references.of(id).iter().map(|target| (*target, Direction::Input)));
        }
    }
    let mut used = BTreeSet::new();
    while let Some((id, direction)) = pending.pop() {
        if used.insert((id, direction)) {
            pending.extend(references.of(id).iter().map(|target| (*target, direction)));
        }
    }
    used
}

/// Returns the declarations whose input schema differs from the output schema, themselves or in a reference.
pub(crate) fn with_input_form(program: &Program, references: &References) -> FxHashSet<DeclarationId> {
    let mut referring: FxHashMap<DeclarationId, Vec<DeclarationId>> = FxHashMap::default();
    let mut pending = Vec::new();
    for (id, declaration) in program.declarations.iter_ids() {
        for target in references.of(id) {
            referring.entry(*target).or_default().push(id);
        }
        if differs_inline(program, declaration.r#type) {
            pending.push(id);
        }
    }
    let mut found = FxHashSet::default();
    while let Some(id) = pending.pop() {
        if found.insert(id) {
            pending.extend(referring.get(&id).into_iter().flatten());
        }
    }
    found
}
