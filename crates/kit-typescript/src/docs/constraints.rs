//! Tags that limit values, applied to types.

use kit_diagnostics::{Diagnostic, closest, codes};
use kit_ir::{Constraints, Decimal, Format, Program, Type, TypeId, TypeKind};

use oxc_allocator::Allocator;
use oxc_regular_expression::LiteralParser;

use super::arguments::{flag, invalid, number};
use super::{Doc, Tag, TagName, problem};
use crate::modules::Graph;

/// The kind of values a constraint is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Domain {
    Strings,
    Numbers,
    Arrays,
}

impl Domain {
    fn of(name: TagName) -> Self {
        use TagName::{Format, MaxItems, MaxLength, MinItems, MinLength, Pattern, UniqueItems};
        match name {
            MinLength | MaxLength | Format | Pattern => Self::Strings,
            MinItems | MaxItems | UniqueItems => Self::Arrays,
            _ => Self::Numbers,
        }
    }

    fn holds(self, kind: &TypeKind) -> bool {
        match self {
            Self::Strings => matches!(kind, TypeKind::String | TypeKind::Template { .. }),
            Self::Numbers => matches!(kind, TypeKind::Number),
            Self::Arrays => matches!(kind, TypeKind::Array { .. }),
        }
    }

    fn noun(self) -> &'static str {
        match self {
            Self::Strings => "strings",
            Self::Numbers => "numbers",
            Self::Arrays => "arrays",
        }
    }
}

/// Applies the constraint tags of a comment to a type and returns the constrained one. A reference is replaced by a
/// constrained copy of what it names; in a union the members that fit are constrained.
pub(crate) fn apply(
    graph: &Graph<'_>,
    program: &mut Program,
    id: TypeId,
    doc: &Doc,
    diagnostics: &mut Vec<Diagnostic>,
) -> TypeId {
    let mut id = id;
    for tag in doc.tags.iter().filter(|tag| tag.name.is_constraint()) {
        if let Some(rule) = rule(graph, tag, diagnostics) {
            match constrain(program, id, Domain::of(tag.name), &rule) {
                Some(constrained) => id = constrained,
                None => diagnostics.push(misfit(graph, program, id, tag)),
            }
        }
    }
    contradictions(graph, program, id, doc, diagnostics);
    id
}

/// Adds a rule to whatever of the type it fits; nothing where it fits nowhere.
fn constrain(
    program: &mut Program,
    id: TypeId,
    domain: Domain,
    rule: &dyn Fn(&mut Constraints),
) -> Option<TypeId> {
    let mut r#type = program.resolve(id).clone();
    if let TypeKind::Union { members } = &r#type.kind {
        let mut fits = false;
        let members = members
            .iter()
            .map(|member| match constrain(program, *member, domain, rule) {
                Some(constrained) => {
                    fits = true;
                    constrained
                }
                None => *member,
            })
            .collect();
        r#type.kind = TypeKind::Union { members };
        return fits.then(|| program.add_type(r#type));
    }
    domain.holds(&r#type.kind).then(|| {
        rule(&mut r#type.constraints);
        program.add_type(r#type)
    })
}

type Rule = Box<dyn Fn(&mut Constraints)>;

/// What a tag says, where its argument can be read.
fn rule(graph: &Graph<'_>, tag: &Tag, diagnostics: &mut Vec<Diagnostic>) -> Option<Rule> {
    let count = |diagnostics: &mut Vec<Diagnostic>| {
        let value = tag.argument.parse::<u64>().ok();
        if value.is_none() {
            diagnostics.push(
                invalid(graph, tag, &format!("@{} 1", tag.name.name()))
                    .note("a whole number, 0 or more, is needed"),
            );
        }
        value
    };
    let decimal = |diagnostics: &mut Vec<Diagnostic>| {
        let value = number(&tag.argument);
        if value.is_none() {
            diagnostics.push(
                invalid(graph, tag, &format!("@{} 1", tag.name.name())).note("a decimal number is needed"),
            );
        }
        value
    };
    Some(match tag.name {
        TagName::MinLength => {
            let n = count(diagnostics)?;
            Box::new(move |rules| rules.min_length = Some(n))
        }
        TagName::MaxLength => {
            let n = count(diagnostics)?;
            Box::new(move |rules| rules.max_length = Some(n))
        }
        TagName::MinItems => {
            let n = count(diagnostics)?;
            Box::new(move |rules| rules.min_items = Some(n))
        }
        TagName::MaxItems => {
            let n = count(diagnostics)?;
            Box::new(move |rules| rules.max_items = Some(n))
        }
        TagName::Minimum => {
            let n = decimal(diagnostics)?;
            Box::new(move |rules| rules.minimum = Some(n))
        }
        TagName::Maximum => {
            let n = decimal(diagnostics)?;
            Box::new(move |rules| rules.maximum = Some(n))
        }
        TagName::ExclusiveMinimum => {
            let n = decimal(diagnostics)?;
            Box::new(move |rules| rules.exclusive_minimum = Some(n))
        }
        TagName::ExclusiveMaximum => {
            let n = decimal(diagnostics)?;
            Box::new(move |rules| rules.exclusive_maximum = Some(n))
        }
        TagName::MultipleOf => {
            let n = decimal(diagnostics)?;
            if n.get() <= 0.0 {
                diagnostics.push(invalid(graph, tag, "@multipleOf 5").note("it must be greater than zero"));
                return None;
            }
            Box::new(move |rules| rules.multiple_of = Some(n))
        }
        TagName::Integer => {
            flag(graph, tag, diagnostics).then_some(())?;
            Box::new(|rules| rules.integer = true)
        }
        TagName::UniqueItems => {
            flag(graph, tag, diagnostics).then_some(())?;
            Box::new(|rules| rules.unique_items = true)
        }
        TagName::Pattern => {
            if tag.argument.is_empty() {
                diagnostics.push(invalid(graph, tag, "@pattern ^[a-z]+$"));
                return None;
            }
            if let Err(reason) = check_pattern(&tag.argument) {
                diagnostics.push(invalid(graph, tag, "@pattern ^[a-z]+$").note(format!(
                    "it is not a regular expression of JavaScript with the flag `u`: {reason}"
                )));
                return None;
            }
            let pattern = tag.argument.clone();
            Box::new(move |rules| rules.pattern = Some(pattern.clone()))
        }
        TagName::Format => {
            let format = format(graph, tag, diagnostics)?;
            Box::new(move |rules| rules.format = Some(format))
        }
        _ => return None,
    })
}

/// Whether a pattern is what `new RegExp(pattern, "u")` takes; validators are made with exactly that.
fn check_pattern(pattern: &str) -> Result<(), String> {
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

fn format(graph: &Graph<'_>, tag: &Tag, diagnostics: &mut Vec<Diagnostic>) -> Option<Format> {
    if tag.argument.is_empty() {
        diagnostics.push(invalid(graph, tag, "@format email"));
        return None;
    }
    let format = Format::from_name(&tag.argument);
    if format.is_none() {
        let names = Format::ALL.map(Format::name);
        let help = match closest(&tag.argument, names) {
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
                tag.place,
                format!("`@format {}` names no known format", tag.argument),
            )
            .help(help),
        );
    }
    format
}

fn misfit(graph: &Graph<'_>, program: &Program, id: TypeId, tag: &Tag) -> Diagnostic {
    let domain = Domain::of(tag.name);
    let found = crate::print::type_text(program, id);
    problem(
        graph,
        codes::TAG_DOES_NOT_FIT,
        tag.place,
        format!("`@{}` is for {}, and this is `{found}`", tag.name.name(), domain.noun()),
    )
    .help(match (domain, program.resolve(id).kind.clone()) {
        (Domain::Strings, TypeKind::Array { .. }) => {
            "to limit the array write `@minItems` or `@maxItems`; to limit its elements give them a type alias with the tag"
                .to_owned()
        }
        (Domain::Arrays, TypeKind::String) => "to limit a string write `@minLength` or `@maxLength`".to_owned(),
        (Domain::Strings, TypeKind::Number) => "to limit a number write `@minimum` or `@maximum`".to_owned(),
        _ => "remove the tag, or change the type".to_owned(),
    })
}

/// Reports rules that together admit no value.
fn contradictions(
    graph: &Graph<'_>,
    program: &Program,
    id: TypeId,
    doc: &Doc,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let Type { kind, constraints } = program.resolve(id).clone();
    let all: Vec<Constraints> = match kind {
        TypeKind::Union { members } => members
            .iter()
            .map(|member| program.resolve(*member).constraints.clone())
            .collect(),
        _ => vec![constraints],
    };
    let get = |value: Option<Decimal>| value.map(Decimal::get);
    for rules in all {
        let pairs: [(TagName, Option<f64>, TagName, Option<f64>); 3] = [
            (
                TagName::MinLength,
                to_f64(rules.min_length),
                TagName::MaxLength,
                to_f64(rules.max_length),
            ),
            (
                TagName::MinItems,
                to_f64(rules.min_items),
                TagName::MaxItems,
                to_f64(rules.max_items),
            ),
            (
                TagName::Minimum,
                get(rules.minimum),
                TagName::Maximum,
                get(rules.maximum),
            ),
        ];
        for (low_name, low, high_name, high) in pairs {
            let (Some(low), Some(high)) = (low, high) else {
                continue;
            };
            let Some(tag) = doc
                .tags
                .iter()
                .rfind(|tag| [low_name, high_name].contains(&tag.name))
            else {
                continue;
            };
            if low > high {
                diagnostics.push(
                    problem(
                        graph,
                        codes::INVALID_TAG_ARGUMENT,
                        tag.place,
                        format!(
                            "no value fits both `@{} {low}` and `@{} {high}`",
                            low_name.name(),
                            high_name.name()
                        ),
                    )
                    .help("exchange the two numbers, or remove one tag"),
                );
            }
        }
    }
}

// Lengths beyond 2^53 are compared approximately, which is exact enough for telling a slip.
#[allow(clippy::cast_precision_loss)]
fn to_f64(value: Option<u64>) -> Option<f64> {
    value.map(|value| value as f64)
}
