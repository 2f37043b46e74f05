//! Tags about the life of routes: `@deprecated`, `@deprecatedSince`, `@sunset` and `@successor`. The tags of a group apply to
//! each of its routes that does not have the same tag.

use kit_diagnostics::codes;
use kit_ir::{CalendarDate, Lifecycle};

use super::tags::invalid;
use super::{Contract, documentation};
use crate::docs::{Doc, TagName};
use crate::lower::Lowering;
use crate::modules::DeclId;

/// Values of the tags.
#[derive(Clone, Default)]
pub(crate) struct Life {
    pub(super) lifecycle: Lifecycle,
    /// Reason of the deprecation; `None` if the route is not deprecated.
    pub(super) deprecated: Option<String>,
}

/// Reads the tags of a group.
pub(crate) fn of_group(lowering: &mut Lowering<'_>, declared: Option<DeclId>) -> Life {
    let doc = declared.and_then(|decl| lowering.eval.declaration_doc(decl));
    doc.map_or_else(Life::default, |doc| read(lowering, &doc))
}

/// Reads the tags of a route, and adds the tags of its group.
pub(super) fn of_route(lowering: &mut Lowering<'_>, contract: &Contract, group: &Life) -> Life {
    let own = contract.doc.as_deref();
    let own = own.map_or_else(Life::default, |doc| read(lowering, doc));
    let life = Life {
        lifecycle: Lifecycle {
            deprecated_since: own
                .lifecycle
                .deprecated_since
                .or_else(|| group.lifecycle.deprecated_since.clone()),
            sunset: own.lifecycle.sunset.or_else(|| group.lifecycle.sunset.clone()),
            successor: own
                .lifecycle
                .successor
                .or_else(|| group.lifecycle.successor.clone()),
        },
        deprecated: own.deprecated.or_else(|| group.deprecated.clone()),
    };
    if let (Some(since), Some(sunset)) = (&life.lifecycle.deprecated_since, &life.lifecycle.sunset)
        && sunset < since
    {
        let message = format!(
            "`{}` has the sunset {}, before its deprecation on {}",
            contract.key,
            sunset.as_str(),
            since.as_str()
        );
        let diagnostic = lowering
            .eval
            .diagnostic(codes::CONFLICTING_TAGS, contract.location, message)
            .help("write a later date after `@sunset`");
        lowering.report(diagnostic);
    }
    life
}

fn read(lowering: &mut Lowering<'_>, doc: &Doc) -> Life {
    let deprecated_since = date(lowering, doc, TagName::DeprecatedSince);
    let sunset = date(lowering, doc, TagName::Sunset);
    let successor = successor(lowering, doc);
    let deprecated = documentation(doc).deprecated;
    Life {
        deprecated: deprecated.or_else(|| deprecated_since.as_ref().map(|_| String::new())),
        lifecycle: Lifecycle {
            deprecated_since,
            sunset,
            successor,
        },
    }
}

fn date(lowering: &mut Lowering<'_>, doc: &Doc, name: TagName) -> Option<CalendarDate> {
    let tag = doc.all(name).next()?;
    let date = CalendarDate::parse(&tag.argument);
    if date.is_none() {
        let diagnostic = invalid(lowering, tag, &format!("@{} 2026-01-31", name.name()))
            .note("the date is a day in UTC, from 1970-01-01");
        lowering.report(diagnostic);
    }
    date
}

/// Returns the path or the URL after `@successor`, which becomes a link.
fn successor(lowering: &mut Lowering<'_>, doc: &Doc) -> Option<String> {
    let tag = doc.all(TagName::Successor).next()?;
    let link = tag.argument.as_str();
    let is_path =
        link.starts_with('/') && !link.starts_with("//") && !link.contains("/:") && !link.contains("/*");
    let is_url = link.starts_with("https://") || link.starts_with("http://");
    let is_plain = link
        .bytes()
        .all(|byte| byte.is_ascii_graphic() && !b"<>\"\\^`{|}".contains(&byte));
    if (is_path || is_url) && is_plain {
        return Some(link.to_owned());
    }
    let diagnostic = invalid(lowering, tag, "@successor /v2/notes")
        .note("the successor is a path without parameters, or a URL with `https://`");
    lowering.report(diagnostic);
    None
}
