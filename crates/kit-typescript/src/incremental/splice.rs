//! Puts the compiled part of a program into the program of the last compilation.

use kit_ir::{
    Declaration, DeclarationId, DeclarationOrigin, Program, Route, RouteId, SourceId, Span, Type, TypeId,
    TypeKind,
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::merge::Merge;
use super::{Edit, GONE};
use crate::affected::Affected;
use crate::lower::each::{
    each_declaration, each_declaration_of_route, each_other_span, each_property_span, each_span,
};
use crate::lower::shared::sort_types;

/// Replaces the affected declarations and routes of `program` by those of `part`, and moves the locations in the edited
/// files. Returns the number of replaced declarations. Returns `None` if the programs differ in more than the types of
/// declarations, for example because a type refers to other types.
pub(super) fn splice(
    program: &mut Program,
    mut part: Program,
    affected: &Affected,
    edits: &[Edit<'_>],
) -> Option<usize> {
    // Headers and cookies that are secrets mark the properties of their types, which routes outside of the part may share.
    let has_headers = part.routes.iter().any(|route| {
        route.slots.headers.is_some()
            || route.slots.cookies.is_some()
            || route.declared_replies().any(|reply| reply.headers.is_some())
    });
    if has_headers || has_equal_declarations(program) {
        return None;
    }
    let moved = move_spans(program, edits);
    adopt_sources(program, &mut part)?;
    let ids = adopt_declarations(program, &mut part)?;
    let mut replaced = FxHashMap::default();
    for ((own, declaration), known) in part.declarations.iter_ids().zip(&ids) {
        if is_affected(program, affected, declaration)? {
            replaced.insert(*known, own);
        }
    }
    // An affected declaration that the part does not contain is no longer a declaration.
    for (id, declaration) in program.declarations.iter_ids() {
        if !replaced.contains_key(&id) && is_affected(program, affected, declaration)? {
            return None;
        }
    }
    same_application(program, &part, affected)?;
    for (known, own) in &replaced {
        let old = references(program, program.declarations[*known].r#type);
        let new = references(&part, part.declarations[*own].r#type);
        // Declarations of instances and slots have the order of their first use, which follows these references.
        if old != new {
            return None;
        }
    }
    replace_routes(program, &part, affected)?;
    let mut merge = Merge::new(program, &part);
    let mut types = Vec::with_capacity(replaced.len());
    for (known, own) in &replaced {
        types.push((*known, merge.replace_declaration(*known, *own)));
    }
    if !merge.is_exact() {
        return None;
    }
    let keeps_order = merge.keeps_order();
    for (known, r#type) in types {
        let new = &part.declarations[replaced[&known]];
        let declaration = &mut program.declarations[known];
        declaration.r#type = r#type;
        declaration.documentation.clone_from(&new.documentation);
        declaration.span = new.span;
    }
    let is_known = |span: Span| span.source != GONE;
    let has_known_spans = |of: &Type| match &of.kind {
        TypeKind::Object(object) => object.properties.iter().all(|property| is_known(property.span)),
        _ => true,
    };
    let mut is_complete = if keeps_order {
        moved.iter().all(|id| has_known_spans(&program.types[*id]))
    } else {
        // Some of the moved types may be replaced, and `sort_types` removes them.
        sort_types(program);
        program.types.iter().all(has_known_spans)
    };
    let is_gone = |span: Span| !is_known(span);
    each_other_span(program, &is_gone, &mut |span| is_complete &= is_known(*span));
    is_complete.then_some(replaced.len())
}

/// Returns true if only a number in their names distinguishes two declarations. The number depends on declarations that the
/// part may not contain.
fn has_equal_declarations(program: &Program) -> bool {
    let known: FxHashMap<&str, &Declaration> = program
        .declarations
        .iter()
        .map(|declaration| (declaration.name.as_str(), declaration))
        .collect();
    program.declarations.iter().any(|declaration| {
        let stem = declaration
            .name
            .trim_end_matches(|letter: char| letter.is_ascii_digit());
        let other = known.get(stem).filter(|_| stem.len() < declaration.name.len());
        other.is_some_and(|other| other.origin == declaration.origin && other.span == declaration.span)
    })
}

/// Returns true if the edits can affect the declaration. Returns `None` if this is not known.
fn is_affected(program: &Program, affected: &Affected, declaration: &Declaration) -> Option<bool> {
    let is_in_affected = declaration.span.source == GONE || affected.contains_span(program, declaration.span);
    match &declaration.origin {
        // The expression of a long type is cut off and does not name all types in it.
        DeclarationOrigin::Instance { expression } if expression.contains('…') => None,
        DeclarationOrigin::Instance { expression } => {
            Some(is_in_affected || affected.names_one_of(expression))
        }
        DeclarationOrigin::Named { .. } | DeclarationOrigin::Slot => Some(is_in_affected),
    }
}

/// Moves the locations in edited files. A location in an edited statement gets the source [`GONE`]. Returns the types with
/// moved locations.
fn move_spans(program: &mut Program, edits: &[Edit<'_>]) -> Vec<TypeId> {
    let edits: Vec<Option<&Edit<'_>>> = program
        .sources
        .iter()
        .map(|file| {
            let mut edits = edits.iter();
            edits.find(|edit| edit.after.source().display == file.path)
        })
        .collect();
    let edit_of = |span: Span| edits.get(usize::from(span.source)).copied().flatten();
    let mut change = |span: &mut Span| {
        if let Some(edit) = edit_of(*span) {
            *span = moved(*span, edit);
        }
    };
    let is_edited = |span: Span| edit_of(span).is_some();
    let types = each_property_span(program, &is_edited, &mut change);
    each_other_span(program, &is_edited, &mut change);
    types
}

fn moved(span: Span, edit: &Edit<'_>) -> Span {
    let (before, after) = (edit.before.outline(), edit.after.outline());
    let gone = Span { source: GONE, ..span };
    let Some(index) = before.at(span.start) else {
        return gone;
    };
    if edit.chunks.contains(&index) {
        return gone;
    }
    let (old, new) = (before.chunks[index].range.start, after.chunks[index].range.start);
    let start = span.start - old + new;
    let source = edit.after.source();
    let (line, column) = source.lines.position(source.text, start);
    Span {
        start,
        end: span.end - old + new,
        line,
        column,
        ..span
    }
}

/// Gives the source files of the part the ids that they have in the program.
fn adopt_sources(program: &Program, part: &mut Program) -> Option<()> {
    let known: FxHashMap<&str, SourceId> = program
        .sources
        .iter_ids()
        .map(|(id, file)| (file.path.as_str(), id))
        .collect();
    let ids: Option<Vec<SourceId>> = part
        .sources
        .iter()
        .map(|file| known.get(file.path.as_str()).copied())
        .collect();
    let ids = ids?;
    part.sources = program.sources.clone();
    each_span(part, &mut |span| span.source = ids[usize::from(span.source)]);
    Some(())
}

/// Makes the references of the part refer to the declarations of the program. Returns the ids of the part's declarations in
/// the program. Returns `None` if the program does not have one of the declarations.
fn adopt_declarations(program: &Program, part: &mut Program) -> Option<Vec<DeclarationId>> {
    let known: FxHashMap<&str, DeclarationId> = program
        .declarations
        .iter_ids()
        .map(|(id, declaration)| (declaration.name.as_str(), id))
        .collect();
    let ids: Option<Vec<DeclarationId>> = part
        .declarations
        .iter()
        .map(|declaration| {
            let id = *known.get(declaration.name.as_str())?;
            let before = &program.declarations[id];
            // The location of an edited declaration is not known any more.
            let is_same_place = before.span.source == GONE || before.span == declaration.span;
            (before.origin == declaration.origin && is_same_place).then_some(id)
        })
        .collect();
    let ids = ids?;
    each_declaration(part, &mut |id| *id = ids[usize::from(*id)]);
    Some(ids)
}

/// Returns `None` if the options of the application, the groups of routes or the entities differ.
fn same_application(program: &Program, part: &Program, affected: &Affected) -> Option<()> {
    let is_same_option = program.application == part.application;
    let has_groups = part.groups.iter().all(|group| program.groups.contains(group));
    let has_entities = part
        .entities
        .iter()
        .all(|entity| program.entities.iter().any(|known| known == entity));
    // An affected entity that the part does not have is no longer an entity.
    let keeps_entities = program.entities.iter().all(|entity| {
        let declaration = &program.declarations[entity.declaration];
        let is_affected = affected.all_entities
            || declaration.span.source == GONE
            || affected.contains_span(program, declaration.span);
        !is_affected || part.entities.iter().any(|own| own == entity)
    });
    (is_same_option && has_groups && has_entities && keeps_entities).then_some(())
}

/// Replaces the affected routes. Returns `None` if a route was added or removed, or refers to other declarations.
fn replace_routes(program: &mut Program, part: &Program, affected: &Affected) -> Option<()> {
    let known: FxHashMap<String, RouteId> = program
        .routes
        .iter_ids()
        .map(|(id, route)| (route.reference(), id))
        .collect();
    if known.len() != program.routes.len() {
        return None;
    }
    let mut replaced = FxHashSet::default();
    for route in &part.routes {
        let id = *known.get(&route.reference())?;
        let before = &program.routes[id];
        let is_same = before.group == route.group
            && before.key == route.key
            && declarations(before) == declarations(route);
        if !is_same {
            return None;
        }
        program.routes[id] = route.clone();
        replaced.insert(id);
    }
    let keeps_routes = program.routes.iter_ids().all(|(id, route)| {
        let is_affected = affected.all_routes
            || route.span.source == GONE
            || affected.contains_span(program, route.span)
            || affected.names_one_of(&route.group);
        !is_affected || replaced.contains(&id)
    });
    keeps_routes.then_some(())
}

/// Returns the declarations to which a route refers.
fn declarations(route: &Route) -> Vec<DeclarationId> {
    let mut ids = Vec::new();
    each_declaration_of_route(&mut route.clone(), &mut |id| ids.push(*id));
    ids
}

/// Returns the declarations to which a type refers, each once, in the order of the source.
fn references(program: &Program, id: TypeId) -> Vec<DeclarationId> {
    let mut found = Vec::new();
    kit_analysis::collect_references(program, id, &mut found);
    found
}
