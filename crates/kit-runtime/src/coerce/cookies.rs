//! Converts the header `cookie` to values.

use indexmap::IndexMap;

use super::{QueryValue, coerce, decode_percent};
use crate::json::Json;
use crate::shape::Shape;

/// Converts cookies to a JSON object with the declared cookies that are present. `header` is the value of the header
/// `cookie`; `None` if the request has no such header. Cookies that the shape does not declare are ignored. The first
/// of several cookies with the same name counts, because browsers send the cookie with the longest path first (RFC
/// 6265, 5.4).
pub fn coerce_cookies(shape: &'static Shape, header: Option<&str>) -> Json {
    let Shape::Object(object) = shape.resolve() else {
        return Json::Null;
    };
    let mut members = IndexMap::new();
    let Some(header) = header else {
        return Json::Object(members);
    };
    for property in object.properties {
        if let Some((_, value)) = cookies(header).find(|(name, _)| *name == property.key) {
            // kit percent-encodes the characters that a cookie cannot contain. Other programs may write any text.
            let value = decode_percent(value).map_or_else(|| value.to_owned(), std::borrow::Cow::into_owned);
            let value = coerce(&property.shape, QueryValue::One(value));
            members.insert(property.key.to_owned(), value);
        }
    }
    Json::Object(members)
}

/// Returns the names and values of the header `cookie`. A part without `=` is no cookie. Quotes around a value belong
/// to the value, as for browsers (RFC 6265bis, 5.6).
///
/// ```
/// use kit_runtime::coerce::cookies;
///
/// let found: Vec<(&str, &str)> = cookies("theme=dark; sid=a=b").collect();
/// assert_eq!(found, [("theme", "dark"), ("sid", "a=b")]);
/// ```
pub fn cookies(header: &str) -> impl Iterator<Item = (&str, &str)> {
    header.split(';').filter_map(|pair| {
        let (name, value) = pair.split_once('=')?;
        Some((trimmed(name), trimmed(value)))
    })
}

fn trimmed(text: &str) -> &str {
    text.trim_matches([' ', '\t'])
}

#[cfg(test)]
mod tests {
    use super::{coerce_cookies, cookies};
    use crate::json::{from_json, to_text};
    use crate::shape::{Property, Shape};

    #[test]
    fn splits_the_header_at_semicolons_and_each_cookie_at_its_first_equals_sign() {
        for (header, expected) in [
            ("a=1; b=2", vec![("a", "1"), ("b", "2")]),
            ("a=1;b=2;", vec![("a", "1"), ("b", "2")]),
            ("a = 1 ;\tb\t=\t2", vec![("a", "1"), ("b", "2")]),
            ("a=b=c", vec![("a", "b=c")]),
            ("a=\"1\"", vec![("a", "\"1\"")]),
            ("a=1, b=2", vec![("a", "1, b=2")]),
            ("a; =1; b=", vec![("", "1"), ("b", "")]),
            ("", vec![]),
        ] {
            assert_eq!(cookies(header).collect::<Vec<_>>(), expected, "{header}");
        }
    }

    #[test]
    fn converts_the_first_cookie_of_each_declared_name() {
        static SHAPE: Shape = Shape::object(
            "Cookies",
            &[
                Property::required("sid", Shape::TEXT),
                Property::optional("visits", Shape::INTEGER),
                Property::optional("dark", Shape::Boolean),
            ],
        );
        for (header, expected) in [
            (None, "{}"),
            (
                Some("visits=3; sid=a; sid=b; other=1"),
                r#"{"sid":"a","visits":3}"#,
            ),
            (Some("sid=%C3%A4%20b; dark=true"), r#"{"sid":"ä b","dark":true}"#),
            (Some("sid=100%; visits=many"), r#"{"sid":"100%","visits":"many"}"#),
            (Some("sid=%FF; SID=b"), r#"{"sid":"%FF"}"#),
        ] {
            let value: serde_json::Value = from_json(&coerce_cookies(&SHAPE, header)).unwrap();
            assert_eq!(to_text(&value).unwrap(), expected, "{header:?}");
        }
    }
}
