//! The state of a project that answers a request about a document.

use std::path::{Path, PathBuf};

use kit_build::{
    Analysis, FileSystem as _, MentionKind, ResolvedConfig, RouteMention, Session, route_mentions,
};
use kit_diagnostics::Sources as _;
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
        let mention = route_mentions(&self.path, &self.text)
            .into_iter()
            .find(|mention| mention.range.start <= offset && offset <= mention.range.end)?;
        let route = named_route(self.program(), &self.display, &self.text, &mention)?;
        Some((mention, route))
    }
}

/// Returns the route that a text in a file names. `display` is the path of the file, and `text` its content.
///
/// A contract and a handler name the route of their group. All other texts name a route by its key in a group, or by its
/// method and path. A text that could name several routes names none.
pub(crate) fn named_route<'p>(
    program: &'p Program,
    display: &str,
    text: &str,
    mention: &RouteMention,
) -> Option<&'p Route> {
    let routes = || program.routes.iter();
    let (start, end) = (mention.range.start, mention.range.end);
    match mention.kind {
        MentionKind::Contract => routes().find(|route| {
            let span = route.span;
            program.path(span) == display && span.start as usize <= start && end <= span.end as usize
        }),
        MentionKind::Property => {
            // Only a colon is between the key and its handler.
            let follows = |span: Span| {
                program.path(span) == display
                    && text.get(end..span.start as usize).is_some_and(|between| {
                        between
                            .chars()
                            .all(|letter| letter.is_whitespace() || "\"':".contains(letter))
                    })
            };
            let own = routes().find(|route| {
                let handler = route.handler.as_ref();
                route.key == mention.key && handler.is_some_and(|handler| follows(handler.span))
            });
            own.or_else(|| only(routes().filter(|route| route.key == mention.key)))
        }
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
