//! Preconditions of requests, in the order of RFC 9110, 13.2.2. The counterpart for Node is
//! `packages/core/src/edge/preconditions.ts`.

use std::borrow::Cow;

use crate::http_date::seconds_of;

/// Entity tag and time of the last change of what a request reads or changes (RFC 9110, 8.8).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CurrentVersion<'a> {
    /// Entity tag in quotes, such as `"7"`; `None` if there is none.
    pub tag: Option<&'a str>,
    /// Value of the header `last-modified`; `None` if the time is unknown.
    pub last_modified: Option<&'a str>,
}

/// Result of the preconditions of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// All preconditions hold, or the request has no precondition.
    Passed,
    /// The client has the current body already, so the response is 304.
    NotModified,
    /// The resource has changed since the client read it, so the response is 412.
    Failed,
}

/// Evaluates the preconditions of a request. `current` is `None` if there is no representation, such as before a
/// resource is created. `Range` and `If-Range` are not evaluated.
///
/// ```
/// use kit_static::{CurrentVersion, Outcome, evaluate};
///
/// let current = CurrentVersion { tag: Some("\"7\""), last_modified: None };
/// let header = |name: &str| (name == "if-none-match").then(|| "\"7\"".into());
/// assert_eq!(evaluate("GET", header, Some(&current)), Outcome::NotModified);
/// ```
pub fn evaluate<'h>(
    method: &str,
    header: impl Fn(&str) -> Option<Cow<'h, str>>,
    current: Option<&CurrentVersion<'_>>,
) -> Outcome {
    let is_read = matches!(method, "GET" | "HEAD");
    let tag = current.and_then(|current| current.tag);
    if let Some(list) = header("if-match") {
        if current.is_none() || !matches_strongly(&list, tag) {
            return Outcome::Failed;
        }
    } else if is_modified_since(header("if-unmodified-since").as_deref(), current) == Some(true) {
        return Outcome::Failed;
    }
    if let Some(list) = header("if-none-match") {
        return match current {
            Some(_) if matches_weakly(&list, tag) && is_read => Outcome::NotModified,
            Some(_) if matches_weakly(&list, tag) => Outcome::Failed,
            _ => Outcome::Passed,
        };
    }
    if is_read && is_modified_since(header("if-modified-since").as_deref(), current) == Some(false) {
        return Outcome::NotModified;
    }
    Outcome::Passed
}

/// Returns true if the resource was changed after the given time. Returns `None` if one of the two times is
/// unknown or invalid, because servers ignore the header in this case.
fn is_modified_since(given: Option<&str>, current: Option<&CurrentVersion<'_>>) -> Option<bool> {
    let given = seconds_of(given?)?;
    let modified = seconds_of(current?.last_modified?)?;
    Some(modified > given)
}

/// Returns true if `if-match` is `*`, or lists the tag. Weak tags never match (strong comparison, 8.8.3.2).
fn matches_strongly(list: &str, tag: Option<&str>) -> bool {
    if list.trim() == "*" {
        return true;
    }
    tag.is_some_and(|tag| !tag.starts_with("W/") && tags_in(list).any(|known| known == tag))
}

/// Returns true if `if-none-match` is `*`, or lists the tag (weak comparison, 8.8.3.2).
fn matches_weakly(list: &str, tag: Option<&str>) -> bool {
    if list.trim() == "*" {
        return true;
    }
    let opaque = |tag| str::strip_prefix(tag, "W/").unwrap_or(tag);
    tag.is_some_and(|tag| tags_in(list).any(|known| opaque(known) == opaque(tag)))
}

/// Returns the tags of a list, up to the first invalid tag.
fn tags_in(list: &str) -> impl Iterator<Item = &str> {
    let is_blank = |character: char| matches!(character, ' ' | '\t');
    let mut rest = list;
    std::iter::from_fn(move || {
        let start = rest.trim_start_matches(|character| is_blank(character) || character == ',');
        let quoted = start.strip_prefix("W/").unwrap_or(start).strip_prefix('"')?;
        let (opaque, after) = quoted.split_once('"')?;
        let is_valid = |character: char| matches!(character, '!' | '#'..='~' | '\u{80}'..='\u{ff}');
        let after = after.trim_start_matches(is_blank);
        if !opaque.chars().all(is_valid) || !(after.is_empty() || after.starts_with(',')) {
            return None;
        }
        let length = start.len() - quoted.len() + opaque.len() + 1;
        rest = after;
        start.get(..length)
    })
}

#[cfg(test)]
#[allow(
    clippy::disallowed_methods,
    reason = "the cases are in a file of the repository"
)]
mod tests {
    use std::borrow::Cow;

    use serde_json::Value;

    use super::{CurrentVersion, Outcome, evaluate};

    #[test]
    fn gives_the_expected_result_for_each_row_of_the_table_of_preconditions() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../conformance/conditional.json");
        // A generated server contains these sources, but not the file.
        let Ok(text) = std::fs::read_to_string(path) else {
            return;
        };
        let document: Value = serde_json::from_str(&text).unwrap();
        let cases = document["preconditions"].as_array().unwrap();
        assert!(cases.len() > 60);
        for case in cases {
            let current = &case["current"];
            let validators = CurrentVersion {
                tag: current["tag"].as_str(),
                last_modified: current["lastModified"].as_str(),
            };
            let method = case["method"].as_str().unwrap();
            let header = |name: &str| case["headers"][name].as_str().map(Cow::Borrowed);
            let outcome = evaluate(method, header, current.is_object().then_some(&validators));
            let expected = match case["result"].as_str().unwrap() {
                "passed" => Outcome::Passed,
                "not-modified" => Outcome::NotModified,
                _ => Outcome::Failed,
            };
            assert_eq!(outcome, expected, "{}", case["name"]);
        }
    }
}
