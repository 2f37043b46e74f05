//! The state of a project that answers a request about a document.

use std::path::{Path, PathBuf};

use kit_build::{
    Analysis, FileSystem as _, MentionKind, ProjectModules, ResolvedConfig, RouteMention, Session,
    route_mentions,
};
use kit_diagnostics::{Severity, Sources as _};
use kit_ir::{Program, Route, Span};
use lsp_types::Location;

use crate::documents::Documents;
use crate::lines::Lines;
use crate::overlay::Overlay;

/// A document, and the analysis of its project.
pub(crate) struct View<'a> {
    pub(crate) root: &'a Path,
    /// Absolute path of the document.
    pub(crate) path: PathBuf,
    /// Path of the document relative to the root, as in the program.
    pub(crate) display: String,
    pub(crate) text: String,
    pub(crate) session: &'a Session,
    pub(crate) analysis: &'a Analysis,
    pub(crate) config: &'a ResolvedConfig,
    pub(crate) documents: &'a Documents,
    pub(crate) files: Overlay,
}

impl<'a> View<'a> {
    pub(crate) fn program(&self) -> &'a Program {
        &self.analysis.program
    }

    /// Returns the text of a project file.
    pub(crate) fn text_of(&self, display: &str) -> Option<String> {
        match self.analysis.sources.text(display) {
            Some(text) => Some(text.to_owned()),
            None => self.files.read(&absolute(self.root, display)).ok(),
        }
    }

    /// Returns a span of the program as a location of the protocol.
    pub(crate) fn location(&self, span: Span) -> Option<Location> {
        let display = self.program().path(span);
        let text = self.text_of(display)?;
        let range = Lines::new(&text).range(&(span.start as usize..span.end as usize));
        let uri = self.documents.uri(&absolute(self.root, display))?;
        Some(Location::new(uri, range))
    }

    /// Returns true if a span is in this document and contains an offset, or ends at it.
    pub(crate) fn contains(&self, span: Span, offset: usize) -> bool {
        span.start as usize <= offset
            && offset <= span.end as usize
            && self.program().path(span) == self.display
    }

    /// Returns the text at an offset that names a route, with the route.
    pub(crate) fn route_at(&self, offset: usize) -> Option<(RouteMention, &'a Route)> {
        let read = |path: &Path| self.files.read(path).ok();
        route_mentions(&self.path, &self.text, &ProjectModules::new(&read))
            .into_iter()
            .filter(|mention| mention.range.start <= offset && offset <= mention.range.end)
            .find_map(|mention| {
                let route = named_route(self.program(), &self.display, &mention)?;
                Some((mention, route))
            })
    }

    /// Returns true if there is an error between a span and the end of its line, so that what the program says about the span
    /// is a guess.
    pub(crate) fn is_uncertain(&self, span: Span) -> bool {
        let display = self.program().path(span);
        let Some(text) = self.analysis.sources.text(display) else {
            return false;
        };
        let (start, end) = (span.start as usize, (span.end as usize).min(text.len()));
        let line = text[end..].find('\n').map_or(text.len(), |length| end + length);
        let errors = self.analysis.diagnostics.iter();
        errors
            .filter(|diagnostic| diagnostic.severity == Severity::Error)
            .flat_map(|diagnostic| &diagnostic.labels)
            .any(|label| label.path == display && (start..=line).contains(&label.range.start))
    }
}

/// Returns the route that a text in a file names. `display` is the path of the file.
///
/// A contract and a handler name the route of their group. All other texts name a route by its key in a group, or by its
/// method and path. A text that could name several routes names none.
pub(crate) fn named_route<'p>(
    program: &'p Program,
    display: &str,
    mention: &RouteMention,
) -> Option<&'p Route> {
    let routes = || program.routes.iter();
    let is_at = |span: Span| {
        program.path(span) == display
            && span.start as usize <= mention.range.start
            && mention.range.end <= span.end as usize
    };
    match mention.kind {
        MentionKind::Contract => routes().find(|route| is_at(route.span)),
        MentionKind::Property => {
            routes().find(|route| route.handler.as_ref().is_some_and(|handler| is_at(handler.span)))
        }
        MentionKind::Option => only(routes().filter(|route| route.key == mention.key)),
        MentionKind::Member => only(routes().filter(|route| route.key == mention.key))
            .or_else(|| only(routes().filter(|route| route.reference() == mention.key))),
        MentionKind::Call => only(routes().filter(|route| route.reference() == mention.key)),
    }
}

fn only<T>(mut items: impl Iterator<Item = T>) -> Option<T> {
    let first = items.next();
    if items.next().is_some() { None } else { first }
}

/// Returns the absolute path of a path in the program, such as `src/a.ts` or `../shared/a.ts`.
pub(crate) fn absolute(root: &Path, display: &str) -> PathBuf {
    let mut path = root.to_path_buf();
    for part in display.split('/') {
        match part {
            ".." => {
                path.pop();
            }
            "." | "" => {}
            name => path.push(name),
        }
    }
    path
}
