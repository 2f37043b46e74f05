//! Doc tags of routes, such as `@status` and `@throws`.

use kit_diagnostics::{Diagnostic, codes};
use kit_ir::{DeclaredError, Slot};

use super::{Contract, replies};
use crate::docs::{Doc, Tag, TagName, Target, misplaced, words};
use crate::eval::{KitType, Ty};
use crate::lower::Lowering;
use crate::modules::Location;

/// Note of an error about a `@throws` tag.
const FORM_OF_THROWS: &str = "write a code (letters, digits, `_`, `-` and `.`, of which the first is a letter), then a status from 400 to 599";

/// Classes of JavaScript's errors. `JSDoc`'s tag `@throws` names them, and no API calls its errors so.
const ERROR_CLASSES: [&str; 10] = [
    "AggregateError",
    "DOMException",
    "Error",
    "EvalError",
    "RangeError",
    "ReferenceError",
    "SuppressedError",
    "SyntaxError",
    "TypeError",
    "URIError",
];

/// Values of a route's doc tags.
#[derive(Default)]
pub(super) struct RouteTags {
    pub(super) status: Option<u16>,
    pub(super) summary: Option<String>,
    pub(super) tags: Vec<String>,
    pub(super) throws: Vec<DeclaredThrow>,
    pub(super) operation: Option<String>,
}

/// Error that a `@throws` tag declares, with the location of the tag.
pub(super) struct DeclaredThrow {
    pub(super) error: DeclaredError,
    pub(super) location: Location,
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
    read.operation = operation(lowering, doc);
    for tag in doc.all(TagName::Throws) {
        if let Some(error) = throws(tag) {
            read.throws.push(DeclaredThrow {
                error,
                location: tag.location,
            });
        } else {
            let form = "@throws NOTE_NOT_FOUND 404 There is no such note.";
            lowering.report(invalid_throws(lowering, tag, form));
        }
    }
    read
}

fn status(lowering: &mut Lowering<'_>, contract: &Contract, doc: &Doc) -> Option<u16> {
    let tag = doc.all(TagName::Status).next()?;
    if replies::declares(lowering, contract) {
        let message = "`@status` has no effect on a contract whose response has replies";
        let diagnostic = lowering
            .eval
            .diagnostic(codes::TAG_DOES_NOT_FIT, tag.location, message)
            .help("remove the tag: each `Reply<status, Body>` has its status");
        lowering.report(diagnostic);
        return None;
    }
    if is_download(lowering, contract) {
        let message = "`@status` has no effect on a contract with a `Download`";
        let diagnostic = lowering
            .eval
            .diagnostic(codes::TAG_DOES_NOT_FIT, tag.location, message)
            .help("remove the tag: a download has the status 200, or 206 for a range");
        lowering.report(diagnostic);
        return None;
    }
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
    let response = contract.slot(Slot::Response);
    let is_void =
        response.is_none_or(|response| matches!(lowering.eval.shape_of(response.ty), Ty::Undefined));
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

/// Returns true if the response of a contract is `Download<…>`.
fn is_download(lowering: &mut Lowering<'_>, contract: &Contract) -> bool {
    contract
        .slot(Slot::Response)
        .is_some_and(|response| matches!(lowering.eval.shape_of(response.ty), Ty::Kit(KitType::Download, _)))
}

/// Returns the argument of `@operation`. The name must be an identifier in all languages that kit generates.
fn operation(lowering: &mut Lowering<'_>, doc: &Doc) -> Option<String> {
    let tag = doc.all(TagName::Operation).next()?;
    let name = &tag.argument;
    let valid = name.starts_with(|first: char| first.is_ascii_alphabetic())
        && name
            .chars()
            .all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
    if !valid {
        let diagnostic = invalid(lowering, tag, "@operation createNote")
            .note("the name of an operation begins with a letter and has only ASCII letters, digits and `_`");
        lowering.report(diagnostic);
        return None;
    }
    if OF_CLIENTS.contains(&name.as_str()) {
        let diagnostic = invalid(lowering, tag, "@operation createNote").note(format!(
            "every client has a method `{name}` already; choose a name that says what the operation does"
        ));
        lowering.report(diagnostic);
        return None;
    }
    Some(name.clone())
}

/// Names that `@operation` must not give: methods that every client has, and `then`, which would make a
/// client a promise.
const OF_CLIENTS: [&str; 8] = ["get", "head", "post", "put", "patch", "delete", "options", "then"];

/// Parses the argument of `@throws`: a code, a status and a description. Returns `None` for any other
/// argument.
pub(crate) fn throws(tag: &Tag) -> Option<DeclaredError> {
    let words = words(tag);
    let code = words
        .first()
        .filter(|code| is_error_code(code) && !ERROR_CLASSES.contains(code))?;
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

/// Returns true if a text can be an error code, such as `NOTE_NOT_FOUND`, or `note.not-found` of an older API.
pub(crate) fn is_error_code(code: &str) -> bool {
    code.starts_with(|first: char| first.is_ascii_alphabetic())
        && code
            .chars()
            .all(|letter| letter.is_ascii_alphanumeric() || "_-.".contains(letter))
}

/// Returns the error for a `@throws` tag that declares no error. `form` is a valid tag, which the help shows.
pub(crate) fn invalid_throws(lowering: &Lowering<'_>, tag: &Tag, form: &str) -> Diagnostic {
    let words = words(tag);
    let Some(class) = words.first().filter(|word| ERROR_CLASSES.contains(word)) else {
        return invalid(lowering, tag, form).note(FORM_OF_THROWS);
    };
    let message = format!("`@throws {class}` names a class of JavaScript in place of an error code");
    let note = format!("a comment for people about exceptions is `@throws {{{class}}} …`, on a function");
    lowering
        .eval
        .diagnostic(codes::INVALID_TAG_ARGUMENT, tag.location, message)
        .note(note)
        .help(format!("write `{form}`"))
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
