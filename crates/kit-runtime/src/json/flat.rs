//! Finds the failures of a JSON object without a tree of its values. Most wrong bodies are objects whose values are texts,
//! numbers and booleans, and a tree of such a body costs more than the check itself. All other input is left to
//! [`super::parse`] and [`crate::check::explain`].
//!
//! Invariant: if this module returns failures, the slow path returns the same failures.

use super::Json;
use super::fast_path::{ContainerProgress, MAX_PROPERTIES, TakeSlowPath};
use super::parse::Reader;
use crate::check::{Failure, PropertyFailures, Secrets, fits_scalar, fits_text};
use crate::shape::{Property, Shape};

/// Finds the failures of JSON text against a shape, without suggestions. Returns `None` if only the slow path can decide, and if
/// there are no failures.
pub(crate) fn explain_flat(secrets: Secrets, shape: &'static Shape, text: &str) -> Option<Vec<Failure>> {
    let properties = properties(shape)?;
    let mut reader = Reader::new(text);
    reader.skip_space();
    if reader.peek() != Some(b'{') {
        return None;
    }
    let mut list = ContainerProgress::default();
    let mut seen = 0_u64;
    let mut wrong: Vec<(usize, Json)> = Vec::new();
    while list.next(&mut reader, b'}').ok()? {
        let key = reader.name().ok()?;
        let Some(at) = properties.iter().position(|property| property.key == key) else {
            reader.skip(1).ok()?;
            continue;
        };
        // The last value of a repeated property counts.
        if seen & (1 << at) != 0 {
            return None;
        }
        seen |= 1 << at;
        wrong.extend(
            wrong_value(&mut reader, &properties[at].shape)
                .ok()?
                .map(|value| (at, value)),
        );
    }
    reader.skip_space();
    if reader.peek().is_some() {
        return None;
    }
    let mut failures = PropertyFailures::new(secrets);
    for (at, property) in properties.iter().enumerate() {
        if let Some((_, value)) = wrong.iter().find(|(wrong, _)| *wrong == at) {
            failures.wrong(property, value);
        } else if seen & (1 << at) == 0 && !property.optional {
            failures.missing(property);
        }
    }
    failures.list()
}

/// Returns the properties of an object type without index signatures. Returns `None` for any other type.
fn properties(shape: &'static Shape) -> Option<&'static [Property]> {
    let object = match shape {
        Shape::Object(object) => object,
        Shape::Reference(to) => match to() {
            Shape::Object(object) => object,
            _ => return None,
        },
        _ => return None,
    };
    (object.index.is_empty() && object.properties.len() <= MAX_PROPERTIES).then_some(object.properties)
}

/// Reads a value. Returns the value if it does not fit its shape. Fails for an array, for an object, and for a wrong syntax.
fn wrong_value(reader: &mut Reader<'_>, shape: &'static Shape) -> Result<Option<Json>, TakeSlowPath> {
    reader.skip_space();
    match reader.peek() {
        Some(b'{' | b'[') => Err(TakeSlowPath),
        Some(b'"') => {
            let text = reader.text()?;
            Ok((!fits_text(shape, &text)).then(|| Json::String(text.into_owned())))
        }
        _ => {
            let value = reader.scalar("").map_err(|_| TakeSlowPath)?;
            Ok((!fits_scalar(shape, &value)).then_some(value))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::explain_flat;
    use crate::check::{Secrets, explain_briefly};
    use crate::json::parse;
    use crate::shape::{Property, Shape};

    static KIND: Shape = Shape::union(&[Shape::literal("a"), Shape::literal("b")]);
    static TAGS: Shape = Shape::array(&Shape::TEXT);
    static NOTE: Shape = Shape::object(
        "Note",
        &[
            Property::required("title", Shape::TEXT),
            Property::required("kind", Shape::Reference(kind)),
            Property::optional("size", Shape::INTEGER),
            Property::optional("done", Shape::Boolean),
            Property::optional("pin", Shape::TEXT).sensitive(),
            Property::optional("tags", Shape::Reference(tags)),
        ],
    );

    fn kind() -> &'static Shape {
        &KIND
    }

    fn tags() -> &'static Shape {
        &TAGS
    }

    /// Each text is an object with a few of these members, in any order.
    const MEMBERS: [&str; 14] = [
        r#""title":"Milk""#,
        r#""title":5"#,
        r#""title":null"#,
        r#""kind":"a""#,
        r#""kind":"c""#,
        r#""kind":{}"#,
        r#""size":1e3"#,
        r#""size":1.5"#,
        r#""size":"1""#,
        r#""done":"no""#,
        r#""pin":7"#,
        r#""tags":"a""#,
        r#""other":[1,{"a":2}]"#,
        r#""done":tru"#,
    ];

    #[test]
    fn finds_the_failures_that_the_slow_path_finds() {
        let mut compared = 0;
        for first in MEMBERS {
            for second in MEMBERS {
                for third in MEMBERS {
                    let text = format!(" {{ {first} , {second},{third} }} ");
                    let Some(found) = explain_flat(Secrets::None, &NOTE, &text) else {
                        continue;
                    };
                    let json = parse(&text).expect("flat text is JSON");
                    assert_eq!(found, explain_briefly(&NOTE, &json), "{text}");
                    compared += 1;
                }
            }
        }
        assert!(compared > 900, "{compared}");
    }

    #[test]
    fn leaves_all_other_input_to_the_slow_path() {
        for text in [
            r#"{"title":5,"title":5}"#,
            r#"{"title":5,"kind":[]}"#,
            r#"{"title":"\u0041"}"#,
            r#"{"title":5,}"#,
            r#"{"title":5} x"#,
            r#"[{"title":5}]"#,
            r#"{"title":"Milk","kind":"a"}"#,
            "",
        ] {
            assert_eq!(explain_flat(Secrets::None, &NOTE, text), None, "{text}");
        }
        assert_eq!(explain_flat(Secrets::None, &Shape::TEXT, "5"), None);
    }
}
