//! Regular languages of conditions of texts.

use kit_analysis::Segment;
use kit_ir::Format;
use kit_pattern::Language;

use super::Condition;

/// Calendar dates from 0000-01-01 to 9999-12-31, with leap years.
const DATE: &str = "(?:(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29|[0-9]{4}-(?:02-(?:0[1-9]|1[0-9]|2[0-8])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])))";
/// The same dates without 9999-12-31.
const DATE_BUT_LAST: &str = "(?:(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29|[0-9]{4}-(?:02-(?:0[1-9]|1[0-9]|2[0-8])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|(?:0[13578]|10)-(?:0[1-9]|[12][0-9]|3[01])|12-(?:0[1-9]|[12][0-9]|30))|(?:[0-8][0-9]{3}|9[0-8][0-9]{2}|99[0-8][0-9]|999[0-8])-12-31)";
/// Days that exist in each year, after the first digit of the year.
const DATE_AFTER_FIRST_DIGIT: &str = "[0-9]{3}-(?:02-(?:0[1-9]|1[0-9]|2[0-8])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01]))";
/// Time of a day without a leap second.
const TIME: &str = "(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]";
/// Time of a day, perhaps with a leap second.
const LEAP_TIME: &str = "(?:[01][0-9]|2[0-3]):[0-5][0-9]:(?:[0-5][0-9]|60)";
/// Time of a day but its last minute, perhaps with a leap second.
const TIME_BUT_LAST_MINUTE: &str =
    "(?:(?:[01][0-9]|2[0-2]):[0-5][0-9]|23:[0-4][0-9]|23:5[0-8]):(?:[0-5][0-9]|60)";
/// Difference to UTC, without its sign.
const HOURS: &str = "(?:[01][0-9]|2[0-3]):[0-5][0-9]";
const OFFSET: &str = "(?:[Zz]|[+\\-](?:[01][0-9]|2[0-3]):[0-5][0-9])";
const BYTES: &str = "^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$";
pub(super) const DECIMAL: &str = "^-?[0-9]+(?:\\.[0-9]+)?(?:[eE][+\\-]?[0-9]+)?$";
/// Texts that JavaScript converts to a number, also beyond the range of doubles.
const NUMBER: &str = "^(?:\\s*(?:[+\\-]?(?:[0-9]+(?:\\.[0-9]*)?|\\.[0-9]+)(?:[eE][+\\-]?[0-9]+)?|0[xX][0-9a-fA-F]+|0[oO][0-7]+|0[bB][01]+)\\s*|\\s+)$";
pub(super) const INTEGER: &str = "^-?[0-9]+$";

/// Two languages for a condition whose texts are not a regular language, or one that is too large.
#[derive(Debug, Clone)]
pub(super) struct Pair {
    /// Only texts that satisfy the condition.
    pub(super) inner: Language,
    /// All texts that satisfy the condition, and perhaps others.
    pub(super) outer: Language,
}

impl Pair {
    fn exact(language: Option<Language>) -> Self {
        match language {
            Some(language) => Self {
                inner: language.clone(),
                outer: language,
            },
            None => Self {
                inner: Language::none(),
                outer: Language::any(),
            },
        }
    }

    fn between(inner: &str, outer: &str) -> Self {
        let of = |pattern: &str| Language::of_pattern(pattern);
        Self {
            inner: of(inner).unwrap_or_else(Language::none),
            outer: of(outer).unwrap_or_else(Language::any),
        }
    }
}

/// Returns the languages of a condition.
pub(super) fn pair(condition: &Condition) -> Pair {
    let exact = |pattern: &str| Pair::exact(Language::of_pattern(pattern));
    match condition {
        Condition::Pattern(pattern) => exact(pattern),
        Condition::Format(format) => match format {
            Format::Uuid => {
                exact("^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}$")
            }
            Format::Date => exact(&format!("^{DATE}$")),
            Format::DateTime => Pair::between(
                &format!("^{DATE}[Tt]{TIME}(?:\\.[0-9]+)?{OFFSET}$"),
                &format!("^{DATE}[Tt]{LEAP_TIME}(?:\\.[0-9]+)?{OFFSET}$"),
            ),
            Format::Ipv4 => {
                let number = "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])";
                exact(&format!("^{number}(?:\\.{number}){{3}}$"))
            }
            Format::Ipv6 => Pair::between("^(?:[0-9a-f]{1,4}:){7}[0-9a-f]{1,4}$", "^[0-9A-Fa-f:.]{2,45}$"),
            Format::Email => Pair::between(
                "^[a-z0-9+]{1,64}@(?:[a-z]{1,63}\\.){1,2}[a-z]{2,63}$",
                "^[ -~]+@[!-~]+$",
            ),
            Format::Uri => Pair::between(
                "^[a-z]+://[a-z]+\\.[a-z]{2,5}(?:/[a-z0-9]*)*$",
                "^[A-Za-z][A-Za-z0-9+.\\-]*:[!-~]*$",
            ),
        },
        Condition::Timestamp => Pair::between(
            &format!("^[1-8]{DATE_AFTER_FIRST_DIGIT}[Tt]{TIME}(?:\\.[0-9]+)?{OFFSET}$"),
            // West of Greenwich, the year 10000 begins in UTC before the last day of 9999 ends.
            &format!(
                "^(?:{DATE_BUT_LAST}[Tt]{LEAP_TIME}(?:\\.[0-9]+)?{OFFSET}|9999-12-31[Tt]{LEAP_TIME}(?:\\.[0-9]+)?(?:[Zz]|\\+{HOURS}|-00:00)|9999-12-31[Tt]{TIME_BUT_LAST_MINUTE}(?:\\.[0-9]+)?-{HOURS})$"
            ),
        ),
        Condition::WrittenTimestamp => exact(&format!("^{DATE}T{TIME}\\.[0-9]{{3}}Z$")),
        Condition::Bytes => exact(BYTES),
        Condition::Template(segments) => Pair::exact(template(segments)),
        Condition::Literal(text) => Pair::exact(Some(Language::literal(text))),
        // A longer number, or one with an exponent, can be too large.
        Condition::Decimal(set) if set.is_everything() => {
            Pair::between("^-?[0-9]{1,300}(?:\\.[0-9]+)?$", DECIMAL)
        }
        Condition::Integer(set) if set.is_every_integer() => exact(INTEGER),
        Condition::Decimal(_) => Pair {
            inner: Language::none(),
            ..exact(DECIMAL)
        },
        Condition::Integer(_) => Pair {
            inner: Language::none(),
            ..exact(INTEGER)
        },
        Condition::Header => {
            exact("^(?:[!-~\\u0080-\\u00ff](?:[\\t -~\\u0080-\\u00ff]*[!-~\\u0080-\\u00ff])?)?$")
        }
        Condition::NumericKey => Pair::between(
            "^(?:0|-?[1-9][0-9]{0,14})$",
            "^(?:NaN|-?Infinity|-?[0-9]+(?:\\.[0-9]+)?(?:e[+\\-][0-9]+)?)$",
        ),
    }
}

/// Returns the texts of a template literal type, with the rules of `kit-analysis` for the ends of placeholders.
fn template(segments: &[Segment]) -> Option<Language> {
    let is_simple = |segment: &Segment| !matches!(segment, Segment::OneOf(_));
    let has_placeholder = segments
        .iter()
        .any(|segment| !matches!(segment, Segment::Text(_)));
    if !has_placeholder || !segments.iter().all(is_simple) {
        let parts: Option<Vec<Language>> = segments.iter().map(part).collect();
        return Language::sequence(&parts?);
    }
    let mut parts = Vec::new();
    let mut rest = segments;
    if let [Segment::Text(text), after @ ..] = rest {
        parts.push(Language::literal(text));
        rest = after;
    }
    let last = match rest {
        [before @ .., Segment::Text(text)] => {
            rest = before;
            Some(Language::literal(text))
        }
        _ => None,
    };
    while let [placeholder, after @ ..] = rest {
        let language = part(placeholder)?;
        rest = match after {
            [Segment::Text(text), after @ ..] => {
                parts.push(language.until_first(text)?);
                after
            }
            [] => {
                parts.push(language);
                after
            }
            // A placeholder directly before another one takes one character.
            _ => {
                parts.push(language.both(&Language::one_character())?);
                after
            }
        };
    }
    parts.extend(last);
    Language::sequence(&parts)
}

fn part(segment: &Segment) -> Option<Language> {
    match segment {
        Segment::Text(text) => Some(Language::literal(text)),
        Segment::String => Some(Language::any()),
        Segment::Number => Language::of_pattern(NUMBER),
        Segment::Integer => Language::of_pattern(INTEGER),
        Segment::OneOf(sequences) => {
            let parts: Option<Vec<Language>> = sequences
                .iter()
                .map(|sequence| {
                    let parts: Option<Vec<Language>> = sequence.iter().map(part).collect();
                    Language::sequence(&parts?)
                })
                .collect();
            Language::one_of(&parts?)
        }
    }
}
