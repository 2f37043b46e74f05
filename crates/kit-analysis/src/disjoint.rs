//! Whether no value fits two types.

use kit_ir::{LiteralValue, ObjectType, Program, TypeId, TypeKind};
use serde_json::Value;

use crate::members::{Kinds, is_impossible, kinds, members};
use crate::plan::{Decision, UnionPlan};
use crate::value::{Fit, fit, literal_value};
use crate::walk::resolve;

/// Whether it is sure that no wire value fits both types. A `false` says nothing.
pub fn disjoint(program: &Program, a: TypeId, b: TypeId) -> bool {
    disjoint_within(program, a, b, &mut { MAX_COMPARISONS })
}

/// Returns true if no two of some types have a value in common; `false` means that this is not known. The comparisons of all pairs together are
/// bounded, so that a union of many members is judged in bounded time.
pub fn all_disjoint(program: &Program, types: &[TypeId]) -> bool {
    // Members that properties tell apart need no comparison of each pair.
    let plan = UnionPlan::new(program, types);
    let is_flat = plan.members.iter().map(|member| &member.r#type).eq(types);
    // Values of an `unknown` are scalars, arrays and objects.
    let is_of_one_kind = |id: &TypeId| {
        let kinds = kinds(program, *id);
        [Kinds::ARRAY, Kinds::OBJECT]
            .iter()
            .all(|kind| kinds.are_apart(*kind) || kind.contains(kinds))
    };
    let is_told =
        is_flat && is_told(&plan.arrays) && is_told(&plan.objects) && types.iter().all(is_of_one_kind);
    if is_told {
        let scalars: Vec<TypeId> = plan.scalars.iter().map(|member| types[*member]).collect();
        return pairs_disjoint(program, &scalars);
    }
    pairs_disjoint(program, types)
}

/// Returns true if a decision leaves at most one member for each value.
fn is_told(decision: &Decision) -> bool {
    match decision {
        Decision::Never | Decision::Member(_) => true,
        Decision::Candidates(candidates) => candidates.disjoint,
        Decision::Switch(switch) => {
            switch.cases.iter().all(|case| is_told(&case.decision)) && is_told(&switch.otherwise)
        }
    }
}

/// The same by comparing each pair.
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
    /// Pairs of types that are being compared: meeting one again proves nothing.
    entered: Vec<(TypeId, TypeId)>,
    /// How many comparisons are left.
    left: usize,
}

/// More comparisons than this are not made for one pair: types that refer to each other have many pairs.
const MAX_COMPARISONS: usize = 2_000;

/// More comparisons than this are not made for one union.
const MAX_COMPARISONS_OF_UNION: usize = 2_000_000;

/// More pairs of types inside of each other than this are not compared.
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
        if kinds(program, a).are_apart(kinds(program, b)) {
            return true;
        }
        self.entered.push((a, b));
        let found = self.apart(a, b);
        self.entered.pop();
        found
    }

    fn apart(&mut self, a: TypeId, b: TypeId) -> bool {
        let program = self.program;
        let (left, right) = (&program.types[a], &program.types[b]);
        match (&left.kind, &right.kind) {
            (TypeKind::Union { members: declared }, _) => members(program, declared)
                .iter()
                .all(|member| self.disjoint(member.r#type, b)),
            (_, TypeKind::Union { .. }) => self.apart(b, a),
            (TypeKind::Object(left), TypeKind::Object(right)) => {
                self.objects(left, right) || self.objects(right, left)
            }
            (
                TypeKind::Array { .. } | TypeKind::Tuple { .. },
                TypeKind::Array { .. } | TypeKind::Tuple { .. },
            ) => self.arrays(a, b),
            (TypeKind::Literal { value }, _) => literals_outside(program, value, b),
            (_, TypeKind::Literal { value }) => literals_outside(program, value, a),
            // Digits are no date.
            (TypeKind::BigInt, TypeKind::Date) | (TypeKind::Date, TypeKind::BigInt) => true,
            _ => false,
        }
    }

    /// A property that one requires and the other declares, of types that no value has in common.
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
        // Items that any array of both has.
        (0..usize::try_from(least).unwrap_or(0).min(MAX_LEVELS)).any(|position| {
            match (left.at(position), right.at(position)) {
                (Some(a), Some(b)) => self.disjoint(a, b),
                _ => false,
            }
        })
    }
}

/// What is known of the items of an array type.
struct Items {
    /// Types of the first ones.
    first: Vec<TypeId>,
    /// The type of every one behind them; nothing where that depends on the length.
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
        // A bigint has two forms on the wire, the number only where it is exact.
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
