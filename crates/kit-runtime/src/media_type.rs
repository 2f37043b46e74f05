//! Media types of bodies: the value of the header `content-type` (RFC 9110, 8.3.1), and ranges of media types.
//! `packages/core/src/bodies/media-type.ts` implements the same in TypeScript.

use indexmap::IndexMap;

/// A media type with its parameters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MediaType {
    /// Type and subtype in lower case: `text/csv`.
    pub(crate) essence: String,
    /// Parameters by name in lower case. Quoted values are without their quotes.
    pub(crate) parameters: IndexMap<String, String>,
}

impl MediaType {
    /// Parses a media type. Returns `None` if the text is not a media type, or if a parameter occurs twice.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (essence, parameters) = match text.find(';') {
            Some(semicolon) => (&text[..semicolon], parse_parameters(&text[semicolon..])?),
            None => (text, IndexMap::new()),
        };
        let essence = trim(essence).to_lowercase();
        let (kind, subtype) = essence.split_once('/')?;
        (is_token(kind) && is_token(subtype)).then_some(Self { essence, parameters })
    }

    /// Returns true if text in this media type is UTF-8: there is no `charset`, or it is UTF-8 or its subset ASCII.
    pub(crate) fn is_utf8(&self) -> bool {
        let charset = self.parameters.get("charset").map(|value| value.to_lowercase());
        charset.is_none_or(|charset| matches!(charset.as_str(), "utf-8" | "utf8" | "us-ascii"))
    }
}

/// Parses parameters such as `; charset=utf-8; name="a b"`. The text begins with a semicolon. Returns `None` if a
/// parameter is invalid or occurs twice, because programs would choose different ones.
pub(crate) fn parse_parameters(text: &str) -> Option<IndexMap<String, String>> {
    let mut parameters = IndexMap::new();
    let mut rest = text;
    while !rest.is_empty() {
        rest = skip_blanks(rest.strip_prefix(';')?);
        // A semicolon without a parameter is allowed (RFC 9110, 5.6.6).
        if rest.is_empty() || rest.starts_with(';') {
            continue;
        }
        let (name, after) = rest.split_once('=')?;
        let name = name.to_lowercase();
        if !is_token(&name) || parameters.contains_key(&name) {
            return None;
        }
        let value = if let Some(quoted) = after.strip_prefix('"') {
            let (value, after) = read_quoted(quoted)?;
            rest = after;
            value
        } else {
            let end = after.find(';').unwrap_or(after.len());
            let value = after[..end].trim_end_matches(is_blank);
            rest = &after[end..];
            if !is_token(value) {
                return None;
            }
            value.to_owned()
        };
        parameters.insert(name, value);
        rest = skip_blanks(rest);
    }
    Some(parameters)
}

/// Reads a quoted string after its first quote. Returns its value and the text after its last quote. A backslash
/// escapes only a quote and itself: older browsers send paths such as `"C:\photo.png"` as they are.
fn read_quoted(text: &str) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut characters = text.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => return Some((value, &text[at + 1..])),
            '\\' => {
                let escaped = characters.next_if(|(_, next)| matches!(next, '"' | '\\'));
                value.push(escaped.map_or('\\', |(_, next)| next));
            }
            other => value.push(other),
        }
    }
    None
}

/// Returns true if a media type in lower case is one of the types or ranges: `image/png` is in `image/*`.
pub(crate) fn is_in_ranges(essence: &str, ranges: &[&str]) -> bool {
    ranges.iter().any(|range| {
        let kind = range.strip_suffix('*').filter(|kind| kind.ends_with('/'));
        *range == "*/*" || *range == essence || kind.is_some_and(|kind| essence.starts_with(kind))
    })
}

/// Removes whitespace at both ends like `trim` in JavaScript.
pub(crate) fn trim(text: &str) -> &str {
    text.trim_matches(is_blank)
}

/// Returns true for the characters that `trim` of JavaScript removes. U+0085 is not one of them.
fn is_blank(character: char) -> bool {
    (character.is_whitespace() && character != '\u{85}') || character == '\u{feff}'
}

fn skip_blanks(text: &str) -> &str {
    text.trim_start_matches([' ', '\t'])
}

/// Returns true for a token (RFC 9110, 5.6.2).
pub(crate) fn is_token(text: &str) -> bool {
    !text.is_empty()
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::{MediaType, is_in_ranges};

    #[test]
    fn parses_media_types_with_parameters() {
        let parse = |text| {
            let parsed = MediaType::parse(text)?;
            let parameters = parsed
                .parameters
                .iter()
                .map(|(name, value)| format!(";{name}={value}"));
            Some(parsed.essence.clone() + &parameters.collect::<String>())
        };
        for (text, expected) in [
            ("Text/CSV", Some("text/csv")),
            (" text/csv ;; Charset = x", None),
            (
                "text/csv; Charset=UTF-8 ; a=b;",
                Some("text/csv;charset=UTF-8;a=b"),
            ),
            (r#"a/b;c="x\"y\\z\w;=""#, Some(r#"a/b;c=x"y\z\w;="#)),
            (r#"a/b;c="x"#, None),
            ("a/b;c=", None),
            ("a/b;c=d;C=e", None),
            ("a/b/c", None),
            ("a", None),
            ("/b", None),
            ("", None),
        ] {
            assert_eq!(parse(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn accepts_utf8_and_ascii_as_charsets() {
        for (parameters, expected) in [
            ("", true),
            (";charset=UTF-8", true),
            (";charset=\"utf8\"", true),
            (";charset=us-ascii", true),
            (";charset=latin1", false),
        ] {
            let parsed = MediaType::parse(&format!("text/plain{parameters}")).unwrap();
            assert_eq!(parsed.is_utf8(), expected, "{parameters}");
        }
    }

    #[test]
    fn compares_media_types_with_ranges() {
        assert!(is_in_ranges("image/png", &["text/csv", "image/*"]));
        assert!(is_in_ranges("text/csv", &["text/csv"]));
        assert!(is_in_ranges("a/b", &["*/*"]));
        assert!(!is_in_ranges("images/png", &["image/*"]));
        assert!(!is_in_ranges("image/png", &[]));
    }
}
