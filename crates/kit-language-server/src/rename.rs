//! Renames a route in its contract, its handler, and everywhere else in the project.

use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;

use kit_build::{
    FileSystem as _, MentionKind, ProjectModules, RouteMention, display_path, find_modules, route_mentions,
    syntax_error,
};
use kit_ir::{Method, Route, RoutePath, SOCKET_METHOD};
use lsp_types::{TextEdit, Uri, WorkspaceEdit};

use crate::lines::Lines;
use crate::view::{View, named_route};

/// Returns the range and the text that a rename at an offset replaces. Returns `None` if there is no route.
pub(crate) fn prepare(view: &View<'_>, offset: usize) -> Option<(Range<usize>, String)> {
    let (mention, _) = view.route_at(offset)?;
    let text = view.text[mention.range.clone()].to_owned();
    Some((mention.range, text))
}

/// Names of a route: in its group, and with the prefix of the group.
struct Names {
    key: String,
    method: String,
    path: String,
}

/// Returns the edits that rename the route at an offset. `name` replaces the text at the offset: a key such as
/// `GET /notes/:id`, or a path in a call of a client.
#[allow(clippy::mutable_key_type)] // Reason: the type of the protocol; the cell in a URI does not change its hash.
pub(crate) fn rename(view: &View<'_>, offset: usize, name: &str) -> Result<WorkspaceEdit, String> {
    let (mention, route) = view
        .route_at(offset)
        .ok_or("there is no route at this position; rename a route at its contract, its handler or a call")?;
    let new = new_names(route, &mention, name)?;
    let shape = shape(&new.method, &new.path);
    let is_same = |other: &&Route| {
        let reference = other.reference();
        let (method, path) = reference.split_once(' ').unwrap_or_default();
        self::shape(method, path) == shape
    };
    if let Some(other) = view.program().routes.iter().find(is_same)
        && !std::ptr::eq(other, route)
    {
        return Err(format!(
            "the application already has the route `{}`",
            other.reference()
        ));
    }
    let read = |path: &Path| view.files.read(path).ok();
    let imported = ProjectModules::new(&read);
    let mut changes: HashMap<Uri, Vec<TextEdit>> = HashMap::new();
    for path in modules(view)? {
        let text = view
            .files
            .read(&path)
            .map_err(|error| format!("{} cannot be read: {error}", path.display()))?;
        if text.contains(path_of(&route.key)) && has_syntax_error(&path, &text) {
            let display = display_path(view.root, &path);
            return Err(format!(
                "{display} may name the route, but has a syntax error; correct the error, and rename the route again"
            ));
        }
        let mentions = route_mentions(&path, &text, &imported);
        let edits = edits(view, &path, &text, mentions, (route, &new));
        if edits.is_empty() {
            continue;
        }
        let uri = view.documents.uri(&path);
        let uri = uri.ok_or_else(|| format!("{} has a path that is not UTF-8", path.display()))?;
        changes.insert(uri, edits);
    }
    Ok(WorkspaceEdit::new(changes))
}

/// Returns the names of a route after its text at a mention is replaced by `name`.
fn new_names(route: &Route, mention: &RouteMention, name: &str) -> Result<Names, String> {
    let full = route.path.to_string();
    let (old_method, old_path) = route.key.split_once(' ').unwrap_or(("", &route.key));
    let prefix = full.strip_suffix(old_path).unwrap_or_default();
    // The key of the root of a group is `GET /`, and its path is the prefix alone.
    let prefix = if old_path == "/" && full != "/" {
        full.as_str()
    } else {
        prefix
    };
    let is_path = mention.method.is_some();
    let (method, path) = if is_path {
        (old_method, name)
    } else {
        name.split_once(' ').ok_or_else(|| {
            format!("`{name}` is not a route key; write a method, a space and a path: `GET /notes/:id`")
        })?
    };
    // Keys in a group have no prefix.
    let has_prefix = mention.kind == MentionKind::Call || mention.key != route.key;
    let path = if has_prefix {
        let inner = path
            .strip_prefix(prefix)
            .filter(|inner| inner.is_empty() || inner.starts_with('/'));
        let inner = inner.ok_or_else(|| {
            if prefix.is_empty() {
                format!("`{path}` is not a path; write a path such as `/notes/:id`")
            } else {
                format!(
                    "the path must begin with `{prefix}`, the prefix of the group; change the prefix in `createApp`"
                )
            }
        })?;
        if inner.is_empty() { "/" } else { inner }
    } else {
        path
    };
    if method != SOCKET_METHOD && Method::from_name(method).is_none() {
        return Err(format!("kit does not support the method `{method}`"));
    }
    if (method == SOCKET_METHOD) != route.is_socket() {
        return Err("a rename cannot turn a route into a WebSocket, or a WebSocket into a route".to_owned());
    }
    let is_not_of_a_path =
        |letter: char| letter.is_whitespace() || letter.is_control() || "?#\"'`\\".contains(letter);
    RoutePath::parse(path)
        .ok()
        .filter(|_| !path.contains(is_not_of_a_path))
        .ok_or_else(|| format!("`{path}` is not a path of a route"))?;
    let inner = if path == "/" && !prefix.is_empty() {
        ""
    } else {
        path
    };
    Ok(Names {
        key: format!("{method} {path}"),
        method: method.to_owned(),
        path: format!("{prefix}{inner}"),
    })
}

/// Returns the path in a route key.
fn path_of(key: &str) -> &str {
    key.split_once(' ').map_or(key, |(_, path)| path)
}

/// Returns true if the module has a syntax error. Modules with JSX are not checked.
fn has_syntax_error(path: &Path, text: &str) -> bool {
    let has_jsx = path
        .extension()
        .is_some_and(|ending| ending == "tsx" || ending == "jsx");
    !has_jsx && syntax_error(text).is_some()
}

/// Returns a method and a path without the names of parameters: two routes with the same shape cannot exist.
fn shape(method: &str, path: &str) -> String {
    let segments = path.split('/').map(|segment| match segment.chars().next() {
        Some(':') => ":",
        Some('*') => "*",
        _ => segment,
    });
    let method = if method == SOCKET_METHOD { "GET" } else { method };
    format!("{method} {}", segments.collect::<Vec<_>>().join("/"))
}

/// Returns all modules that may name a route: those of the project, and this document.
fn modules(view: &View<'_>) -> Result<Vec<std::path::PathBuf>, String> {
    let mut modules = find_modules(view.root, view.config).map_err(|error| error.to_string())?;
    modules.extend(
        view.documents
            .paths()
            .filter(|path| path.starts_with(view.root))
            .cloned(),
    );
    modules.sort();
    modules.dedup();
    Ok(modules)
}

fn edits(
    view: &View<'_>,
    path: &Path,
    text: &str,
    mentions: Vec<RouteMention>,
    (route, new): (&Route, &Names),
) -> Vec<TextEdit> {
    let display = display_path(view.root, path);
    let lines = Lines::new(text);
    let mut edits = Vec::new();
    let mut replace = |range: &Range<usize>, by: &str| {
        if text[range.clone()] != *by {
            edits.push(TextEdit::new(lines.range(range), by.to_owned()));
        }
    };
    for mention in mentions {
        let named = named_route(view.program(), &display, &mention);
        if !named.is_some_and(|named| std::ptr::eq(named, route)) {
            continue;
        }
        match &mention.method {
            Some(method) => {
                let is_upper = text[method.clone()]
                    .chars()
                    .all(|letter| letter.is_ascii_uppercase());
                let name = if is_upper {
                    new.method.clone()
                } else {
                    new.method.to_ascii_lowercase()
                };
                replace(method, &name);
                replace(&mention.range, &new.path);
            }
            // A name in brackets may be the key in the group, or the method and the path of a client.
            None if mention.kind != MentionKind::Call && mention.key == route.key => {
                replace(&mention.range, &new.key);
            }
            None => replace(&mention.range, &format!("{} {}", new.method, new.path)),
        }
    }
    edits
}
