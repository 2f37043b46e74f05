//! Text of views as PostgreSQL prints it, without names that depend on the history of the view.
//!
//! A column without a name, such as `NULL` in the second part of a `UNION`, is printed as `NULL::integer`. If this text
//! creates the view again, the column has the name of its type, and PostgreSQL prints `NULL::integer AS int4`. Both texts
//! create the same view.

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

/// Removes `AS` with the names that columns have without `AS`.
pub(crate) fn without_implied_names(text: &str) -> String {
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
    use super::without_implied_names;

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
