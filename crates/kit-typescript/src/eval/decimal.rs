//! Decimal numbers as text: `Decimal<10, 2>` of `@kit/types`.

use std::rc::Rc;

use kit_diagnostics::codes;
use kit_ir::Digits;

use super::types::Element;
use super::{Evaluator, KeyKind, Literal, Object, Property, Ty, TyId};
use crate::modules::Location;

/// Name of the type in `@kit/types`.
pub(super) const DECIMAL_TYPE: &str = "Decimal";

/// Name of the property with a symbol that marks the type. The property's type is the tuple of precision and scale.
const MARK: &str = "\0kit Decimal";

/// Bound of the arguments, far above the maximum precision of PostgreSQL.
const MAX_ARGUMENT: f64 = 1_000_000.0;

impl Evaluator<'_> {
    /// Returns the type of `Decimal<precision, scale>`: a string with a mark.
    pub(super) fn decimal_type(&mut self, arguments: &[TyId], location: Location) -> TyId {
        if !(1..=2).contains(&arguments.len()) {
            let message = format!("`Decimal` takes 1 to 2 type arguments, not {}", arguments.len());
            return self.reject(
                codes::WRONG_TYPE_ARGUMENTS,
                location,
                message,
                "write `Decimal<10, 2>` for numbers with 10 digits, of which 2 are after the point",
            );
        }
        let zero = self.store.add(Ty::Literal(Literal::number(0.0)));
        let shapes = [
            self.shape(arguments[0]),
            arguments.get(1).map_or(zero, |scale| self.shape(*scale)),
        ];
        if let Some(invalid) = shapes
            .into_iter()
            .find(|shape| matches!(self.store.get(*shape), Ty::Invalid(_)))
        {
            return invalid;
        }
        // A type parameter of a function has no value, so the digits are unknown.
        let is_open = shapes
            .iter()
            .any(|shape| matches!(self.store.get(*shape), Ty::Parameter(_) | Ty::Infer(_)));
        if !is_open && self.digits(shapes).is_none() {
            let written = shapes.map(|shape| self.text(shape)).join(", ");
            return self.reject(
                codes::WRONG_TYPE_ARGUMENTS,
                location,
                format!("`Decimal<{written}>` is not a decimal type of PostgreSQL"),
                "write the number of all digits, 1 to 1000, and the number of digits after the point, which must not be greater: `Decimal<10, 2>`",
            );
        }
        let elements: Rc<[Element]> = shapes.map(Element::plain).into();
        let tuple = self.store.add(Ty::Tuple {
            elements,
            readonly: false,
        });
        let mut mark = Property::plain(MARK.into(), KeyKind::Symbol, tuple, location);
        mark.readonly = true;
        // A plain string is assignable, so that rows and literals need no cast.
        mark.optional = true;
        let marked = self.store.object(Object {
            properties: vec![mark],
            ..Object::default()
        });
        let text = self.store.add(Ty::String);
        self.store.add(Ty::Branded(text, marked))
    }

    /// Returns the digits of a `Decimal`, of which `brand` is the object type in the intersection with a string. Returns
    /// `None` for any other brand.
    pub(crate) fn digits_of_brand(&self, brand: TyId) -> Option<Digits> {
        let Ty::Object(object) = *self.store.get(brand) else {
            return None;
        };
        let object = self.store.object_at(object);
        let Ty::Tuple { elements, .. } = self.store.get(object.property(MARK)?.ty) else {
            return None;
        };
        let [precision, scale] = elements.as_ref() else {
            return None;
        };
        self.digits([precision.ty, scale.ty])
    }

    /// Returns an invalid type with an error for a `Decimal` that is a part of a text, because kit checks only whole
    /// strings. `part` names the part: "a key".
    pub(super) fn decimal_part(&mut self, part: &str) -> TyId {
        let message = format!("a `Decimal` cannot be {part}, because kit would not check its digits there");
        self.unsupported(
            self.current_location(),
            &message,
            "write `string`, or an alias of `string` with a `@pattern`",
        )
    }

    /// Returns an invalid type with an error for a type with tags of typia that is a part of a text.
    pub(super) fn tagged_part(&mut self) -> TyId {
        self.unsupported(
            self.current_location(),
            "a type with tags cannot be a part of a template literal type, because kit would not check its tags there",
            "write `string` at this place, and put a `@pattern` for the whole string on the template",
        )
    }

    /// Returns the digits for the types of precision and scale. Returns `None` if these are not valid numbers.
    fn digits(&self, arguments: [TyId; 2]) -> Option<Digits> {
        let [precision, scale] = arguments.map(|argument| match self.store.get(argument) {
            Ty::Literal(Literal::Number(bits)) => whole(f64::from_bits(*bits)),
            _ => None,
        });
        Digits::new(precision?, scale?)
    }
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // the number is an integer within the bounds
fn whole(number: f64) -> Option<u32> {
    let valid = number.fract() == 0.0 && (0.0..=MAX_ARGUMENT).contains(&number);
    valid.then_some(number as u32)
}
