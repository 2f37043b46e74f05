//! Descriptions of shapes in words.

use std::borrow::Cow;
use std::sync::OnceLock;

use super::{Array, Literal, Number, Shape, Text, Tuple};
use crate::json::{number_text, quoted};

/// Maximum number of alternatives that a description lists.
const MAX_CHOICES: usize = 12;

/// Maximum number of descriptions that are kept, and maximum number of slots that are searched for one.
const SLOTS: usize = 1024;
const SEARCHED: usize = 8;

/// Descriptions of shapes with the addresses of the shapes, which live as long as the program. A slot never changes after its
/// first use, so that requests read it without a lock.
static KNOWN: [OnceLock<(usize, &str)>; SLOTS] = [const { OnceLock::new() }; SLOTS];

/// Describes a shape and its rules in words: `string, 1 to 200 characters`. Composes the words only once for most shapes, because
/// each wrong request has a description.
pub fn describe(shape: &'static Shape) -> Cow<'static, str> {
    let shape = shape.resolve();
    let address = std::ptr::from_ref(shape).addr();
    let first = address / align_of::<Shape>();
    for at in first..first + SEARCHED {
        let slot = &KNOWN[at % SLOTS];
        let found = slot.get().copied().unwrap_or_else(|| {
            // Composed before the slot is taken, because the members of a union are described too.
            let text = compose(shape);
            *slot.get_or_init(|| (address, text.leak()))
        });
        // Another thread may have taken the slot for another shape.
        if found.0 == address {
            return Cow::Borrowed(found.1);
        }
    }
    Cow::Owned(compose(shape))
}

fn compose(shape: &'static Shape) -> String {
    match shape {
        Shape::Unknown => "any value".to_owned(),
        Shape::Never => "no value at all".to_owned(),
        Shape::Null => "null".to_owned(),
        Shape::Boolean => "boolean".to_owned(),
        Shape::Date => "RFC 3339 date-time string".to_owned(),
        Shape::Text(rules) => text(rules),
        Shape::Bytes => "base64 string".to_owned(),
        Shape::Number(rules) => number(if rules.integer { "integer" } else { "number" }, rules),
        Shape::BigInt(rules) => bigint(rules),
        Shape::Literal(Literal::Text(text) | Literal::BigInt(text)) => quoted(text),
        Shape::Literal(Literal::Number(number)) => number_text(*number),
        Shape::Literal(Literal::Boolean(value)) => value.to_string(),
        Shape::Array(rules) => array(rules),
        Shape::Tuple(elements) => tuple(elements),
        Shape::Object(object) => match object.name {
            Some(name) => format!("object ({name})"),
            None => "object".to_owned(),
        },
        Shape::Union(union) => alternatives(union.members.iter().map(|member| describe(member))),
        Shape::Reference(_) | Shape::Recursive(_) => String::new(),
    }
}

/// Joins alternatives: `"a", "b" or "c"`. Omits duplicates. If there are more than 12 alternatives, lists 12
/// and counts the others.
pub fn alternatives(words: impl Iterator<Item = Cow<'static, str>>) -> String {
    let mut distinct: Vec<Cow<'static, str>> = Vec::new();
    for word in words {
        if !distinct.contains(&word) {
            distinct.push(word);
        }
    }
    if distinct.len() > MAX_CHOICES {
        let more = distinct.len() - MAX_CHOICES;
        return format!("{} or one of {more} more", distinct[..MAX_CHOICES].join(", "));
    }
    match distinct.pop() {
        None => "no value at all".to_owned(),
        Some(last) if distinct.is_empty() => last.into_owned(),
        Some(last) => format!("{} or {last}", distinct.join(", ")),
    }
}

/// Formats a number and the noun after it in the singular or plural: `1 item`, `2 items`.
pub fn count(number: usize, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    // Without `format!`, because each wrong request has such words.
    [&number.to_string(), " ", noun, plural].concat()
}

fn text(rules: &Text) -> String {
    let noun = match rules.template {
        Some(template) => format!("string of the form `{}`", template.source()),
        None if rules.is_key => "key".to_owned(),
        None => "string".to_owned(),
    };
    let kind = match rules.format {
        Some(format) => format!("{noun} in {} format", format.name()),
        None => noun,
    };
    let matching = || Some(format!("matching /{}/", rules.pattern?.source()));
    let pattern = rules.words.map(str::to_owned).or_else(matching);
    listed([
        Some(kind),
        range(rules.min_length, rules.max_length, "character"),
        pattern,
    ])
}

fn number(kind: &str, rules: &Number) -> String {
    let label =
        |label: &str, bound: Option<f64>| bound.map(|bound| format!("{label} {}", number_text(bound)));
    let (least, most) = match (rules.minimum, rules.maximum) {
        (Some(minimum), Some(maximum)) => {
            let both = format!("{} to {}", number_text(minimum), number_text(maximum));
            (Some(both), None)
        }
        (minimum, maximum) => (label("at least", minimum), label("at most", maximum)),
    };
    listed([
        Some(kind.to_owned()),
        least,
        most,
        label("greater than", rules.exclusive_minimum),
        label("less than", rules.exclusive_maximum),
        label("a multiple of", rules.multiple_of),
    ])
}

fn bigint(rules: &Number) -> String {
    let kind = "integer as a string of digits";
    if !rules.is_bigint_column() {
        return number(kind, rules);
    }
    // As doubles, the bounds of a 64-bit column would be printed with rounded digits: 9223372036854776000.
    let rest = Number {
        minimum: None,
        exclusive_maximum: None,
        ..*rules
    };
    number(&format!("{kind}, {} to {}", i64::MIN, i64::MAX), &rest)
}

fn array(rules: &Array) -> String {
    listed([
        Some("array".to_owned()),
        range(rules.min_items, rules.max_items, "item"),
        rules.unique_items.then(|| "no two of them equal".to_owned()),
    ])
}

fn tuple(tuple: &Tuple) -> String {
    listed([
        Some("array".to_owned()),
        range(Some(tuple.min_items()), tuple.max_items(), "item"),
    ])
}

fn range(min: Option<usize>, max: Option<usize>, noun: &str) -> Option<String> {
    let least = min.filter(|min| *min > 0);
    match (least, max) {
        (None, None) => None,
        (Some(least), None) => Some(format!("at least {}", count(least, noun))),
        (None, Some(max)) => Some(format!("at most {}", count(max, noun))),
        (Some(least), Some(max)) if least == max => Some(format!("exactly {}", count(max, noun))),
        (Some(least), Some(max)) => Some(format!("{least} to {}", count(max, noun))),
    }
}

fn listed<const N: usize>(parts: [Option<String>; N]) -> String {
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}
