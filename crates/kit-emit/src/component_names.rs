//! Selects the declarations that become OpenAPI components, and names the component for each direction.

use std::collections::BTreeSet;

use kit_ir::{BodyFormat, DeclarationId, Program, Route, Slot};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::direction::{Direction, differs_inline};
use crate::fingerprint::{Fingerprint, fingerprint};
use crate::references::References;

/// A declaration in one direction: as a request or as a response.
pub(crate) type Use = (DeclarationId, Direction);

/// Names of OpenAPI components. A declaration has one component with its own name. It has two if requests and responses both
/// use it and their schemas differ.
///
/// For `Note`, the response is `Note` and the request is `NoteInput`. For `NoteInput`, whose name already means a request, the
/// request is `NoteInput` and the response is `NoteOutput`. If a declaration of the project already has the created name, the
/// name gets the first free number from 2: `NoteInput2`.
#[derive(Debug, Default)]
pub(crate) struct ComponentNames {
    /// For each declaration with two components, the direction whose component gets a created name, and this
    /// name.
    made: FxHashMap<DeclarationId, (Direction, String)>,
}

impl ComponentNames {
    /// Creates names for all declarations that requests and responses use with different schemas.
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

    /// Returns a fingerprint that changes if a created name changes.
    pub(crate) fn fingerprint(&self, program: &Program) -> Fingerprint {
        let mut names: Vec<_> = self
            .made
            .iter()
            .map(|(id, made)| (&program.declarations[*id].name, made))
            .collect();
        names.sort_unstable();
        fingerprint(names)
    }

    /// Returns the name of a declaration's component in requests or in responses.
    pub(crate) fn name<'a>(&'a self, program: &'a Program, (id, direction): Use) -> &'a str {
        match self.made.get(&id) {
            Some((made_for, name)) if *made_for == direction => name,
            _ => &program.declarations[id].name,
        }
    }
}

/// Returns the declarations for which a document needs components: all that the routes refer to, and the
/// `roots` as responses with everything that these refer to. Sorted by declaration, with a response before a
/// request.
pub(crate) fn used(references: &References, routes: &[&Route], roots: &[DeclarationId]) -> BTreeSet<Use> {
    let mut pending: Vec<Use> = roots.iter().map(|id| (*id, Direction::Output)).collect();
    for route in routes {
        for choice in route.body_format.choices(route.slots.body) {
            match (&choice.format, choice.body) {
                // A body with files is printed in the operation, but the types of its other parts are components.
                (BodyFormat::Multipart { files }, Some(id)) if !files.is_empty() => {
                    pending.extend(references.of(id).iter().map(|target| (*target, Direction::Input)));
                }
                (_, body) => pending.extend(body.map(|id| (id, Direction::Input))),
            }
        }
        pending.extend(route.written().map(|id| (id, Direction::Output)));
        // Parameters and headers are printed in the operation, but the types to which they refer are components.
        let slots = Slot::INPUTS.into_iter().filter(|slot| slot.is_text());
        for id in slots.filter_map(|slot| route.slots.get(slot)) {
            pending.extend(references.of(id).iter().map(|target| (*target, Direction::Input)));
        }
        for id in route.declared_replies().filter_map(|reply| reply.headers) {
            pending.extend(
                references
                    .of(id)
                    .iter()
                    .map(|target| (*target, Direction::Output)),
            );
        }
    }
    // A list of flags takes a tenth of the time of a sorted set.
    let directions = [Direction::Output, Direction::Input];
    let mut reached = vec![[false; 2]; references.len()];
    while let Some((id, direction)) = pending.pop() {
        let is_reached = &mut reached[usize::from(id)][usize::from(direction == Direction::Input)];
        if !std::mem::replace(is_reached, true) {
            pending.extend(references.of(id).iter().map(|target| (*target, direction)));
        }
    }
    let used = reached.into_iter().enumerate().flat_map(|(index, reached)| {
        let of = directions
            .into_iter()
            .zip(reached)
            .filter(|(_, is_reached)| *is_reached);
        of.map(move |(direction, _)| (DeclarationId::from(index), direction))
    });
    used.collect()
}

/// Returns the declarations whose request schema differs from the response schema, or that refer to such a declaration.
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
