//! Assignability of types by their structure, for conditional types.

mod function;
mod object;

use rustc_hash::FxHashMap;

use super::library::interface_of;
use super::types::{Element, Literal};
use super::{Evaluator, Segment, Ty, TyId, is_wrapper};

/// Maximum depth of nested comparisons. Only types that expand without end are nested deeper, and TypeScript
/// treats them as assignable.
const MAX_COMPARISON_DEPTH: u32 = 100;

/// Cache of comparisons of two types.
#[derive(Default)]
pub(crate) struct Relations {
    /// True if the first type is assignable to the second. A comparison in progress is assumed to be true.
    known: FxHashMap<(TyId, TyId), bool>,
    /// Pairs whose result relies on the assumption that a comparison in progress is true. If the comparison
    /// turns out to be false, the pairs are removed.
    assumed: Vec<(TyId, TyId)>,
    depth: u32,
    /// Error of an invalid type that the last comparison met. The result of the comparison then has no
    /// meaning.
    pub(super) broken: Option<TyId>,
}

impl Evaluator<'_> {
    /// Returns true if TypeScript allows a value of `from` as a value of `to`.
    pub(crate) fn assignable(&mut self, from: TyId, to: TyId) -> bool {
        let (from, to) = (self.shape(from), self.shape(to));
        if from == to {
            return true;
        }
        if let Ty::Builtin("Iterable", arguments) = self.store.get(to).clone()
            && let (Some(item), Some(wanted)) = (self.iterated(from), arguments.first())
        {
            return self.assignable(item, *wanted);
        }
        if let Some(answer) = self.simple(from, to) {
            return answer;
        }
        if let Some(known) = self.relations.known.get(&(from, to)) {
            return *known;
        }
        if self.relations.depth >= MAX_COMPARISON_DEPTH {
            return true;
        }
        self.spend(1);
        if self.is_exhausted() {
            self.relations.broken = Some(self.exhausted_here());
            return false;
        }
        // Types may be recursive: two types that are compared again while their comparison is in progress
        // count as assignable.
        let open = self.store.is_open(from) || self.store.is_open(to);
        let before = self.relations.assumed.len();
        self.relations.known.insert((from, to), true);
        self.relations.assumed.push((from, to));
        self.relations.depth += 1;
        let answer = stacker::maybe_grow(super::STACK_LEFT, super::STACK_GROWTH, || {
            self.structural(from, to)
        });
        self.relations.depth -= 1;
        if !answer || open || self.relations.broken.is_some() {
            // Other results may rely on the wrong assumption, so they are removed.
            for pair in self.relations.assumed.drain(before..) {
                self.relations.known.remove(&pair);
            }
            if !answer && !open && self.relations.broken.is_none() {
                self.relations.known.insert((from, to), false);
            }
        } else if before == 0 {
            self.relations.assumed.clear();
        }
        answer
    }

    /// Returns the result for types such as `string` and `number`. Returns `None` if the members of the types
    /// must be compared.
    fn simple(&mut self, from: TyId, to: TyId) -> Option<bool> {
        let answer = match (self.store.get(from), self.store.get(to)) {
            (Ty::Invalid(_), _) => {
                self.relations.broken = Some(from);
                false
            }
            (_, Ty::Invalid(_)) => {
                self.relations.broken = Some(to);
                false
            }
            (Ty::Never, _)
            | (_, Ty::Any | Ty::Unknown)
            | (Ty::Template(_) | Ty::Cased(..), Ty::String)
            | (Ty::UniqueSymbol(_), Ty::Symbol) => true,
            (_, Ty::Never)
            | (Ty::Parameter(_), Ty::Parameter(_))
            | (Ty::Unknown, Ty::Null | Ty::Undefined) => false,
            (Ty::Any, _) => true,
            (own, Ty::Builtin(wrapper, _))
                if is_wrapper(wrapper)
                    && !matches!(
                        own,
                        Ty::Union(_) | Ty::Branded(..) | Ty::Kit(..) | Ty::Deferred(_)
                    ) =>
            {
                interface_of(own) == Some(wrapper)
            }
            (Ty::Literal(literal), Ty::String | Ty::Number | Ty::Boolean | Ty::BigInt) => {
                literal.primitive() == *self.store.get(to)
            }
            (Ty::EnumMember(member), Ty::String | Ty::Number | Ty::Boolean | Ty::BigInt) => {
                member.value.primitive() == *self.store.get(to)
            }
            // `number` is assignable to every numeric enum member, because its value is not known. A literal
            // is assignable only to a member with the same value. A member of any enum is assignable to the
            // literal with its value.
            (Ty::Literal(literal @ Literal::Number(_)), Ty::EnumMember(member))
            | (Ty::EnumMember(member), Ty::Literal(literal)) => *literal == member.value,
            (Ty::Number, Ty::EnumMember(member)) => matches!(member.value, Literal::Number(_)),
            (
                Ty::String
                | Ty::Number
                | Ty::Boolean
                | Ty::BigInt
                | Ty::Symbol
                | Ty::Null
                | Ty::Undefined
                | Ty::Literal(_)
                | Ty::EnumMember(_),
                Ty::String
                | Ty::Number
                | Ty::Boolean
                | Ty::BigInt
                | Ty::Symbol
                | Ty::Null
                | Ty::Undefined
                | Ty::Literal(_)
                | Ty::EnumMember(_)
                | Ty::Array { .. }
                | Ty::Tuple { .. }
                | Ty::Date
                | Ty::Bytes
                | Ty::Builtin(..)
                | Ty::NonPrimitive,
            ) => {
                // `boolean` counts as the union of its values only after it is expanded.
                false
            }
            _ => return None,
        };
        Some(answer)
    }

    fn structural(&mut self, from: TyId, to: TyId) -> bool {
        let (a, b) = (self.store.get(from).clone(), self.store.get(to).clone());
        match (a, b) {
            (Ty::Union(members), _) => members.iter().all(|member| self.assignable(*member, to)),
            (Ty::Kit(..), _) | (_, Ty::Kit(..)) => {
                let (from, to) = (self.without_kit_type(from), self.without_kit_type(to));
                self.assignable(from, to)
            }
            (Ty::Boolean, Ty::Union(members)) => {
                let values = self.boolean_values();
                members.iter().any(|member| self.assignable(from, *member))
                    || values.iter().all(|value| self.assignable(*value, to))
            }
            (_, Ty::Union(members)) => {
                members.iter().any(|member| self.assignable(from, *member))
                    || self.by_discriminant(from, &members)
            }
            (_, Ty::Branded(base, tags)) => match self.store.get(from).clone() {
                Ty::Branded(own, more) => {
                    (self.assignable(own, base) || self.assignable(from, base))
                        && (self.assignable(more, tags)
                            || self.assignable(own, tags)
                            || (self.lacks_optional(own, tags) && self.lacks_optional(more, tags)))
                }
                _ => {
                    self.assignable(from, base)
                        && (self.assignable(from, tags) || self.lacks_optional(from, tags))
                }
            },
            (Ty::Branded(base, tags), _) => self.assignable(base, to) || self.assignable(tags, to),
            (Ty::Literal(Literal::String(text)), Ty::Template(parts)) => self.text_fits(&text, &parts),
            (Ty::Literal(Literal::String(_)) | Ty::Template(_) | Ty::Cased(..), Ty::Cased(case, inner)) => {
                let cased = self.cased(case, from);
                self.assignable(from, inner) && self.shape(cased) == from
            }
            (Ty::Template(_) | Ty::Cased(..), Ty::Template(parts)) => self.template_fits(from, &parts),
            (Ty::String, Ty::Template(parts)) => {
                matches!(parts.as_ref(), [Segment::Placeholder(placeholder)] if self.assignable(from, *placeholder))
            }
            (Ty::Parameter(_) | Ty::Infer(_), _)
            | (_, Ty::Parameter(_) | Ty::Infer(_))
            | (Ty::Null | Ty::Undefined | Ty::Unknown, Ty::Object(_)) => false,
            (Ty::Deferred(a), Ty::Deferred(b)) => {
                a[0] == b[0]
                    && self.identical(a[1], b[1])
                    && self.assignable(a[2], b[2])
                    && self.assignable(a[3], b[3])
            }
            (Ty::Deferred(parts), _) => self.assignable(parts[2], to) && self.assignable(parts[3], to),
            (
                Ty::Array { element, readonly },
                Ty::Array {
                    element: other,
                    readonly: also,
                },
            ) => (also || !readonly) && self.assignable(element, other),
            (
                Ty::Tuple { elements, readonly },
                Ty::Array {
                    element,
                    readonly: also,
                },
            ) => {
                (also || !readonly)
                    && elements.iter().all(|item| {
                        let ty = self.optional_type(item);
                        self.assignable(ty, element)
                    })
            }
            (
                Ty::Tuple { elements, readonly },
                Ty::Tuple {
                    elements: other,
                    readonly: also,
                },
            ) => (also || !readonly) && self.tuple_assignable(&elements, &other),
            (
                Ty::Array { element, readonly },
                Ty::Tuple {
                    elements,
                    readonly: also,
                },
            ) => {
                (also || !readonly)
                    && !elements.is_empty()
                    && elements.iter().all(|item| item.rest)
                    && elements.iter().all(|item| self.assignable(element, item.ty))
            }
            (Ty::Builtin(name, args), Ty::Builtin(other, others)) => {
                extends_builtin(name, other)
                    && args.len() == others.len()
                    && args
                        .iter()
                        .zip(others.iter())
                        .all(|(a, b)| self.assignable(*a, *b))
            }
            (
                Ty::Object(_) | Ty::Array { .. } | Ty::Tuple { .. } | Ty::Date | Ty::Bytes | Ty::Builtin(..),
                Ty::NonPrimitive,
            ) => true,
            (Ty::Object(id), Ty::Builtin("Function", _)) => self.store.object_at(id).is_function(),
            (Ty::Object(id), Ty::Builtin(name, _)) => {
                if self.may_be_builtin(id, name) {
                    self.relations.broken = Some(self.unknown_builtin(from, to));
                }
                false
            }
            (Ty::Object(a), Ty::Object(b)) => self.object_assignable(a, b),
            (_, Ty::Object(object)) => self.members_assignable(from, object),
            _ => false,
        }
    }

    pub(super) fn boolean_values(&mut self) -> [TyId; 2] {
        [true, false].map(|value| self.store.add(Ty::Literal(Literal::Boolean(value))))
    }

    /// Returns the type of an element, with `undefined` if the element is optional.
    pub(super) fn optional_type(&mut self, element: &Element) -> TyId {
        if element.optional {
            let absent = self.store.add(Ty::Undefined);
            self.union(vec![element.ty, absent])
        } else {
            element.ty
        }
    }

    fn tuple_assignable(&mut self, from: &[Element], to: &[Element]) -> bool {
        let least = |elements: &[Element]| {
            elements
                .iter()
                .filter(|element| !element.optional && !element.rest)
                .count()
        };
        let open = |elements: &[Element]| elements.iter().any(|element| element.rest);
        if least(from) < least(to) || (open(from) && !open(to)) || (!open(to) && from.len() > to.len()) {
            return false;
        }
        // Compares the elements before the rest element from the start, and those after it from the end.
        let (Some(rest), true) = (to.iter().position(|element| element.rest), open(to)) else {
            return from.iter().zip(to).all(|(a, b)| {
                let target = self.optional_type(b);
                (b.optional || !a.optional) && self.assignable(a.ty, target)
            });
        };
        let after = to.len() - rest - 1;
        from.iter().enumerate().all(|(index, item)| {
            let target = if index < rest && !item.rest {
                &to[index]
            } else if from.len() - index <= after && !item.rest {
                &to[to.len() - (from.len() - index)]
            } else {
                &to[rest]
            };
            let ty = self.optional_type(target);
            self.assignable(item.ty, ty)
        })
    }
}

fn extends_builtin(name: &str, other: &str) -> bool {
    name == other
        || matches!(
            (name, other),
            ("Promise", "PromiseLike")
                | ("Map", "ReadonlyMap")
                | ("Set", "ReadonlySet")
                | ("Buffer", "Uint8Array")
                | ("Generator", "Iterator" | "Iterable")
                | ("TypeError" | "RangeError" | "SyntaxError", "Error")
        )
}
