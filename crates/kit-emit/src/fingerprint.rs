//! Fingerprints of the inputs of artifacts: as long as a fingerprint is equal, the artifact need not be generated again.
//!
//! A declaration's fingerprint covers everything that can affect its modules: its own type and all types that it refers to
//! directly or indirectly, because emitters follow references, for example to order the members of a union. It does not cover
//! arena ids and locations in source files, so a new line at the top of a file changes no fingerprint.

use std::hash::{BuildHasher as _, Hash, Hasher};

use foldhash::quality::{FixedState, FoldHasher};
use kit_ir::{
    Declaration, DeclarationId, IndexKey, IndexSignature, ObjectType, Program, Property, TemplatePart,
    TupleElement, Type, TypeId, TypeKind,
};
use rustc_hash::FxHashMap;

use crate::groups::Groups;
use crate::origin::origin;
use crate::references::References;

/// Hash that is equal for equal content within one process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Fingerprint(u64);

/// Returns the fingerprint of any hashable value.
pub(crate) fn fingerprint(content: impl Hash) -> Fingerprint {
    Fingerprint(STATE.hash_one(content))
}

/// Fixed seed, so that the same content has the same fingerprint in each build of a process.
static STATE: FixedState = FixedState::with_seed(0);

/// Fingerprints of a program.
pub(crate) struct Fingerprints {
    /// Fingerprints of the declarations themselves, see [`own_fingerprints`].
    own: Vec<Fingerprint>,
    declarations: Vec<Fingerprint>,
    /// Fingerprint of the names of all types. Each generated module depends on it, because its private names must differ from
    /// the names of all types.
    pub(crate) names: Fingerprint,
}

impl Fingerprints {
    /// Creates the fingerprints from those of the declarations themselves, by declaration.
    pub(crate) fn new(
        program: &Program,
        own: Vec<Fingerprint>,
        groups: &Groups,
        references: &References,
    ) -> Self {
        let mut reached: Vec<Fingerprint> = Vec::with_capacity(groups.len());
        // Each group comes after the groups that it refers to, so their fingerprints are already known.
        for group in groups.iter() {
            let mut hasher = STATE.build_hasher();
            for id in group {
                own[usize::from(*id)].hash(&mut hasher);
                for target in references.of(*id) {
                    // The fingerprint of each declaration already contains the names of its references, so references within
                    // the group need nothing more.
                    let target = groups.index_of(*target);
                    reached.get(target).hash(&mut hasher);
                }
            }
            reached.push(Fingerprint(hasher.finish()));
        }
        let deep = |id: &DeclarationId| fingerprint((own[usize::from(*id)], reached[groups.index_of(*id)]));
        let mut names: Vec<&str> = program
            .declarations
            .iter()
            .map(|declaration| declaration.name.as_str())
            .collect();
        names.sort_unstable();
        Self {
            declarations: program.declarations.iter_ids().map(|(id, _)| deep(&id)).collect(),
            own,
            names: fingerprint(names),
        }
    }

    /// Returns the fingerprints of the declarations themselves.
    pub(crate) fn own(&self) -> &[Fingerprint] {
        &self.own
    }

    /// Returns the fingerprint of a declaration and all declarations that it refers to directly or indirectly.
    pub(crate) fn of(&self, declaration: DeclarationId) -> Fingerprint {
        self.declarations[usize::from(declaration)]
    }
}

/// Returns the fingerprints of declarations themselves, in the order of `ids`.
pub(crate) fn own_fingerprints(program: &Program, ids: &[DeclarationId]) -> Vec<Fingerprint> {
    kit_parallel::map(ids, |id| declaration_fingerprint(program, *id))
}

/// Returns the fingerprint of a declaration itself. Of the declarations to which it refers, only the names
/// count.
fn declaration_fingerprint(program: &Program, id: DeclarationId) -> Fingerprint {
    let declaration = &program.declarations[id];
    let Declaration {
        name,
        r#type,
        origin: kind,
        documentation,
        span: _,
    } = declaration;
    let mut walk = Walk {
        program,
        seen: FxHashMap::default(),
        hasher: STATE.build_hasher(),
    };
    (name, kind, documentation, origin(program, declaration)).hash(&mut walk.hasher);
    walk.r#type(*r#type);
    Fingerprint(walk.hasher.finish())
}

struct Walk<'a> {
    program: &'a Program,
    /// Visited types, each with a number. A type that occurs twice must have another fingerprint than two
    /// equal types, because a module has one function per type.
    seen: FxHashMap<TypeId, usize>,
    hasher: FoldHasher<'static>,
}

impl Walk<'_> {
    fn r#type(&mut self, id: TypeId) {
        let number = self.seen.len();
        if let Some(earlier) = self.seen.get(&id) {
            return (true, earlier).hash(&mut self.hasher);
        }
        self.seen.insert(id, number);
        let Type {
            kind,
            constraints,
            calls_to_json,
        } = &self.program.types[id];
        (false, std::mem::discriminant(kind), constraints, calls_to_json).hash(&mut self.hasher);
        match kind {
            TypeKind::Unknown
            | TypeKind::Never
            | TypeKind::Null
            | TypeKind::Boolean
            | TypeKind::Number
            | TypeKind::String
            | TypeKind::BigInt
            | TypeKind::Date
            | TypeKind::Bytes => {}
            TypeKind::Literal { value } => value.hash(&mut self.hasher),
            TypeKind::Template { parts } => self.template(parts),
            TypeKind::Array { element } => self.r#type(*element),
            TypeKind::Tuple { elements } => {
                elements.len().hash(&mut self.hasher);
                for element in elements {
                    let TupleElement {
                        r#type,
                        optional,
                        rest,
                        label,
                    } = element;
                    (optional, rest, label).hash(&mut self.hasher);
                    self.r#type(*r#type);
                }
            }
            TypeKind::Object(object) => self.object(object),
            TypeKind::Union { members } => {
                members.len().hash(&mut self.hasher);
                for member in members {
                    self.r#type(*member);
                }
            }
            TypeKind::Reference { declaration } => {
                self.program.declarations[*declaration]
                    .name
                    .hash(&mut self.hasher);
            }
        }
    }

    fn object(&mut self, ObjectType { properties, index }: &ObjectType) {
        (properties.len(), index.len()).hash(&mut self.hasher);
        for property in properties {
            let Property {
                name,
                r#type,
                optional,
                documentation,
                tags,
                span: _,
            } = property;
            (name, optional, documentation, tags).hash(&mut self.hasher);
            self.r#type(*r#type);
        }
        for IndexSignature { key, rules, value } in index {
            std::mem::discriminant(key).hash(&mut self.hasher);
            rules.hash(&mut self.hasher);
            match key {
                IndexKey::String | IndexKey::Number => {}
                IndexKey::Template { parts } => self.template(parts),
            }
            self.r#type(*value);
        }
    }

    fn template(&mut self, parts: &[TemplatePart]) {
        parts.len().hash(&mut self.hasher);
        for part in parts {
            std::mem::discriminant(part).hash(&mut self.hasher);
            match part {
                TemplatePart::Text(text) => text.hash(&mut self.hasher),
                TemplatePart::Placeholder(id) => self.r#type(*id),
            }
        }
    }
}
