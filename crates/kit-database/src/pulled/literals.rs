//! Literals in definitions of PostgreSQL.

use std::iter::Peekable;
use std::str::Chars;

/// Returns the values of a check that lists the values of a column, as PostgreSQL prints the check.
pub(super) fn listed(check: &str, column: &str) -> Option<Vec<String>> {
    let name = crate::sql::identifier(column);
    let rest = check.strip_prefix("CHECK (")?;
    let rest = rest
        .strip_prefix(&format!("{name}::text = ANY (ARRAY["))
        .or_else(|| rest.strip_prefix(&format!("({name}::text = ANY (ARRAY[")))
        .or_else(|| rest.strip_prefix(&format!("{name} = ANY (ARRAY[")))?;
    let (values, end) = literals(rest)?;
    end.chars()
        .all(|letter| ")[]:abcdefghijklmnopqrstuvwxyz ".contains(letter))
        .then_some(values)
}

/// Returns the texts of a list of literals with their types, such as `'a'::text, 'b'::text]`, and the text behind the bracket.
/// Returns `None` if the list is empty or has another item: with `NULL` in the list, a check accepts each value.
fn literals(list: &str) -> Option<(Vec<String>, String)> {
    let mut found = Vec::new();
    let mut letters = list.chars().peekable();
    loop {
        letters.next_if_eq(&'\'')?;
        found.push(quoted(&mut letters)?);
        let is_part = |letter: &char| !matches!(letter, ',' | ']');
        let r#type: String = std::iter::from_fn(|| letters.next_if(is_part)).collect();
        if !is_cast(&r#type) {
            return None;
        }
        if letters.next()? == ']' {
            return Some((found, letters.collect()));
        }
        letters.next_if_eq(&' ')?;
    }
}

/// Returns the rest of a literal after its first quote, and skips its last quote.
fn quoted(letters: &mut Peekable<Chars<'_>>) -> Option<String> {
    let mut text = String::new();
    loop {
        match letters.next()? {
            '\'' if letters.next_if_eq(&'\'').is_none() => return Some(text),
            letter => text.push(letter),
        }
    }
}

/// Returns true for the types behind a literal: `::character varying(20)::text`, or an empty text.
fn is_cast(text: &str) -> bool {
    let is_name = |part: &str| {
        part.chars()
            .all(|letter| letter.is_alphanumeric() || "_:.\" ".contains(letter))
    };
    let mut parts = text.split('(');
    let begins = parts
        .next()
        .is_some_and(|first| is_name(first) && (text.is_empty() || first.starts_with("::")));
    // Only a length is in parentheses.
    let has_length = |part: &str| {
        part.split_once(')')
            .is_some_and(|(length, rest)| length.bytes().all(|digit| digit.is_ascii_digit()) && is_name(rest))
    };
    begins && parts.all(has_length)
}

/// Returns the text of a default that is only a literal and its type, such as `'a'::text`; `None` for any other expression,
/// such as `'PO-'::text || nextval('numbers'::regclass)`.
pub(super) fn literal(default: &str) -> Option<String> {
    let mut letters = default.strip_prefix('\'')?.chars().peekable();
    let text = quoted(&mut letters)?;
    let r#type: String = letters.collect();
    let is_type = r#type.starts_with("::")
        && r#type
            .chars()
            .all(|letter| letter.is_alphanumeric() || "_:.,()[]\" ".contains(letter));
    is_type.then_some(text)
}

#[cfg(test)]
mod tests {
    use super::listed;

    #[test]
    fn a_check_lists_values_only_if_all_items_are_literals() {
        for (list, expected) in [
            ("'a'::text, 'b''c, d'::text", Some(&["a", "b'c, d"][..])),
            ("'x OR y'::text", Some(&["x OR y"][..])),
            ("'a'::character varying(20)::text", Some(&["a"][..])),
            ("'a'::billing.\"Odd state\"", Some(&["a"][..])),
            ("'a'::text, NULL::text", None),
            ("lower('A'::text)", None),
            ("'a'::text || 'b'::text", None),
            ("E'a\\\\b'::text", None),
            ("'x'::text]) IS TRUE AND (b[1", None),
            ("", None),
        ] {
            let check = format!("CHECK (state = ANY (ARRAY[{list}]))");
            let expected =
                expected.map(|values| values.iter().map(|value| (*value).to_owned()).collect::<Vec<_>>());
            assert_eq!(listed(&check, "state"), expected, "{check}");
        }
        let check =
            "CHECK (state::text = ANY (ARRAY['a'::character varying, 'b'::character varying]::text[]))";
        assert_eq!(
            listed(check, "state").as_deref(),
            Some(&["a".to_owned(), "b".to_owned()][..])
        );
    }
}
