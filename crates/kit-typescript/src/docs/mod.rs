//! Doc comments: their text and their tags.
//!
//! [`comment`] takes a comment apart, [`tags`] is the table of tags, and [`constraints`], [`property`] and [`text`] say
//! what tags mean on a type, on a property and for readers.

mod arguments;
mod comment;
mod constraints;
mod fit;
mod property;
mod tags;
mod text;

use kit_diagnostics::{Code, Diagnostic, codes};

pub(crate) use arguments::words;
pub(crate) use comment::{Doc, Tag};
pub(crate) use constraints::apply as apply_constraints;
pub(crate) use property::{name as property_name, property_tags};
pub(crate) use tags::{TagName, Target};
pub(crate) use text::documentation;

use crate::modules::{Graph, Place};

/// A diagnostic on a place of a comment.
pub(crate) fn problem(graph: &Graph<'_>, code: Code, place: Place, message: impl Into<String>) -> Diagnostic {
    Diagnostic::new(code, message).label(graph.label(place))
}

/// The tags of a comment that have no meaning where the comment stands, as errors, and the misspelt ones, as warnings.
pub(crate) fn misplaced(graph: &Graph<'_>, doc: &Doc, target: Target) -> Vec<Diagnostic> {
    let wrong = doc
        .tags
        .iter()
        .filter(|tag| !tag.name.targets().contains(&target))
        .map(|tag| {
            problem(
                graph,
                codes::TAG_DOES_NOT_FIT,
                tag.place,
                format!("`@{}` means nothing on {}", tag.name.name(), target.description()),
            )
            .help(format!("it belongs on {}", tag.name.targets()[0].description()))
        });
    let misspelt = doc.misspelt.iter().map(|slip| {
        Diagnostic::warning(
            codes::UNKNOWN_TAG,
            format!("`@{}` is no tag that kit knows", slip.written),
        )
        .label(graph.label(slip.place))
        .help(format!("did you mean `@{}`?", slip.meant.name()))
    });
    wrong.chain(misspelt).collect()
}
