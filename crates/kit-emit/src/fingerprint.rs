//! What an artifact is made of, as a number: equal numbers mean that it need not be made again.
//!
//! A declaration's fingerprint covers all that its modules can say: its own type, and the types that it reaches, since
//! emitters look through references (to order the members of a union, say). It leaves out where things stand in the
//! arenas and in the sources, so that a line more at the top of a file changes nothing below.

use std::hash::{DefaultHasher, Hash, Hasher};

use kit_ir::{
    Declaration, DeclarationId, IndexKey, IndexSignature, ObjectType, Program, Property, TemplatePart,
    TupleElement, Type, TypeId, TypeKind,
};
use rustc_hash::FxHashMap;

use crate::analysis::Analysis;
use crate::types::origin;

/// A hash that is the same for the same content within one process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Fingerprint(u64);

/// The fingerprint of anything that can be hashed.
pub(crate) fn fingerprint(content: impl Hash) -> Fingerprint {
    let mut hasher = DefaultHasher::new();
    content.hash(&mut hasher);
    Fingerprint(hasher.finish())
}

/// The fingerprints of a program.
pub(crate) struct Fingerprints {
    declarations: Vec<Fingerprint>,
    /// All names of the program: a generated module keeps clear of them, whether it refers to them or not.
    pub(crate) names: Fingerprint,
}

impl Fingerprints {
    pub(crate) fn new(program: &Program, analysis: &Analysis) -> Self {
        let ids: Vec<DeclarationId> = program.declarations.iter_ids().map(|(id, _)| id).collect();
        let own = kit_parallel::map(&ids, |id| own(program, *id));
        let groups = analysis.groups();
        let mut reached: Vec<Fingerprint> = Vec::with_capacity(groups.len());
        // A group comes after the groups that it refers to.
        for group in groups.iter() {
            let mut hasher = DefaultHasher::new();
            for id in group {
                own[usize::from(*id)].hash(&mut hasher);
                for target in analysis.references().of(*id) {
                    // References inside of the group are in the members' own fingerprints, by name.
                    let target = groups.of(*target);
                    reached.get(target).hash(&mut hasher);
                }
            }
            reached.push(Fingerprint(hasher.finish()));
        }
        let deep = |id: &DeclarationId| fingerprint((own[usize::from(*id)], reached[groups.of(*id)]));
        let mut names: Vec<&str> = program
            .declarations
            .iter()
            .map(|declaration| declaration.name.as_str())
            .collect();
        names.sort_unstable();
        Self {
            declarations: ids.iter().map(deep).collect(),
            names: fingerprint(names),
        }
    }

    /// Of a declaration with all that it reaches.
    pub(crate) fn of(&self, declaration: DeclarationId) -> Fingerprint {
        self.declarations[usize::from(declaration)]
    }
}

/// Of a declaration alone; what it refers to counts by name.
fn own(program: &Program, id: DeclarationId) -> Fingerprint {
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
        hasher: DefaultHasher::new(),
    };
    (name, kind, documentation, origin(program, declaration)).hash(&mut walk.hasher);
    walk.r#type(*r#type);
    Fingerprint(walk.hasher.finish())
}

struct Walk<'a> {
    program: &'a Program,
    /// Types that were met, by their number: a module has one function for a type, however often it occurs.
    seen: FxHashMap<TypeId, usize>,
    hasher: DefaultHasher,
}

impl Walk<'_> {
    fn r#type(&mut self, id: TypeId) {
        let number = self.seen.len();
        if let Some(earlier) = self.seen.get(&id) {
            return (true, earlier).hash(&mut self.hasher);
        }
        self.seen.insert(id, number);
        let Type { kind, constraints } = &self.program.types[id];
        (false, std::mem::discriminant(kind), constraints).hash(&mut self.hasher);
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
                TemplatePart::Hole(id) => self.r#type(*id),
            }
        }
    }
}
