//! Inference of types for `infer`: matches a type with a pattern such as `Array<infer U>`. Each `infer` in a
//! pattern is an inference variable, [`Ty::Infer`].
//!
//! As in the compiler of TypeScript, types are inferred from a source to a target: `own` is a part of the
//! source, and `target` is the part of the pattern that `own` is matched with.

use std::rc::Rc;

use super::types::{Element, Function, Literal};
use super::{Evaluator, KeyKind, Object, Segment, Ty, TyId};

/// Maximum depth of nested patterns after `extends`. Only recursive types are nested deeper, and matching
/// them usually ends before.
const MAX_PATTERN_DEPTH: u32 = 60;

/// Types that were found for each `infer` while matching a type with a pattern.
pub(super) struct Inference {
    first: u32,
    /// Types from positions that are read: results of functions, properties, elements.
    covariant: Vec<Vec<TyId>>,
    /// Types from positions that are written: parameters of functions.
    contravariant: Vec<Vec<TyId>>,
    /// True for each `infer` whose type is a part of a string. Such a part may represent a number, such as
    /// `"1"`.
    pub(super) from_text: Vec<bool>,
    /// Error to report if kit does not know the type for an `infer`, such as the type of a method of `Map`.
    pub(super) unknown: Option<TyId>,
    depth: u32,
}

impl Inference {
    pub(super) fn new(first: u32, count: usize) -> Self {
        Self {
            first,
            covariant: vec![Vec::new(); count],
            contravariant: vec![Vec::new(); count],
            from_text: vec![false; count],
            unknown: None,
            depth: 0,
        }
    }

    fn candidate_count(&self) -> usize {
        let all = self.covariant.iter().chain(&self.contravariant);
        all.map(Vec::len).sum()
    }

    fn infer_index(&self, number: u32) -> Option<usize> {
        let index = number.checked_sub(self.first)? as usize;
        (index < self.covariant.len()).then_some(index)
    }

    fn add(&mut self, number: u32, ty: TyId, contravariant: bool, from_text: bool) {
        let Some(index) = self.infer_index(number) else {
            return;
        };
        self.from_text[index] |= from_text;
        let list = if contravariant {
            &mut self.contravariant[index]
        } else {
            &mut self.covariant[index]
        };
        if !list.contains(&ty) {
            list.push(ty);
        }
    }

    /// Returns the type for an `infer`: the union of the types at readable positions, or else the
    /// intersection of the types at writable positions. Returns `None` if no type was found.
    pub(super) fn result(&self, eval: &mut Evaluator<'_>, index: usize) -> Option<TyId> {
        match (
            self.covariant[index].as_slice(),
            self.contravariant[index].as_slice(),
        ) {
            ([], []) => None,
            ([], all) => Some(eval.store.add(Ty::Intersection(all.into()))),
            (any, _) => {
                let members = any.to_vec();
                Some(eval.union(members))
            }
        }
    }
}

impl Evaluator<'_> {
    /// Matches a type with a pattern, and adds the types that were found to `inference`.
    pub(super) fn infer_from(
        &mut self,
        source: TyId,
        pattern: TyId,
        inference: &mut Inference,
        contra: bool,
    ) {
        if !self.store.is_open(pattern) || inference.depth > MAX_PATTERN_DEPTH {
            return;
        }
        inference.depth += 1;
        stacker::maybe_grow(super::STACK_LEFT, super::STACK_GROWTH, || {
            self.match_pattern(source, pattern, inference, contra);
        });
        inference.depth -= 1;
    }

    fn match_pattern(&mut self, source: TyId, pattern: TyId, inference: &mut Inference, contra: bool) {
        let pattern = self.without_laziness(pattern);
        if let Ty::Infer(number) = *self.store.get(pattern) {
            let source = self.without_parameters(source);
            inference.add(number, source, contra, false);
            return;
        }
        // Two instances of one generic type are matched by their type arguments.
        let named = self.without_laziness(source);
        if let (Ty::Named(a), Ty::Named(b)) = (self.store.get(named), self.store.get(pattern)) {
            let (a, b) = (&self.store.instances[a.index()], &self.store.instances[b.index()]);
            if a.decl == b.decl {
                let pairs: Vec<_> = a.args.iter().copied().zip(b.args.iter().copied()).collect();
                for (own, target) in pairs {
                    self.infer_from(own, target, inference, contra);
                }
                return;
            }
        }
        let shape = self.shape(source);
        let shape = self.without_kit_type(shape);
        let pattern = self.shape(pattern);
        let pattern = self.without_kit_type(pattern);
        let target = self.store.get(pattern).clone();
        if let Ty::Union(patterns) = &target {
            self.match_union(shape, patterns, inference, contra);
            return;
        }
        if let Ty::Union(members) = self.store.get(shape).clone() {
            for member in members.iter() {
                self.infer_from(*member, pattern, inference, contra);
            }
            return;
        }
        match (self.store.get(shape).clone(), target) {
            (_, Ty::Infer(number)) => {
                let source = self.without_parameters(source);
                inference.add(number, source, contra, false);
            }
            (Ty::Any, _) => self.fill_with(shape, pattern, inference),
            (Ty::Array { element, .. }, Ty::Array { element: target, .. }) => {
                self.infer_from(element, target, inference, contra);
            }
            (Ty::Tuple { elements, .. }, Ty::Array { element: target, .. }) => {
                // The item type of an empty tuple is `never`.
                let item = self.item_of(&elements);
                self.infer_from(item, target, inference, contra);
            }
            (
                Ty::Tuple { elements, .. },
                Ty::Tuple {
                    elements: targets, ..
                },
            ) => {
                self.match_elements(&elements, &targets, inference, contra);
            }
            (
                Ty::Array { element, .. },
                Ty::Tuple {
                    elements: targets, ..
                },
            ) => {
                self.match_elements(&[Element::rest(element)], &targets, inference, contra);
            }
            (Ty::Builtin(_, args), Ty::Builtin(_, targets)) if args.len() == targets.len() => {
                for (own, target) in args.iter().zip(targets.iter()) {
                    self.infer_from(*own, *target, inference, contra);
                }
            }
            (Ty::Branded(base, tags), Ty::Branded(target_base, target_tags)) => {
                self.infer_from(base, target_base, inference, contra);
                self.infer_from(tags, target_tags, inference, contra);
                if matches!(self.store.get(target_base), Ty::Infer(_)) {
                    self.infer_from(source, target_base, inference, contra);
                }
            }
            (_, Ty::Branded(target_base, target_tags)) => {
                self.infer_from(source, target_base, inference, contra);
                self.infer_from(source, target_tags, inference, contra);
            }
            (Ty::Branded(base, tags), _) => {
                self.infer_from(tags, pattern, inference, contra);
                self.infer_from(base, pattern, inference, contra);
            }
            (
                Ty::Literal(Literal::String(_)) | Ty::Template(_) | Ty::String | Ty::EnumMember(_),
                Ty::Template(parts),
            ) => {
                self.match_template(shape, &parts, inference, contra);
            }
            (_, Ty::Cased(case, target)) => {
                let cased = self.cased(case, shape);
                if self.shape(cased) == shape {
                    self.infer_from(shape, target, inference, contra);
                }
            }
            (_, Ty::Object(pattern)) => {
                let pattern = self.store.object_at(pattern);
                self.match_object(shape, &pattern, inference, contra);
            }
            (_, Ty::Deferred(parts)) => {
                self.infer_from(source, parts[2], inference, contra);
                self.infer_from(source, parts[3], inference, contra);
            }
            _ => {}
        }
    }

    /// Returns `unknown` for a type parameter of a generic function, because it has no meaning outside of the
    /// function. Returns any other type unchanged.
    fn without_parameters(&mut self, source: TyId) -> TyId {
        match self.shape_of(source) {
            Ty::Parameter(_) => self.store.add(Ty::Unknown),
            _ => source,
        }
    }

    /// Adds `any` to the types of every `infer` in a pattern, because the matched type is `any`.
    fn fill_with(&mut self, any: TyId, pattern: TyId, inference: &mut Inference) {
        match self.store.get(pattern).clone() {
            Ty::Array { element, .. } => self.infer_from(any, element, inference, false),
            Ty::Tuple { elements, .. } => {
                for element in elements.iter() {
                    self.infer_from(any, element.ty, inference, false);
                }
            }
            Ty::Builtin(_, targets) => {
                for target in targets.iter() {
                    self.infer_from(any, *target, inference, false);
                }
            }
            Ty::Object(object) => {
                let object = self.store.object_at(object);
                for property in &object.properties {
                    self.infer_from(any, property.ty, inference, false);
                }
            }
            _ => {}
        }
    }

    /// Matches a type with a union of patterns. First removes the members that equal a pattern without
    /// `infer` or that match a pattern such as `(infer U)[]`. Then matches the other members with a pattern
    /// that consists of `infer U`.
    fn match_union(&mut self, source: TyId, patterns: &[TyId], inference: &mut Inference, contra: bool) {
        let sources: Vec<TyId> = match self.store.get(source).clone() {
            Ty::Union(members) => members.to_vec(),
            Ty::Boolean
                if patterns
                    .iter()
                    .any(|pattern| matches!(self.store.get(*pattern), Ty::Literal(_))) =>
            {
                self.boolean_values().to_vec()
            }
            _ => vec![source],
        };
        let mut bare = Vec::new();
        let mut composite = Vec::new();
        let mut closed = Vec::new();
        for pattern in patterns {
            let shape = self.shape(*pattern);
            match self.store.get(shape) {
                Ty::Infer(_) => bare.push(shape),
                _ if self.store.is_open(*pattern) => composite.push(*pattern),
                _ => closed.push(shape),
            }
        }
        let mut rest = Vec::new();
        for member in sources {
            let shape = self.shape(member);
            if closed.contains(&shape) {
                continue;
            }
            let before = inference.candidate_count();
            for pattern in &composite {
                self.infer_from(member, *pattern, inference, contra);
            }
            if inference.candidate_count() == before {
                rest.push(member);
            }
        }
        if rest.is_empty() {
            return;
        }
        let rest = self.union(rest);
        for variable in bare {
            self.infer_from(rest, variable, inference, contra);
        }
    }

    /// Matches elements of a tuple from the start and from the end. The elements between them are matched
    /// with the rest element of the pattern.
    fn match_elements(
        &mut self,
        source: &[Element],
        targets: &[Element],
        inference: &mut Inference,
        contra: bool,
    ) {
        let Some(rest) = targets.iter().position(|target| target.rest) else {
            for (own, target) in source.iter().zip(targets) {
                self.infer_from(own.ty, target.ty, inference, contra);
            }
            return;
        };
        let fixed = |elements: &[Element]| elements.iter().take_while(|element| !element.rest).count();
        let front = rest.min(fixed(source));
        let closing = source
            .iter()
            .rev()
            .take_while(|element| !element.rest && !element.optional)
            .count();
        let back = (targets.len() - rest - 1).min(closing).min(source.len() - front);
        for (own, target) in source[..front].iter().zip(targets) {
            self.infer_from(own.ty, target.ty, inference, contra);
        }
        for step in 1..=back {
            let (own, target) = (&source[source.len() - step], &targets[targets.len() - step]);
            self.infer_from(own.ty, target.ty, inference, contra);
        }
        let between = &source[front..source.len() - back];
        if targets[rest].whole {
            let list = self.tuple_of(between.to_vec(), false);
            self.infer_from(list, targets[rest].ty, inference, contra);
        } else {
            for own in between {
                self.infer_from(own.ty, targets[rest].ty, inference, contra);
            }
        }
    }

    fn match_object(&mut self, source: TyId, pattern: &Rc<Object>, inference: &mut Inference, contra: bool) {
        let location = self.current_location();
        for target in &pattern.properties {
            if !self.store.is_open(target.ty) {
                continue;
            }
            let own = match self.store.get(source).clone() {
                Ty::Object(id) => {
                    let object = self.store.object_at(id);
                    object.property(&target.name).map(|property| property.ty)
                }
                Ty::Array { .. } | Ty::Tuple { .. } if target.key == KeyKind::Text => {
                    let key = self.store.text(&target.name);
                    let found = self.indexed_access(source, key, location);
                    (!matches!(self.store.get(found), Ty::Invalid(_))).then_some(found)
                }
                _ => self.library_member(source, &target.name),
            };
            if let Some(own) = own {
                let own = if target.optional { self.defined(own) } else { own };
                self.infer_from(own, target.ty, inference, contra);
            } else if self.is_method(source, &target.name) {
                let message = format!(
                    "kit does not know the type of `{}` in `{}`",
                    target.name,
                    self.text(source)
                );
                let help = "write the type of this property instead of `infer`";
                inference.unknown = Some(self.unsupported(location, &message, help));
            }
        }
        for target in &pattern.index {
            let keys_wanted = matches!(self.store.get(target.key), Ty::Infer(_));
            if keys_wanted {
                let keys = self.keys_of(source, location);
                self.infer_from(keys, target.key, inference, contra);
            }
            let values = match self.store.get(source).clone() {
                Ty::Object(id) => {
                    let object = self.store.object_at(id);
                    let mut values: Vec<TyId> = object.index.iter().map(|index| index.value).collect();
                    if keys_wanted || matches!(self.store.get(target.key), Ty::String) {
                        values.extend(object.properties.iter().map(|property| property.ty));
                    }
                    values
                }
                Ty::Array { element, .. } => vec![element],
                Ty::Tuple { elements, .. } => vec![self.item_of(&elements)],
                _ => continue,
            };
            if !values.is_empty() {
                let value = self.union(values);
                self.infer_from(value, target.value, inference, contra);
            }
        }
        if let Ty::Object(id) = self.store.get(source).clone() {
            let object = self.store.object_at(id);
            self.match_functions(&object.calls, &pattern.calls, inference, contra);
            self.match_functions(&object.constructs, &pattern.constructs, inference, contra);
        }
    }

    /// Returns a type without `undefined`. A type expression that is not evaluated yet stays unevaluated.
    pub(super) fn defined_later(&mut self, ty: TyId) -> TyId {
        match self.store.get(ty) {
            Ty::Lazy(_) | Ty::Constrained(..) => self.store.add(Ty::Defined(ty)),
            _ => self.defined(ty),
        }
    }

    /// Returns a union without its member `undefined`, and any other type unchanged.
    pub(super) fn defined(&mut self, ty: TyId) -> TyId {
        let absent = self.store.add(Ty::Undefined);
        match self.shape_of(ty) {
            Ty::Union(members) if members.contains(&absent) => {
                let rest = members
                    .iter()
                    .copied()
                    .filter(|member| *member != absent)
                    .collect();
                self.union(rest)
            }
            _ => ty,
        }
    }

    /// Matches the overloads of two functions in pairs, starting with the last overloads.
    fn match_functions(
        &mut self,
        source: &[Function],
        targets: &[Function],
        inference: &mut Inference,
        contra: bool,
    ) {
        for (own, target) in source.iter().rev().zip(targets.iter().rev()) {
            let own = &match target.generic.0 {
                None => self.base_signature(own),
                Some(_) => own.clone(),
            };
            self.match_parameters(own, target, inference, !contra);
            if let (Some(own), Some(target)) = (own.this, target.this) {
                self.infer_from(own, target, inference, !contra);
            }
            self.infer_from(own.result, target.result, inference, contra);
        }
    }

    fn match_parameters(
        &mut self,
        own: &Function,
        target: &Function,
        inference: &mut Inference,
        contra: bool,
    ) {
        let list = self.parameter_tuple(own);
        let targets = self.parameter_tuple(target);
        // `(...args: infer A)` matches all parameters.
        if matches!(self.store.get(targets), Ty::Infer(_)) {
            // TypeScript infers the parameters unchanged, so they count as read, although parameters are
            // written.
            self.infer_from(list, targets, inference, contra);
            return;
        }
        let (list, targets) = (self.shape_of(list), self.shape_of(targets));
        let elements = |ty: Ty| match ty {
            Ty::Tuple { elements, .. } => Some(elements),
            Ty::Array { element, .. } => Some([Element::rest(element)].into()),
            _ => None,
        };
        if let (Some(list), Some(targets)) = (elements(list), elements(targets)) {
            self.match_elements(&list, &targets, inference, contra);
        }
    }

    fn match_template(&mut self, source: TyId, parts: &[Segment], inference: &mut Inference, contra: bool) {
        let Some(found) = self.split_by_template(source, parts) else {
            return;
        };
        let targets = parts.iter().filter_map(|part| match part {
            Segment::Placeholder(target) => Some(*target),
            Segment::Text(_) => None,
        });
        for (own, target) in found.into_iter().zip(targets) {
            if let Ty::Infer(number) = *self.store.get(target) {
                inference.add(number, own, contra, true);
            } else {
                self.infer_from(own, target, inference, contra);
            }
        }
    }
}
