//! Definitions as PostgreSQL prints them, without differences that depend on the history of an object.
//!
//! PostgreSQL does not always print an object in the same way after its own text created the object again:
//!
//! - A column of a view without a name, such as `NULL` in the second part of a `UNION`, is printed as `NULL::integer`. The
//!   text gives the column the name of its type, and PostgreSQL then prints `NULL::integer AS int4`.
//! - `a IN ('x', 'y')` for a `varchar` is printed as `ARRAY['x'::character varying, 'y'::character varying]::text[]`. The text
//!   converts each value, and PostgreSQL then prints `ARRAY['x'::character varying::text, 'y'::character varying::text]`.
//!
//! Both texts create the same object.

use kit_database::ObjectKind;
use squawk_lexer::{TokenKind, tokenize};

/// Types whose columns get another name than that of the type.
const NAMES: [(&str, &str); 13] = [
    ("integer", "int4"),
    ("bigint", "int8"),
    ("smallint", "int2"),
    ("real", "float4"),
    ("double precision", "float8"),
    ("boolean", "bool"),
    ("character varying", "varchar"),
    ("character", "bpchar"),
    ("bit varying", "varbit"),
    ("timestamp without time zone", "timestamp"),
    ("timestamp with time zone", "timestamptz"),
    ("time without time zone", "time"),
    ("time with time zone", "timetz"),
];

/// Maximum number of tokens of a type such as `timestamp(3) without time zone[]`.
const MOST_TOKENS: usize = 16;

/// Returns the definition that PostgreSQL prints for each copy of the object.
pub(crate) fn stable(kind: ObjectKind, text: &str) -> String {
    match kind {
        ObjectKind::Function | ObjectKind::Comment => text.to_owned(),
        ObjectKind::View => without_implied_names(&with_converted_values(text)),
        _ => with_converted_values(text),
    }
}

/// Converts each value of an array instead of the array, as PostgreSQL itself does.
fn with_converted_values(text: &str) -> String {
    const START: &str = "ARRAY[";
    let mut kept = String::new();
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let length = if matches!(letter, '\'' | '"') {
            quoted_length(rest)
        } else if let Some((values, length)) = rest.strip_prefix(START).and_then(converted_values) {
            kept.push_str(START);
            kept.push_str(&values);
            rest = &rest[START.len() + length..];
            continue;
        } else {
            letter.len_utf8()
        };
        kept.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    kept
}

/// Returns the length of a string or a quoted name at the beginning of the text. A doubled quote is a part of the string.
fn quoted_length(text: &str) -> usize {
    let quote = &text[..1];
    let mut end = 1;
    while let Some(at) = text[end..].find(quote) {
        end += at + 1;
        if !text[end..].starts_with(quote) {
            return end;
        }
        end += 1;
    }
    text.len()
}

/// Reads the values of an array of strings that is converted, after `ARRAY[`: `'a'::character varying]::text[]`. Returns
/// `'a'::character varying::text]` and the length of the text that was read.
fn converted_values(text: &str) -> Option<(String, usize)> {
    let mut values: Vec<&str> = Vec::new();
    let mut at = 0;
    loop {
        let start = at;
        if !text[at..].starts_with('\'') {
            return None;
        }
        at += quoted_length(&text[at..]);
        text[at..].strip_prefix("::")?;
        at += 2 + type_length(&text[at + 2..]);
        values.push(&text[start..at]);
        let rest = &text[at..];
        if rest.starts_with(", ") {
            at += 2;
        } else if let Some(rest) = rest.strip_prefix("]::") {
            let length = type_length(rest);
            rest[length..].strip_prefix("[]")?;
            let to = &rest[..length];
            let converted: Vec<String> = values.iter().map(|value| format!("{value}::{to}")).collect();
            return Some((format!("{}]", converted.join(", ")), at + 3 + length + 2));
        } else {
            return None;
        }
    }
}

/// Returns the length of the name of a type at the beginning of the text, without `[]`.
fn type_length(text: &str) -> usize {
    let mut depth = 0_usize;
    text.find(|letter: char| {
        match letter {
            '(' => depth += 1,
            ')' if depth > 0 => {
                depth -= 1;
                return false;
            }
            _ => {}
        }
        depth == 0 && !(letter.is_alphanumeric() || matches!(letter, ' ' | '_' | '.' | '"'))
    })
    .unwrap_or(text.len())
}

/// Removes `AS` with the names that columns have without `AS`.
fn without_implied_names(text: &str) -> String {
    let mut tokens: Vec<(TokenKind, &str)> = Vec::new();
    let mut at = 0;
    for token in tokenize(text) {
        let end = at + token.len as usize;
        tokens.push((token.kind, &text[at..end]));
        at = end;
    }
    let mut kept = String::new();
    let mut at = 0;
    while let Some((_, part)) = tokens.get(at) {
        if is_implied(&tokens, at) {
            at += 4;
        } else {
            kept.push_str(part);
            at += 1;
        }
    }
    kept
}

/// Returns true if the tokens from `at` on are ` AS name`, and the tokens before are a conversion to a type that gives the
/// column this name.
fn is_implied(tokens: &[(TokenKind, &str)], at: usize) -> bool {
    let Some(
        [
            (TokenKind::Whitespace, _),
            (TokenKind::Ident, "AS"),
            (TokenKind::Whitespace, _),
            (_, name),
        ],
    ) = tokens.get(at..at + 4)
    else {
        return false;
    };
    let first = at.saturating_sub(MOST_TOKENS);
    let Some(colon) = tokens[first..at]
        .iter()
        .rposition(|(_, part)| part.ends_with(':'))
    else {
        return false;
    };
    let r#type: String = tokens[first + colon + 1..at]
        .iter()
        .map(|(_, part)| *part)
        .collect();
    let name = name.trim_matches('"');
    let Some(base) = without_parentheses(&r#type) else {
        return false;
    };
    match NAMES.iter().find(|(known, _)| *known == base) {
        Some((_, implied)) => *implied == name,
        None => base
            .rsplit('.')
            .next()
            .is_some_and(|last| last.trim_matches('"') == name),
    }
}

/// Returns a type without its digits and dimensions: `timestamp(3) without time zone[]` becomes
/// `timestamp without time zone`. Returns `None` if the text is only a part of an expression in parentheses.
fn without_parentheses(r#type: &str) -> Option<String> {
    let mut depth = 0_usize;
    let mut base = String::new();
    for letter in r#type.chars() {
        match letter {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.checked_sub(1)?,
            _ if depth == 0 => base.push(letter),
            _ => {}
        }
    }
    Some(base)
}

#[cfg(test)]
mod tests {
    use kit_database::ObjectKind;

    use super::{stable, without_implied_names};

    #[test]
    fn converts_each_value_of_an_array() {
        for (text, expected) in [
            (
                "CHECK (a::text = ANY (ARRAY['x'::character varying, 'it''s ]'::character varying(5)]::text[]))",
                "CHECK (a::text = ANY (ARRAY['x'::character varying::text, 'it''s ]'::character varying(5)::text]))",
            ),
            (
                "SELECT ARRAY['x'::text], ARRAY[1, 2]::bigint[], 'ARRAY[''x''::a]::text[]', ARRAY[a, 'x'::b]::text[]",
                "SELECT ARRAY['x'::text], ARRAY[1, 2]::bigint[], 'ARRAY[''x''::a]::text[]', ARRAY[a, 'x'::b]::text[]",
            ),
            ("ARRAY['x", "ARRAY['x"),
            (
                "é ARRAY['é'::mood]::public.\"Mood\"[]",
                "é ARRAY['é'::mood::public.\"Mood\"]",
            ),
        ] {
            assert_eq!(stable(ObjectKind::Constraint, text), expected);
        }
    }

    #[test]
    fn removes_names_that_a_column_has_without_them() {
        for (text, expected) in [
            (
                "SELECT NULL::integer AS int4,\n    a::character varying(5) AS \"varchar\"",
                "SELECT NULL::integer,\n    a::character varying(5)",
            ),
            (
                "SELECT NULL::timestamp(3) with time zone AS timestamptz, '{}'::text[] AS text FROM t",
                "SELECT NULL::timestamp(3) with time zone, '{}'::text[] FROM t",
            ),
            (
                "SELECT 'a'::public.mood AS mood, '1'::\"char\" AS \"char\"",
                "SELECT 'a'::public.mood, '1'::\"char\"",
            ),
        ] {
            assert_eq!(without_implied_names(text), expected);
        }
    }

    #[test]
    fn keeps_all_other_names_and_texts() {
        for text in [
            "SELECT a::integer AS int8, b AS int4, c::integer + d AS int4, f(e::integer) AS int4",
            "SELECT 'x::integer AS int4'::text AS note",
            "SELECT a::integer AS \"Int4\"",
            "",
        ] {
            assert_eq!(without_implied_names(text), text);
        }
    }
}
