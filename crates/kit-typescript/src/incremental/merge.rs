//! Puts the new types of declarations into a program.
//!
//! Declarations share an object type if their source code has equal object types, and the type then has the locations of the
//! one that was evaluated first. A part of a program does not show which one that is. Therefore types that an edit does not
//! change keep their identity and their locations, and a type that an edit changes must not be shared, before or after.

use kit_analysis::{children, each_child};
use kit_ir::{DeclarationId, Program, Property, Span, Type, TypeId, TypeKind};
use rustc_hash::FxHashMap;

use super::GONE;
use crate::lower::each::each_inner_type;

/// Replaces types of a program by types of a part.
pub(super) struct Merge<'p> {
    program: &'p mut Program,
    part: &'p Program,
    /// Object types of the part that have their place in the program.
    merged: FxHashMap<TypeId, TypeId>,
    /// Object types that were replaced.
    replaced: Vec<TypeId>,
    /// Object types that were added.
    added: Vec<TypeId>,
    /// For each type of the program, the number of types and declarations that contain it.
    uses: Vec<u32>,
    /// True if each new type took the id of the type that it replaces. The types are then still sorted.
    keeps_order: bool,
}

impl<'p> Merge<'p> {
    pub(super) fn new(program: &'p mut Program, part: &'p Program) -> Self {
        let mut uses = vec![0; program.types.len()];
        for r#type in &program.types {
            // Only uses of objects count, and the templates in keys contain none.
            each_child(&r#type.kind, |inner| uses[usize::from(inner)] += 1);
        }
        for declaration in &program.declarations {
            uses[usize::from(declaration.r#type)] += 1;
        }
        Self {
            program,
            part,
            merged: FxHashMap::default(),
            replaced: Vec::new(),
            added: Vec::new(),
            uses,
            keeps_order: true,
        }
    }

    /// Puts the type of a declaration of the part in place of the type of a declaration of the program, and returns its id.
    pub(super) fn replace_declaration(&mut self, known: DeclarationId, own: DeclarationId) -> TypeId {
        let old = self.program.declarations[known].r#type;
        self.replace(old, self.part.declarations[own].r#type)
    }

    /// Puts the type `new` of the part in place of the type `old`, and returns its id in the program.
    fn replace(&mut self, old: TypeId, new: TypeId) -> TypeId {
        if self.are_equal(old, new) {
            self.adopt_locations(old, new);
            return old;
        }
        if let Some(known) = self.merged.get(&new) {
            self.keeps_order = false;
            return *known;
        }
        let mut before = self.program.types[old].clone();
        let mut old_inner = inner_types(&mut before);
        let names = |of: &Type| -> Option<Vec<String>> {
            let TypeKind::Object(object) = &of.kind else {
                return None;
            };
            Some(
                object
                    .properties
                    .iter()
                    .map(|property| property.name.clone())
                    .collect(),
            )
        };
        let mut r#type = self.part.types[new].clone();
        let (old_names, new_names) = (names(&before), names(&r#type));
        let is_same_kind = std::mem::discriminant(&before.kind) == std::mem::discriminant(&r#type.kind);
        let mut index = 0;
        let mut kept = vec![false; old_inner.len()];
        let mut is_in_place = is_same_kind;
        each_inner_type(&mut r#type.kind, &mut |inner| {
            // Properties are paired by their names, all other inner types by their positions.
            let name = new_names.as_ref().and_then(|names| names.get(index));
            let position = match (name, &old_names) {
                (Some(name), Some(old_names)) => old_names.iter().position(|old| old == name),
                _ => Some(index),
            };
            is_in_place &= position == Some(index);
            index += 1;
            let partner = position.filter(|position| is_same_kind && kept.get(*position) == Some(&false));
            *inner = match partner {
                Some(position) => {
                    kept[position] = true;
                    self.replace(old_inner[position], *inner)
                }
                None => self.add(*inner),
            };
        });
        let is_object = matches!(before.kind, TypeKind::Object(_));
        if is_in_place && kept.iter().all(|kept| *kept) {
            self.program.types[old] = r#type;
            if is_object {
                self.merged.insert(new, old);
                self.replaced.push(old);
                self.added.push(old);
            }
            return old;
        }
        self.keeps_order = false;
        let mut kept = kept.into_iter();
        old_inner.retain(|_| kept.next() == Some(false));
        for inner in old_inner {
            self.remove(inner);
        }
        if is_object {
            self.replaced.push(old);
        }
        self.push(new, r#type)
    }

    /// Returns true if the types of the program are still sorted.
    pub(super) fn keeps_order(&self) -> bool {
        self.keeps_order
    }

    /// Adds a type that stands in no other type's place.
    fn add(&mut self, new: TypeId) -> TypeId {
        if let Some(known) = self.merged.get(&new) {
            return *known;
        }
        let mut r#type = self.part.types[new].clone();
        each_inner_type(&mut r#type.kind, &mut |inner| *inner = self.add(*inner));
        self.push(new, r#type)
    }

    fn push(&mut self, new: TypeId, r#type: Type) -> TypeId {
        let is_object = matches!(r#type.kind, TypeKind::Object(_));
        let id = self.program.add_type(r#type);
        if is_object {
            self.merged.insert(new, id);
            self.added.push(id);
        }
        id
    }

    /// Notes that a type is no longer in its place.
    fn remove(&mut self, old: TypeId) {
        let mut r#type = self.program.types[old].clone();
        if matches!(r#type.kind, TypeKind::Object(_)) {
            self.replaced.push(old);
        }
        for inner in inner_types(&mut r#type) {
            self.remove(inner);
        }
    }

    fn are_equal(&self, old: TypeId, new: TypeId) -> bool {
        are_equal((self.program, old), (self.part, new))
    }

    /// Gives the properties of an equal type their new locations, if they are in an edited statement.
    fn adopt_locations(&mut self, old: TypeId, new: TypeId) {
        let is_gone = |property: &Property| property.span.source == GONE;
        let has_gone = match &self.program.types[old].kind {
            TypeKind::Object(object) => object.properties.iter().any(is_gone),
            _ => false,
        };
        // A mutable access copies a type that the program of the last build shares.
        if has_gone
            && let (TypeKind::Object(object), TypeKind::Object(other)) =
                (&mut self.program.types[old].kind, &self.part.types[new].kind)
        {
            for (property, other) in object.properties.iter_mut().zip(&other.properties) {
                if is_gone(property) {
                    property.span = other.span;
                }
            }
        }
        // Templates in keys contain no objects.
        let inner = children(&self.program.types[old].kind);
        let new_inner = children(&self.part.types[new].kind);
        for (old, new) in inner.into_iter().zip(new_inner) {
            self.adopt_locations(old, new);
        }
    }

    /// Returns false if a replaced type was shared, or if an added type may be shared.
    pub(super) fn is_exact(&self) -> bool {
        let was_shared = self.replaced.iter().any(|id| self.uses[usize::from(*id)] > 1);
        let key = |id: TypeId| match &self.program.types[id].kind {
            TypeKind::Object(object) => {
                let first = object.properties.first().map(|property| property.name.as_str());
                Some((object.properties.len(), object.index.len(), first))
            }
            _ => None,
        };
        let mut added: FxHashMap<_, Vec<TypeId>> = FxHashMap::default();
        for id in &self.added {
            added.entry(key(*id)).or_default().push(*id);
        }
        let program = &*self.program;
        let is_replaced = |id: &TypeId| self.replaced.contains(id);
        let has_equal = program.types.iter_ids().any(|(id, r#type)| {
            let is_object = matches!(r#type.kind, TypeKind::Object(_));
            let alike = is_object.then(|| added.get(&key(id))).flatten();
            alike
                .into_iter()
                .flatten()
                .any(|other| *other != id && !is_replaced(&id) && are_equal((program, id), (program, *other)))
        });
        !was_shared && !has_equal
    }
}

fn inner_types(r#type: &mut Type) -> Vec<TypeId> {
    let mut found = Vec::new();
    each_inner_type(&mut r#type.kind, &mut |inner| found.push(*inner));
    found
}

/// Location of properties in a comparison that ignores locations.
const NOWHERE: Span = Span {
    source: GONE,
    start: 0,
    end: 0,
    line: 0,
    column: 0,
};

/// Returns true if two types are equal, apart from locations and the ids of their inner types.
fn are_equal((a_program, a): (&Program, TypeId), (b_program, b): (&Program, TypeId)) -> bool {
    let (a, b) = (&a_program.types[a], &b_program.types[b]);
    // A new field must be compared too.
    let Type {
        kind,
        constraints,
        calls_to_json,
    } = a;
    if *constraints != b.constraints
        || *calls_to_json != b.calls_to_json
        || std::mem::discriminant(kind) != std::mem::discriminant(&b.kind)
    {
        return false;
    }
    if let (TypeKind::Object(one), TypeKind::Object(other)) = (&a.kind, &b.kind)
        && one.index.is_empty()
        && other.index.is_empty()
    {
        // The types of the properties differ most often.
        let pairs = || one.properties.iter().zip(&other.properties);
        return one.properties.len() == other.properties.len()
            && pairs().all(|(one, other)| one.name == other.name)
            && pairs().all(|(one, other)| are_equal((a_program, one.r#type), (b_program, other.r#type)))
            && pairs().all(|(one, other)| {
                let without_type = |of: &Property| Property {
                    r#type: TypeId(0),
                    span: NOWHERE,
                    ..of.clone()
                };
                without_type(one) == without_type(other)
            });
    }
    let bare = |of: &Type| {
        let mut of = of.clone();
        let inner = inner_types(&mut of);
        each_inner_type(&mut of.kind, &mut |id| *id = TypeId(0));
        if let TypeKind::Object(object) = &mut of.kind {
            for property in &mut object.properties {
                property.span = NOWHERE;
            }
        }
        (of, inner)
    };
    let ((a, inside_a), (b, inside_b)) = (bare(a), bare(b));
    a == b
        && inside_a
            .into_iter()
            .zip(inside_b)
            .all(|(one, other)| are_equal((a_program, one), (b_program, other)))
}
