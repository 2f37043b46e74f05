//! Paths of requests.

use kit_runtime::json::Json;
use percent_encoding::utf8_percent_encode;

use crate::text::{COMPONENT, text_of};

/// Segment of a route's path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Segment {
    /// Static text in the form of URLs.
    Static(&'static str),
    /// Parameter, with its name.
    Parameter(&'static str),
    /// Wildcard, with its name: all remaining segments.
    Wildcard(&'static str),
}

/// Returns the path with the values of its parameters.
///
/// # Errors
///
/// Returns a message for a value that would lead to another route.
pub(crate) fn path(segments: &[Segment], params: Option<&Json>) -> Result<String, String> {
    let mut path = String::new();
    for segment in segments {
        match segment {
            Segment::Static(text) => {
                path.push('/');
                path.push_str(text);
            }
            Segment::Parameter(name) => push(&mut path, name, &[value(name, params)?.as_str()])?,
            Segment::Wildcard(name) => {
                let text = value(name, params)?;
                push(&mut path, name, &text.split('/').collect::<Vec<_>>())?;
            }
        }
    }
    if path.is_empty() {
        path.push('/');
    }
    Ok(path)
}

fn value(name: &str, params: Option<&Json>) -> Result<String, String> {
    params
        .and_then(|params| params.get(name))
        .and_then(text_of)
        .ok_or_else(|| format!("the parameter `{name}` has no value"))
}

fn push(path: &mut String, name: &str, texts: &[&str]) -> Result<(), String> {
    for text in texts {
        // Parsers of URLs remove dot segments, even percent-encoded ones (RFC 3986, 5.2.4).
        if matches!(*text, "" | "." | "..") {
            return Err(format!("the parameter `{name}` cannot be `{text}`"));
        }
        path.push('/');
        path.extend(utf8_percent_encode(text, COMPONENT));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use kit_runtime::json::parse;

    use super::{Segment, path};

    #[test]
    fn escapes_parameters_and_keeps_the_slashes_of_wildcards() {
        let segments = [
            Segment::Static("a"),
            Segment::Parameter("id"),
            Segment::Wildcard("rest"),
        ];
        let params = parse(r#"{ "id": "ä b/c", "rest": "d/e?f" }"#).unwrap();
        assert_eq!(
            path(&segments, Some(&params)).unwrap(),
            "/a/%C3%A4%20b%2Fc/d/e%3Ff"
        );
        assert_eq!(path(&[], None).unwrap(), "/");
        let number = parse(r#"{ "id": 7 }"#).unwrap();
        assert_eq!(path(&segments[..2], Some(&number)).unwrap(), "/a/7");
    }

    #[test]
    fn refuses_values_that_would_lead_to_another_route() {
        for value in ["", ".", ".."] {
            let params = parse(&format!("{{ \"id\": {value:?} }}")).unwrap();
            let error = path(&[Segment::Parameter("id")], Some(&params)).unwrap_err();
            assert_eq!(error, format!("the parameter `id` cannot be `{value}`"));
        }
        let params = parse(r#"{ "rest": "a//b" }"#).unwrap();
        assert!(path(&[Segment::Wildcard("rest")], Some(&params)).is_err());
        assert!(path(&[Segment::Parameter("id")], None).is_err());
    }
}
