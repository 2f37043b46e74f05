//! Doc comments, and the application of their tags.
//!
//! [`comment`] parses a comment, and [`tags`] lists the tags that kit knows. [`constraints`], [`property`]
//! and [`text`] apply tags to a type, to a property and to the documentation. [`rules`] parses a tag that is
//! a rule, [`implied`] finds rules that follow from other tags, and [`conflicts`] combines several rules.

mod arguments;
mod comment;
mod conflicts;
mod constraints;
mod examples;
mod implied;
pub(crate) mod index;
mod pattern;
mod property;
mod rules;
mod tags;
mod text;
mod value_check;

use kit_diagnostics::{Code, Diagnostic, codes};

pub(crate) use arguments::{invalid, is_property_name, words};
pub(crate) use comment::{Doc, Tag};
pub(crate) use constraints::{Misfit, apply as apply_constraints, limit_bigints};
pub(crate) use examples::examples;
pub(crate) use implied::{Implied, combined_rules, generated, rules_of, stored};
pub(crate) use property::{entity_reference, property_tags, reference_target, table_name};
pub(crate) use rules::check_pattern;
pub(crate) use tags::{TagName, Target};
pub(crate) use text::documentation;

use crate::modules::{Graph, Location};

/// Returns a diagnostic at a location in a comment.
pub(crate) fn problem(
    graph: &Graph<'_>,
    code: Code,
    location: Location,
    message: impl Into<String>,
) -> Diagnostic {
    Diagnostic::new(code, message).label(graph.label(location))
}

/// Returns errors for the tags of a comment that are not allowed on `target` or that occur twice, and
/// warnings for misspelt tags.
pub(crate) fn misplaced(graph: &Graph<'_>, doc: &Doc, target: Target) -> Vec<Diagnostic> {
    let wrong = doc
        .tags
        .iter()
        .filter(|tag| !tag.name.targets().contains(&target))
        .map(|tag| {
            problem(
                graph,
                codes::TAG_DOES_NOT_FIT,
                tag.location,
                format!("`@{}` has no effect on {}", tag.name.name(), target.description()),
            )
            .help(format!("it belongs on {}", tag.name.targets()[0].description()))
        });
    let twice = doc.tags.iter().enumerate().filter_map(|(index, tag)| {
        let earlier = doc.tags[..index]
            .iter()
            .find(|earlier| earlier.name == tag.name)?;
        (!tag.name.is_repeatable(target)).then(|| {
            let name = tag.name.name();
            let mut first = graph.label(earlier.location).message("the first one");
            first.primary = false;
            problem(
                graph,
                codes::CONFLICTING_TAGS,
                tag.location,
                format!("`@{name}` is written twice"),
            )
            .label(first)
            .help("remove one of the two tags")
        })
    });
    let misspelt = doc.misspelt.iter().map(|slip| {
        Diagnostic::warning(codes::UNKNOWN_TAG, format!("unknown tag `@{}`", slip.written))
            .label(graph.label(slip.location))
            .help(format!("did you mean `@{}`?", slip.meant.name()))
            .replacement(format!("@{}", slip.meant.name()))
    });
    wrong.chain(twice).chain(misspelt).collect()
}
