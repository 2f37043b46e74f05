//! `routes/`: the tree, the table, and the application that the runtime loads.

mod application;
mod table;
mod tree;

use kit_router::RouteTree;

use crate::job::Job;
use crate::{Context, EmitOptions};

/// What the headers of these files name as their source.
const FROM: &str = "the contracts of the project";

pub(crate) fn emit(context: Context<'_>) -> [Job<'_>; 3] {
    [
        compiled_router(context.tree, context.options),
        Job::whole("routes/route-table.ts", move || table::emit(context)),
        Job::whole("routes/index.ts", move || application::emit(context)),
    ]
}

/// The tree, which says when it was made.
pub(crate) fn compiled_router<'a>(tree: &'a RouteTree, options: &'a EmitOptions) -> Job<'a> {
    Job::dated("routes/compiled-router.ts", move || tree::emit(tree, options))
}
