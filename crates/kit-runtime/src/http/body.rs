//! Bodies of requests: size limit, content types and JSON.

use axum::body::{Bytes, HttpBody};
use axum::http::{HeaderMap, StatusCode, header};
use http_body_util::BodyExt as _;
use serde_json::Value;

use super::Error;
use super::header_text::text_of;
use super::source::Slot;
use crate::Contract;
use crate::check::{BrokenRule, Failure, Rule, Secrets};
use crate::json::{self, Json, parse};

/// Reads the complete body. A body of more than `limit` bytes is rejected immediately. The bytes that the client still
/// sends are discarded when the connection closes.
pub(super) async fn read<B>(headers: &HeaderMap, mut body: B, limit: usize) -> Result<Bytes, Error>
where
    B: HttpBody<Data = Bytes> + Unpin,
{
    if is_empty(headers, &body) {
        return Ok(Bytes::new());
    }
    let declared = declared_length(headers);
    refuse_length(declared, limit)?;
    // A body that arrives in one chunk is not copied.
    let mut first = Bytes::new();
    let mut whole = Vec::new();
    while !body.is_end_stream() {
        let Some(frame) = body.frame().await else { break };
        // The client left or broke the framing, so no client reads this response.
        let frame = frame
            .map_err(|_| Error::new(StatusCode::BAD_REQUEST, "BAD_REQUEST", "The body ended too early"))?;
        let Ok(data) = frame.into_data() else { continue };
        let length = first.len().max(whole.len());
        if length + data.len() > limit {
            return Err(too_large(limit));
        }
        if length == 0 {
            first = data;
            continue;
        }
        if whole.is_empty() {
            whole.reserve(declared.unwrap_or(length + data.len()));
            whole.extend_from_slice(&first);
        }
        whole.extend_from_slice(&data);
    }
    Ok(if whole.is_empty() { first } else { whole.into() })
}

fn declared_length(headers: &HeaderMap) -> Option<usize> {
    let declared = headers.get(header::CONTENT_LENGTH)?;
    declared.to_str().ok()?.parse().ok()
}

/// Returns true if a request has no body. A server other than kit's may pass on a body that no header declares: HTTP/2 has no
/// `transfer-encoding`, and tests of axum call a router without a server.
pub(super) fn is_empty(headers: &HeaderMap, body: &impl HttpBody) -> bool {
    match declared_length(headers) {
        Some(length) => length == 0 && !headers.contains_key(header::TRANSFER_ENCODING),
        None => !headers.contains_key(header::TRANSFER_ENCODING) && body.is_end_stream(),
    }
}

/// Refuses a body whose declared length is greater than `limit`.
pub(super) fn refuse_declared(headers: &HeaderMap, limit: usize) -> Result<(), Error> {
    refuse_length(declared_length(headers), limit)
}

fn refuse_length(declared: Option<usize>, limit: usize) -> Result<(), Error> {
    match declared {
        Some(length) if length > limit => Err(too_large(limit)),
        _ => Ok(()),
    }
}

pub(super) fn too_large(limit: usize) -> Error {
    let message = format!("The body is larger than {limit} bytes");
    Error::new(StatusCode::PAYLOAD_TOO_LARGE, "PAYLOAD_TOO_LARGE", message)
        .with_details(serde_json::json!({ "limit": limit }))
        .with_header(header::CONNECTION, header::HeaderValue::from_static("close"))
}

/// Returns the text of a body whose content type is JSON. Returns `None` for any other body, and for one that is not UTF-8. For
/// these, [`read_json`] creates the error.
pub(super) fn json_text<'b>(headers: &HeaderMap, bytes: &'b Bytes) -> Option<&'b str> {
    refuse_type(headers).ok()?;
    std::str::from_utf8(bytes).ok()
}

/// Returns the failures of a body that is an object of texts, numbers and booleans. Returns `None` for any other body, and for a
/// valid one.
pub(super) fn failures<T: Contract>(text: &str) -> Option<Vec<Failure>> {
    json::explain_flat(Secrets::None, T::shape(), text)
}

/// Parses a JSON body. Returns the value, and true if the JSON contains a `\u` escape. The path of errors is `$`,
/// which is the body itself.
pub(super) fn read_json(
    headers: &HeaderMap,
    bytes: &Bytes,
    schema: &'static str,
) -> Result<(Json, bool), Error> {
    let refused = |expected: &str, received: &str, broken: BrokenRule, suggestion: &str| {
        let failure = Failure {
            path: "$".to_owned(),
            expected: expected.to_owned().into(),
            received: received.to_owned(),
            // Null means that the body is missing. A body that is not JSON has no value to show.
            value: (broken.rule == Rule::Required).then_some(Value::Null),
            rule: broken.rule,
            limit: broken.limit,
            suggestion: Some(suggestion.to_owned()),
        };
        Error::invalid(Slot::Body, schema, vec![failure])
    };
    if bytes.is_empty() {
        let suggestion = "Send a JSON body with the header `content-type: application/json`";
        let broken = BrokenRule::new(Rule::Required);
        return Err(refused("JSON", "nothing", broken, suggestion));
    }
    refuse_type(headers)?;
    let Ok(text) = std::str::from_utf8(bytes) else {
        refuse_encoding(headers)?;
        return Err(refused(
            "JSON in UTF-8",
            "bytes that are not valid UTF-8",
            BrokenRule::with_limit(Rule::Encoding, "utf-8"),
            "Encode the body as UTF-8",
        ));
    };
    match parse(text) {
        Ok(value) => Ok((value, text.contains("\\u"))),
        Err(error) => {
            refuse_encoding(headers)?;
            let place = format!(
                "position {} (line {}, column {})",
                error.offset, error.line, error.column
            );
            Err(refused(
                &format!("JSON: {} at {place}", error.expected),
                "text that is not JSON",
                BrokenRule::new(Rule::Json),
                &format!("Fix the JSON at {place}"),
            ))
        }
    }
}

fn refuse_type(headers: &HeaderMap) -> Result<(), Error> {
    let found = match text_of(headers, header::CONTENT_TYPE) {
        None => "The request has no content type",
        Some(value) if is_json_type(&value) => return Ok(()),
        Some(_) => "The request's content type is not JSON",
    };
    Err(unsupported(format!("{found}; send application/json in UTF-8")))
}

/// Returns true for `application/json` and `application/<anything>+json`. The charset, if there is one, must be UTF-8.
fn is_json_type(content_type: &str) -> bool {
    if content_type == "application/json" {
        return true;
    }
    let mut parts = content_type.split(';');
    let kind = trimmed(parts.next().unwrap_or_default()).to_ascii_lowercase();
    is_json_essence(&kind)
        && parts.all(|parameter| {
            let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
            let value = trimmed(value.split('=').next().unwrap_or_default()).to_ascii_lowercase();
            !trimmed(name).eq_ignore_ascii_case("charset")
                || matches!(value.as_str(), "utf-8" | "utf8" | "\"utf-8\"" | "\"utf8\"")
        })
}

/// Returns true for JSON: `application/json` and `application/<name>+json`, in lower case.
pub(super) fn is_json_essence(essence: &str) -> bool {
    essence.strip_prefix("application/").is_some_and(|subtype| {
        let is_named = |name: &str| {
            !name.is_empty()
                && name.bytes().all(|byte| {
                    byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"!#$&^_.+-".contains(&byte)
                })
        };
        subtype == "json" || subtype.strip_suffix("+json").is_some_and(is_named)
    })
}

/// Removes whitespace at both ends like `trim` in JavaScript. Keeps U+0085, which `str::trim` would remove.
fn trimmed(text: &str) -> &str {
    text.trim_matches(['\t', ' ', '\u{a0}'])
}

/// Returns the error for a body that is not JSON because it has a `content-encoding` such as gzip.
fn refuse_encoding(headers: &HeaderMap) -> Result<(), Error> {
    let encoding = text_of(headers, header::CONTENT_ENCODING);
    let encoding = encoding.map(|value| trimmed(&value).to_ascii_lowercase());
    match encoding.as_deref() {
        None | Some("" | "identity") => Ok(()),
        Some(_) => Err(unsupported(
            "Compressed bodies are not accepted; send the body without compression",
        )),
    }
}

fn unsupported(message: impl Into<String>) -> Error {
    Error::new(
        StatusCode::UNSUPPORTED_MEDIA_TYPE,
        "UNSUPPORTED_MEDIA_TYPE",
        message,
    )
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderMap, HeaderValue, header};

    use super::{is_json_type, refuse_encoding};

    #[test]
    fn accepts_json_media_types_and_refuses_charsets_other_than_utf8() {
        for good in [
            "application/json",
            "Application/JSON;charset=UTF-8",
            "application/json; charset=\"utf-8\"",
            "application/merge-patch+json",
            "application/json\u{a0}; charset=utf-8=x",
        ] {
            assert!(is_json_type(good), "{good}");
        }
        for bad in [
            "",
            "json",
            "*/*",
            "text/json",
            "application/jsonp",
            "application/+json",
            "application/json; charset=latin1",
            "application/json\u{85}",
        ] {
            assert!(!is_json_type(bad), "{bad}");
        }
    }

    #[test]
    fn refuses_gzip_in_a_repeated_content_encoding_header() {
        let mut headers = HeaderMap::new();
        headers.append(header::CONTENT_ENCODING, HeaderValue::from_static("identity"));
        assert!(refuse_encoding(&headers).is_ok());
        headers.append(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        assert!(refuse_encoding(&headers).is_err());
    }
}
