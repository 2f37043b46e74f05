//! Order of the types of a program, and types that several declarations share.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use kit_ir::{DeclarationId, Program, Type, TypeId, TypeKind};
use rustc_hash::{FxHashMap, FxHasher};

use super::each::each_inner_type;

/// Sorts the types by the declarations that contain them, and removes types that no declaration contains. Equal object types
/// from the same source code become one type. The ids of the types then depend only on the declarations, and not on the order
/// of the evaluation.
pub(crate) fn sort_types(program: &mut Program) {
    let count = program.types.len();
    let types = std::mem::take(&mut program.types).into_shared();
    let mut sorted = Sorted {
        types: types.into_iter().map(Some).collect(),
        placed: vec![None; count],
        new: Vec::with_capacity(count),
        hashes: Vec::with_capacity(count),
        objects: FxHashMap::default(),
    };
    for index in 0..program.declarations.len() {
        let declaration = &mut program.declarations[DeclarationId::from(index)];
        declaration.r#type = sorted.place(declaration.r#type);
    }
    program.types = sorted.new.into_iter().collect();
}

struct Sorted {
    /// Types of the program. The entry of a type that has its place is `None`.
    types: Vec<Option<Arc<Type>>>,
    /// For each type, its new id.
    placed: Vec<Option<TypeId>>,
    new: Vec<Arc<Type>>,
    /// For each new type, a hash of its structure.
    hashes: Vec<u64>,
    /// Object types by their hashes.
    objects: FxHashMap<u64, Vec<TypeId>>,
}

impl Sorted {
    /// Returns the new id of a type.
    fn place(&mut self, id: TypeId) -> TypeId {
        if let Some(known) = self.placed[usize::from(id)] {
            return self.again(known);
        }
        let start = self.new.len();
        let shared = self.types[usize::from(id)].take();
        let mut shared = shared.unwrap_or_else(|| Arc::new(Type::from(TypeKind::Unknown)));
        let r#type = Arc::make_mut(&mut shared);
        each_inner_type(&mut r#type.kind, &mut |inner| *inner = self.place(*inner));
        let hash = self.hash(r#type);
        let is_object = matches!(r#type.kind, TypeKind::Object(_));
        if is_object {
            let equal = self.objects.get(&hash).into_iter().flatten();
            let equal = equal
                .copied()
                .find(|other| self.are_equal(r#type, &self.new[usize::from(*other)]));
            if let Some(equal) = equal {
                // The types inside are copies of those inside the equal type.
                self.new.truncate(start);
                self.hashes.truncate(start);
                self.placed[usize::from(id)] = Some(equal);
                return equal;
            }
        }
        let new = self.push(shared, hash);
        if is_object {
            self.objects.entry(hash).or_default().push(new);
        }
        self.placed[usize::from(id)] = Some(new);
        new
    }

    fn push(&mut self, r#type: Arc<Type>, hash: u64) -> TypeId {
        let id = TypeId::from(self.new.len());
        self.new.push(r#type);
        self.hashes.push(hash);
        id
    }

    /// Returns the id for another use of a type. Only object types are shared.
    fn again(&mut self, known: TypeId) -> TypeId {
        let shared = &self.new[usize::from(known)];
        if matches!(shared.kind, TypeKind::Object(_)) {
            return known;
        }
        let mut copy = Type::clone(shared);
        each_inner_type(&mut copy.kind, &mut |inner| *inner = self.again(*inner));
        self.push(Arc::new(copy), self.hashes[usize::from(known)])
    }

    /// Returns a hash of the structure of a type whose inner types have their places. Equal types have equal hashes.
    fn hash(&self, r#type: &mut Type) -> u64 {
        let mut hasher = FxHasher::default();
        std::mem::discriminant(&r#type.kind).hash(&mut hasher);
        match &r#type.kind {
            TypeKind::Reference { declaration } => declaration.hash(&mut hasher),
            TypeKind::Object(object) => {
                for property in &object.properties {
                    (property.span.source, property.span.start, property.name.len()).hash(&mut hasher);
                }
            }
            _ => {}
        }
        each_inner_type(&mut r#type.kind, &mut |inner| {
            self.hashes[usize::from(*inner)].hash(&mut hasher);
        });
        hasher.finish()
    }

    /// Returns true if two types are equal, apart from the ids of inner types that are not objects.
    fn are_equal(&self, a: &Type, b: &Type) -> bool {
        let without_inner = |of: &Type| {
            let (mut of, mut inner) = (of.clone(), Vec::new());
            each_inner_type(&mut of.kind, &mut |id| {
                inner.push(*id);
                *id = TypeId(0);
            });
            (of, inner)
        };
        let ((a, inside_a), (b, inside_b)) = (without_inner(a), without_inner(b));
        let is_same = |(a, b): (&TypeId, &TypeId)| {
            let (one, other) = (&self.new[usize::from(*a)], &self.new[usize::from(*b)]);
            a == b || (!matches!(one.kind, TypeKind::Object(_)) && self.are_equal(one, other))
        };
        a == b && inside_a.len() == inside_b.len() && inside_a.iter().zip(&inside_b).all(is_same)
    }
}
