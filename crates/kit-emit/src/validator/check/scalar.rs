//! Checks of numbers and strings with their rules.

use kit_ir::{Constraints, Format};

use crate::text::{Module, Path, literal};

pub(super) fn number(value: &str, constraints: &Constraints, module: &mut Module) -> String {
    let mut conditions = vec![format!("typeof {value} === \"number\"")];
    let check = if constraints.integer {
        "isSafeInteger"
    } else {
        "isFinite"
    };
    conditions.push(format!("Number.{check}({value})"));
    conditions.extend(bounds(value, constraints));
    if let Some(divisor) = constraints.multiple_of {
        let helper = module.helper("isMultipleOf");
        conditions.push(format!("{helper}({value}, {})", literal::number(divisor.get())));
    }
    conditions.join(" && ")
}

pub(super) fn bigint(value: &str, constraints: &Constraints, module: &mut Module) -> String {
    let is = module.helper("isBigIntText");
    let mut conditions = vec![format!("{is}({value})")];
    if bounds("", constraints).next().is_some() || constraints.multiple_of.is_some() {
        let number = format!("{}({value})", module.helper("toBigInt"));
        conditions.extend(bounds(&number, constraints));
        if let Some(divisor) = constraints.multiple_of {
            let helper = module.helper("isMultipleOf");
            conditions.push(format!("{helper}({number}, {})", literal::number(divisor.get())));
        }
    }
    conditions.join(" && ")
}

fn bounds(value: &str, constraints: &Constraints) -> impl Iterator<Item = String> {
    [
        (">=", constraints.minimum),
        ("<=", constraints.maximum),
        (">", constraints.exclusive_minimum),
        ("<", constraints.exclusive_maximum),
    ]
    .into_iter()
    .filter_map(move |(operator, bound)| {
        Some(format!("{value} {operator} {}", literal::number(bound?.get())))
    })
    .collect::<Vec<_>>()
    .into_iter()
}

pub(super) fn string(value: &str, constraints: &Constraints, path: &Path<'_>, module: &mut Module) -> String {
    let mut conditions = vec![format!("typeof {value} === \"string\"")];
    conditions.extend(text_rules(value, constraints, path, module));
    conditions.join(" && ")
}

/// Returns the condition for a template literal type with rules for strings.
pub(super) fn template(
    value: &str,
    texts: &str,
    constraints: &Constraints,
    path: &Path<'_>,
    module: &mut Module,
) -> String {
    let mut conditions = vec![format!("typeof {value} === \"string\"")];
    conditions.extend(text_rules(value, constraints, path, module));
    conditions.push(format!("{texts}.test({value})"));
    conditions.join(" && ")
}

/// Returns the conditions for the rules of strings.
pub(super) fn text_rules(
    value: &str,
    constraints: &Constraints,
    path: &Path<'_>,
    module: &mut Module,
) -> Vec<String> {
    let mut conditions = Vec::new();
    conditions.extend(length(value, constraints, module));
    if let Some(format) = constraints.format {
        let helper = module.helper(match format {
            Format::Email => "isEmail",
            Format::Uri => "isUri",
            Format::Uuid => "isUuid",
            Format::Date => "isCalendarDate",
            Format::DateTime => "isDateTime",
            Format::Ipv4 => "isIpv4",
            Format::Ipv6 => "isIpv6",
        });
        conditions.push(format!("{helper}({value})"));
    }
    if let Some(pattern) = &constraints.pattern {
        let pattern = module.pattern(pattern, path);
        conditions.push(format!("{pattern}.test({value})"));
    }
    conditions
}

/// Returns the condition on the length of a string in code points. A string of `n` UTF-16 code units has `n / 2` to `n`
/// code points, so `value.length` decides most cases.
fn length(value: &str, constraints: &Constraints, module: &mut Module) -> Option<String> {
    let min = constraints.min_length.filter(|min| *min > 0);
    match (min, constraints.effective_max_length()) {
        (None, None) => None,
        (Some(1), None) => Some(format!("{value}.length >= 1")),
        (min, max) => {
            let helper = module.helper("codePointsWithin");
            let most = max.map_or("Infinity".to_owned(), |max| max.to_string());
            let exact = format!("{helper}({value}, {}, {most})", min.unwrap_or(0));
            let sure: Vec<_> = [
                min.map(|min| format!("{value}.length >= {}", if min == 1 { 1 } else { min * 2 })),
                max.map(|max| format!("{value}.length <= {max}")),
            ]
            .into_iter()
            .flatten()
            .collect();
            // If no number of code units proves that the length is valid, always count the code points.
            let never_sure = matches!((min, max), (Some(min), Some(max)) if min > 1 && min * 2 > max);
            Some(if never_sure {
                exact
            } else if sure.len() == 1 {
                format!("({} || {exact})", sure[0])
            } else {
                format!("(({}) || {exact})", sure.join(" && "))
            })
        }
    }
}
