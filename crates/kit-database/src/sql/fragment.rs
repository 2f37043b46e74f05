//! SQL conditions that users write in doc tags.

/// Returns the reason why a text cannot be a part of a statement, such as a quote without its end. PostgreSQL checks the
/// condition itself when a migration runs.
///
/// ```
/// use kit_database::sql::fragment_problem;
///
/// assert_eq!(fragment_problem("deleted_at IS NULL AND (name <> ';')"), None);
/// assert_eq!(fragment_problem("lower(name"), Some("has a `(` without a `)`"));
/// assert_eq!(fragment_problem("true; DROP TABLE notes"), Some("contains a `;`"));
/// ```
pub fn fragment_problem(text: &str) -> Option<&'static str> {
    let bytes = text.as_bytes();
    let (mut at, mut depth) = (0, 0_usize);
    while let Some(byte) = bytes.get(at) {
        match (byte, bytes.get(at + 1)) {
            (quote @ (b'\'' | b'"'), _) => {
                // A doubled quote is a part of the text: the scan enters a second text there, with the same result.
                match bytes[at + 1..].iter().position(|other| other == quote) {
                    Some(length) => at += length + 1,
                    None => return Some("has a quote without its end"),
                }
            }
            (b'\\', _) => {
                return Some("contains a `\\`, which is an escape in some texts: write the character itself");
            }
            (b'$', _) => return Some("contains a `$`, which begins a quoted text or a parameter: use `'`"),
            (b';', _) => return Some("contains a `;`"),
            (b'-', Some(b'-')) | (b'/', Some(b'*')) => return Some("contains a comment"),
            (b'(', _) => depth += 1,
            (b')', _) if depth == 0 => return Some("has a `)` without a `(`"),
            (b')', _) => depth -= 1,
            _ => {}
        }
        at += 1;
    }
    match (depth, text.trim().is_empty()) {
        (_, true) => Some("is empty"),
        (0, _) => None,
        _ => Some("has a `(` without a `)`"),
    }
}

/// Returns the names in an SQL expression.
pub(crate) fn names_in(sql: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut rest = sql.char_indices().peekable();
    while let Some((start, char)) = rest.next() {
        if char == '\'' || char == '"' {
            let mut text = String::new();
            for (_, inner) in rest.by_ref() {
                if inner == char {
                    break;
                }
                text.push(inner);
            }
            if char == '"' {
                names.push(text);
            }
        } else if char.is_alphabetic() || char == '_' {
            let mut end = start + char.len_utf8();
            while let Some((at, next)) = rest.peek() {
                if !(next.is_alphanumeric() || *next == '_') {
                    break;
                }
                end = at + next.len_utf8();
                rest.next();
            }
            names.push(sql[start..end].to_lowercase());
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::fragment_problem;

    #[test]
    fn accepts_conditions_and_refuses_texts_that_would_change_the_statement() {
        for valid in [
            "a = 1",
            "name = 'it''s; -- fine ('",
            "\"odd (name\" > 0",
            "a - -1 > 0",
            "(a OR b) AND c ~ '^[a-z]+'",
        ] {
            assert_eq!(fragment_problem(valid), None, "{valid}");
        }
        for wrong in [
            "", " ", "'", "a = 'b", "\"a", "a)", "(a", "a; b", "a -- b", "a /* b", "E'\\''", "$$a$$", "$1",
        ] {
            assert!(fragment_problem(wrong).is_some(), "{wrong}");
        }
    }
}
