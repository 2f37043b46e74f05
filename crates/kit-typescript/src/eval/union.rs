//! Unions.

use super::types::Literal;
use super::{Evaluator, Ty, TyId};
use crate::modules::DeclKind;

impl Evaluator<'_> {
    /// The union of types: flat, without duplicates, in order. Names of objects stay names; names of unions are opened.
    pub(crate) fn union(&mut self, members: Vec<TyId>) -> TyId {
        let mut flat = Vec::with_capacity(members.len());
        for member in members {
            self.flatten(member, &mut flat);
        }
        let boolean = [true, false].map(|value| self.store.add(Ty::Literal(Literal::Boolean(value))));
        if boolean.iter().all(|literal| flat.contains(literal)) {
            let whole = self.store.add(Ty::Boolean);
            flat.retain(|member| *member != boolean[1]);
            for member in &mut flat {
                if *member == boolean[0] {
                    *member = whole;
                }
            }
        }
        // A literal beside its whole primitive says nothing more, as in TypeScript.
        let primitives: Vec<TyId> = flat
            .iter()
            .copied()
            .filter(|member| self.is_primitive(*member))
            .collect();
        let mut unique: Vec<TyId> = Vec::with_capacity(flat.len());
        for member in flat {
            let absorbed = matches!(self.store.get(member), Ty::Literal(_))
                && primitives
                    .iter()
                    .any(|primitive| self.assignable(member, *primitive) == Some(true));
            if !absorbed && !unique.contains(&member) {
                unique.push(member);
            }
        }
        if let Some(top) = unique
            .iter()
            .find(|member| matches!(self.store.get(**member), Ty::Unknown | Ty::Invalid(_)))
        {
            return *top;
        }
        match unique.as_slice() {
            [] => self.store.add(Ty::Never),
            [only] => *only,
            _ => self.store.add(Ty::Union(unique)),
        }
    }

    fn is_primitive(&self, id: TyId) -> bool {
        matches!(
            self.store.get(id),
            Ty::String | Ty::Number | Ty::Boolean | Ty::BigInt
        )
    }

    fn flatten(&mut self, member: TyId, flat: &mut Vec<TyId>) {
        let member = self.peel(member);
        match self.store.get(member).clone() {
            Ty::Union(members) => flat.extend(members),
            Ty::Never => {}
            Ty::Named(instance) => {
                let decl = self.graph.decl(self.store.instances[instance.index()].decl);
                // An interface is an object: no need to look inside, which would be too early where it recurses.
                if matches!(decl.kind, DeclKind::Interface(_)) {
                    flat.push(member);
                    return;
                }
                let body = self.body(instance);
                match self.store.get(body) {
                    Ty::Object(_) | Ty::Array(_) | Ty::Tuple(_) => flat.push(member),
                    Ty::Named(_) | Ty::Lazy(_) | Ty::Intersection(_) => {
                        let shape = self.shape(body);
                        match self.store.get(shape).clone() {
                            Ty::Union(members) => flat.extend(members),
                            Ty::Object(_) | Ty::Array(_) | Ty::Tuple(_) => flat.push(member),
                            _ => flat.push(shape),
                        }
                    }
                    _ => self.flatten(body, flat),
                }
            }
            Ty::Intersection(_) => {
                let shape = self.shape(member);
                self.flatten(shape, flat);
            }
            _ => flat.push(member),
        }
    }

    /// Whether values of one type are values of another, for the types where that is plain; nothing for objects and
    /// arrays, which structural comparison decides.
    pub(super) fn assignable(&mut self, from: TyId, to: TyId) -> Option<bool> {
        let (from, to) = (self.shape(from), self.shape(to));
        if from == to {
            return Some(true);
        }
        match (self.store.get(from).clone(), self.store.get(to).clone()) {
            (Ty::Never, _) | (_, Ty::Unknown) => Some(true),
            (Ty::Union(members), _) => {
                let mut all = Some(true);
                for member in members {
                    match self.assignable(member, to) {
                        Some(true) => {}
                        Some(false) => return Some(false),
                        None => all = None,
                    }
                }
                all
            }
            (_, Ty::Union(members)) => {
                let mut any = Some(false);
                for member in members {
                    match self.assignable(from, member) {
                        Some(true) => return Some(true),
                        Some(false) => {}
                        None => any = None,
                    }
                }
                any
            }
            // A text may match a template or have the properties of an object type (`{}`, `{ length: number }`).
            (Ty::Literal(_), Ty::Object(_) | Ty::Template(_) | Ty::Invalid(_)) => None,
            (Ty::Literal(literal), to) => Some(matches!(
                (literal, to),
                (Literal::String(_), Ty::String)
                    | (Literal::Number(_), Ty::Number)
                    | (Literal::Boolean(_), Ty::Boolean)
                    | (Literal::BigInt(_), Ty::BigInt)
            )),
            (
                Ty::Object(_)
                | Ty::Array(_)
                | Ty::Tuple(_)
                | Ty::Template(_)
                | Ty::Contract(_)
                | Ty::Invalid(_),
                _,
            )
            | (_, Ty::Object(_) | Ty::Template(_) | Ty::Invalid(_)) => None,
            _ => Some(false),
        }
    }
}
