//! Converts request headers to values.

use std::borrow::Cow;

use indexmap::IndexMap;

use super::{CoercionTargets, QueryValue, coerce};
use crate::json::Json;
use crate::shape::Shape;

/// Converts request headers to a JSON object with the declared headers that are present. `read` returns the value of a
/// header by its lower-case name. Headers that the shape does not declare are ignored.
pub fn coerce_headers<'h>(
    shape: &'static Shape,
    read: impl Fn(&'static str) -> Option<Cow<'h, str>>,
) -> Json {
    let Shape::Object(object) = shape.resolve() else {
        return Json::Null;
    };
    let mut members = IndexMap::new();
    for property in object.properties {
        if let Some(text) = read(property.key) {
            let texts = if CoercionTargets::of(&property.shape).array {
                QueryValue::Many(list_items(&text).map(str::to_owned).collect())
            } else {
                QueryValue::One(text.into_owned())
            };
            members.insert(property.key.to_owned(), coerce(&property.shape, texts));
        }
    }
    Json::Object(members)
}

/// Returns the items of a list header (RFC 9110, 5.6.1): the parts between commas without the blanks around them. A
/// comma within a quoted string does not end an item. Empty items are left out.
///
/// ```
/// use kit_runtime::coerce::list_items;
///
/// let items: Vec<&str> = list_items(r#"a, "b,c",, d"#).collect();
/// assert_eq!(items, ["a", r#""b,c""#, "d"]);
/// ```
pub fn list_items(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        loop {
            let list = rest.take()?;
            let end = item_end(list);
            rest = list.get(end + 1..);
            let item = list[..end].trim_matches([' ', '\t']);
            if !item.is_empty() {
                return Some(item);
            }
        }
    })
}

/// Returns the position of the comma after the first item. Returns the length of the list if it has only one
/// item.
fn item_end(list: &str) -> usize {
    let mut is_quoted = false;
    let mut is_escaped = false;
    for (at, byte) in list.bytes().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_quoted => is_escaped = true,
            b'"' => is_quoted = !is_quoted,
            b',' if !is_quoted => return at,
            _ => {}
        }
    }
    list.len()
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::{coerce_headers, list_items};
    use crate::json::to_text;
    use crate::shape::{Property, Shape};

    #[test]
    fn splits_lists_at_commas_outside_of_quoted_strings() {
        for (text, expected) in [
            ("a, b,c", vec!["a", "b", "c"]),
            ("", vec![]),
            (" , ,\t", vec![]),
            ("a,,b ,", vec!["a", "b"]),
            (r#""a,b", W/"c""#, vec![r#""a,b""#, r#"W/"c""#]),
            (r#""a\",b", c"#, vec![r#""a\",b""#, "c"]),
            (r#""a, b"#, vec![r#""a, b"#]),
            (r"a\,b", vec![r"a\", "b"]),
            ("é,ü", vec!["é", "ü"]),
        ] {
            assert_eq!(list_items(text).collect::<Vec<_>>(), expected, "{text}");
        }
    }

    #[test]
    fn converts_declared_headers_and_ignores_others() {
        static SHAPE: Shape = Shape::object(
            "Head",
            &[
                Property::required("x-count", Shape::INTEGER),
                Property::optional("x-tags", Shape::array(&Shape::TEXT)),
                Property::optional("x-ids", Shape::array(&Shape::NUMBER)),
                Property::optional("x-flag", Shape::Boolean),
                Property::optional("x-absent", Shape::TEXT),
            ],
        );
        let read = |name: &'static str| {
            let given = [
                ("x-count", "7"),
                ("x-tags", ""),
                ("x-ids", "1, two,3"),
                ("x-flag", "yes"),
                ("x-other", "1"),
            ];
            let found = given.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| Cow::Borrowed(*value))
        };
        let found =
            to_text(&crate::json::from_json::<serde_json::Value>(&coerce_headers(&SHAPE, read)).unwrap());
        assert_eq!(
            found.unwrap(),
            r#"{"x-count":7,"x-tags":[],"x-ids":[1,"two",3],"x-flag":"yes"}"#
        );
    }
}
