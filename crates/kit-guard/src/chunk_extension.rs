//! Validates chunk extensions against their grammar (RFC 9112, 7.1.1):
//!
//! ```text
//! chunk-ext      = *( BWS ";" BWS chunk-ext-name [ BWS "=" BWS chunk-ext-val ] )
//! chunk-ext-name = token
//! chunk-ext-val  = token / quoted-string
//! ```
//!
//! kit uses no extensions. Invalid extensions are rejected, because servers disagree about the end of a line that
//! contains them.

use crate::characters::{TOKEN, VALUE, all};

/// Returns true if the text after a chunk's size is a valid list of extensions. An empty text is a valid list.
pub(crate) fn are_extensions(mut text: &[u8]) -> bool {
    while !text.is_empty() {
        let Some(rest) = skip_blanks(text).strip_prefix(b";") else {
            return false;
        };
        let Some(rest) = skip_token(skip_blanks(rest)) else {
            return false;
        };
        text = match skip_blanks(rest).strip_prefix(b"=") {
            None => rest,
            Some(value) => match skip_value(skip_blanks(value)) {
                None => return false,
                Some(rest) => rest,
            },
        };
    }
    true
}

/// Returns the text after leading spaces and tabs (`BWS` in the grammar).
fn skip_blanks(mut text: &[u8]) -> &[u8] {
    while let [b' ' | b'\t', rest @ ..] = text {
        text = rest;
    }
    text
}

/// Returns the text after a leading token, or `None` if the text does not begin with a token.
fn skip_token(text: &[u8]) -> Option<&[u8]> {
    let length = text
        .iter()
        .position(|&byte| !all(&[byte], TOKEN))
        .unwrap_or(text.len());
    (length > 0).then(|| &text[length..])
}

fn skip_value(text: &[u8]) -> Option<&[u8]> {
    let Some(mut text) = text.strip_prefix(b"\"") else {
        return skip_token(text);
    };
    loop {
        let (&byte, mut rest) = text.split_first()?;
        match byte {
            b'"' => return Some(rest),
            // A backslash escapes the next character, which may be a quote.
            b'\\' => {
                let (&escaped, behind) = rest.split_first()?;
                if !all(&[escaped], VALUE) {
                    return None;
                }
                rest = behind;
            }
            _ if !all(&[byte], VALUE) => return None,
            _ => {}
        }
        text = rest;
    }
}

#[cfg(test)]
mod tests {
    use super::are_extensions;

    #[test]
    fn accepts_chunk_extensions_that_match_the_grammar_of_rfc_9112() {
        for good in [
            "",
            ";a",
            ";a=b",
            " ;a",
            "\t;\ta \t= \tb",
            ";a;b=c;d=\"e\"",
            ";a=\"\"",
            ";a=\"x\\\"y\"",
            ";a=\"\\\\\"",
            ";a=\"\t;=\"",
            ";a=\"\u{e4}\"",
        ] {
            assert!(are_extensions(good.as_bytes()), "{good:?}");
        }
    }

    #[test]
    fn refuses_invalid_chunk_extensions() {
        for bad in [
            " ",
            "\t",
            ";",
            "; ",
            ";a;",
            ";a=",
            ";=b",
            ";a;;b",
            ";a b",
            ";a ",
            ";a=b ",
            ";a=b=c",
            ";a,b",
            ";[a]",
            ";a=[b]",
            ";a=\"x",
            ";a=\"x\\",
            ";a=\"x\\\"",
            ";a=\"x\"y",
            ";a=x\"y\"",
            ";a=\"\u{7f}\"",
            ";a=\"\\\u{1}\"",
            ";\u{e4}",
            "a",
            "=a",
        ] {
            assert!(!are_extensions(bad.as_bytes()), "{bad:?}");
        }
    }
}
