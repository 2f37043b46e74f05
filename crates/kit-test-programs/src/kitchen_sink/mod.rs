//! A program with every kind of type, every constraint and unusual names.

mod containers;
mod routes;
mod scalars;
mod tags;
mod unions;

use kit_ir::Program;

use super::Builder;

/// Returns the program with every construct of the IR.
pub fn program() -> Program {
    let mut b = Builder::new("src/sink.types.ts");
    scalars::scalars(&mut b);
    scalars::strings(&mut b);
    containers::containers(&mut b);
    containers::odd_names(&mut b);
    unions::unions(&mut b);
    unions::choices(&mut b);
    unions::recursive(&mut b);
    tags::defaults(&mut b);
    tags::entity(&mut b);
    routes::routes(&mut b);
    b.program
}
