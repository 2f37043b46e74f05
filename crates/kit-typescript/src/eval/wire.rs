//! Check that JSON can represent the values of a type.

use kit_diagnostics::{Diagnostic, Severity, codes};
use rustc_hash::FxHashSet;

use super::{Evaluator, KeyKind, Literal, Segment, Ty, TyId, is_wrapper};
use crate::AnyMeaning;
use crate::modules::Location;

/// Maximum number of nested types to check. Only a type that expands without end has more, and lowering
/// reports this type with its location.
const MAX_PARTS: usize = 100_000;

/// Types that were checked and have no mistake. The flag is true if the type was checked at a position that
/// allows `undefined`.
#[derive(Debug, Default)]
pub(crate) struct CheckedTypes(FxHashSet<(TyId, bool)>);

impl Evaluator<'_> {
    /// Returns true if a type and all types nested in it can be sent as JSON. `checked` contains types that
    /// were checked before, because repeated checks would take quadratic time.
    pub(crate) fn is_wire_type(&mut self, ty: TyId, checked: &mut CheckedTypes) -> bool {
        let mut seen = FxHashSet::default();
        // The flag is true if `undefined` is allowed: for a property it only means that the property is
        // optional.
        let mut open = vec![(ty, false)];
        while let Some((ty, absent)) = open.pop() {
            if checked.0.contains(&(ty, absent)) || !seen.insert((ty, absent)) {
                continue;
            }
            if seen.len() > MAX_PARTS {
                return true;
            }
            if self.is_exhausted() {
                return false;
            }
            let shape = self.shape(ty);
            if shape != ty && !seen.insert((shape, absent)) {
                continue;
            }
            match self.store.get(shape).clone() {
                Ty::Invalid(_) => {
                    self.want(shape);
                    return false;
                }
                Ty::Builtin(name, _) if is_wrapper(name) => {}
                Ty::Literal(Literal::Number(bits)) if !f64::from_bits(bits).is_finite() => return false,
                Ty::Any if self.any == AnyMeaning::Unknown => {}
                Ty::Kit(..)
                | Ty::Any
                | Ty::Symbol
                | Ty::UniqueSymbol(_)
                | Ty::NonPrimitive
                | Ty::Builtin(..)
                | Ty::Cased(..)
                | Ty::Parameter(_)
                | Ty::Infer(_)
                | Ty::Deferred(_) => return false,
                Ty::Undefined if !absent => return false,
                Ty::Array { element, .. } => open.push((element, false)),
                Ty::Tuple { elements, .. } => {
                    open.extend(elements.iter().map(|element| (element.ty, element.optional)));
                }
                Ty::Union(members) => open.extend(members.iter().map(|member| (*member, absent))),
                Ty::Branded(base, _) => open.push((base, false)),
                Ty::Template(parts) => open.extend(parts.iter().filter_map(|part| match part {
                    Segment::Placeholder(placeholder) => Some((*placeholder, false)),
                    Segment::Text(_) => None,
                })),
                Ty::Object(object) => {
                    let object = self.store.object_at(object);
                    if let Some(result) = self.result_of_to_json(&object) {
                        open.push((result, false));
                        continue;
                    }
                    if object.is_function()
                        || (!object.data_only
                            && object
                                .properties
                                .iter()
                                .any(|property| property.private_name().is_some()))
                        || object
                            .issues
                            .iter()
                            .any(|issue| issue.severity == Severity::Error)
                    {
                        return false;
                    }
                    for property in &object.properties {
                        if property.key != KeyKind::Symbol && !self.is_left_out(&object, property) {
                            open.push((property.ty, true));
                        }
                    }
                    open.extend(object.index.iter().map(|index| (index.value, true)));
                    let templates = object
                        .index
                        .iter()
                        .filter(|index| matches!(self.store.get(index.key), Ty::Template(_) | Ty::Cased(..)));
                    open.extend(templates.map(|index| (index.key, false)));
                }
                _ => {}
            }
        }
        checked.0.extend(seen);
        true
    }

    /// Returns an invalid type with the error that a text has half of a surrogate pair.
    pub(super) fn half_pair(&mut self, location: Location) -> TyId {
        let diagnostic = self.half_pair_error(location);
        self.store.reject(diagnostic)
    }

    /// Returns the error that a text has half of a surrogate pair. UTF-8 cannot contain such a text, and the parser replaces it by other
    /// characters.
    pub(super) fn half_pair_error(&self, location: Location) -> Diagnostic {
        let message = "a string with half a surrogate pair has no JSON form".to_owned();
        self.diagnostic(codes::NO_JSON_FORM, location, message)
            .help("write the whole character, such as `\\u{1F600}` in place of `\\ud83d`")
    }
}
