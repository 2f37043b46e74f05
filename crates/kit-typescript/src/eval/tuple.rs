//! Array and tuple types.

use std::rc::Rc;

use oxc_ast::ast::{TSTupleElement, TSTupleType, TSType};
use oxc_span::GetSpan;

use super::types::Element;
use super::{Evaluator, ScopeId, Ty, TyId};

/// Maximum number of elements of a tuple, as in TypeScript. Only an expansion without end has more.
const MAX_ELEMENTS: usize = 10_000;

impl<'a> Evaluator<'a> {
    pub(super) fn tuple(&mut self, tuple: &'a TSTupleType<'a>, scope: ScopeId) -> TyId {
        let location = self.location(scope, tuple.span);
        let mut lists: Vec<Vec<Element>> = vec![Vec::with_capacity(tuple.element_types.len())];
        for element in &tuple.element_types {
            let choices = match self.elements(element, scope) {
                Ok(choices) => choices,
                Err(invalid) => return invalid,
            };
            // `[...A, string]` with a union `A` of tuples is a union of tuples.
            lists = if let [only] = choices.as_slice() {
                for list in &mut lists {
                    list.extend(only.iter().cloned());
                }
                lists
            } else {
                lists
                    .iter()
                    .flat_map(|list| {
                        choices
                            .iter()
                            .map(move |choice| list.iter().chain(choice).cloned().collect())
                    })
                    .collect()
            };
            if lists.len() > 256 || lists.iter().any(|list| list.len() > MAX_ELEMENTS) {
                return self.unsupported(location, "the tuple grows too large", "write its elements");
            }
        }
        let members = lists.into_iter().map(|list| self.tuple_of(list, false)).collect();
        self.union(members)
    }

    /// Returns a tuple in its normal form: optional elements are before the rest element, and there is only
    /// one rest element.
    pub(super) fn tuple_of(&mut self, elements: Vec<Element>, readonly: bool) -> TyId {
        if let [
            Element {
                rest: true,
                ty,
                whole,
                ..
            },
        ] = elements.as_slice()
        {
            if *whole {
                return *ty;
            }
            return self.store.add(Ty::Array {
                element: *ty,
                readonly,
            });
        }
        let elements = self.required_before_required(elements);
        let elements = self.join_rests(elements);
        self.store.add(Ty::Tuple {
            elements: elements.into(),
            readonly,
        })
    }

    /// Makes each optional element before a required element required, and adds `undefined` to its type.
    fn required_before_required(&mut self, mut elements: Vec<Element>) -> Vec<Element> {
        let required = |element: &Element| !element.optional && !element.rest;
        let last = elements.iter().rposition(required).unwrap_or(0);
        for element in elements.iter_mut().take(last).filter(|element| element.optional) {
            let absent = self.store.add(Ty::Undefined);
            element.optional = false;
            element.ty = self.union(vec![element.ty, absent]);
        }
        elements
    }

    /// Merges the elements from the first rest element to the last rest or optional element into one rest
    /// element, as TypeScript does.
    fn join_rests(&mut self, elements: Vec<Element>) -> Vec<Element> {
        let Some(first) = elements.iter().position(|element| element.rest) else {
            return elements;
        };
        let open = |element: &Element| element.rest || element.optional;
        let last = elements.iter().rposition(open).unwrap_or(first);
        if first == last {
            return elements;
        }
        let between = &elements[first..=last];
        let spread = between.iter().filter(|element| element.whole).count();
        let joined = if spread > 1 && between.iter().any(|element| self.store.is_open(element.ty)) {
            // TypeScript does not divide elements between two `...infer`.
            self.store.add(Ty::Unknown)
        } else {
            let joined = between
                .iter()
                .map(|element| self.optional_type(element))
                .collect();
            self.union(joined)
        };
        let joined = Element::rest(joined);
        elements[..first]
            .iter()
            .cloned()
            .chain([joined])
            .chain(elements[last + 1..].iter().cloned())
            .collect()
    }

    /// Returns the elements that one element adds to a tuple. If the element spreads a union of tuples, the
    /// result has one list for each tuple.
    fn elements(
        &mut self,
        element: &'a TSTupleElement<'a>,
        scope: ScopeId,
    ) -> Result<Vec<Vec<Element>>, TyId> {
        let one = |element: Element| Ok(vec![vec![element]]);
        match element {
            TSTupleElement::TSOptionalType(optional) => {
                let ty = self.element_type(&optional.type_annotation, scope);
                one(Element {
                    optional: true,
                    ..Element::plain(ty)
                })
            }
            TSTupleElement::TSRestType(rest) => match &rest.type_annotation {
                TSType::TSNamedTupleMember(member) => {
                    let Some(node) = member.element_type.as_ts_type() else {
                        return one(Element::plain(self.store.add(Ty::Never)));
                    };
                    self.spread(node, scope, Some(member.label.name.as_str().into()))
                }
                node => self.spread(node, scope, None),
            },
            TSTupleElement::TSNamedTupleMember(member) => {
                let mut lists = self.elements(&member.element_type, scope)?;
                for element in lists.iter_mut().flatten() {
                    element.label = Some(member.label.name.as_str().into());
                    element.optional |= member.optional;
                }
                Ok(lists)
            }
            other => {
                // The two variants above are the only ones that are not types.
                let ty = match other.as_ts_type() {
                    Some(node) => self.element_type(node, scope),
                    None => self.store.add(Ty::Never),
                };
                one(Element::plain(ty))
            }
        }
    }

    /// Returns the elements that `...T` adds to a tuple: one list for each member of a union.
    fn spread(
        &mut self,
        node: &'a TSType<'a>,
        scope: ScopeId,
        label: Option<Rc<str>>,
    ) -> Result<Vec<Vec<Element>>, TyId> {
        if let TSType::TSArrayType(array) = node {
            let ty = self.element_type(&array.element_type, scope);
            return Ok(vec![vec![Element {
                label,
                ..Element::rest(ty)
            }]]);
        }
        let location = self.location(scope, node.span());
        let ty = self.evaluate(node, scope);
        let members = match self.shape_of(ty) {
            Ty::Union(members) => members.to_vec(),
            _ => vec![ty],
        };
        let mut lists = Vec::with_capacity(members.len());
        for member in members {
            let shape = self.shape(member);
            lists.push(match self.store.get(shape).clone() {
                Ty::Array { element, .. } => vec![Element {
                    label: label.clone(),
                    ..Element::rest(element)
                }],
                Ty::Tuple { elements, .. } => elements.to_vec(),
                Ty::Any => vec![Element::rest(shape)],
                // `...infer Rest` in a pattern that did not match.
                Ty::Unknown if matches!(node, TSType::TSInferType(_)) => vec![Element::rest(shape)],
                // In a pattern, `...infer Rest` stands for any number of elements.
                Ty::Infer(_) | Ty::Parameter(_) => vec![Element {
                    label: label.clone(),
                    ..Element::whole(shape)
                }],
                Ty::Never | Ty::Invalid(_) => return Err(shape),
                _ => {
                    let message = format!(
                        "`{}` cannot be spread: it is not an array or tuple",
                        self.text(member)
                    );
                    return Err(self.unsupported(
                        location,
                        &message,
                        "spread an array or a tuple: `...string[]`",
                    ));
                }
            });
        }
        Ok(lists)
    }

    /// Evaluates `readonly T[]`.
    pub(super) fn readonly_list(&mut self, ty: TyId) -> TyId {
        match self.shape_of(ty) {
            Ty::Array { element, .. } => self.store.add(Ty::Array {
                element,
                readonly: true,
            }),
            Ty::Tuple { elements, .. } => self.store.add(Ty::Tuple {
                elements,
                readonly: true,
            }),
            _ => ty,
        }
    }

    /// Returns the union of the types of a tuple's elements.
    pub(super) fn item_of(&mut self, elements: &[Element]) -> TyId {
        let mut members: Vec<TyId> = elements.iter().map(|element| element.ty).collect();
        if elements.iter().any(|element| element.optional) {
            members.push(self.store.add(Ty::Undefined));
        }
        self.union(members)
    }
}
