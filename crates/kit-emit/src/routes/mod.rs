//! `routes/`: the tree, the table, and the application that the runtime loads.

mod application;
mod table;
mod tree;

use kit_router::RouteTree;

use crate::{Artifact, Context, EmitOptions};

/// What the headers of these files name as their source.
const FROM: &str = "the contracts of the project";

pub(crate) fn emit(context: Context<'_>) -> Vec<Artifact> {
    vec![
        compiled_router(context.tree, context.options),
        Artifact::new("routes/route-table.ts", table::emit(context)),
        Artifact::new("routes/index.ts", application::emit(context)),
    ]
}

/// The tree, which says when it was made.
pub(crate) fn compiled_router(tree: &RouteTree, options: &EmitOptions) -> Artifact {
    Artifact::dated("routes/compiled-router.ts", tree::emit(tree, options))
}
