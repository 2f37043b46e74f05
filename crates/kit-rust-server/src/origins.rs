//! Origins of generated names: the contracts and types from which handlers and models come. Tools show these locations with errors of
//! the Rust compiler.

use kit_ir::Span;
use serde::Serialize;

use crate::route_groups::Routes;
use crate::types::Types;

/// A handler, and its contract.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct HandlerOrigin {
    /// Path of the file with the handler, relative to the project's root.
    pub file: String,
    /// Name of the method.
    pub function: String,
    /// Route, such as `GET /todos/:id`.
    pub route: String,
    /// Location of the contract.
    pub span: Span,
}

/// A model, and the type from which it comes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelOrigin {
    /// Name of the model in Rust.
    pub name: String,
    /// Location of the type.
    pub span: Span,
}

pub(crate) fn handlers(routes: &Routes<'_>) -> Vec<HandlerOrigin> {
    let groups = routes.groups.iter();
    let handled = groups.flat_map(|group| group.routes.iter().map(move |handled| (group, handled)));
    let origins = handled.map(|(group, handled)| HandlerOrigin {
        file: group.file(),
        function: handled.function.clone(),
        route: handled.route.reference(),
        span: handled.route.span,
    });
    origins.collect()
}

pub(crate) fn models(types: &Types<'_>) -> Vec<ModelOrigin> {
    let mut origins: Vec<ModelOrigin> = Vec::new();
    for id in types.needed() {
        for form in types.forms(id) {
            let name = types.name_in(id, *form);
            if origins.iter().all(|known| known.name != name) {
                origins.push(ModelOrigin {
                    name: name.to_owned(),
                    span: types.program.declarations[id].span,
                });
            }
        }
    }
    origins
}
