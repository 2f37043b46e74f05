//! Adds the handlers that files of the user lack. An addition only inserts text: all code and comments of the user stay the same.

use quote::quote;
use serde::Serialize;

use super::insertion::{Insertion, UserFile, insert};
use super::{Gaps, HandlerContext, Uses};
use crate::print;
use crate::route_groups::Group;
use crate::route_names::RouteNames;
use crate::source::{Import, Imports, ident, order};

/// Handlers that a project lacks.
#[derive(Debug, Default)]
pub struct MissingHandlers {
    /// Files with the handlers added.
    pub edits: Vec<HandlerEdit>,
    /// Files to which kit cannot add the handlers.
    pub refused: Vec<RefusedEdit>,
    /// Handlers of the user whose contracts are gone. Only the user knows if other code needs a part of them.
    pub unused: Vec<UnusedHandler>,
}

/// A handler that no contract has any more. The Rust compiler refuses the handler.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct UnusedHandler {
    /// Path of the file, relative to the project's root.
    pub path: String,
    /// Name of the method.
    pub function: String,
}

/// A file of the user, and the handlers that kit adds to the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HandlerEdit {
    /// Path of the file, relative to the project's root.
    pub path: String,
    /// Text of the file with the handlers.
    pub text: String,
    /// Added handlers, in the order of the contracts.
    pub added: Vec<AddedHandler>,
}

/// A handler that kit adds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AddedHandler {
    /// Route, such as `GET /todos/:id`.
    pub route: String,
    /// Name of the method in Rust; the route in TypeScript.
    pub function: String,
    /// True if the handler is complete. Otherwise, the handler responds with 501 (Rust) or throws (TypeScript) until the user writes it.
    pub is_complete: bool,
}

/// A file to which kit cannot add the missing handlers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedEdit {
    /// Path of the file, relative to the project's root.
    pub path: String,
    /// Reason, as a sentence without its period.
    pub reason: String,
    /// Advice for the user.
    pub help: String,
}

/// Returns the handlers that the files of the user lack. `read` returns the text of a file, or `None` if the file does not exist:
/// the next build writes such a file. `is_wanted` selects routes by their reference.
pub(super) fn find(
    known: HandlerContext<'_, '_>,
    read: &dyn Fn(&str) -> Option<String>,
    is_wanted: &dyn Fn(&str) -> bool,
) -> MissingHandlers {
    let mut found = MissingHandlers::default();
    for group in &known.routes.groups {
        let path = group.file();
        let Some(text) = read(&path) else { continue };
        match edit(known, group, &text, is_wanted) {
            Ok(Handlers { edited, unused }) => {
                found
                    .unused
                    .extend(unused.into_iter().map(|function| UnusedHandler {
                        path: path.clone(),
                        function,
                    }));
                if let Some((text, added)) = edited {
                    found.edits.push(HandlerEdit { path, text, added });
                }
            }
            Err((reason, help)) => found.refused.push(RefusedEdit { path, reason, help }),
        }
    }
    found
}

/// Handlers of a file, compared with the contracts.
struct Handlers {
    /// Edited text of the file, with the added handlers. `None` if no handler is missing.
    edited: Option<(String, Vec<AddedHandler>)>,
    /// Names of the handlers that no contract has.
    unused: Vec<String>,
}

/// Returns the text of a file with its missing handlers, and the handlers that no contract has.
///
/// # Errors
/// Returns the reason why kit cannot edit the file, and advice.
fn edit(
    known: HandlerContext<'_, '_>,
    group: &Group<'_>,
    text: &str,
    is_wanted: &dyn Fn(&str) -> bool,
) -> Result<Handlers, (String, String)> {
    let file = UserFile::parse(text).map_err(|reason| {
        let help = "correct the mistake, then run the command again".to_owned();
        (reason, help)
    })?;
    let Some(implementation) = file.implementation(&group.name) else {
        let reason = format!("the file does not implement `{}`", group.name);
        let help = format!(
            "write `impl {} for App {{}}` in the file, then run the command again",
            group.name
        );
        return Err((reason, help));
    };
    let missing: Vec<&RouteNames<'_>> = group
        .routes
        .iter()
        .filter(|handled| is_wanted(&handled.route.reference()))
        .filter(|handled| implementation.methods().all(|name| name != handled.function))
        .collect();
    let methods = implementation.methods();
    let is_unused = |name: &String| group.routes.iter().all(|handled| handled.function != *name);
    let unused: Vec<String> = methods.filter(is_unused).collect();
    if missing.is_empty() {
        return Ok(Handlers { edited: None, unused });
    }
    let mut uses = Uses {
        functions: file.functions(),
        ..Uses::default()
    };
    let known_functions = uses.functions.len();
    let mut added = Vec::new();
    let mut methods = String::new();
    for handled in missing {
        let mut gaps = Gaps::default();
        known.import(group, handled, &mut uses);
        let method = known.handler(group, handled, &group.file(), &mut uses, &mut gaps);
        let name = ident(&group.name);
        let printed = print::file(&quote!(impl #name for App { #method }));
        if !(methods.is_empty() && implementation.is_empty(text)) {
            methods.push('\n');
        }
        let lines: Vec<&str> = printed.lines().collect();
        // The first and the last line belong to the block.
        for line in lines.get(1..lines.len().saturating_sub(1)).unwrap_or_default() {
            methods.push_str(line);
            methods.push('\n');
        }
        added.push(AddedHandler {
            route: handled.route.reference(),
            function: handled.function.clone(),
            is_complete: gaps.denials.is_empty() && gaps.warnings.is_empty(),
        });
    }
    let mut insertions = vec![implementation.append(text, &methods)];
    let functions: String = uses.functions[known_functions..]
        .iter()
        .map(|function| format!("{}\n", print::file(&function.code)))
        .collect();
    insertions.push(Insertion {
        at: implementation.start,
        text: functions,
    });
    let parts = [
        &uses.runtime,
        &uses.tables,
        &uses.errors,
        &uses.models,
        &uses.router,
    ];
    let mut imports: Vec<_> = parts.into_iter().flat_map(Imports::each).collect();
    imports.sort_by_key(|import| order(&import.path));
    let imported = file.imports(text, &imports).map_err(|(import, other)| {
        let Import { name, path, .. } = import;
        let reason = format!("the handlers need `{path}`, but the file uses the name `{name}` for {other}");
        let help = format!("rename the other `{name}` in the file, then run the command again");
        (reason, help)
    })?;
    insertions.extend(imported);
    Ok(Handlers {
        edited: Some((insert(text, insertions), added)),
        unused,
    })
}
