//! Proof that no JSON value fits two types.

use kit_ir::{LiteralValue, ObjectType, Program, TypeId, TypeKind};
use serde_json::Value;

use crate::members::{is_impossible, kinds, members};
use crate::value::{Fit, fit, literal_value};
use crate::walk::resolve;

/// Returns true if certainly no JSON value fits the two types. Returns false if a value fits both types, or if the
/// comparison cannot decide.
///
/// ```
/// use kit_ir::{Program, TypeKind};
///
/// let mut program = Program::default();
/// let (text, number) = (program.add_type(TypeKind::String), program.add_type(TypeKind::Number));
/// assert!(kit_analysis::disjoint(&program, text, number));
/// ```
pub fn disjoint(program: &Program, a: TypeId, b: TypeId) -> bool {
    disjoint_within(program, a, b, &mut { MAX_COMPARISONS })
}

/// Returns true if certainly no JSON value fits two of the types. Compares each pair of types.
pub(crate) fn pairs_disjoint(program: &Program, types: &[TypeId]) -> bool {
    let mut left = MAX_COMPARISONS_OF_UNION;
    types.iter().enumerate().all(|(at, a)| {
        types[at + 1..]
            .iter()
            .all(|b| disjoint_within(program, *a, *b, &mut left))
    })
}

fn disjoint_within(program: &Program, a: TypeId, b: TypeId, left: &mut usize) -> bool {
    let most = MAX_COMPARISONS.min(*left);
    let mut search = Search {
        program,
        entered: Vec::new(),
        left: most,
    };
    let found = search.disjoint(a, b);
    *left -= most - search.left;
    found
}

struct Search<'a> {
    program: &'a Program,
    /// Pairs of types that are being compared. If a comparison meets one of these pairs again, the pair
    /// counts as not disjoint.
    entered: Vec<(TypeId, TypeId)>,
    /// Number of comparisons that may still be made.
    left: usize,
}

/// Maximum number of comparisons for one pair: types that refer to each other have many nested pairs.
const MAX_COMPARISONS: usize = 2_000;

/// Maximum number of comparisons for one union.
const MAX_COMPARISONS_OF_UNION: usize = 2_000_000;

/// Maximum depth of nested pairs of types.
const MAX_LEVELS: usize = 16;

impl Search<'_> {
    fn disjoint(&mut self, a: TypeId, b: TypeId) -> bool {
        let program = self.program;
        let (a, b) = (resolve(program, a), resolve(program, b));
        if a == b || self.left == 0 || self.entered.len() >= MAX_LEVELS || self.entered.contains(&(a, b)) {
            return false;
        }
        self.left -= 1;
        if is_impossible(program, a) || is_impossible(program, b) {
            return true;
        }
        if kinds(program, a).is_disjoint(kinds(program, b)) {
            return true;
        }
        self.entered.push((a, b));
        let found = self.disjoint_kinds(a, b);
        self.entered.pop();
        found
    }

    fn disjoint_kinds(&mut self, a: TypeId, b: TypeId) -> bool {
        let program = self.program;
        let (left, right) = (&program.types[a], &program.types[b]);
        match (&left.kind, &right.kind) {
            (TypeKind::Union { members: declared }, _) => members(program, declared)
                .iter()
                .all(|member| self.disjoint(member.r#type, b)),
            (_, TypeKind::Union { .. }) => self.disjoint_kinds(b, a),
            (TypeKind::Object(left), TypeKind::Object(right)) => {
                self.objects(left, right) || self.objects(right, left)
            }
            (
                TypeKind::Array { .. } | TypeKind::Tuple { .. },
                TypeKind::Array { .. } | TypeKind::Tuple { .. },
            ) => self.arrays(a, b),
            (TypeKind::Literal { value }, _) => literals_outside(program, value, b),
            (_, TypeKind::Literal { value }) => literals_outside(program, value, a),
            // Digits are never a valid date.
            (TypeKind::BigInt, TypeKind::Date) | (TypeKind::Date, TypeKind::BigInt) => true,
            _ => false,
        }
    }

    /// Returns true if no value fits two objects, because a required property of `requires` and the same
    /// property in `other` have types without a common value.
    fn objects(&mut self, requires: &ObjectType, other: &ObjectType) -> bool {
        requires
            .properties
            .iter()
            .filter(|property| !property.optional_in_input())
            .any(|property| {
                let declared = other.property(&property.name).map(|found| found.r#type);
                let found =
                    declared.or_else(|| other.string_index().filter(|_| property.name != "__proto__"));
                found.is_some_and(|found| self.disjoint(property.r#type, found))
            })
    }

    fn arrays(&mut self, a: TypeId, b: TypeId) -> bool {
        let (left, right) = (Items::of(self.program, a), Items::of(self.program, b));
        let (Some(left), Some(right)) = (left, right) else {
            return false;
        };
        let least = left.least.max(right.least);
        if left.most.is_some_and(|most| most < least) || right.most.is_some_and(|most| most < least) {
            return true;
        }
        // Compares items at positions that every array of both types has.
        (0..usize::try_from(least).unwrap_or(0).min(MAX_LEVELS)).any(|position| {
            match (left.at(position), right.at(position)) {
                (Some(a), Some(b)) => self.disjoint(a, b),
                _ => false,
            }
        })
    }
}

/// Types of the items of an array, and the possible numbers of items.
struct Items {
    /// Types of the items at the start of the array, by position.
    first: Vec<TypeId>,
    /// Type of the items after the items in `first`; `None` if this type depends on the length of the array.
    others: Option<TypeId>,
    least: u64,
    most: Option<u64>,
}

impl Items {
    fn of(program: &Program, id: TypeId) -> Option<Self> {
        let r#type = &program.types[id];
        match &r#type.kind {
            TypeKind::Array { element } => Some(Self {
                first: Vec::new(),
                others: Some(*element),
                least: r#type.constraints.min_items.unwrap_or(0),
                most: r#type.constraints.max_items,
            }),
            TypeKind::Tuple { elements } => {
                let rest = elements.iter().position(|element| element.rest);
                let least = elements
                    .iter()
                    .filter(|element| !element.optional && !element.rest)
                    .count();
                let first = &elements[..rest.unwrap_or(elements.len())];
                Some(Self {
                    first: first.iter().map(|element| element.r#type).collect(),
                    others: rest
                        .filter(|rest| rest + 1 == elements.len())
                        .map(|rest| elements[rest].r#type),
                    least: least as u64,
                    most: rest.is_none().then_some(elements.len() as u64),
                })
            }
            _ => None,
        }
    }

    fn at(&self, position: usize) -> Option<TypeId> {
        self.first.get(position).copied().or(self.others)
    }
}

fn literals_outside(program: &Program, value: &LiteralValue, other: TypeId) -> bool {
    let forms = match value {
        // A bigint has two forms on the wire: a string, and a number if the number is exact.
        LiteralValue::BigInt(digits) => {
            let number = digits.parse::<i64>().ok().map(Value::from);
            [Some(Value::from(digits.as_str())), number]
                .into_iter()
                .flatten()
                .collect()
        }
        value => vec![literal_value(value)],
    };
    forms.iter().all(|form| fit(program, other, form) == Fit::No)
}
