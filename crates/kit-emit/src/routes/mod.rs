//! `routes/`: the tree, the table, and the application that the runtime loads.

mod application;
mod table;
mod tree;

use crate::{Artifact, Context};

/// What the headers of these files name as their source.
const FROM: &str = "the contracts of the project";

pub(crate) fn emit(context: Context<'_>) -> Vec<Artifact> {
    vec![
        Artifact::new("routes/compiled-router.ts", tree::emit(context)),
        Artifact::new("routes/route-table.ts", table::emit(context)),
        Artifact::new("routes/index.ts", application::emit(context)),
    ]
}
