//! Facts for documents that stay the same as long as routes and references do.

use std::collections::BTreeSet;

use indexmap::IndexMap;
use kit_ir::{DeclarationId, RouteId, SourceId};
use rustc_hash::FxHashMap;

use crate::component_names::Use;
use crate::openapi::ParameterNames;

/// Facts for documents. They take a long time in a large program, and an edit of a type does not change them.
pub(crate) struct DocumentFacts {
    /// `operationId` of each route, by its reference.
    pub(crate) ids: IndexMap<String, String>,
    pub(crate) parameter_names: ParameterNames,
    /// Declarations that `schemas/openapi.json` contains as components, if the program is large. Other files of a large program
    /// refer to these components.
    pub(crate) described: BTreeSet<Use>,
    /// Declarations that are components of a document.
    pub(crate) used: Vec<Use>,
    /// For each file, the routes whose body or response contains a type that the file declares.
    pub(crate) by_file: FxHashMap<SourceId, Vec<RouteId>>,
    /// Declarations that the operation of each route names, by the index of the route.
    pub(crate) types: Vec<Vec<DeclarationId>>,
}
