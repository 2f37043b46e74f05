//! Search for ambiguous unions: a value fits two members, and the handler would get a different value from
//! each member.

use kit_ir::{DeclarationId, Program, Span, Type, TypeId, TypeKind};
use rustc_hash::FxHashSet;
use serde_json::Value;

use crate::members::has_obvious_members;
use crate::plan::{Decision, UnionPlan};
use crate::specificity::is_scalar;
use crate::value::{DecodedValue, example, read};
use crate::walk::{children, each_child, resolve};

/// Maximum number of pairs of members that are compared in one union.
const MAX_PAIRS: usize = 500;

/// An ambiguous union, with a value that two of its members accept and decode to different results.
#[derive(Debug, Clone, PartialEq)]
pub struct Ambiguity {
    /// The ambiguous union.
    pub r#type: TypeId,
    /// Member that kit chooses for the value.
    pub read_as: TypeId,
    /// Other member that the value fits too.
    pub other: TypeId,
    /// JSON value that fits both members.
    pub witness: Value,
    /// Difference between the results of the two members.
    pub outcome: Outcome,
    /// Location of the property or the declaration that contains the union.
    pub span: Span,
}

/// Difference between the results if the same value is decoded as one union member and then as another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Each member drops keys that the other member keeps, because its type does not have them.
    Dropped,
    /// Both members accept the same keys but convert values differently: one member gives a `Date`, the other
    /// gives the string.
    Converted,
}

/// Returns the ambiguous unions of a program in the order of declaration, at most one for each location.
///
/// A union is not ambiguous if one member accepts more keys than the other, and all keys of the other: kit
/// chooses the member with more keys.
pub fn ambiguities(program: &Program) -> Vec<Ambiguity> {
    AmbiguitySearch::default().ambiguities(program)
}

/// Search for ambiguous unions in several builds. Most edits change no union, and a search in all types of a large program
/// takes longer than the rest of the analysis.
#[derive(Debug, Default)]
pub struct AmbiguitySearch {
    /// Program of the last search.
    last: Box<Program>,
    /// Unions of this program that can be ambiguous, in the order of declaration.
    unions: Vec<(TypeId, Place)>,
}

/// Place of a union, which has a location.
#[derive(Debug, Clone, Copy)]
enum Place {
    Declaration(DeclarationId),
    /// A property of an object, by its index.
    Property(TypeId, usize),
}

impl AmbiguitySearch {
    /// Returns the same unions as [`ambiguities`].
    pub fn ambiguities(&mut self, program: &Program) -> Vec<Ambiguity> {
        if !has_same_structure(&self.last, program) {
            self.unions = unions(program);
        }
        *self.last = program.clone();
        let mut found = Vec::new();
        // Instances of one generic type share the locations of their properties.
        let mut places = FxHashSet::default();
        for (id, place) in &self.unions {
            let TypeKind::Union { members } = &program.types[*id].kind else {
                continue;
            };
            let span = place.span(program);
            if !places.contains(&span)
                && let Some(ambiguity) = ambiguity(program, *id, members, span)
            {
                places.insert(span);
                found.push(ambiguity);
            }
        }
        found
    }
}

impl Place {
    fn span(self, program: &Program) -> Span {
        match self {
            Self::Declaration(id) => program.declarations[id].span,
            Self::Property(id, index) => match &program.types[id].kind {
                TypeKind::Object(object) => object.properties[index].span,
                _ => unreachable!("only objects have properties"),
            },
        }
    }
}

/// Returns true if the types of two programs have the same kinds and contain each other in the same way.
fn has_same_structure(before: &Program, program: &Program) -> bool {
    let has_same_types = program.declarations.iter_ids().all(|(id, declaration)| {
        let before = before.declarations.get(id);
        before.is_some_and(|before| std::ptr::eq(before, declaration) || before.r#type == declaration.r#type)
    });
    before.types.len() == program.types.len()
        && before.declarations.len() == program.declarations.len()
        && has_same_types
        && program.types.iter_ids().all(|(id, r#type)| {
            let before = &before.types[id];
            std::ptr::eq(before, r#type)
                || (std::mem::discriminant(&before.kind) == std::mem::discriminant(&r#type.kind)
                    && declaration_of(before) == declaration_of(r#type)
                    && children(&before.kind) == children(&r#type.kind)
                    && property_count(before) == property_count(r#type))
        })
}

/// Returns the number of properties. Properties and index signatures are children of one kind, but only properties have a location.
fn property_count(r#type: &Type) -> usize {
    match &r#type.kind {
        TypeKind::Object(object) => object.properties.len(),
        _ => 0,
    }
}

fn declaration_of(r#type: &Type) -> Option<DeclarationId> {
    match r#type.kind {
        TypeKind::Reference { declaration } => Some(declaration),
        _ => None,
    }
}

/// Returns the unions of a program that can be ambiguous, in the order of declaration. Only the kinds of types decide.
fn unions(program: &Program) -> Vec<(TypeId, Place)> {
    let mut finder = Finder {
        program,
        found: Vec::new(),
        seen: vec![false; program.types.len()],
    };
    for (id, declaration) in program.declarations.iter_ids() {
        finder.visit(declaration.r#type, Place::Declaration(id));
    }
    finder.found
}

struct Finder<'a> {
    program: &'a Program,
    found: Vec<(TypeId, Place)>,
    /// For each type, true if it was visited.
    seen: Vec<bool>,
}

impl Finder<'_> {
    fn visit(&mut self, id: TypeId, place: Place) {
        if std::mem::replace(&mut self.seen[usize::from(id)], true) {
            return;
        }
        let program = self.program;
        let kind = &program.types[id].kind;
        if let TypeKind::Union { members } = kind
            && (!has_obvious_members(program, members) || has_converted_pair(program, members))
        {
            self.found.push((id, place));
        }
        if let TypeKind::Object(object) = kind {
            for (index, property) in object.properties.iter().enumerate() {
                self.visit(property.r#type, Place::Property(id, index));
            }
            for signature in &object.index {
                self.visit(signature.value, place);
            }
        } else {
            each_child(kind, |child| self.visit(child, place));
        }
    }
}

/// Returns a value that two members of a union decode differently.
fn ambiguity(program: &Program, id: TypeId, declared: &[TypeId], span: Span) -> Option<Ambiguity> {
    let plan = UnionPlan::new(program, declared);
    pairs(program, &plan)
        .into_iter()
        .take(MAX_PAIRS)
        .find_map(|(a, b)| {
            let (a, b) = (plan.members[a].r#type, plan.members[b].r#type);
            // The smallest value makes the clearest message, so the search starts with required properties
            // only.
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

/// Returns true if kit converts values of one scalar member, such as a date, and another scalar member may accept the same
/// value.
fn has_converted_pair(program: &Program, declared: &[TypeId]) -> bool {
    let scalars = declared.iter().filter(|id| {
        let is_null = matches!(program.types[resolve(program, **id)].kind, TypeKind::Null);
        !is_null && is_scalar(program, **id)
    });
    scalars.clone().nth(1).is_some() && scalars.into_iter().any(|id| is_converted(program, *id))
}

fn is_converted(program: &Program, id: TypeId) -> bool {
    matches!(
        program.types[resolve(program, id)].kind,
        TypeKind::Date | TypeKind::Bytes | TypeKind::BigInt
    )
}

/// Returns the pairs of members that may accept the same value.
fn pairs(program: &Program, plan: &UnionPlan) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let scalars: Vec<_> = plan
        .scalars
        .iter()
        .copied()
        .filter(|index| is_scalar(program, plan.members[*index].r#type))
        .collect();
    let converts = |index: usize| is_converted(program, plan.members[index].r#type);
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
        Decision::NoMember | Decision::Member(_) => {}
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

fn difference(a: &DecodedValue, b: &DecodedValue) -> Option<Outcome> {
    match (a.has_keys_missing_in(b), b.has_keys_missing_in(a)) {
        (true, true) => Some(Outcome::Dropped),
        // One member accepts all keys that the other accepts, and more, so a union chooses that member.
        (true, false) | (false, true) => None,
        (false, false) => (a != b).then_some(Outcome::Converted),
    }
}
