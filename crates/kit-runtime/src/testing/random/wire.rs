//! Values as the server reads them from the text of a request.

use serde_json::Value;

use crate::coerce::{coerce_cookies, coerce_headers, coerce_params, coerce_query};
use crate::json::{Json, parse};
use crate::shape::Shape;
use crate::testing::bodies::body_limit;
use crate::testing::document::Table;
use crate::testing::request::{header_texts, pairs_of, query_text};
use crate::testing::values::{Slot, text_of};

/// Longest random header, in bytes. Servers refuse requests with more header bytes with 431.
const LONGEST_HEADER: usize = 2000;

/// Returns the value that the server checks if a request has this value in a slot. Returns `None` if a request cannot represent the value,
/// such as an empty path parameter, or if the body is too large.
pub(super) fn received(table: &Table, slot: Slot, shape: &'static Shape, value: &Value) -> Option<Json> {
    if slot == Slot::Body {
        let text = value.to_string();
        // The server refuses a larger body with 413 before it checks the values.
        return parse(&text).ok().filter(|_| text.len() <= body_limit(table));
    }
    let members = value.as_object()?;
    let is_text = |item: &Value| !item.is_null() && !item.is_array() && !item.is_object();
    Some(match slot {
        Slot::Query => {
            // A query cannot represent an empty list.
            let is_sent = |item: &Value| match item {
                Value::Array(items) => !items.is_empty() && items.iter().all(is_text),
                other => is_text(other),
            };
            if !members.values().all(is_sent) {
                return None;
            }
            let query = query_text(Some(value));
            coerce_query(shape, query.strip_prefix('?').unwrap_or_default())
        }
        Slot::Headers => {
            let texts = header_texts(Some(value));
            let is_sent = |text: &String| {
                let is_visible = |byte: u8| (b' '..=b'~').contains(&byte);
                text.len() <= LONGEST_HEADER && text.trim() == text && text.bytes().all(is_visible)
            };
            if !texts.values().all(is_sent) {
                return None;
            }
            coerce_headers(shape, |name| texts.get(name).map(|text| text.as_str().into()))
        }
        Slot::Cookies => {
            if !members.values().all(is_text) {
                return None;
            }
            let pairs = pairs_of(Some(value));
            let pairs: Vec<_> = pairs
                .iter()
                .map(|(name, text)| format!("{name}={text}"))
                .collect();
            coerce_cookies(shape, Some(&pairs.join("; ")))
        }
        Slot::Params | Slot::Body => {
            let (_, path) = table.method_and_path();
            let (mut names, mut texts) = (Vec::new(), Vec::new());
            for segment in path.split('/') {
                let Some(name) = segment.strip_prefix([':', '*']) else {
                    continue;
                };
                let text = text_of(members.get(name).filter(|item| is_text(item))?);
                let end = if segment.starts_with('*') { '/' } else { '\0' };
                // A path has no empty segments, and `.` and `..` would be resolved as directories.
                if text.split(end).any(|part| matches!(part, "" | "." | "..")) {
                    return None;
                }
                names.push(name);
                texts.push(text);
            }
            coerce_params(shape, &names, &texts)
        }
    })
}
