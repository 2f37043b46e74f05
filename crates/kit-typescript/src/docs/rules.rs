//! Parser of one doc tag that is a rule, such as `@maxLength 10`.

use kit_diagnostics::{Diagnostic, closest, codes};
use kit_ir::{Constraints, Decimal, DecimalRange, Format, TypeKind};

use oxc_allocator::Allocator;
use oxc_regular_expression::LiteralParser;

use super::arguments::{expect_no_argument, invalid, number};
use super::tags::number_type_name;
use super::{Tag, TagName, problem};
use crate::modules::Graph;

/// Kind of values that a rule applies to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Domain {
    Strings,
    Numbers,
    /// Bigints, for rules that no tag defines: the limit of database columns to 64 bits, and the rules of a key.
    BigInts,
    Arrays,
}

impl Domain {
    pub(super) fn of(name: TagName) -> Self {
        use TagName::{Format, MaxItems, MaxLength, MinItems, MinLength, Pattern, UniqueItems};
        match name {
            MinLength | MaxLength | Format | Pattern => Self::Strings,
            MinItems | MaxItems | UniqueItems => Self::Arrays,
            _ => Self::Numbers,
        }
    }

    pub(super) fn holds(self, kind: &TypeKind) -> bool {
        match self {
            Self::Strings => matches!(kind, TypeKind::String | TypeKind::Template { .. }),
            Self::Numbers => matches!(kind, TypeKind::Number),
            Self::BigInts => matches!(kind, TypeKind::BigInt),
            Self::Arrays => matches!(kind, TypeKind::Array { .. }),
        }
    }

    pub(super) fn noun(self) -> &'static str {
        match self {
            Self::Strings => "strings",
            Self::Numbers => "numbers",
            Self::BigInts => "bigints",
            Self::Arrays => "arrays",
        }
    }
}

/// Returns the rule that a tag defines. Reports an invalid argument and returns `None`.
pub(super) fn rule(graph: &Graph<'_>, tag: &Tag, diagnostics: &mut Vec<Diagnostic>) -> Option<Constraints> {
    let form = format!("@{} 1", tag.name.name());
    let mut rule = Constraints::default();
    let count = || tag.argument.parse::<u64>().ok();
    let decimal = || number(&tag.argument);
    let (read, note) = match tag.name {
        TagName::MinLength => (set(&mut rule.min_length, count()), WHOLE),
        TagName::MaxLength => (set(&mut rule.max_length, count()), WHOLE),
        TagName::MinItems => (set(&mut rule.min_items, count()), WHOLE),
        TagName::MaxItems => (set(&mut rule.max_items, count()), WHOLE),
        TagName::Minimum => (set(&mut rule.minimum, decimal()), DECIMAL),
        TagName::Maximum => (set(&mut rule.maximum, decimal()), DECIMAL),
        TagName::ExclusiveMinimum => (set(&mut rule.exclusive_minimum, decimal()), DECIMAL),
        TagName::ExclusiveMaximum => (set(&mut rule.exclusive_maximum, decimal()), DECIMAL),
        TagName::MultipleOf => {
            let step = decimal().filter(|step| step.get() > 0.0);
            (
                set(&mut rule.multiple_of, step),
                "write a decimal number greater than zero",
            )
        }
        TagName::Integer => {
            rule.integer = expect_no_argument(graph, tag, diagnostics);
            return rule.integer.then_some(rule);
        }
        TagName::NumberType => return number_type(&tag.argument),
        TagName::UniqueItems => {
            rule.unique_items = expect_no_argument(graph, tag, diagnostics);
            return rule.unique_items.then_some(rule);
        }
        TagName::Pattern => {
            rule.pattern = Some(pattern(graph, tag, diagnostics)?);
            return Some(rule);
        }
        TagName::Format => {
            rule.format = Some(format(graph, tag, diagnostics)?);
            return Some(rule);
        }
        _ => return None,
    };
    if !read {
        diagnostics.push(invalid(graph, tag, &form).note(note));
    }
    rule.decimal_range = decimal_bound(tag).map(Box::new);
    read.then_some(rule)
}

/// Returns the rules of `@type int32` and similar tags of typia. Returns `None` for any other argument.
fn number_type(argument: &str) -> Option<Constraints> {
    let whole = |minimum: Option<f64>, maximum: Option<f64>, below: Option<f64>| Constraints {
        integer: true,
        minimum: minimum.and_then(Decimal::new),
        maximum: maximum.and_then(Decimal::new),
        exclusive_maximum: below.and_then(Decimal::new),
        ..Constraints::default()
    };
    Some(match number_type_name(argument) {
        "int" | "int32" => whole(Some(f64::from(i32::MIN)), Some(f64::from(i32::MAX)), None),
        "uint" | "uint32" => whole(Some(0.0), Some(f64::from(u32::MAX)), None),
        // The greatest numbers of 64 bits have no form as a double.
        "int64" => whole(Some(-(2_f64.powi(63))), None, Some(2_f64.powi(63))),
        "uint64" => whole(Some(0.0), None, Some(2_f64.powi(64))),
        "float" => Constraints {
            minimum: Decimal::new(f64::from(f32::MIN)),
            maximum: Decimal::new(f64::from(f32::MAX)),
            ..Constraints::default()
        },
        "double" => Constraints::default(),
        _ => return None,
    })
}

/// Returns the bound of decimal numbers that a tag defines, with all digits of the tag: a number would be rounded. Returns
/// `None` for another tag, and for a number with an exponent.
fn decimal_bound(tag: &Tag) -> Option<DecimalRange> {
    let (sign, digits) = match tag.argument.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", tag.argument.as_str()),
    };
    let (whole, fraction) = match digits.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (digits, None),
    };
    let are_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !are_digits(whole) || fraction.is_some_and(|fraction| !are_digits(fraction)) {
        return None;
    }
    let whole = Some(whole.trim_start_matches('0'))
        .filter(|whole| !whole.is_empty())
        .unwrap_or("0");
    let text = match fraction {
        Some(fraction) => format!("{sign}{whole}.{fraction}"),
        None => format!("{sign}{whole}"),
    };
    let mut range = DecimalRange::default();
    let bound = match tag.name {
        TagName::Minimum => &mut range.minimum,
        TagName::Maximum => &mut range.maximum,
        TagName::ExclusiveMinimum => &mut range.exclusive_minimum,
        TagName::ExclusiveMaximum => &mut range.exclusive_maximum,
        _ => return None,
    };
    *bound = Some(text);
    Some(range)
}

const WHOLE: &str = "write an integer, 0 or more";
const DECIMAL: &str = "write a decimal number";

/// Stores a parsed argument in `location`. Returns false if `value` is `None`, because the argument could not
/// be parsed.
fn set<T>(location: &mut Option<T>, value: Option<T>) -> bool {
    *location = value;
    location.is_some()
}

fn pattern(graph: &Graph<'_>, tag: &Tag, diagnostics: &mut Vec<Diagnostic>) -> Option<String> {
    if tag.argument.is_empty() {
        diagnostics.push(invalid(graph, tag, "@pattern ^[a-z]+$"));
        return None;
    }
    if let Err(reason) = check_pattern(&tag.argument) {
        diagnostics.push(invalid(graph, tag, "@pattern ^[a-z]+$").note(format!(
            "JavaScript cannot read this regular expression with the flag `u`: {reason}"
        )));
        return None;
    }
    Some(tag.argument.clone())
}

/// Checks that `new RegExp(pattern, "u")` accepts a pattern, because generated validators call it.
pub(crate) fn check_pattern(pattern: &str) -> Result<(), String> {
    let allocator = Allocator::default();
    LiteralParser::new(
        &allocator,
        pattern,
        Some("u"),
        oxc_regular_expression::Options::default(),
    )
    .parse()
    .map(|_| ())
    .map_err(|error| error.message.to_string())
}

/// Formats of JSON Schema, OpenAPI and typia that kit does not check.
const FOREIGN_FORMATS: &[&str] = &[
    "binary",
    "byte",
    "duration",
    "hostname",
    "idn-email",
    "idn-hostname",
    "iri",
    "iri-reference",
    "json-pointer",
    "password",
    "regex",
    "relative-json-pointer",
    "time",
    "uri-reference",
    "uri-template",
];

fn format(graph: &Graph<'_>, tag: &Tag, diagnostics: &mut Vec<Diagnostic>) -> Option<Format> {
    if tag.argument.is_empty() {
        diagnostics.push(invalid(graph, tag, "@format email"));
        return None;
    }
    // typia and other tools write `url` for the format `uri` of JSON Schema.
    if tag.argument == "url" {
        return Some(Format::Uri);
    }
    let format = Format::from_name(&tag.argument);
    if FOREIGN_FORMATS.contains(&tag.argument.as_str()) {
        let message = format!(
            "kit does not check `@format {}`: each text is valid",
            tag.argument
        );
        let warning = Diagnostic::warning(codes::UNKNOWN_FORMAT, message);
        diagnostics.push(
            warning
                .label(graph.label(tag.location))
                .help("write `@pattern`, or check the text in the handler"),
        );
        return None;
    }
    if format.is_none() {
        let names = Format::ALL.map(Format::name);
        let near = closest(&tag.argument, names);
        let help = match near {
            Some(near) => format!("did you mean `@format {near}`?"),
            None => format!(
                "write one of {}; for anything else use `@pattern`",
                names.join(", ")
            ),
        };
        diagnostics.push(
            problem(
                graph,
                codes::UNKNOWN_FORMAT,
                tag.location,
                format!("unknown format `{}`", tag.argument),
            )
            .help(help)
            .replacement(near.map(|near| format!("@format {near}"))),
        );
    }
    format
}
