//! The header `content-disposition` (RFC 6266). The counterpart for Node is `packages/core/src/request/content-disposition.ts`.

use std::fmt::Write as _;

use axum::http::HeaderValue;

use crate::http::Error;

/// Characters that `filename*` has unchanged, besides letters and digits (RFC 8187, 3.2.1).
const UNCHANGED: &[u8] = b"!#$&+-.^_`|~";

/// Returns the value with which browsers save a response under a name. Directories and control characters are removed from the
/// name.
///
/// # Errors
///
/// 500 if nothing is left of the name.
pub(super) fn attachment(name: &str) -> Result<HeaderValue, Error> {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let name: String = last
        .chars()
        .filter(|character| !character.is_ascii_control())
        .collect();
    if name.is_empty() {
        return Err(Error::internal(format!(
            "The name {last:?} of an attachment has no characters that a file name can have"
        )));
    }
    let is_plain = name
        .chars()
        .all(|character| matches!(character, ' '..='~') && character != '%');
    let value = if is_plain {
        format!("attachment; filename=\"{}\"", name.replace('"', "\\\""))
    } else {
        let fallback: String = name
            .chars()
            .map(|character| match character {
                '%' | '"' => '_',
                ' '..='~' => character,
                _ => '_',
            })
            .collect();
        format!(
            "attachment; filename=\"{fallback}\"; filename*=UTF-8''{}",
            escaped(&name)
        )
    };
    Ok(HeaderValue::from_str(&value)?)
}

/// Returns a text in UTF-8 with percent-escapes (RFC 8187, 3.2.1).
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len() * 3);
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || UNCHANGED.contains(&byte) {
            escaped.push(char::from(byte));
        } else {
            let _ = write!(escaped, "%{byte:02X}");
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::attachment;

    #[test]
    fn writes_plain_names_as_they_are_and_other_names_in_two_forms() {
        for (name, expected) in [
            ("Report 7.pdf", r#"attachment; filename="Report 7.pdf""#),
            ("../a/b\\c.txt", r#"attachment; filename="c.txt""#),
            (r#"say "hi".txt"#, r#"attachment; filename="say \"hi\".txt""#),
            ("a\r\n\u{7f}b.txt", r#"attachment; filename="ab.txt""#),
            (
                "100%.txt",
                "attachment; filename=\"100_.txt\"; filename*=UTF-8''100%25.txt",
            ),
            (
                "Übersicht \"1\" €.pdf",
                "attachment; filename=\"_bersicht _1_ _.pdf\"; filename*=UTF-8''%C3%9Cbersicht%20%221%22%20%E2%82%AC.pdf",
            ),
            (
                "😀'*.png",
                "attachment; filename=\"_'*.png\"; filename*=UTF-8''%F0%9F%98%80%27%2A.png",
            ),
        ] {
            assert_eq!(attachment(name).unwrap(), expected, "{name}");
        }
    }

    #[test]
    fn refuses_a_name_without_characters() {
        for name in ["", "a/", "\u{0}\n"] {
            let error = attachment(name).unwrap_err();
            assert_eq!(error.status(), 500, "{name:?}");
        }
    }
}
