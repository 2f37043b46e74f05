//! SQL statements without the data of users.

/// Maximum length of a recorded statement in characters.
const MOST: usize = 2_048;

/// Removes comments from a statement and replaces its literals by `?`, because they are data of users. Keeps parameters (`$1`).
pub(super) fn without_values(text: &str) -> String {
    let text: Vec<char> = text.chars().take(4 * MOST).collect();
    let mut shown = String::new();
    let mut at = 0;
    while let Some(letter) = text.get(at).copied() {
        let rest = &text[at..];
        let previous = at.checked_sub(1).and_then(|before| text.get(before)).copied();
        let is_in_word = previous.is_some_and(is_word);
        let length = match letter {
            '-' if rest.starts_with(&['-', '-']) => {
                shown.push(' ');
                rest.iter()
                    .position(|letter| *letter == '\n')
                    .unwrap_or(rest.len())
            }
            '/' if rest.starts_with(&['/', '*']) => {
                shown.push(' ');
                let end = rest.windows(2).skip(2).position(|pair| pair == ['*', '/']);
                end.map_or(rest.len(), |end| end + 4)
            }
            '"' => {
                let length = quoted(rest, '"', false);
                shown.extend(&rest[..length]);
                length
            }
            '\'' => {
                // The letters `E`, `B`, `X`, `N` and `U&` before the quotation mark belong to the literal.
                let prefix = prefix_of(&text[..at]);
                shown.truncate(shown.len() - prefix);
                shown.push('?');
                let has_escapes = prefix == 1 && matches!(previous, Some('e' | 'E'));
                quoted(rest, '\'', has_escapes)
            }
            '$' if !is_in_word => {
                if let Some(length) = dollar_quoted(rest) {
                    shown.push('?');
                    length
                } else {
                    let digits = rest.iter().skip(1).take_while(|letter| letter.is_ascii_digit());
                    let length = digits.count() + 1;
                    shown.extend(&rest[..length]);
                    length
                }
            }
            letter if letter.is_ascii_digit() && !is_in_word => {
                shown.push('?');
                rest.iter()
                    .take_while(|letter| is_word(**letter) || **letter == '.')
                    .count()
            }
            letter => {
                shown.push(letter);
                1
            }
        };
        at += length;
    }
    let words: Vec<_> = shown.split_whitespace().collect();
    let shown = words.join(" ");
    match shown.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &shown[..end]),
        None => shown,
    }
}

fn is_word(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}

/// Returns the number of letters at the end of a text that belong to the string literal after it.
fn prefix_of(before: &[char]) -> usize {
    let length = match before {
        [.., 'e' | 'E' | 'b' | 'B' | 'x' | 'X' | 'n' | 'N'] => 1,
        [.., 'u' | 'U', '&'] => 2,
        _ => return 0,
    };
    let other = before
        .len()
        .checked_sub(length + 1)
        .and_then(|at| before.get(at))
        .copied();
    if other.is_some_and(is_word) { 0 } else { length }
}

/// Returns the length of a quoted text, with its quotation marks. A doubled mark is a part of the text.
fn quoted(text: &[char], mark: char, has_escapes: bool) -> usize {
    let mut at = 1;
    while let Some(letter) = text.get(at) {
        if has_escapes && *letter == '\\' {
            at += 2;
        } else if *letter != mark {
            at += 1;
        } else if text.get(at + 1) == Some(&mark) {
            at += 2;
        } else {
            return at + 1;
        }
    }
    text.len()
}

/// Returns the length of a text in dollar quotes, such as `$tag$…$tag$`. Returns `None` if the text does not begin with one.
fn dollar_quoted(text: &[char]) -> Option<usize> {
    let name = text.iter().skip(1).take_while(|letter| is_word(**letter)).count();
    let starts_with_digit = text.get(1).is_some_and(char::is_ascii_digit);
    if starts_with_digit || text.get(name + 1) != Some(&'$') {
        return None;
    }
    let mark = &text[..name + 2];
    let end = text[mark.len()..]
        .windows(mark.len())
        .position(|part| part == mark);
    Some(end.map_or(text.len(), |end| end + 2 * mark.len()))
}

#[cfg(test)]
mod tests {
    use super::without_values;

    #[test]
    fn replaces_literals_and_removes_comments() {
        for (statement, shown) in [
            ("SELECT *  FROM a\nWHERE b = $1", "SELECT * FROM a WHERE b = $1"),
            ("SELECT 'it''s', 1.5e3, t1.c2", "SELECT ?, ?, t1.c2"),
            (r"SELECT E'a\'b', U&'x', N'n', name'x'", "SELECT ?, ?, ?, name?"),
            (r#"SELECT "a""1'b" FROM "t""#, r#"SELECT "a""1'b" FROM "t""#),
            ("SELECT $$secret$$, $a$x$$y$a$, $2", "SELECT ?, ?, $2"),
            ("SELECT 1 -- secret\n/* more '*/, 2", "SELECT ? , ?"),
            ("SELECT 'unfinished", "SELECT ?"),
            ("/* unfinished", ""),
            ("", ""),
        ] {
            assert_eq!(without_values(statement), shown, "{statement}");
        }
        assert!(without_values(&"a ".repeat(5_000)).chars().count() <= 2_049);
    }
}
