//! Unions of types.

use rustc_hash::FxHashSet;

use super::types::Literal;
use super::{Evaluator, Ty, TyId};
use crate::modules::DeclKind;

impl Evaluator<'_> {
    /// Returns the union of types in order, without nested unions and duplicates. A named object stays a
    /// name; a named union is replaced by its members.
    pub(crate) fn union(&mut self, members: Vec<TyId>) -> TyId {
        if let [only] = members.as_slice() {
            return *only;
        }
        let mut flat = Vec::with_capacity(members.len());
        for member in members {
            self.flatten(member, &mut flat);
        }
        self.spend(flat.len());
        if self.is_exhausted() {
            return self.exhausted_here();
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
        let mut seen = FxHashSet::default();
        flat.retain(|member| seen.insert(*member));
        if let Some(top) = flat
            .iter()
            .find(|member| matches!(self.store.get(**member), Ty::Invalid(_)))
            .or_else(|| {
                flat.iter()
                    .find(|member| matches!(self.store.get(**member), Ty::Any))
            })
            .or_else(|| {
                flat.iter()
                    .find(|member| matches!(self.store.get(**member), Ty::Unknown))
            })
        {
            return *top;
        }
        // A literal in a union with its primitive type adds no values: `"a" | string` is `string`.
        let whole: Vec<Ty> = flat
            .iter()
            .map(|member| self.store.get(*member))
            .filter(|ty| {
                matches!(
                    ty,
                    Ty::String | Ty::Number | Ty::Boolean | Ty::BigInt | Ty::Symbol
                )
            })
            .cloned()
            .collect();
        if !whole.is_empty() {
            flat.retain(|member| {
                let primitive = match self.store.get(*member) {
                    Ty::Literal(literal) => literal.primitive(),
                    Ty::EnumMember(member) => member.value.primitive(),
                    Ty::Template(_) | Ty::Cased(..) => Ty::String,
                    Ty::UniqueSymbol(_) => Ty::Symbol,
                    _ => return true,
                };
                !whole.contains(&primitive)
            });
        }
        self.absorb_by_templates(&mut flat);
        match flat.as_slice() {
            [] => self.store.add(Ty::Never),
            [only] => *only,
            _ => self.store.add(Ty::Union(flat.into())),
        }
    }

    /// Removes the literals that fit a template of the same union: `"a-1"` adds nothing to `` `a-${string}`
    /// ``.
    fn absorb_by_templates(&mut self, flat: &mut Vec<TyId>) {
        let templates: Vec<TyId> = flat
            .iter()
            .copied()
            .filter(|member| {
                matches!(self.store.get(*member), Ty::Template(_) | Ty::Cased(..))
                    && !self.store.is_open(*member)
            })
            .collect();
        if templates.is_empty() {
            return;
        }
        let mut kept = Vec::with_capacity(flat.len());
        for member in flat.drain(..) {
            let text = matches!(self.store.get(member), Ty::Literal(Literal::String(_)));
            if !(text
                && templates
                    .iter()
                    .any(|template| self.assignable(member, *template)))
            {
                kept.push(member);
            }
        }
        *flat = kept;
    }

    fn flatten(&mut self, member: TyId, flat: &mut Vec<TyId>) {
        let member = self.without_laziness(member);
        match self.store.get(member).clone() {
            Ty::Union(members) => flat.extend(members.iter()),
            Ty::Never => {}
            Ty::Named(instance) => {
                let decl = self.graph.decl(self.store.instances[instance.index()].decl);
                // An interface is not a union, so it need not be evaluated, which could be too early for a
                // recursive interface.
                if matches!(decl.kind, DeclKind::Interface(_)) {
                    flat.push(member);
                    return;
                }
                let body = self.body(instance);
                match self.store.get(body) {
                    Ty::Object(_) | Ty::Array { .. } | Ty::Tuple { .. } => flat.push(member),
                    Ty::Named(_) | Ty::Lazy(_) | Ty::Intersection(_) => {
                        let shape = self.shape(body);
                        match self.store.get(shape).clone() {
                            Ty::Union(members) => flat.extend(members.iter()),
                            Ty::Object(_) | Ty::Array { .. } | Ty::Tuple { .. } => flat.push(member),
                            // Names that refer to each other in a cycle cannot be followed.
                            Ty::Invalid(_) => flat.push(shape),
                            _ => self.flatten(body, flat),
                        }
                    }
                    _ => self.flatten(body, flat),
                }
            }
            Ty::Intersection(_) => {
                let ruled = self.ruled_intersection(member);
                self.flatten(ruled, flat);
            }
            _ => flat.push(member),
        }
    }
}
