//! Finds the member of a union that the client probably meant with a value that fits no member.

use std::cmp::Ordering;

use crate::json::Json;
use crate::shape::Shape;

/// Returns the union member that shares the most keys with the value (for arrays: the most items). If several
/// members share the same number, returns the member with the fewest mistakes. Returns `None` if the numbers
/// of mistakes are equal too, or if no member shares a key or an item with the value.
pub(super) fn closest_member(
    members: &[&'static Shape],
    value: &Json,
    fits: &mut dyn FnMut(&'static Shape, &Json) -> bool,
) -> Option<&'static Shape> {
    let mut best: Option<(&'static Shape, (usize, usize))> = None;
    let mut tied = false;
    for member in members {
        let Some(nearness) = nearness(member.resolve(), value, fits).filter(|(shared, _)| *shared > 0) else {
            continue;
        };
        let order = match best {
            None => Ordering::Greater,
            Some((_, (shared, mistakes))) => nearness.0.cmp(&shared).then(mistakes.cmp(&nearness.1)),
        };
        match order {
            Ordering::Greater => {
                best = Some((member, nearness));
                tied = false;
            }
            Ordering::Equal => tied = true,
            Ordering::Less => {}
        }
    }
    if tied {
        None
    } else {
        best.map(|(member, _)| member)
    }
}

/// Returns two counts for a union member: the properties of the member that the value has (for arrays: the
/// items that fit), and the mistakes, which are properties and items that are missing or do not fit. Returns
/// `None` if the value is not an array or object like the member.
fn nearness(
    shape: &'static Shape,
    value: &Json,
    fits: &mut dyn FnMut(&'static Shape, &Json) -> bool,
) -> Option<(usize, usize)> {
    let (mut shared, mut mistakes) = (0, 0);
    match (shape, value) {
        (Shape::Array(array), Json::Array(items)) => {
            for item in items {
                if fits(array.element, item) {
                    shared += 1;
                } else {
                    mistakes += 1;
                }
            }
        }
        (Shape::Tuple(tuple), Json::Array(items)) if tuple.accepts_length(items.len()) => {
            for (index, item) in items.iter().enumerate() {
                if fits(tuple.element(index, items.len()), item) {
                    shared += 1;
                } else {
                    mistakes += 1;
                }
            }
        }
        (Shape::Object(object), Json::Object(_)) => {
            for property in object.properties {
                match value.get(property.key) {
                    Some(item) => {
                        shared += 1;
                        mistakes += usize::from(!fits(&property.shape, item));
                    }
                    None => mistakes += usize::from(!property.optional),
                }
            }
        }
        _ => return None,
    }
    Some((shared, mistakes))
}
