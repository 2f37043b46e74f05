//! Combination of several rules for one type, from the comments of an alias and of a property or from one
//! comment. All rules apply, so the stricter of two bounds counts. Rules that no value satisfies are a
//! mistake, and so are rules that cannot be combined.

use kit_diagnostics::{Diagnostic, codes};
use kit_ir::{
    Constraints, Decimal, DecimalRange, Digits, Format, MAX_EMAIL_LENGTH, MAX_EXPLICIT_EMAIL_LENGTH, Program,
    TypeId, TypeKind,
};

use super::{Tag, problem};
use crate::modules::Graph;

/// Result of combining the rules of two comments.
pub(super) enum Merged {
    /// Combined rules: a value satisfies them only if it satisfies the two sets.
    Both(Constraints),
    /// Reason why the rules cannot be combined, for a message.
    Conflict(String),
}

/// Combines two sets of rules into one set that is as strict as the two together.
pub(super) fn merge(old: &Constraints, new: &Constraints) -> Merged {
    let format = match (old.format, new.format) {
        (Some(a), Some(b)) if a != b => {
            return Merged::Conflict(format!(
                "the type already has `@format {}`; one type cannot also have `@format {}`",
                a.name(),
                b.name()
            ));
        }
        (a, b) => b.or(a),
    };
    let digits = match (old.digits, new.digits) {
        (Some(a), Some(b)) if a != b => {
            return Merged::Conflict(format!(
                "the type already has {} digits, of which {} are after the point; one type cannot also have {} and {}",
                a.precision, a.scale, b.precision, b.scale
            ));
        }
        (a, b) => b.or(a),
    };
    let decimal_range = match (&old.decimal_range, &new.decimal_range) {
        (Some(a), Some(b)) => Some(Box::new(a.and(b))),
        (a, b) => b.clone().or_else(|| a.clone()),
    };
    let is_bounded = digits.is_some() && decimal_range.is_some();
    let pattern = match (&old.pattern, &new.pattern) {
        // The digits and the bounds of a decimal number are its pattern.
        (a, b)
            if is_bounded
                && [(a, old), (b, new)]
                    .iter()
                    .all(|(pattern, rules)| pattern.is_none() || rules.digits.is_some()) =>
        {
            let range = decimal_range.clone().unwrap_or_default();
            match digits.and_then(|digits| digits.pattern_in(&range)) {
                Some(pattern) => Some(pattern),
                None => return Merged::Conflict(no_decimal(&range)),
            }
        }
        (Some(a), Some(b)) if a != b => {
            return Merged::Conflict(format!(
                "the type already has the `@pattern {a}`; one type cannot have two patterns"
            ));
        }
        (a, b) => b.clone().or_else(|| a.clone()),
    };
    let multiple_of = match (old.multiple_of, new.multiple_of) {
        (Some(a), Some(b)) if is_multiple(a.get(), b.get()) => Some(a),
        (Some(a), Some(b)) if is_multiple(b.get(), a.get()) => Some(b),
        (Some(a), Some(b)) => {
            return Merged::Conflict(format!(
                "the type already has `@multipleOf {a}`; one type cannot also have `@multipleOf {b}`"
            ));
        }
        (a, b) => b.or(a),
    };
    let most = |a: Option<Decimal>, b: Option<Decimal>| stricter(a, b, |a, b| a < b);
    let least = |a: Option<Decimal>, b: Option<Decimal>| stricter(a, b, |a, b| a > b);
    Merged::Both(Constraints {
        min_length: old.min_length.max(new.min_length),
        max_length: stricter(old.max_length, new.max_length, |a, b| a < b),
        format,
        pattern,
        digits,
        decimal_range,
        minimum: least(old.minimum, new.minimum),
        maximum: most(old.maximum, new.maximum),
        exclusive_minimum: least(old.exclusive_minimum, new.exclusive_minimum),
        exclusive_maximum: most(old.exclusive_maximum, new.exclusive_maximum),
        multiple_of,
        integer: old.integer || new.integer,
        min_items: old.min_items.max(new.min_items),
        max_items: stricter(old.max_items, new.max_items, |a, b| a < b),
        unique_items: old.unique_items || new.unique_items,
    })
}

/// Returns a message and its help if a bound does not fit decimal numbers with the given digits; `None` if all bounds fit.
pub(super) fn unfit_bound(rule: &Constraints, digits: Digits) -> Option<(String, String)> {
    let Digits { precision, scale } = digits;
    let range = rule.decimal_range.as_ref()?;
    let (tag, bound) = range.bounds().find(|(_, bound)| digits.scaled(bound).is_none())?;
    let most = Digits::MAX_BOUNDED_PRECISION;
    Some(if precision > most {
        (
            format!(
                "`@{tag}` limits numbers with at most {most} digits, and this is `Decimal<{precision}, {scale}>`"
            ),
            format!("remove the tag, or write a type with at most {most} digits"),
        )
    } else {
        (
            format!("`@{tag} {bound}` is not a number of the type `Decimal<{precision}, {scale}>`"),
            format!(
                "write a bound with at most {} digits before and {scale} after the point",
                precision - scale
            ),
        )
    })
}

/// Returns the message for bounds within which no decimal number is.
fn no_decimal(range: &DecimalRange) -> String {
    let bounds: Vec<String> = range
        .bounds()
        .map(|(tag, bound)| format!("`@{tag} {bound}`"))
        .collect();
    format!("no decimal number of this type fits {}", bounds.join(" and "))
}

fn stricter<T>(a: Option<T>, b: Option<T>, is_stricter: impl Fn(&T, &T) -> bool) -> Option<T> {
    match (a, b) {
        (Some(a), Some(b)) => Some(if is_stricter(&a, &b) { a } else { b }),
        (a, b) => a.or(b),
    }
}

fn is_multiple(value: f64, step: f64) -> bool {
    let times = value / step;
    times.fract() == 0.0
}

/// Returns an error if no value can satisfy the rules of a type, such as `@minLength 5` with `@maxLength 3`.
/// The location of the error is the last of the `tags` that contribute to the conflict.
pub(super) fn find(
    graph: &Graph<'_>,
    program: &Program,
    id: TypeId,
    tags: &[&Tag],
    last: &Tag,
) -> Option<Diagnostic> {
    let r#type = program.resolve(id);
    let all: Vec<&Constraints> = match &r#type.kind {
        TypeKind::Union { members } => members
            .iter()
            .map(|member| &program.resolve(*member).constraints)
            .collect(),
        _ => vec![&r#type.constraints],
    };
    let (message, help) = all
        .into_iter()
        .find_map(|rules| lengths(rules).or_else(|| items(rules)).or_else(|| numbers(rules)))?;
    let culprit = tags
        .iter()
        .rfind(|tag| message.contains(&format!("`@{}", tag.name.name())))
        .copied()
        .unwrap_or(last);
    Some(problem(graph, codes::CONFLICTING_TAGS, culprit.location, message).help(help))
}

type Conflict = Option<(String, String)>;

fn none(low: &str, high: &str) -> (String, String) {
    (
        format!("no value fits both `{low}` and `{high}`"),
        "change or remove one of the two tags".to_owned(),
    )
}

fn lengths(rules: &Constraints) -> Conflict {
    let (fewest, most) = match rules.format {
        Some(Format::Uuid) => (36, 36),
        Some(Format::Date) => (10, 10),
        Some(Format::Ipv4) => (7, 15),
        Some(Format::DateTime) => (20, u64::MAX),
        Some(Format::Email) if rules.max_length.is_some() => (3, MAX_EXPLICIT_EMAIL_LENGTH),
        Some(Format::Email) => (3, MAX_EMAIL_LENGTH),
        Some(Format::Uri | Format::Ipv6) => (2, u64::MAX),
        None => (0, u64::MAX),
    };
    let format = rules
        .format
        .map(|format| format!("@format {}", format.name()))
        .unwrap_or_default();
    match (rules.min_length, rules.max_length) {
        (Some(low), Some(high)) if low > high => {
            Some(none(&format!("@minLength {low}"), &format!("@maxLength {high}")))
        }
        (Some(low), _) if low > most => Some(none(&format, &format!("@minLength {low}"))),
        (_, Some(high)) if high < fewest => Some(none(&format, &format!("@maxLength {high}"))),
        _ => None,
    }
}

fn items(rules: &Constraints) -> Conflict {
    match (rules.min_items, rules.max_items) {
        (Some(low), Some(high)) if low > high => {
            Some(none(&format!("@minItems {low}"), &format!("@maxItems {high}")))
        }
        _ => None,
    }
}

/// A bound of numbers: the number, true if the number itself is allowed, and the tag, which messages show.
type Bound = (f64, bool, String);

fn numbers(rules: &Constraints) -> Conflict {
    let bound = |inclusive: Option<Decimal>,
                 exclusive: Option<Decimal>,
                 names: [&str; 2],
                 low: bool|
     -> Option<Bound> {
        let inclusive = inclusive.map(|at| (at.get(), true, format!("@{} {at}", names[0])));
        let exclusive = exclusive.map(|at| (at.get(), false, format!("@{} {at}", names[1])));
        // Of two equal bounds, the exclusive one is stricter.
        stricter(
            exclusive,
            inclusive,
            |a, b| if low { a.0 >= b.0 } else { a.0 <= b.0 },
        )
    };
    let low = bound(
        rules.minimum,
        rules.exclusive_minimum,
        ["minimum", "exclusiveMinimum"],
        true,
    );
    let high = bound(
        rules.maximum,
        rules.exclusive_maximum,
        ["maximum", "exclusiveMaximum"],
        false,
    );
    if let (Some(low), Some(high)) = (&low, &high) {
        if low.0 > high.0 || (low.0 >= high.0 && !(low.1 && high.1)) {
            return Some(none(&low.2, &high.2));
        }
        if rules.integer && first_whole(low) > last_whole(high) {
            return Some((
                format!("there is no integer between `{}` and `{}`", low.2, high.2),
                "change one of the two tags, or remove `@integer`".to_owned(),
            ));
        }
        if let Some(step) = rules.multiple_of.map(Decimal::get) {
            let first = (low.0 / step).ceil();
            let first = if low.1 || first * step > low.0 {
                first
            } else {
                first + 1.0
            } * step;
            if first > high.0 || (first >= high.0 && !high.1) {
                return Some((
                    format!(
                        "no multiple of `@multipleOf {step}` lies between `{}` and `{}`",
                        low.2, high.2
                    ),
                    "change one of the three tags".to_owned(),
                ));
            }
        }
    }
    if !rules.integer {
        return None;
    }
    // A bound with a fraction for integers is probably a mistake.
    [(low, "minimum", true), (high, "maximum", false)]
        .into_iter()
        .find_map(|(bound, name, low)| {
            let bound = bound.filter(|bound| bound.0.fract() != 0.0)?;
            let meant = if low {
                first_whole(&bound)
            } else {
                last_whole(&bound)
            };
            Some((
                format!("`{}` is not an integer, but `@integer` requires one", bound.2),
                format!("write `@{name} {meant}`, which means the same"),
            ))
        })
}

fn first_whole(low: &Bound) -> f64 {
    let first = low.0.ceil();
    if low.1 || first > low.0 {
        first
    } else {
        first + 1.0
    }
}

fn last_whole(high: &Bound) -> f64 {
    let last = high.0.floor();
    if high.1 || last < high.0 { last } else { last - 1.0 }
}
