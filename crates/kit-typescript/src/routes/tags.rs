//! Doc tags of routes, such as `@status` and `@throws`.

use kit_diagnostics::{Diagnostic, codes};
use kit_ir::DeclaredError;

use super::Contract;
use crate::docs::{Doc, Tag, TagName, Target, misplaced, words};
use crate::eval::Ty;
use crate::lower::Lowering;

/// Values of a route's doc tags.
#[derive(Default)]
pub(super) struct RouteTags {
    pub(super) status: Option<u16>,
    pub(super) summary: Option<String>,
    pub(super) tags: Vec<String>,
    pub(super) throws: Vec<DeclaredError>,
}

pub(super) fn read(lowering: &mut Lowering<'_>, contract: &Contract) -> RouteTags {
    let mut read = RouteTags::default();
    let Some(doc) = &contract.doc else { return read };
    for issue in misplaced(lowering.graph(), doc, Target::Route) {
        lowering.report(issue);
    }
    let text = |tag: &Tag| tag.argument.split_whitespace().collect::<Vec<_>>().join(" ");
    read.summary = doc
        .all(TagName::Summary)
        .next()
        .map(text)
        .filter(|text| !text.is_empty());
    for tag in doc.all(TagName::Tag) {
        if tag.argument.is_empty() {
            lowering.report(invalid(lowering, tag, "@tag notes"));
        } else {
            read.tags.push(tag.argument.clone());
        }
    }
    read.status = status(lowering, contract, doc);
    for tag in doc.all(TagName::Throws) {
        match throws(tag) {
            Some(throws) => read.throws.push(throws),
            None => lowering.report(invalid(
                lowering,
                tag,
                "@throws NOTE_NOT_FOUND 404 There is no such note.",
            )),
        }
    }
    read
}

fn status(lowering: &mut Lowering<'_>, contract: &Contract, doc: &Doc) -> Option<u16> {
    let tag = doc.all(TagName::Status).next()?;
    let Some(status) = tag
        .argument
        .parse::<u16>()
        .ok()
        .filter(|status| (200..400).contains(status))
    else {
        let diagnostic =
            invalid(lowering, tag, "@status 202").note("the status of a successful response is 200 to 399");
        lowering.report(diagnostic);
        return None;
    };
    let response = lowering.eval.shape(contract.slots[3]);
    let is_void = matches!(lowering.eval.store.get(response), Ty::Undefined);
    if [204, 205, 304].contains(&status) && !is_void {
        let message = format!(
            "a response with the status {status} cannot have a body, but the contract of this route has a response type"
        );
        let diagnostic = lowering
            .eval
            .diagnostic(codes::TAG_DOES_NOT_FIT, tag.location, message)
            .help("write `void` as the response type, or choose another status");
        lowering.report(diagnostic);
        return None;
    }
    Some(status)
}

/// Parses the argument of `@throws`: a code, a status and a description. Returns `None` for any other
/// argument.
pub(crate) fn throws(tag: &Tag) -> Option<DeclaredError> {
    let words = words(tag);
    let code = words.first().filter(|code| {
        code.starts_with(|first: char| first.is_ascii_uppercase())
            && code
                .chars()
                .all(|letter| letter.is_ascii_uppercase() || letter.is_ascii_digit() || letter == '_')
    })?;
    let status = words
        .get(1)?
        .parse::<u16>()
        .ok()
        .filter(|status| (400..600).contains(status))?;
    let description = words.get(2..).unwrap_or_default().join(" ");
    Some(DeclaredError {
        code: (*code).to_owned(),
        status,
        description: (!description.is_empty()).then_some(description),
        details: None,
    })
}

/// Returns the error for an invalid tag. `form` is a valid tag, which the help shows.
pub(crate) fn invalid(lowering: &Lowering<'_>, tag: &Tag, form: &str) -> Diagnostic {
    let written = format!("@{} {}", tag.name.name(), tag.argument);
    let message = if tag.argument.is_empty() {
        format!("`{}` needs an argument", written.trim_end())
    } else {
        format!("`{written}` is not valid")
    };
    lowering
        .eval
        .diagnostic(codes::INVALID_TAG_ARGUMENT, tag.location, message)
        .help(format!("write `{form}`"))
}
