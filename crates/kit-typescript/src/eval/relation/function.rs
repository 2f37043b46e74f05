//! Assignability of function types: the result is compared from source to target, the parameters from target
//! to source.

use crate::eval::types::{Element, Function};
use crate::eval::{Evaluator, Ty};

impl Evaluator<'_> {
    /// Returns true if for each function of `to`, one of the functions of `from` can take its place.
    pub(super) fn functions_assignable(&mut self, from: &[Function], to: &[Function]) -> bool {
        to.iter()
            .all(|wanted| from.iter().any(|own| self.function_assignable(own, wanted)))
    }

    fn function_assignable(&mut self, from: &Function, to: &Function) -> bool {
        if from.is_abstract && !to.is_abstract {
            return false;
        }
        // A function with any result is assignable to one with the result `void`.
        let result = matches!(self.shape_of(to.result), Ty::Undefined | Ty::Any)
            || self.assignable(from.result, to.result);
        result && self.parameters_assignable(from, to)
    }

    fn parameters_assignable(&mut self, from: &Function, to: &Function) -> bool {
        let (own, wanted) = (self.parameter_tuple(from), self.parameter_tuple(to));
        let (own_shape, wanted_shape) = (self.shape_of(own), self.shape_of(wanted));
        if matches!(wanted_shape, Ty::Any | Ty::Never) || matches!(own_shape, Ty::Any) {
            return true;
        }
        let list = |ty: Ty| match ty {
            Ty::Tuple { elements, .. } => Some(elements),
            Ty::Array { element, .. } => Some([Element::rest(element)].into()),
            _ => None,
        };
        let (Some(own), Some(wanted)) = (list(own_shape), list(wanted_shape)) else {
            return self.assignable(wanted, own);
        };
        let required = own
            .iter()
            .filter(|element| !element.optional && !element.rest)
            .count();
        if required > wanted.len() && !wanted.iter().any(|element| element.rest) {
            return false;
        }
        let both = from.method || to.method;
        let at = |list: &[Element], index: usize| {
            list.get(index)
                .or_else(|| list.last().filter(|element| element.rest))
                .map(|element| element.ty)
        };
        (0..own.len()).all(|index| match (at(&own, index), at(&wanted, index)) {
            (Some(a), Some(b)) => self.assignable(b, a) || (both && self.assignable(a, b)),
            _ => true,
        })
    }
}
