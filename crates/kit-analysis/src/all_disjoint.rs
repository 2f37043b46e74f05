//! Proof that no JSON value fits two of many types, with the plan of their union.

use kit_ir::{Program, TypeId};

use crate::disjoint::pairs_disjoint;
use crate::members::{Kinds, kinds};
use crate::plan::{Decision, UnionPlan};

/// Returns true if certainly no JSON value fits two of the types. Returns false if a value fits two of the types, or
/// if the comparison cannot decide. All pairs share one limit of comparisons, so that large unions do not take too
/// long.
pub fn all_disjoint(program: &Program, types: &[TypeId]) -> bool {
    // If properties distinguish the members, their types need not be compared in pairs.
    let plan = UnionPlan::new(program, types);
    let is_flat = plan.members.iter().map(|member| &member.r#type).eq(types);
    // Values of an `unknown` are scalars, arrays and objects.
    let is_of_one_kind = |id: &TypeId| {
        let kinds = kinds(program, *id);
        [Kinds::ARRAY, Kinds::OBJECT]
            .iter()
            .all(|kind| kinds.is_disjoint(*kind) || kind.contains(kinds))
    };
    let is_told =
        is_flat && is_told(&plan.arrays) && is_told(&plan.objects) && types.iter().all(is_of_one_kind);
    if is_told {
        let scalars: Vec<TypeId> = plan.scalars.iter().map(|member| types[*member]).collect();
        return pairs_disjoint(program, &scalars);
    }
    pairs_disjoint(program, types)
}

/// Returns true if a decision selects at most one member for each value.
fn is_told(decision: &Decision) -> bool {
    match decision {
        Decision::NoMember | Decision::Member(_) => true,
        Decision::Candidates(candidates) => candidates.disjoint,
        Decision::Switch(switch) => {
            switch.cases.iter().all(|case| is_told(&case.decision)) && is_told(&switch.otherwise)
        }
    }
}
