//! Reads checks that are rules of kit, such as the bounds of a number.

use super::PulledColumn;
use crate::sql::identifier;

/// Returns the tags for a check on one column, if PostgreSQL prints the check of these tags in the same way:
/// `@minimum 1 @maximum 5` for `CHECK (stars >= 1 AND stars <= 5)`.
pub(super) fn rule(definition: &str, column: &PulledColumn<'_>) -> Option<String> {
    let condition = definition.strip_prefix("CHECK (")?.strip_suffix(')')?;
    let name = identifier(column.name);
    if let Some(least) = condition
        .strip_prefix(&format!("char_length({name}"))
        .and_then(|rest| rest.strip_prefix("::text").unwrap_or(rest).strip_prefix(") >= "))
    {
        let is_text = column.r#type.text == "string" && matches!(column.kind(), "text" | "character varying");
        return (is_text && is_digits(least)).then(|| format!("@minLength {least}"));
    }
    let bound = |part: &str| -> Option<(&'static str, String)> {
        let (sign, literal) = part.strip_prefix(&name)?.strip_prefix(' ')?.split_once(' ')?;
        let tag = match sign {
            ">=" => "@minimum",
            ">" => "@exclusiveMinimum",
            "<=" => "@maximum",
            "<" => "@exclusiveMaximum",
            _ => return None,
        };
        Some((tag, number(literal, &column.base)?))
    };
    let bounds: Vec<(&str, String)> = condition.split(" AND ").map(bound).collect::<Option<_>>()?;
    let is_lower = |tag: &str| tag.to_ascii_lowercase().ends_with("minimum");
    let is_ordered = match bounds.as_slice() {
        [_] => true,
        // kit writes the lower bound first.
        [(first, _), (second, _)] => is_lower(first) && !is_lower(second),
        _ => false,
    };
    let tags: Vec<String> = bounds
        .iter()
        .map(|(tag, number)| format!("{tag} {number}"))
        .collect();
    is_ordered.then(|| tags.join(" "))
}

/// Returns the number of a literal as PostgreSQL prints a literal that is compared with a column of the type.
fn number(literal: &str, base: &str) -> Option<String> {
    match base {
        "smallint" | "integer" => {
            let negative = literal
                .strip_prefix("'-")
                .and_then(|rest| rest.strip_suffix("'::integer"))
                .filter(|digits| is_digits(digits))
                .map(|digits| format!("-{digits}"));
            negative.or_else(|| is_digits(literal).then(|| literal.to_owned()))
        }
        _ if base.starts_with("numeric(") => {
            let plain = literal
                .strip_suffix("::numeric")
                .filter(|digits| is_digits(digits));
            let has_fraction = |text: &&str| {
                text.split_once('.').is_some_and(|(whole, fraction)| {
                    is_digits(whole)
                        && !fraction.is_empty()
                        && fraction.bytes().all(|letter| letter.is_ascii_digit())
                })
            };
            plain
                .or_else(|| Some(literal).filter(has_fraction))
                .map(str::to_owned)
        }
        "double precision" => {
            let digits = literal.strip_suffix("::double precision")?;
            is_digits(digits).then(|| digits.to_owned())
        }
        _ => None,
    }
}

/// Returns true for digits that JavaScript prints in the same way.
fn is_digits(text: &str) -> bool {
    (text == "0" || !text.starts_with('0'))
        && (1..=9).contains(&text.len())
        && text.bytes().all(|letter| letter.is_ascii_digit())
}
