//! Values of queries, headers and cookies as text.

use kit_runtime::Contract;
use kit_runtime::json::{Json, SyntaxError, number_text, parse, to_text};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use reqwest::header::{HeaderName, HeaderValue};

/// Characters of a query that are escaped, as in forms of HTML. A blank becomes `+`.
const FORM: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'*')
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b' ');

/// Characters that are escaped in cookies and in segments of paths: all but those that `encodeURIComponent` of JavaScript keeps.
pub(crate) const COMPONENT: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'!')
    .remove(b'~')
    .remove(b'*')
    .remove(b'\'')
    .remove(b'(')
    .remove(b')');

/// Returns a value in its form on the wire.
///
/// # Errors
///
/// Returns a message for a value without such a form, such as a number that is not finite.
pub(crate) fn wire<T: Contract>(value: &T) -> Result<Json, String> {
    let text = to_text(value).map_err(|error| format!("{} cannot be sent: {error}", T::NAME))?;
    parse(&text).map_err(|error| format!("{} cannot be sent: {}", T::NAME, syntax(&error)))
}

/// Returns a header. Its value may be secret, so errors and debug output do not contain the value. A server of kit reads the bytes
/// of the value as Latin-1.
///
/// # Errors
///
/// Returns a message for a name or a value that no header can have.
pub(crate) fn header(name: &str, value: &str) -> Result<(HeaderName, HeaderValue), String> {
    let refused = |reason: &str| format!("the header `{name}` cannot be sent: {reason}");
    let key = HeaderName::from_bytes(name.as_bytes()).map_err(|_| refused("its name is invalid"))?;
    let bytes: Option<Vec<u8>> = value.chars().map(|letter| u8::try_from(letter).ok()).collect();
    let mut value = bytes
        .and_then(|bytes| HeaderValue::from_bytes(&bytes).ok())
        .ok_or_else(|| refused("its value has invalid characters"))?;
    value.set_sensitive(true);
    Ok((key, value))
}

/// Returns the description of a mistake in JSON.
pub(crate) fn syntax(error: &SyntaxError) -> String {
    format!(
        "line {}, column {}: expected {}",
        error.line, error.column, error.expected
    )
}

/// Returns the text of a scalar. Returns `None` for other values.
pub(crate) fn text_of(json: &Json) -> Option<String> {
    Some(match json {
        Json::String(text) => text.clone(),
        Json::Number(number) => number_text(*number),
        Json::Bool(value) => value.to_string(),
        Json::Null | Json::Array(_) | Json::Object(_) | Json::TooDeep => return None,
    })
}

/// Returns the names of an object with the texts of their values. A list has one text for each item.
pub(crate) fn texts(json: &Json) -> impl Iterator<Item = (&str, Vec<String>)> {
    let members = match json {
        Json::Object(members) => Some(members.iter()),
        _ => None,
    };
    members.into_iter().flatten().map(|(name, value)| {
        let texts = match value {
            Json::Array(items) => items.iter().filter_map(text_of).collect(),
            value => text_of(value).into_iter().collect(),
        };
        (name.as_str(), texts)
    })
}

/// Returns a query without its `?`, or the body of a form. A list becomes a repeated key.
pub(crate) fn query(json: &Json) -> String {
    let escaped = |text: &str| utf8_percent_encode(text, FORM).to_string().replace(' ', "+");
    let pairs: Vec<String> = texts(json)
        .flat_map(|(name, texts)| {
            let name = escaped(name);
            texts
                .into_iter()
                .map(move |text| format!("{name}={}", escaped(&text)))
        })
        .collect();
    pairs.join("&")
}

/// Returns the names and values of headers. The items of a list are joined by commas.
///
/// # Errors
///
/// Returns a message for an item that the server would read as several items.
pub(crate) fn headers(json: &Json) -> Result<Vec<(String, String)>, String> {
    let mut found = Vec::new();
    for (name, texts) in texts(json) {
        let is_list = matches!(json.get(name), Some(Json::Array(_)));
        if texts.is_empty() && !is_list {
            continue;
        }
        if is_list {
            let split = |text: &String| kit_runtime::coerce::list_items(text).count() != 1;
            // The message does not contain the item, which may be secret.
            if let Some(place) = texts.iter().position(split) {
                return Err(format!(
                    "item {} of the header `{name}` cannot be sent, because the server would not read it as a single item",
                    place + 1
                ));
            }
        }
        found.push((name.to_owned(), texts.join(", ")));
    }
    Ok(found)
}

/// Returns the value of the header `cookie`. Returns `None` if there are no cookies.
pub(crate) fn cookies(json: &Json) -> Option<String> {
    let pairs: Vec<String> = texts(json)
        .filter_map(|(name, texts)| {
            let value = texts.into_iter().next()?;
            Some(format!("{name}={}", utf8_percent_encode(&value, COMPONENT)))
        })
        .collect();
    (!pairs.is_empty()).then(|| pairs.join("; "))
}

#[cfg(test)]
mod tests {
    use kit_runtime::json::parse;

    use super::{cookies, headers, query};

    #[test]
    fn writes_queries_like_forms() {
        let json =
            parse(r#"{ "a b": ["x y", "1&2"], "n": 1e21, "yes": true, "none": null, "ä": "*~" }"#).unwrap();
        assert_eq!(query(&json), "a+b=x+y&a+b=1%262&n=1e%2B21&yes=true&%C3%A4=*%7E");
    }

    #[test]
    fn joins_lists_in_headers_and_refuses_items_with_commas() {
        let json = parse(r#"{ "x-tags": ["a", "\"b,c\""], "x-count": 7, "x-empty": [] }"#).unwrap();
        let expected = [("x-tags", "a, \"b,c\""), ("x-count", "7"), ("x-empty", "")];
        let expected = expected.map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(headers(&json).unwrap(), expected);
        let wrong = parse(r#"{ "x-tags": ["a,b"] }"#).unwrap();
        let error = headers(&wrong).unwrap_err();
        assert!(error.contains("`x-tags`") && !error.contains("a,b"), "{error}");
    }

    #[test]
    fn escapes_cookies() {
        let json = parse(r#"{ "sid": "a;b c", "visits": 3 }"#).unwrap();
        assert_eq!(cookies(&json).as_deref(), Some("sid=a%3Bb%20c; visits=3"));
        assert_eq!(cookies(&parse("{}").unwrap()), None);
    }
}
