//! Which declarations become components, and in which direction.

use std::collections::HashSet;

use indexmap::IndexSet;
use kit_ir::{DeclarationId, Program, Route, Slot};

use crate::analysis::collect_references;
use crate::json_schema::{Direction, differs};

/// Declarations that are used in both directions and differ between them: each direction has a component of its own.
pub(crate) fn split(program: &Program) -> HashSet<DeclarationId> {
    let routes: Vec<_> = program.routes.iter().collect();
    let used = used(program, &routes, &entities(program));
    used.iter()
        .map(|(id, _)| *id)
        .filter(|id| {
            [Direction::Input, Direction::Output]
                .iter()
                .all(|direction| used.contains(&(*id, *direction)))
        })
        .filter(|id| differs(program, *id))
        .collect()
}

/// Everything that the routes and the roots refer to.
pub(crate) fn used(
    program: &Program,
    routes: &[&Route],
    roots: &IndexSet<(DeclarationId, Direction)>,
) -> IndexSet<(DeclarationId, Direction)> {
    let mut used = IndexSet::new();
    for (id, direction) in roots {
        reach(program, *id, *direction, &mut used);
    }
    for route in routes {
        if let Some(id) = route.slots.body {
            reach(program, id, Direction::Input, &mut used);
        }
        if let Some(id) = route.slots.response {
            reach(program, id, Direction::Output, &mut used);
        }
        // Parameters are written out where they are used, but types inside of them are components.
        for id in [Slot::Params, Slot::Query]
            .into_iter()
            .filter_map(|slot| route.slots.get(slot))
        {
            let mut found = Vec::new();
            collect_references(program, program.declarations[id].r#type, &mut found);
            for target in found {
                reach(program, target, Direction::Input, &mut used);
            }
        }
    }
    used
}

/// Adds a declaration and everything it refers to.
pub(crate) fn reach(
    program: &Program,
    id: DeclarationId,
    direction: Direction,
    used: &mut IndexSet<(DeclarationId, Direction)>,
) {
    if !used.insert((id, direction)) {
        return;
    }
    let mut found = Vec::new();
    collect_references(program, program.declarations[id].r#type, &mut found);
    for target in found {
        reach(program, target, direction, used);
    }
}

/// Entities have a fragment each, in the form that clients get.
fn entities(program: &Program) -> IndexSet<(DeclarationId, Direction)> {
    program
        .entities
        .iter()
        .map(|entity| (entity.declaration, Direction::Output))
        .collect()
}
