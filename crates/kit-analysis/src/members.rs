//! Members of a union, and the kinds of JSON values that they can be.

use std::ops::{BitAnd, BitOr};

use kit_ir::{DeclarationId, LiteralValue, Program, TypeId, TypeKind};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::walk::resolve;

/// A member of a union whose nested unions are flattened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// Type of the member; never a union and never a reference to a union.
    pub r#type: TypeId,
    /// Named unions through which the member belongs to the union, outermost first.
    pub containing_unions: Vec<DeclarationId>,
}

/// Returns the members of a union in the order of declaration. Nested unions are flattened, and members that
/// no value fits ([`is_impossible`]) are removed.
pub fn members(program: &Program, declared: &[TypeId]) -> Vec<Member> {
    let mut found = Vec::new();
    flatten(program, declared, &[], &mut FxHashSet::default(), &mut found);
    found
}

fn flatten(
    program: &Program,
    declared: &[TypeId],
    containing_unions: &[DeclarationId],
    seen: &mut FxHashSet<TypeId>,
    found: &mut Vec<Member>,
) {
    for id in declared {
        let mut entered = containing_unions.to_vec();
        let mut at = *id;
        // A union that is a member of itself adds no members.
        let mut circular = false;
        while let TypeKind::Reference { declaration } = program.types[at].kind {
            circular = entered.contains(&declaration);
            if circular {
                break;
            }
            entered.push(declaration);
            at = program.declarations[declaration].r#type;
        }
        if circular {
            continue;
        }
        if let TypeKind::Union { members } = &program.types[at].kind {
            flatten(program, members, &entered, seen, found);
        } else if seen.insert(*id) && !is_impossible(program, *id) {
            found.push(Member {
                r#type: *id,
                containing_unions: containing_unions.to_vec(),
            });
        }
    }
}

/// Returns true if the members of a union are obvious without a [`UnionPlan`](crate::UnionPlan): no member is a named union, at
/// most one is an array, and at most one is an object. Most unions are of this kind, such as lists of texts, and `T | null`.
///
/// ```
/// use kit_analysis::has_obvious_members;
/// use kit_ir::{Program, TypeKind};
///
/// let mut program = Program::default();
/// let element = program.add_type(TypeKind::String);
/// let (null, list) = (program.add_type(TypeKind::Null), program.add_type(TypeKind::Array { element }));
/// assert!(has_obvious_members(&program, &[null, list]));
/// assert!(!has_obvious_members(&program, &[list, list]));
/// ```
pub fn has_obvious_members(program: &Program, declared: &[TypeId]) -> bool {
    let (mut arrays, mut objects) = (0, 0);
    for id in declared {
        match &program.types[resolve(program, *id)].kind {
            TypeKind::Union { .. } | TypeKind::Reference { .. } => return false,
            TypeKind::Unknown => (arrays, objects) = (arrays + 1, objects + 1),
            TypeKind::Array { .. } | TypeKind::Tuple { .. } => arrays += 1,
            TypeKind::Object(_) => objects += 1,
            _ => {}
        }
    }
    arrays < 2 && objects < 2
}

/// Returns true if no value fits the type: `never`, or an object or a tuple with a required property or
/// element that no value fits.
pub fn is_impossible(program: &Program, id: TypeId) -> bool {
    impossible_within(program, id, &mut FxHashMap::default())
}

fn impossible_within(program: &Program, id: TypeId, known: &mut FxHashMap<DeclarationId, bool>) -> bool {
    match &program.types[id].kind {
        TypeKind::Never => true,
        TypeKind::Object(object) => object
            .properties
            .iter()
            .filter(|property| !property.optional)
            .any(|property| impossible_within(program, property.r#type, known)),
        TypeKind::Tuple { elements } => elements
            .iter()
            .filter(|element| !element.optional && !element.rest)
            .any(|element| impossible_within(program, element.r#type, known)),
        TypeKind::Union { members } => members
            .iter()
            .all(|member| impossible_within(program, *member, known)),
        TypeKind::Reference { declaration } => {
            if let Some(known) = known.get(declaration) {
                return *known;
            }
            // Assumes `false` while the declaration is being checked: a recursive occurrence adds no information.
            known.insert(*declaration, false);
            let found = impossible_within(program, program.declarations[*declaration].r#type, known);
            known.insert(*declaration, found);
            found
        }
        _ => false,
    }
}

/// A set of kinds of JSON values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kinds(u8);

impl Kinds {
    /// Set that contains no kind.
    pub const NONE: Self = Self(0);
    /// `null`.
    pub const NULL: Self = Self(1);
    /// `true` and `false`.
    pub const BOOLEAN: Self = Self(2);
    /// Numbers.
    pub const NUMBER: Self = Self(4);
    /// Strings.
    pub const STRING: Self = Self(8);
    /// Arrays.
    pub const ARRAY: Self = Self(16);
    /// Objects.
    pub const OBJECT: Self = Self(32);
    /// Set of all kinds.
    pub const ALL: Self = Self(63);

    /// Returns true if the two sets have no kind in common.
    pub fn is_disjoint(self, other: Self) -> bool {
        (self & other) == Self::NONE
    }

    /// Returns true if this set contains every kind of the other set.
    pub fn contains(self, other: Self) -> bool {
        (self & other) == other
    }
}

impl BitOr for Kinds {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitAnd for Kinds {
    type Output = Self;

    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

/// Returns the kinds of JSON values that a type has on the wire: for `Date | number`, strings and numbers.
pub fn kinds(program: &Program, id: TypeId) -> Kinds {
    let resolved = resolve(program, id);
    match &program.types[resolved].kind {
        TypeKind::Unknown => Kinds::ALL,
        TypeKind::Never | TypeKind::Reference { .. } => Kinds::NONE,
        TypeKind::Null => Kinds::NULL,
        TypeKind::Boolean => Kinds::BOOLEAN,
        TypeKind::Number => Kinds::NUMBER,
        TypeKind::String | TypeKind::Date | TypeKind::Bytes | TypeKind::Template { .. } => Kinds::STRING,
        TypeKind::BigInt => Kinds::STRING | Kinds::NUMBER,
        TypeKind::Literal { value } => match value {
            LiteralValue::String(_) => Kinds::STRING,
            LiteralValue::Number(_) => Kinds::NUMBER,
            LiteralValue::Boolean(_) => Kinds::BOOLEAN,
            LiteralValue::BigInt(_) => Kinds::STRING | Kinds::NUMBER,
        },
        TypeKind::Array { .. } | TypeKind::Tuple { .. } => Kinds::ARRAY,
        TypeKind::Object(_) => Kinds::OBJECT,
        TypeKind::Union { members: declared } => members(program, declared)
            .iter()
            .map(|member| kinds(program, member.r#type))
            .fold(Kinds::NONE, BitOr::bitor),
    }
}
