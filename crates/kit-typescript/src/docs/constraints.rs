//! Application of the doc tags that are rules, such as `@maxLength`, to types.

use kit_diagnostics::{Diagnostic, codes};
use kit_ir::{Constraints, Digits, Program, TypeId, TypeKind};

use super::conflicts::{self, Merged};
use super::implied::Implied;
use super::pattern::unsafe_pattern;
use super::rules::{Domain, rule};
use super::{Doc, Tag, problem};
use crate::modules::Graph;

/// Treatment of a tag that does not fit the type it is applied to, such as `@maxLength` on a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Misfit {
    /// The tag is reported as an error.
    Reported,
    /// The tag is ignored, because its comment belongs to an intersection, and the tag may fit another member
    /// of the intersection.
    Ignored,
}

/// Adds the rules of a comment to a type: the rules of its tags, and rules that follow from other tags such
/// as `@references`. Keeps rules that the type already has, for example from an alias. A named type is
/// replaced by a copy with the rules. In a union, each rule is added to the members that it fits.
pub(crate) fn apply(
    graph: &Graph<'_>,
    program: &mut Program,
    id: TypeId,
    doc: &Doc,
    implied: &[Implied],
    misfit: Misfit,
    diagnostics: &mut Vec<Diagnostic>,
) -> TypeId {
    let mut id = id;
    let mut applied = Vec::new();
    for tag in doc.tags.iter().filter(|tag| tag.name.is_constraint()) {
        if tag.in_template {
            diagnostics.push(in_template(graph, tag));
            continue;
        }
        // Another tag with the same name is reported when the comment is read.
        if applied.iter().any(|earlier: &&Tag| earlier.name == tag.name) {
            continue;
        }
        let Some(rule) = rule(graph, tag, diagnostics) else {
            continue;
        };
        if let Some(digits) = digits_of(program, id)
            && let Some((message, help)) = conflicts::unfit_bound(&rule, digits)
        {
            diagnostics.push(problem(graph, codes::TAG_DOES_NOT_FIT, tag.location, message).help(help));
            continue;
        }
        if is_bigint(program, id)
            && let Some((message, help)) = unfit_bigint_rule(tag)
        {
            diagnostics.push(problem(graph, codes::TAG_DOES_NOT_FIT, tag.location, message).help(help));
            continue;
        }
        let mut conflict = None;
        match constrain(program, id, Domain::of(tag.name), &rule, &mut conflict) {
            Some(constrained) => id = constrained,
            None if misfit == Misfit::Ignored => continue,
            None => diagnostics.push(does_not_fit(graph, program, id, tag)),
        }
        match conflict {
            Some(message) => diagnostics.push(
                problem(graph, codes::CONFLICTING_TAGS, tag.location, message)
                    .help("keep one of the two tags, or combine them into one tag"),
            ),
            None => applied.push(tag),
        }
    }
    for implied in implied {
        // A rule that does not fit the type is reported when the comment is read.
        for (domain, rules) in implied.parts() {
            let mut conflict = None;
            let mut constrained = constrain(program, id, domain, &rules, &mut conflict);
            if conflict.take().is_some() {
                // A type has only one pattern and one divisor. The ones of the type itself are used: a value
                // that does not satisfy those of the key cannot be a key.
                let rest = Constraints {
                    pattern: None,
                    multiple_of: None,
                    ..rules
                };
                constrained = constrain(program, id, domain, &rest, &mut conflict);
            }
            if let Some(constrained) = constrained {
                id = constrained;
                applied.push(&implied.tag);
            }
            diagnostics.extend(conflict.map(|message| {
                problem(graph, codes::CONFLICTING_TAGS, implied.tag.location, message)
                    .note(implied.explanation())
                    .help("remove one of the two tags, or change the type")
            }));
        }
    }
    diagnostics.extend(unsafe_pattern(graph, program, id, doc));
    if let Some(last) = applied.last() {
        let found = conflicts::find(graph, program, id, &applied, last);
        diagnostics.extend(found.map(|found| {
            implied
                .iter()
                .fold(found, |found, implied| found.note(implied.explanation()))
        }));
    }
    id
}

/// Returns the type for a database column: its bigints are limited to 64 bits, as PostgreSQL's `bigint` is.
pub(crate) fn limit_bigints(program: &mut Program, id: TypeId) -> TypeId {
    constrain(
        program,
        id,
        Domain::BigInts,
        &Constraints::bigint_column(),
        &mut None,
    )
    .unwrap_or(id)
}

/// Adds a rule to all members of a type that the rule fits, and returns the type. Returns `None` if the rule
/// fits no member.
fn constrain(
    program: &mut Program,
    id: TypeId,
    domain: Domain,
    rule: &Constraints,
    conflict: &mut Option<String>,
) -> Option<TypeId> {
    let mut r#type = program.resolve(id).clone();
    if let TypeKind::Union { members } = &r#type.kind {
        let mut fits = false;
        let members = members
            .iter()
            .map(
                |member| match constrain(program, *member, domain, rule, conflict) {
                    Some(constrained) => {
                        fits = true;
                        constrained
                    }
                    None => *member,
                },
            )
            .collect();
        r#type.kind = TypeKind::Union { members };
        return fits.then(|| program.add_type(r#type));
    }
    // The bounds of a `number` are in `minimum` and `maximum`, those of a `Decimal` only in `decimal_range`.
    let mut rule = rule.clone();
    if domain == Domain::Numbers {
        let range = rule.decimal_range.take();
        if let Some(digits) = r#type.constraints.digits {
            rule = Constraints {
                decimal_range: Some(range?),
                digits: Some(digits),
                ..Constraints::default()
            };
        }
    }
    let is_bigint = matches!(r#type.kind, TypeKind::BigInt);
    if is_bigint && domain == Domain::Numbers {
        // Each bigint is an integer. `@integer` alone does not fit a bigint.
        if rule.integer && rule.minimum.is_none() {
            return None;
        }
        rule.integer = false;
    }
    // The digits and bounds of a `Decimal` are its only rules.
    let fits = if r#type.constraints.digits.is_some() {
        rule.digits.is_some()
    } else {
        domain.holds(&r#type.kind) || (is_bigint && domain == Domain::Numbers)
    };
    fits.then(|| {
        match conflicts::merge(&r#type.constraints, &rule) {
            Merged::Both(both) => r#type.constraints = both,
            Merged::Conflict(message) => *conflict = Some(message),
        }
        program.add_type(r#type)
    })
}

/// Returns true for a bigint, and for a union that contains a bigint.
fn is_bigint(program: &Program, id: TypeId) -> bool {
    match &program.resolve(id).kind {
        TypeKind::Union { members } => members.iter().any(|member| is_bigint(program, *member)),
        kind => matches!(kind, TypeKind::BigInt),
    }
}

/// Returns a message and its help if the argument of a tag cannot be compared with bigints exactly: a fraction, or an
/// integer that a double rounds. Returns `None` for any other argument, and for a tag that does not limit numbers.
fn unfit_bigint_rule(tag: &Tag) -> Option<(String, &'static str)> {
    use super::TagName::{ExclusiveMaximum, ExclusiveMinimum, Maximum, Minimum, MultipleOf};
    if !matches!(
        tag.name,
        Minimum | Maximum | ExclusiveMinimum | ExclusiveMaximum | MultipleOf
    ) {
        return None;
    }
    let (name, argument) = (tag.name.name(), &tag.argument);
    let Ok(integer) = argument.parse::<i128>() else {
        let message = format!("`@{name} {argument}` limits a `bigint`, and is not an integer in digits");
        return Some((message, "write an integer, such as `10`"));
    };
    #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation)]
    // the comparison finds what was lost
    let is_exact = (integer as f64) as i128 == integer;
    (!is_exact).then(|| {
        (
            format!("`@{name} {argument}` has more digits than kit compares exactly"),
            "write an integer between -9007199254740992 and 9007199254740992, or a power of two: in place of `@maximum 9223372036854775807`, write `@exclusiveMaximum 9223372036854775808`",
        )
    })
}

fn in_template(graph: &Graph<'_>, tag: &Tag) -> Diagnostic {
    let message = format!(
        "`@{}` has no effect here, because this type is a part of a template literal type",
        tag.name.name()
    );
    problem(graph, codes::TAG_DOES_NOT_FIT, tag.location, message)
        .help("write `string` at this place in the template, and put a `@pattern` for the whole string on the template")
}

/// Returns the digits of a decimal number, or of the decimal number in a union.
fn digits_of(program: &Program, id: TypeId) -> Option<Digits> {
    let resolved = program.resolve(id);
    let of_member = |id: &TypeId| program.resolve(*id).constraints.digits;
    match &resolved.kind {
        TypeKind::Union { members } => members.iter().find_map(of_member),
        _ => resolved.constraints.digits,
    }
}

fn does_not_fit(graph: &Graph<'_>, program: &Program, id: TypeId, tag: &Tag) -> Diagnostic {
    let domain = Domain::of(tag.name);
    let resolved = program.resolve(id);
    if let Some(digits) = digits_of(program, id) {
        let message = format!(
            "`@{}` is for {}, and this is `Decimal<{}, {}>`",
            tag.name.name(),
            domain.noun(),
            digits.precision,
            digits.scale
        );
        return problem(graph, codes::TAG_DOES_NOT_FIT, tag.location, message).help(
            "remove the tag; a decimal number takes `@minimum 0.01` and similar bounds, and the database checks other rules: `@check mod(price, 0.05) = 0`",
        );
    }
    let found = crate::print::type_text(program, id);
    let kind = &resolved.kind;
    problem(
        graph,
        codes::TAG_DOES_NOT_FIT,
        tag.location,
        format!("`@{}` is for {}, and this is `{found}`", tag.name.name(), domain.noun()),
    )
    .help(match (domain, kind) {
        (Domain::Strings | Domain::Numbers, TypeKind::Array { .. }) => {
            "to limit the array, write `@minItems` or `@maxItems`; to limit the elements, write a type alias with this tag and use the alias as the type of the elements"
        }
        (Domain::Arrays, TypeKind::Tuple { .. }) => "a tuple already has a fixed number of elements: remove the tag",
        (Domain::Arrays, TypeKind::String | TypeKind::Template { .. }) => {
            "to limit a string write `@minLength` or `@maxLength`"
        }
        (Domain::Strings, TypeKind::Number) => "to limit a number write `@minimum` or `@maximum`",
        (Domain::Numbers, TypeKind::String | TypeKind::Template { .. }) => {
            "to limit a string write `@minLength`, `@maxLength` or `@pattern`"
        }
        (_, TypeKind::Union { members })
            if members
                .iter()
                .all(|member| matches!(program.resolve(*member).kind, TypeKind::Literal { .. })) =>
        {
            "the members already define the allowed values: remove the tag"
        }
        (_, TypeKind::Literal { .. }) => "a literal is a single value: remove the tag",
        (_, TypeKind::Date) => "kit does not limit dates: check the value in the handler",
        (Domain::Numbers, TypeKind::BigInt) => "a `bigint` is always an integer: remove the tag",
        (_, TypeKind::BigInt) => "remove the tag: of the rules for numbers, a `bigint` takes bounds and `@multipleOf`",
        (_, TypeKind::Bytes) => "kit does not limit bytes: check the value in the handler",
        (_, TypeKind::Unknown) => "write the type of the value: a tag on `unknown` checks nothing",
        (_, TypeKind::Object(_)) => "put the tag on a property of this object",
        _ => "remove the tag, or change the type",
    })
}
