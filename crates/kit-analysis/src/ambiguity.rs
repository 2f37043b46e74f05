//! Unions whose members cannot be told apart.

use kit_ir::{Program, Span, TypeId, TypeKind};
use rustc_hash::FxHashSet;
use serde_json::Value;

use crate::plan::{Decision, UnionPlan};
use crate::specificity::is_scalar;
use crate::value::{Read, example, read};
use crate::walk::children;

/// More pairs of members than this are not compared in one union.
const MAX_PAIRS: usize = 500;

/// A union, and a value that fits two of its members and is something else as each of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Ambiguity {
    /// The union.
    pub r#type: TypeId,
    /// The member that the value is read as.
    pub read_as: TypeId,
    /// The other one.
    pub other: TypeId,
    /// The value: wire form, fits both.
    pub witness: Value,
    /// What is ambiguous.
    pub outcome: Outcome,
    /// The property or declaration that holds the union.
    pub span: Span,
}

/// What differs with the member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Each member drops keys that the other keeps.
    Dropped,
    /// Both keep the same, but as values of other types: a `Date` or its text.
    Converted,
}

/// The ambiguous unions of a program, each place once, in the order of declaration.
///
/// A union in which one member keeps all that the other keeps is not ambiguous: the value is read as that one.
pub fn ambiguities(program: &Program) -> Vec<Ambiguity> {
    let mut finder = Finder {
        program,
        found: Vec::new(),
        seen: FxHashSet::default(),
        places: FxHashSet::default(),
    };
    for declaration in &program.declarations {
        finder.visit(declaration.r#type, declaration.span);
    }
    finder.found
}

struct Finder<'a> {
    program: &'a Program,
    found: Vec<Ambiguity>,
    seen: FxHashSet<TypeId>,
    /// Instances of one generic type have their properties at one place.
    places: FxHashSet<Span>,
}

impl Finder<'_> {
    fn visit(&mut self, id: TypeId, span: Span) {
        if !self.seen.insert(id) {
            return;
        }
        let kind = &self.program.types[id].kind;
        if let TypeKind::Union { members } = kind
            && !self.places.contains(&span)
            && let Some(found) = ambiguity(self.program, id, members, span)
        {
            self.places.insert(span);
            self.found.push(found);
        }
        if let TypeKind::Object(object) = kind {
            for property in &object.properties {
                self.visit(property.r#type, property.span);
            }
            for signature in &object.index {
                self.visit(signature.value, span);
            }
        } else {
            for child in children(kind) {
                self.visit(child, span);
            }
        }
    }
}

fn ambiguity(program: &Program, id: TypeId, declared: &[TypeId], span: Span) -> Option<Ambiguity> {
    let plan = UnionPlan::new(program, declared);
    pairs(program, &plan)
        .into_iter()
        .take(MAX_PAIRS)
        .find_map(|(a, b)| {
            let (a, b) = (plan.members[a].r#type, plan.members[b].r#type);
            // The smallest value that shows it is the clearest.
            [false, true].into_iter().find_map(|full| {
                let witness = example(program, &[a, b], full)?;
                let (as_a, as_b) = (read(program, a, &witness)?, read(program, b, &witness)?);
                let outcome = difference(&as_a, &as_b)?;
                let chosen = read(program, id, &witness)?;
                let (read_as, other) = if chosen == as_b { (b, a) } else { (a, b) };
                Some(Ambiguity {
                    r#type: id,
                    read_as,
                    other,
                    witness,
                    outcome,
                    span,
                })
            })
        })
}

/// Members that the plan does not tell apart.
fn pairs(program: &Program, plan: &UnionPlan) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let scalars: Vec<_> = plan
        .scalars
        .iter()
        .copied()
        .filter(|index| is_scalar(program, plan.members[*index].r#type))
        .collect();
    let converts = |index: usize| {
        let id = crate::resolve(program, plan.members[index].r#type);
        matches!(
            program.types[id].kind,
            TypeKind::Date | TypeKind::Bytes | TypeKind::BigInt
        )
    };
    for (at, a) in scalars.iter().enumerate() {
        for b in &scalars[at + 1..] {
            if converts(*a) || converts(*b) {
                found.push((*a, *b));
            }
        }
    }
    candidates(&plan.arrays, &mut found);
    candidates(&plan.objects, &mut found);
    found
}

fn candidates(decision: &Decision, found: &mut Vec<(usize, usize)>) {
    match decision {
        Decision::Never | Decision::Member(_) => {}
        Decision::Candidates(candidates) => {
            if candidates.disjoint {
                return;
            }
            for (at, a) in candidates.members.iter().enumerate() {
                found.extend(candidates.members[at + 1..].iter().map(|b| (*a, *b)));
            }
        }
        Decision::Switch(switch) => {
            for case in &switch.cases {
                candidates(&case.decision, found);
            }
            candidates(&switch.otherwise, found);
        }
    }
}

fn difference(a: &Read, b: &Read) -> Option<Outcome> {
    match (a.keeps_more_than(b), b.keeps_more_than(a)) {
        (true, true) => Some(Outcome::Dropped),
        // One keeps all that the other keeps, and more: the rule chooses it.
        (true, false) | (false, true) => None,
        (false, false) => (a != b).then_some(Outcome::Converted),
    }
}
