//! Strings of template literal types.

use std::collections::BTreeSet;

use kit_ir::{LiteralValue, Program, TemplatePart, TypeId, TypeKind};

use crate::walk::resolve;

/// Returns true if a string fits a template literal type. The string is divided like TypeScript does: each hole stops where
/// the text after it first occurs, and a hole directly before another hole is one character. If a hole is more than a
/// string, a number or a bigint, which no template of TypeScript has, all possible divisions are tried.
pub(crate) fn matches(program: &Program, parts: &[TemplatePart], text: &str) -> bool {
    match divide(program, parts) {
        Some((holes, between)) => divided(&holes, &between, text),
        None => ends(program, parts, text, BTreeSet::from([0])).contains(&text.len()),
    }
}

/// Function that returns true if a string fits a hole.
type Fills = fn(&str) -> bool;

/// Returns the holes of a template, and the texts before, between and after them. Returns `None` if there is no hole or if a
/// hole is more than a string, a number or a bigint.
fn divide(program: &Program, parts: &[TemplatePart]) -> Option<(Vec<Fills>, Vec<String>)> {
    let (mut holes, mut between): (Vec<Fills>, _) = (Vec::new(), vec![String::new()]);
    for part in parts {
        match part {
            TemplatePart::Text(fixed) => between.last_mut()?.push_str(fixed),
            TemplatePart::Placeholder(id) => {
                holes.push(match &program.types[resolve(program, *id)].kind {
                    TypeKind::String | TypeKind::Unknown => |_| true,
                    TypeKind::Number => is_number,
                    TypeKind::BigInt => is_integer,
                    _ => return None,
                });
                between.push(String::new());
            }
        }
    }
    (!holes.is_empty()).then_some((holes, between))
}

fn divided(holes: &[Fills], between: &[String], text: &str) -> bool {
    let (first, last) = (between[0].as_str(), between[holes.len()].as_str());
    let Some(mut rest) = text.strip_prefix(first).and_then(|text| text.strip_suffix(last)) else {
        return false;
    };
    for (at, fills) in holes.iter().enumerate() {
        let behind = between[at + 1].as_str();
        let end = if at + 1 == holes.len() {
            return fills(rest);
        } else if behind.is_empty() {
            rest.chars().next().map(char::len_utf8)
        } else {
            rest.find(behind)
        };
        let Some(end) = end else { return false };
        if !fills(&rest[..end]) {
            return false;
        }
        rest = &rest[end + behind.len()..];
    }
    true
}

/// Returns the offsets at which the segments can stop if they start at one of the given offsets.
fn ends(program: &Program, parts: &[TemplatePart], text: &str, starts: BTreeSet<usize>) -> BTreeSet<usize> {
    parts.iter().fold(starts, |starts, part| match part {
        TemplatePart::Text(fixed) => fixed_ends(fixed, text, &starts),
        TemplatePart::Placeholder(id) => hole_ends(program, *id, text, &starts),
    })
}

fn fixed_ends(fixed: &str, text: &str, starts: &BTreeSet<usize>) -> BTreeSet<usize> {
    let follows = |start: &&usize| text[**start..].starts_with(fixed);
    starts
        .iter()
        .filter(follows)
        .map(|start| start + fixed.len())
        .collect()
}

fn hole_ends(program: &Program, id: TypeId, text: &str, starts: &BTreeSet<usize>) -> BTreeSet<usize> {
    match &program.types[resolve(program, id)].kind {
        TypeKind::String | TypeKind::Unknown => match starts.first() {
            None => BTreeSet::new(),
            Some(first) => (*first..=text.len())
                .filter(|offset| text.is_char_boundary(*offset))
                .collect(),
        },
        TypeKind::Number => number_ends(text, starts, is_number),
        TypeKind::BigInt => number_ends(text, starts, is_integer),
        TypeKind::Boolean => {
            let mut found = fixed_ends("true", text, starts);
            found.extend(fixed_ends("false", text, starts));
            found
        }
        TypeKind::Null => fixed_ends("null", text, starts),
        TypeKind::Literal { value } => fixed_ends(&literal_text(value), text, starts),
        TypeKind::Template { parts } => ends(program, parts, text, starts.clone()),
        TypeKind::Union { members } => members
            .iter()
            .flat_map(|member| hole_ends(program, *member, text, starts))
            .collect(),
        TypeKind::Never
        | TypeKind::Date
        | TypeKind::Bytes
        | TypeKind::Array { .. }
        | TypeKind::Tuple { .. }
        | TypeKind::Object(_)
        | TypeKind::Reference { .. } => BTreeSet::new(),
    }
}

fn number_ends(text: &str, starts: &BTreeSet<usize>, is: fn(&str) -> bool) -> BTreeSet<usize> {
    let part = |byte: u8| byte.is_ascii_digit() || b"+-.eE".contains(&byte);
    let mut found = BTreeSet::new();
    for start in starts {
        let length = text[*start..].bytes().take_while(|byte| part(*byte)).count();
        found.extend((*start..=start + length).filter(|end| is(&text[*start..*end])));
    }
    found
}

fn is_integer(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns true for `-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?`, like the runtimes do.
fn is_number(text: &str) -> bool {
    let are_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (text, None),
    };
    let exponent = exponent.map(|exponent| exponent.strip_prefix(['+', '-']).unwrap_or(exponent));
    let mantissa = mantissa.strip_prefix('-').unwrap_or(mantissa);
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    are_digits(whole) && fraction.is_none_or(are_digits) && exponent.is_none_or(are_digits)
}

/// Returns a string that fits; `None` if a hole has no example.
pub(super) fn example(program: &Program, parts: &[TemplatePart]) -> Option<String> {
    parts
        .iter()
        .map(|part| match part {
            TemplatePart::Text(fixed) => Some(fixed.clone()),
            TemplatePart::Placeholder(id) => hole_example(program, *id),
        })
        .collect()
}

fn hole_example(program: &Program, id: TypeId) -> Option<String> {
    match &program.types[resolve(program, id)].kind {
        TypeKind::String | TypeKind::Unknown => Some("a".to_owned()),
        TypeKind::Number | TypeKind::BigInt => Some("1".to_owned()),
        TypeKind::Boolean => Some("true".to_owned()),
        TypeKind::Null => Some("null".to_owned()),
        TypeKind::Literal { value } => Some(literal_text(value)),
        TypeKind::Template { parts } => example(program, parts),
        TypeKind::Union { members } => members.iter().find_map(|member| hole_example(program, *member)),
        TypeKind::Never
        | TypeKind::Date
        | TypeKind::Bytes
        | TypeKind::Array { .. }
        | TypeKind::Tuple { .. }
        | TypeKind::Object(_)
        | TypeKind::Reference { .. } => None,
    }
}

fn literal_text(value: &LiteralValue) -> String {
    match value {
        LiteralValue::String(text) | LiteralValue::BigInt(text) => text.clone(),
        LiteralValue::Number(number) => format!("{number}"),
        LiteralValue::Boolean(value) => value.to_string(),
    }
}

/// Returns true if `[key: number]` accepts a key: a number as JavaScript prints it. Keys with exponents, which are rare, are
/// decided by the runtimes: here they are not numbers.
pub(crate) fn is_numeric_key(key: &str) -> bool {
    matches!(key, "NaN" | "Infinity" | "-Infinity")
        || (is_number(key)
            && !key.contains(['e', 'E'])
            && key
                .parse::<f64>()
                .is_ok_and(|number| format!("{number}") == key && key != "-0"))
}
