//! Facts about a program that several emitters need: which types recurse, and which routes use which type in what role.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use indexmap::IndexMap;
use kit_ir::{
    Arena, Declaration, DeclarationId, DeclarationOrigin, EntityId, LiteralValue, ObjectType, Program,
    RouteId, Slot, SourceId, TypeId, TypeKind,
};

use crate::groups::Groups;
use crate::openapi::ComponentNames;

/// Facts about a program.
pub(crate) struct Analysis {
    groups: Groups,
    uses: IndexMap<DeclarationId, Vec<(RouteId, Slot)>>,
    /// Shared by every module: copying it for each would cost the square of the types.
    names: Arc<HashSet<String>>,
    references: References,
    components: ComponentNames,
    /// The declarations of each file, in order.
    files: HashMap<SourceId, Vec<DeclarationId>>,
    entities: HashMap<DeclarationId, EntityId>,
    declared: HashSet<String>,
}

/// What each declaration refers to directly.
pub(crate) struct References(Vec<Vec<DeclarationId>>);

impl References {
    fn new(program: &Program) -> Self {
        let of = |declaration: &Declaration| {
            let mut found = Vec::new();
            collect_references(program, declaration.r#type, &mut found);
            found
        };
        Self(program.declarations.iter().map(of).collect())
    }

    /// References that somebody counted already.
    #[cfg(test)]
    pub(crate) fn from_lists(lists: impl Into<Vec<Vec<DeclarationId>>>) -> Self {
        Self(lists.into())
    }

    /// How many declarations there are.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// The declarations that a declaration refers to, each once, in order.
    pub(crate) fn of(&self, declaration: DeclarationId) -> &[DeclarationId] {
        &self.0[usize::from(declaration)]
    }
}

impl Analysis {
    pub(crate) fn new(program: &Program) -> Self {
        let references = References::new(program);
        let groups = Groups::new(&references);
        let mut uses: IndexMap<_, Vec<_>> = IndexMap::new();
        for (route, contract) in program.routes.iter_ids() {
            for slot in Slot::ALL {
                if let Some(declaration) = contract.slots.get(slot) {
                    uses.entry(declaration).or_default().push((route, slot));
                }
            }
        }
        let names = program
            .declarations
            .iter()
            .flat_map(|declaration| {
                ["is", "decode", "write"].map(|verb| format!("{verb}{}", declaration.name))
            })
            .collect();
        let mut files: HashMap<_, Vec<_>> = HashMap::new();
        for (id, declaration) in program.declarations.iter_ids() {
            files.entry(declaration.span.source).or_default().push(id);
        }
        let entities = program.entities.iter_ids();
        let declared = program.declarations.iter();
        Self {
            groups,
            uses,
            names: Arc::new(names),
            components: ComponentNames::new(program, &references),
            references,
            files,
            entities: entities.map(|(id, entity)| (entity.declaration, id)).collect(),
            declared: declared.map(|declaration| declaration.name.clone()).collect(),
        }
    }

    /// Whether values of the type can hold values of the same type, so that their depth is not bounded by the type.
    pub(crate) fn is_recursive(&self, declaration: DeclarationId) -> bool {
        self.groups.members(declaration).len() > 1 || self.references.of(declaration).contains(&declaration)
    }

    /// The declarations by what reaches what.
    pub(crate) fn groups(&self) -> &Groups {
        &self.groups
    }

    /// The routes that use a declaration directly, and where.
    pub(crate) fn uses(&self, declaration: DeclarationId) -> &[(RouteId, Slot)] {
        self.uses.get(&declaration).map_or(&[], Vec::as_slice)
    }

    /// The first route that has the declaration in a slot.
    pub(crate) fn first_use(&self, declaration: DeclarationId, slot: Slot) -> Option<RouteId> {
        self.uses(declaration)
            .iter()
            .find(|(_, used)| *used == slot)
            .map(|(route, _)| *route)
    }

    /// Whether the declaration is nothing but the params or query of routes: it is read from text and never written.
    pub(crate) fn is_only_text(&self, program: &Program, declaration: DeclarationId) -> bool {
        program.declarations[declaration].origin == DeclarationOrigin::Slot
            && self
                .uses(declaration)
                .iter()
                .all(|(_, slot)| matches!(slot, Slot::Params | Slot::Query))
    }

    /// The names of OpenAPI components.
    pub(crate) fn components(&self) -> &ComponentNames {
        &self.components
    }

    /// What each declaration refers to.
    pub(crate) fn references(&self) -> &References {
        &self.references
    }

    /// The declarations that are written in a file.
    pub(crate) fn in_file(&self, source: SourceId) -> &[DeclarationId] {
        self.files.get(&source).map_or(&[], Vec::as_slice)
    }

    /// The entity that a declaration is.
    pub(crate) fn entity(&self, declaration: DeclarationId) -> Option<EntityId> {
        self.entities.get(&declaration).copied()
    }

    /// Whether the program has a type of that name.
    pub(crate) fn declares(&self, name: &str) -> bool {
        self.declared.contains(name)
    }

    /// Names of the functions that generated modules export.
    pub(crate) fn generated_names(&self) -> Arc<HashSet<String>> {
        Arc::clone(&self.names)
    }
}

/// The declarations that a type refers to directly, each once, in order.
pub(crate) fn collect_references(program: &Program, id: TypeId, found: &mut Vec<DeclarationId>) {
    match &program.types[id].kind {
        TypeKind::Reference { declaration } => {
            if !found.contains(declaration) {
                found.push(*declaration);
            }
        }
        kind => {
            for child in children(kind) {
                collect_references(program, child, found);
            }
        }
    }
}

/// The types that a type is made of.
pub(crate) fn children(kind: &TypeKind) -> Vec<TypeId> {
    match kind {
        TypeKind::Unknown
        | TypeKind::Never
        | TypeKind::Null
        | TypeKind::Boolean
        | TypeKind::Number
        | TypeKind::String
        | TypeKind::BigInt
        | TypeKind::Date
        | TypeKind::Bytes
        | TypeKind::Literal { .. }
        | TypeKind::Reference { .. } => Vec::new(),
        TypeKind::Template { parts } => parts
            .iter()
            .filter_map(|part| match part {
                kit_ir::TemplatePart::Text(_) => None,
                kit_ir::TemplatePart::Hole(id) => Some(*id),
            })
            .collect(),
        TypeKind::Array { element } => vec![*element],
        TypeKind::Tuple { elements } => elements.iter().map(|element| element.r#type).collect(),
        TypeKind::Object(object) => object
            .properties
            .iter()
            .map(|property| property.r#type)
            .chain(object.index.iter().map(|signature| signature.value))
            .collect(),
        TypeKind::Union { members } => members.clone(),
    }
}

/// A type behind every reference.
pub(crate) fn resolve(program: &Program, id: TypeId) -> TypeId {
    match program.types[id].kind {
        TypeKind::Reference { declaration } => resolve(program, program.declarations[declaration].r#type),
        _ => id,
    }
}

/// The members of a union, unions inside of it taken apart, the most specific one first: a value is read as the first
/// member that it fits, and reading keeps declared properties only, so `{ a, b }` must be tried before `{ a }` and a date
/// before any text.
pub(crate) fn ordered_members(program: &Program, members: &[TypeId]) -> Vec<TypeId> {
    let mut flat = Vec::new();
    flatten(program, members, &mut flat);
    flat.sort_by_key(|id| {
        let (rank, required, declared) = specificity(program, *id);
        (rank, std::cmp::Reverse(required), std::cmp::Reverse(declared))
    });
    flat
}

fn flatten(program: &Program, members: &[TypeId], flat: &mut Vec<TypeId>) {
    for member in members {
        match &program.types[resolve(program, *member)].kind {
            TypeKind::Union { members } if !is_reference(&program.types, *member) => {
                flatten(program, members, flat);
            }
            _ => flat.push(*member),
        }
    }
}

fn is_reference(types: &Arena<TypeId, kit_ir::Type>, id: TypeId) -> bool {
    matches!(types[id].kind, TypeKind::Reference { .. })
}

/// A rank by kind, the number of required properties, the number of all properties.
fn specificity(program: &Program, id: TypeId) -> (u8, usize, usize) {
    let resolved = &program.types[resolve(program, id)];
    let rank = match &resolved.kind {
        TypeKind::Never => 0,
        TypeKind::Null => 1,
        TypeKind::Literal { .. } => 2,
        TypeKind::Boolean => 3,
        TypeKind::Number => 4,
        TypeKind::Template { .. } => 5,
        TypeKind::Date => 6,
        TypeKind::BigInt => 7,
        TypeKind::String if !resolved.constraints.is_empty() => 8,
        TypeKind::Bytes => 9,
        TypeKind::String => 10,
        TypeKind::Tuple { .. } => 11,
        TypeKind::Array { .. } => 12,
        TypeKind::Object(object) => {
            let required = object
                .properties
                .iter()
                .filter(|property| !property.optional)
                .count();
            return (13, required, object.properties.len());
        }
        // A named union: its members are not compared with ours one by one.
        TypeKind::Union { .. } => 14,
        TypeKind::Reference { .. } | TypeKind::Unknown => 15,
    };
    (rank, 0, 0)
}

/// How the object members of a union are told apart: a required property that has other literals in each of them.
pub(crate) struct Discriminant {
    /// The property's name.
    pub(crate) property: String,
    /// The object members with their literals.
    pub(crate) cases: Vec<(TypeId, Vec<LiteralValue>)>,
}

/// The discriminant of a union with two or more object members.
pub(crate) fn discriminant(program: &Program, members: &[TypeId]) -> Option<Discriminant> {
    let mut objects: Vec<(TypeId, &ObjectType)> = Vec::new();
    for id in members {
        match &program.types[resolve(program, *id)].kind {
            TypeKind::Object(object) => objects.push((*id, object)),
            // What a union inside brings is not known by one property.
            TypeKind::Union { .. } | TypeKind::Unknown => return None,
            _ => {}
        }
    }
    let (_, first) = objects.first().filter(|_| objects.len() > 1)?;
    first.properties.iter().find_map(|candidate| {
        let mut cases = Vec::new();
        let mut seen: HashSet<String> = HashSet::new();
        for (id, object) in &objects {
            let property = object.property(&candidate.name)?;
            if property.optional_in_input() {
                return None;
            }
            let literals = literals(program, property.r#type)?;
            for literal in &literals {
                if !seen.insert(format!("{literal:?}")) {
                    return None;
                }
            }
            cases.push((*id, literals));
        }
        Some(Discriminant {
            property: candidate.name.clone(),
            cases,
        })
    })
}

/// The literals of a type that has no other values. A bigint is none: on the wire it has two forms.
pub(crate) fn literals(program: &Program, id: TypeId) -> Option<Vec<LiteralValue>> {
    match &program.types[resolve(program, id)].kind {
        TypeKind::Literal {
            value: LiteralValue::BigInt(_),
        } => None,
        TypeKind::Literal { value } => Some(vec![value.clone()]),
        TypeKind::Union { members } => {
            let members: Option<Vec<_>> = members.iter().map(|member| literals(program, *member)).collect();
            Some(members?.concat())
        }
        _ => None,
    }
}
